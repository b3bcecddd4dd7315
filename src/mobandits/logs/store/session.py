"""The connection that functions of a store are given, as a protocol."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Session(Protocol):
    """A connection to a store, in a file or in a database: `sqlite3.Connection` is one.

    Its errors are those of `sqlite3`, by the names that Python's database interface gives them:
    IntegrityError where a call alone is at fault, OperationalError where the database is.
    """

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, one that failed included."""

    def execute(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ..., /) -> Any:
        """Run a statement, in SQL that SQLite and PostgreSQL understand.

        Returns:
            its rows, with `fetchone`, `fetchall` and iteration.
        """
