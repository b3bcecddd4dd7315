"""Sessions of a PostgreSQL server, as `logs.store.session` has them.

Placeholders are translated, and errors become those of `sqlite3`: both modules have the exceptions
of Python's database interface.
"""

import contextlib
import functools
import os
import re
import socket
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from mobandits.errors import LogError, UnavailableError
from mobandits.logs.address import Address
from mobandits.support.naming import shortened
from mobandits.support.optional import missing_extra

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.pq import TransactionStatus
except ImportError as error:
    raise missing_extra("a store in PostgreSQL", "postgres") from error

# A server refuses a session before it has told a code, so its words have to do. What is not here, as
# a message in another language, may pass: to wait for it in vain is the smaller mistake.
LASTING = (
    "authentication failed",
    "does not exist",
    "no pg_hba.conf entry",
    "no password supplied",
    "is not permitted to log in",
    "permission denied",
)
BLOCK = 500  # rows that are fetched at a time: with 50 arms of 20 features, 4 MB
LONGEST_NAME = 63  # bytes of an application's name, of which PostgreSQL cuts off the rest
# Seconds: a connection whose other end is gone without a word is noticed after about ten.
DEFAULTS = {
    "connect_timeout": "10",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    # Where several hosts are given, the one that takes writes.
    "target_session_attrs": "read-write",
}
# The server's end, which would otherwise hold the lock of a process that is gone for two hours.
SETTINGS = (
    "SET tcp_keepalives_idle = 5",
    "SET tcp_keepalives_interval = 2",
    "SET tcp_keepalives_count = 3",
    "SET tcp_user_timeout = 10000",
    "SET client_min_messages = warning",
)
# The store writes what both databases understand; only the placeholders of psycopg are others.
# Arrays go as bytes: as text, each of their elements costs ten times as much.
PLACEHOLDER = re.compile(r"\?(?P<array>::\w+\[\])?|(?<!:):(?P<name>[a-z_]+)")


class PostgresConnection:
    """A session of a server.

    Args:
        connection: of psycopg, which commits every statement outside of a transaction.

    Attributes:
        session: the connection of psycopg.
        is_streaming: whether rows that are iterated over are fetched a block at a time; only
            inside a transaction.
    """

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self.session = connection
        self.is_streaming = False
        self._is_together = False
        self._commit: psycopg.Cursor[Any] | None = None

    def execute(self, sql: str, values: Any = ()) -> Any:
        """Run a statement; what is returned has the rows, as a cursor of sqlite3 has them.

        Raises:
            sqlite3.Error: where it cannot be run.
        """
        if self.is_streaming:
            return StreamedRows(self.session, translated(sql), values)

        with as_sqlite_errors():
            cursor = self.session.execute(translated(sql), values, binary=True)
            if sql == "COMMIT":
                self._commit = cursor
                if not self._is_together:
                    self._check_commit()

        return cursor

    def value(self, sql: str, *values: Any) -> Any:
        """The one value that a statement returns."""
        (value,) = self.execute(sql, values).fetchone()
        return value

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, one that failed included."""
        status = self.session.info.transaction_status
        return status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN)

    @property
    def is_lost(self) -> bool:
        """Whether nothing can be sent any more."""
        return self.session.closed

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Statements inside are sent without waiting for the answers, which are read at the end.

        Raises:
            sqlite3.Error: as `execute`, of the first statement that cannot be run; none after it
                was.
        """
        self._is_together = True
        try:
            with as_sqlite_errors(), self.session.pipeline():
                yield
            with as_sqlite_errors():
                self._check_commit()
        except BaseException:
            # The server skips what follows an error, and psycopg may take a statement for prepared
            # that was skipped. From now on this session prepares none.
            self.session.prepare_threshold = None
            raise
        finally:
            self._is_together = False
            self._commit = None

    def _check_commit(self) -> None:
        """Refuse to take for a commit what was none: of a failed transaction it is a rollback."""
        commit = self._commit
        self._commit = None
        if commit is not None and commit.statusmessage != "COMMIT":
            raise psycopg.OperationalError("the transaction was rolled back")

    def close(self) -> None:
        """Close it; a lock that it holds is free then."""
        self.session.close()


class StreamedRows:
    """The rows of a query, which is run when they are asked for.

    Args:
        connection: in a transaction.
        query: in the words of psycopg.
        values: of its placeholders.
    """

    def __init__(self, connection: "psycopg.Connection[Any]", query: bytes, values: Any) -> None:
        self._connection = connection
        self._query = query
        self._values = values

    def __iter__(self) -> Iterator[Any]:
        with as_sqlite_errors(), self._connection.cursor(f"rows_{id(self)}", binary=True) as rows:
            rows.itersize = BLOCK
            rows.execute(self._query, self._values)
            yield from rows

    def fetchone(self) -> Any:
        """The first row; None where there is none."""
        rows = self.fetchall()
        return rows[0] if rows else None

    def fetchall(self) -> list[Any]:
        """All rows."""
        with as_sqlite_errors():
            return self._connection.execute(self._query, self._values, binary=True).fetchall()


@contextlib.contextmanager
def as_sqlite_errors() -> Iterator[None]:
    """Errors of psycopg as those of sqlite3, in one line."""
    try:
        yield
    except (psycopg.IntegrityError, psycopg.DataError) as error:
        # A value that a column does not take is the fault of its call alone, as a key is.
        raise sqlite3.IntegrityError(in_one_line(error)) from error
    except psycopg.Error as error:
        raise sqlite3.OperationalError(in_one_line(error)) from error


def in_one_line(error: "psycopg.Error") -> str:
    """Message of an error, without the lines that quote statements."""
    message = error.diag.message_primary or str(error)
    return shortened(" ".join(message.split()))


def connected(address: Address, role: str, settings: Iterable[str] = ()) -> PostgresConnection:
    """A session of a database's server; each statement is a transaction unless one is begun.

    Args:
        address: of the database.
        role: what it is for, which `pg_stat_activity` shows.
        settings: statements that it begins with.

    Raises:
        LogError: where there is none; passwords are in no message.
    """
    try:
        given = conninfo_to_dict(address.url)
    except psycopg.ProgrammingError:
        # What it says quotes the URL.
        raise LogError(f"{address} must be a URL of PostgreSQL, and cannot be read") from None

    name = f"mobandits {role} {os.getpid()}@{socket.gethostname()}"
    parameters: dict[str, Any] = {**DEFAULTS, "application_name": name[:LONGEST_NAME], **given}
    parameters["client_encoding"] = "utf8"
    try:
        connection: psycopg.Connection[Any] = psycopg.connect(**parameters, autocommit=True)
    except psycopg.Error as error:
        reason = in_one_line(error)
        kind = LogError if is_lasting(reason) else UnavailableError
        raise kind(f"{address} cannot be reached: {reason}") from None

    try:
        for setting in (*SETTINGS, *settings):
            connection.execute(setting.encode())
        check_server(connection, address)
    except psycopg.Error as error:
        connection.close()
        raise LogError(f"{address} cannot be used: {in_one_line(error)}") from None
    except LogError:
        connection.close()
        raise

    return PostgresConnection(connection)


def is_lasting(reason: str) -> bool:
    """Whether somebody must mend the reason why a database cannot be reached.

    Example:
        >>> is_lasting("FATAL: the database system is starting up")
        False
        >>> is_lasting('FATAL: role "nobody" does not exist')
        True
    """
    return any(words in reason for words in LASTING)


def check_server(connection: "psycopg.Connection[Any]", address: Address) -> None:
    """Refuse a database that cannot hold every text.

    Raises:
        LogError: naming its encoding.
    """
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise LogError(f"{address} must be a database with the encoding UTF8, got {encoding}")


@functools.lru_cache(maxsize=256)
def translated(sql: str) -> bytes:
    """A statement of the store with the placeholders of psycopg.

    Example:
        >>> translated("SELECT seq FROM changes WHERE agent = ? AND kind = :kind")
        b'SELECT seq FROM changes WHERE agent = %s AND kind = %(kind)s'
    """
    if sql == "BEGIN IMMEDIATE":
        return b"BEGIN"

    return PLACEHOLDER.sub(_placeholder, sql).encode()


def _placeholder(found: re.Match[str]) -> str:
    """The placeholder of psycopg in the place of one of sqlite3."""
    name = found["name"]
    array = found["array"]
    if array is not None:
        return f"%b{array}"

    return "%s" if name is None else f"%({name})s"
