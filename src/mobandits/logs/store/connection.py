"""Connections to a store: what is checked before anything is read, and how errors are told."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from mobandits.errors import LogError
from mobandits.logs.store.rows import (
    SELECT_CHANGES,
    SELECT_DECISIONS,
    SELECT_REWARDS,
    Event,
    in_order,
)
from mobandits.logs.store.schema import APPLICATION_ID, VERSION, check_sqlite, version_of
from mobandits.support.found import found_at

MAGIC = b"SQLite format 3\0"
WAIT_SECONDS = 10.0  # for a lock that a reader's checkpoint may hold for a moment


def is_store(path: Path) -> bool:
    """Whether a file is a SQLite database: its first bytes say so, whatever its name is."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def connect(path: Path, *, synchronous: str) -> sqlite3.Connection:
    """A connection that writes, to a store or to a file that is not there yet.

    Raises:
        LogError: where the file is something else, damaged, or of a newer version.
    """
    check_sqlite()
    _refuse_others(path)
    with explained(path):
        connection = sqlite3.connect(
            path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
    try:
        with explained(path):
            _check_content(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("PRAGMA foreign_keys = ON")
            _harden(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads one state of a store, whatever is written meanwhile.

    Raises:
        LogError: where the file is no store, damaged, or of a newer version.
    """
    check_sqlite()
    if not is_store(path):
        raise LogError(f"{path} must be a store, got {found_at(path)}")
    with explained(path):
        uri = f"{path.absolute().as_uri()}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        with explained(path):
            _check_content(connection, path)
            _harden(connection)
            connection.execute("BEGIN")
            yield connection
    finally:
        connection.close()


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Errors of SQLite say which file they are about, in one line."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise LogError(f"{path} cannot be used: {error}") from error
    except sqlite3.DatabaseError as error:
        raise LogError(f"{path} is damaged: {error}") from error


def events_between(
    connection: sqlite3.Connection, agent: int, after: int, last: int, source: str
) -> Iterator[Event]:
    """The events of an agent with after < seq <= last, in order; none may be missing.

    Raises:
        LogError: where one is damaged or missing, or where events after `after` were deleted.
    """
    query = "SELECT complete_after FROM agents WHERE id = ?"
    (complete_after,) = connection.execute(query, (agent,)).fetchone()
    if after < complete_after:
        said = f"of the first {complete_after} events of {source} some were deleted"
        raise LogError(f"{said}: begin after them, with a snapshot")
    parameters = (agent, after, last)
    ordered = in_order(
        connection.execute(SELECT_DECISIONS, parameters),
        connection.execute(SELECT_REWARDS, parameters),
        connection.execute(SELECT_CHANGES, parameters),
        source,
    )
    expected = after
    try:
        for seq, event in ordered:
            expected += 1
            if seq != expected:
                raise LogError(f"{source} is damaged: event {expected} is missing")
            yield event
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{source} is damaged: event {expected + 1} cannot be read") from error
    if expected != last:
        raise LogError(f"{source} is damaged: event {expected + 1} is missing")


def _refuse_others(path: Path) -> None:
    """Refuse what is there and no database."""
    if path.is_file() and path.stat().st_size == 0:
        return
    if path.exists() and not is_store(path):
        raise LogError(f"{path} must be a store or a new file, got {found_at(path)}")


def _check_content(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse another program's database, and a store of a newer version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not objects and application in {0, APPLICATION_ID}:
        return
    if application != APPLICATION_ID:
        raise LogError(
            f"{path} is a SQLite database, but no store of mobandits: choose another file"
        )
    version = version_of(connection)
    if version > VERSION:
        raise LogError(
            f"{path} is of version {version}, and this is mobandits for versions up to {VERSION}: "
            "a newer mobandits reads it"
        )


def _harden(connection: sqlite3.Connection) -> None:
    """Let a forged file run nothing, and have damaged pages noticed."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
