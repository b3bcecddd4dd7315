"""Backups of a store: all that it has at one moment, while others write it."""

import sqlite3
from pathlib import Path

from mobandits.errors import LogError
from mobandits.logs.store.connection import explained, reading
from mobandits.support.files import replacing
from mobandits.support.found import found_at


def backup(store: str | Path, out: str | Path) -> int:
    """Copy a store into a new file, which is a store as well.

    An agent or a service may go on writing meanwhile; the copy has what was committed before it
    began. It has everything: decisions, rewards, changes, snapshots and keys of all agents.

    Args:
        store: the file of a `Store`.
        out: the file to write, which must not exist; it appears whole or not at all.

    Returns:
        The number of decisions in the copy.

    Raises:
        LogError: where `store` is no store or is damaged, or where `out` exists or cannot be
            written.

    Example:
        >>> import tempfile
        >>> from mobandits.logs import Store
        >>> folder = Path(tempfile.mkdtemp())
        >>> with Store(folder / "router.db") as log:
        ...     log.describe({"arms": ["a", "b"], "objectives": ["quality"]})
        ...     log.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
        ...     backup(folder / "router.db", folder / "copy.db")
        1
    """
    source = Path(store)
    target = Path(out)
    if target.exists():
        raise LogError(f"{target} must be a new file, got {found_at(target)}")

    with reading(source) as connection:
        # `reading` opens a transaction, and a database is not copied inside of one.
        connection.execute("ROLLBACK")
        _copy_whole(connection, target)

    with reading(target) as copied:
        (count,) = copied.execute("SELECT count(*) FROM decisions").fetchone()
        return int(count)


def _copy_whole(connection: sqlite3.Connection, target: Path) -> None:
    """Write what a connection sees into a file that appears when it is whole and on disk."""
    try:
        with explained(target), replacing(target) as file:
            # SQLite takes the file that is there, since it is empty.
            connection.execute("VACUUM INTO ?", (file.name,))
    except OSError as error:
        raise LogError(f"{target} cannot be written: {error.strerror}") from error
