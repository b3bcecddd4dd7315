"""Connections to a store: what is checked before anything is read, and how errors are told."""

import contextlib
import os
import sqlite3
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from mobandits.errors import DamagedError, LogError, LogWarning
from mobandits.logs.address import Address, Place
from mobandits.logs.store.inheritance import TrackedConnection, refuse_inherited
from mobandits.logs.store.schema import APPLICATION_ID, check_sqlite, check_version, version_of
from mobandits.logs.store.session import Session
from mobandits.logs.store.write_ahead_log import lost_commits
from mobandits.support.describe_path import describe_path
from mobandits.support.files import make_private, replacing
from mobandits.support.guests import required_contribution
from mobandits.support.naming import shortened, wrong_value

WAIT_SECONDS = 10.0  # for a lock that an export which deletes holds for a moment
SECOND_LOOK = 0.05  # seconds until a commit that was being written has been
PAGE_BYTES = 4096  # larger ones cost more: a commit writes every page that it touches
LOG_PAGES = 4000  # after which the log goes into the database: every 1000 costs decisions half more
LOG_BYTES = 2**24  # that the log keeps after a large snapshot has gone through it
LEAST_PAGE = 512  # bytes: SQLite has no smaller ones


def is_store(path: str | Path) -> bool:
    """Whether a file is a SQLite database, whatever its name is.

    SQLite itself looks: to open and close the file of a store that this process writes would let
    go of all locks that SQLite holds on it, since POSIX locks belong to a process.
    """
    place = Path(path)
    try:
        # Of less than a page SQLite makes an empty database, whatever is in it.
        if not place.is_file() or place.stat().st_size < LEAST_PAGE:
            return False
        check_sqlite()
        refuse_inherited(place)
        connection = connect_to_read(place)
    except (OSError, sqlite3.Error):
        return False
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        # Whatever else is wrong with a database is for its reader to say.
        return error.sqlite_errorcode != sqlite3.SQLITE_NOTADB
    except UnicodeDecodeError:
        return True
    finally:
        connection.close()
    return True


def refuse_others(path: Path) -> None:
    """Refuse what is there and no database.

    Raises:
        LogError: saying what was found.
    """
    check_sqlite()
    refuse_inherited(path)
    if path.name.startswith(":") and path.name.endswith(":"):
        # To SQLite, :memory: is no file at all; here it would be one of that name.
        raise wrong_value(f"{path} must be a path of a file", str(path), LogError)

    if not path.exists() or is_store(path):
        return
    if path.is_file() and path.stat().st_size == 0:
        return
    raise LogError(f"{path} must be a store or a new file, got {describe_path(path)}")


def connect(
    path: Path, *, synchronous: str, lock_timeout: float = WAIT_SECONDS
) -> sqlite3.Connection:
    """A connection that writes, to a store or to a file that is not there yet.

    Args:
        path: of the file.
        synchronous: what SQLite waits for.
        lock_timeout: seconds that it waits for the lock of another program.

    Raises:
        LogError: where the file is something else, damaged, or of another version.
    """
    warn_of_loss(path)
    if not path.exists():
        # Of what cannot be made, SQLite says why. The files beside it have the same mode.
        with contextlib.suppress(OSError):
            make_private(path)
    with explained(path):
        # An absolute path: SQLite gives some relative ones, such as :memory:, another meaning.
        connection = sqlite3.connect(
            path.absolute(),
            timeout=lock_timeout,
            isolation_level=None,
            check_same_thread=False,
            factory=TrackedConnection,
        )
    try:
        with explained(path):
            _check_content(connection, path)
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a file that is new
            _begin_log(connection, path)
            connection.track(path)  # not before: there may have been no file
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
            connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("PRAGMA foreign_keys = ON")
            _harden(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def reading(path: Place, *, in_slices: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection that reads one state of a store, whatever is written meanwhile.

    Args:
        path: of the store.
        in_slices: whether each query may see a later state. A state that is read for long keeps
            the log beside the store from being used again, which grows meanwhile.

    Raises:
        LogError: where the file is no store, damaged, or of another version.
    """
    if isinstance(path, Address):
        databases = required_contribution(
            "mobandits.databases", "a store in PostgreSQL", "postgres"
        )
        with explained(path), databases.reading_database(path, in_slices=in_slices) as session:
            yield session
        return

    check_sqlite()
    if not is_store(path):
        raise LogError(f"{path} must be a store, got {describe_path(path)}")
    with explained(path):
        connection = connect_to_read(path)
    try:
        with explained(path):
            _check_content(connection, path)
            _harden(connection)
            if not in_slices:
                connection.execute("BEGIN")
            yield connection
    finally:
        connection.close()


def new_file(path: str | Path) -> Path:
    """The path of a file that is about to be written.

    Raises:
        LogError: where it is there already.
    """
    target = Path(path)
    if target.exists():
        raise LogError(f"{target} must be a new file, got {describe_path(target)}")

    return target


@contextlib.contextmanager
def copied(connection: Session, target: Path) -> Iterator[Path]:
    """A copy of what a connection sees, which takes its name when the block ends.

    Args:
        connection: to a store in a file.
        target: the file to make.

    Raises:
        LogError: where it cannot be written.
    """
    try:
        with replacing(target) as file:
            # SQLite takes the file that is there, since it is empty.
            connection.execute("VACUUM INTO ?", (file.name,))
            yield Path(file.name)
    except sqlite3.OperationalError as error:
        # Damage is of the store, and for its reader to say.
        raise LogError(f"{target} cannot be written: {shortened(str(error))}") from error
    except OSError as error:
        raise LogError(f"{target} cannot be written: {error.strerror}") from error


@contextlib.contextmanager
def explained(path: Place) -> Iterator[None]:
    """Errors of a database say which store they are about, in one line."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise LogError(f"{path} cannot be used: {shortened(str(error))}") from error
    except sqlite3.DatabaseError as error:
        # A damaged schema is quoted as it is, line by line.
        raise DamagedError(path, shortened(str(error))) from error
    except UnicodeDecodeError as error:
        # Python's module cannot even read the message that quotes such a schema.
        raise DamagedError(path, "it has text that is none") from error


def warn_of_loss(path: Path) -> None:
    """Say how many transactions SQLite gives up when it recovers from the log beside a store."""
    if not lost_commits(path):
        return
    # Where somebody writes just now, a frame may be half there; a moment later it is whole.
    time.sleep(SECOND_LOOK)
    if lost_commits(path):
        warnings.warn(
            f"{path}: the last transactions of its log are torn or damaged, and were given up; "
            "one that was being written when its process was stopped is normal",
            LogWarning,
            stacklevel=3,
        )


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that only reads; each query sees what was committed before it."""
    real = path.resolve()
    # Readers share memory with a writer in a file beside the store. Where none can be made, and no
    # log says that there was a writer, nobody can be writing.
    is_alone = not real.with_name(f"{real.name}-wal").exists()
    mode = "immutable=1" if is_alone and not os.access(real.parent, os.W_OK) else "mode=ro"
    uri = f"{real.as_uri()}?{mode}"
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=WAIT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        factory=TrackedConnection,
    )
    connection.track(real)
    return connection


def _begin_log(connection: sqlite3.Connection, path: Path) -> None:
    """Have a write-ahead log kept, which lets others read while one writes."""
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise LogError(f"{path} must be on a disk of this machine: SQLite keeps no log on it")


def _check_content(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse another program's database, and a store of another version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not objects and application in {0, APPLICATION_ID}:
        return
    if application != APPLICATION_ID:
        raise LogError(
            f"{path} is a SQLite database, but no store of mobandits: choose another file"
        )
    query = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"
    (triggers,) = connection.execute(query).fetchone()
    if triggers:
        # They would run with our statements, and change what these mean.
        raise LogError(f"{path} has triggers, which no store has: drop them, and try again")
    version = version_of(connection)
    if version == 0:
        raise DamagedError(path, "it has tables, and no version")
    check_version(path, version)


def _harden(connection: sqlite3.Connection) -> None:
    """Let a forged file run nothing, and have damaged pages noticed."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
