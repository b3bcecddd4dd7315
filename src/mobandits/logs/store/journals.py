"""Journals of version 0.1 as stores."""

import contextlib
import itertools
import os
from pathlib import Path

from mobandits.errors import LogError
from mobandits.logs.files import lock
from mobandits.logs.segments import Snapshot
from mobandits.logs.store.ownership import owner_path
from mobandits.logs.store.store import Store
from mobandits.support.files import sync_folder, temporary_of
from mobandits.support.found import found_at

BLOCK = 1000  # events of a transaction


def import_journal(folder: str | Path, store: str | Path) -> int:
    """Make a store of a journal's events; the file appears whole or not at all.

    The journal stays as it is. No other process may write into it meanwhile.

    Args:
        folder: of the journal.
        store: the file to make.

    Returns:
        The number of events.

    Raises:
        LogError: where the journal is damaged or in use, or where the file exists.

    Example:
        >>> import tempfile
        >>> from mobandits.logs.journal import Journal
        >>> folder = Path(tempfile.mkdtemp())
        >>> with Journal(folder / "decisions") as journal:
        ...     journal.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
        >>> import_journal(folder / "decisions", folder / "router.db")
        1
        >>> with Store(folder / "router.db") as store:
        ...     [event["arm"] for event in store.events()]
        [1]
    """
    journal = Path(folder)
    target = Path(store)
    if target.exists():
        raise LogError(f"{target} must be a new file, got {found_at(target)}")
    with Snapshot(journal):  # before the lock, which would make a file in a folder of others
        pass
    holder = lock(journal)
    try:
        return _imported(journal, target)
    finally:
        holder.close()


def _imported(journal: Path, target: Path) -> int:
    temporary = temporary_of(target)
    _remove(temporary)  # what a process that was killed has left
    try:
        with Store(temporary, "buffered") as store, Snapshot(journal) as snapshot:
            store.describe(snapshot.header.description)
            events = snapshot.events()
            while block := list(itertools.islice(events, BLOCK)):
                try:
                    store.extend(block)
                except LogError as error:
                    where = f"{journal}, after event {len(store)}"
                    raise LogError(f"{where}: {error}") from error
            count = len(store)
        # Closing has moved the log into the file, and SQLite has synchronised both.
        os.replace(temporary, target)  # noqa: PTH105 - as `replacing`
        sync_folder(target.parent)
    finally:
        _remove(temporary)
    return count


def _remove(store: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        owner_path(store).unlink()
