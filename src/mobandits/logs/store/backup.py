"""Backups of a store: all that it has at one moment, while others write it; each is checked."""

from pathlib import Path

from mobandits.errors import DamagedError
from mobandits.logs.store.checking import integrity_faults, require_whole
from mobandits.logs.store.connection import copied, new_file, reading


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
        DamagedError: where `store` has anything that is not as it was written; nothing is kept.
        LogError: where `store` is no store, or where `out` exists or cannot be written.

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
    target = new_file(out)
    # Without a transaction, inside of which no database is copied.
    with reading(source, in_slices=True) as connection:
        # The copy has indexes of its own: damage of these shows here only.
        faults = integrity_faults(connection)
        if faults:
            raise DamagedError(source, faults[0])

        with copied(connection, target) as copy, reading(copy) as read:
            require_whole(read, source)
            (count,) = read.execute("SELECT count(*) FROM decisions").fetchone()
            return int(count)
