"""Transactions of a connection: all that is executed inside is committed, or nothing."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator

from mobandits.logs.store.rows import Statement
from mobandits.logs.store.session import Session


def execute_all(connection: Session, statements: Iterable[Statement]) -> None:
    """Run some statements, one after the other."""
    for sql, values in statements:
        connection.execute(sql, values)


@contextlib.contextmanager
def undone_on_error(connection: Session) -> Iterator[None]:
    """The transaction that is open when something fails inside is taken back."""
    try:
        yield
    except BaseException:
        # An error of the rollback would hide the first one.
        with contextlib.suppress(sqlite3.Error):
            # SQLite may have taken back all of it already, as it does on a full disk.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def transaction(connection: Session, begin: str = "BEGIN") -> Iterator[None]:
    """Transaction: statements inside are committed whole, or not at all.

    Args:
        connection: outside of a transaction.
        begin: "BEGIN", or "BEGIN IMMEDIATE" where nobody else may write from the start.
    """
    connection.execute(begin)
    with undone_on_error(connection):
        yield
        connection.execute("COMMIT")
