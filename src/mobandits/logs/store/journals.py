"""Journals of version 0.1 as stores."""

import contextlib
import itertools
import os
from pathlib import Path

from mobandits.errors import LogError
from mobandits.logs.store.journal_files import LOCK
from mobandits.logs.store.journal_reader import JournalReader
from mobandits.logs.store.ownership import hold, owner_path
from mobandits.logs.store.store import Store
from mobandits.logs.store.write_ahead_log import SUFFIXES
from mobandits.support.files import sync_folder, temporary_of
from mobandits.support.found import found_at

BLOCK = 1000  # events of a transaction


def import_journal(folder: str | Path, store: str | Path) -> int:
    """Make a store of the events in a folder of version 0.1; the file appears whole or not at all.

    The journal stays as it is. No other process may write into it meanwhile. A torn line at its
    end, whose writer was killed, is passed over with a `LogWarning`.

    Args:
        folder: of the journal.
        store: the file to make.

    Returns:
        The number of events.

    Raises:
        LogError: where the journal is damaged or in use, or where the file exists.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> import_journal(folder, folder / "router.db")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        mobandits.errors.LogError: ... is not a journal: it has no segments; found an empty folder
    """
    journal = Path(folder)
    target = Path(store)
    if target.exists():
        raise LogError(f"{target} must be a new file, got {found_at(target)}")
    with _held(journal):
        return _imported(JournalReader(journal), journal, target)


def _held(journal: Path) -> contextlib.AbstractContextManager[object]:
    """The lock of a journal, which processes of version 0.1 hold while they write."""
    try:
        # Only to read: what is imported may be a copy on a disk that nobody can write to.
        file = (journal / LOCK).open("rb")
    except OSError:
        return contextlib.nullcontext()
    hold(file, journal)
    return file


def _imported(reader: JournalReader, journal: Path, target: Path) -> int:
    temporary = temporary_of(target)
    _remove(temporary)  # what a process that was killed has left
    try:
        with Store(temporary, "buffered") as store:
            store.describe(reader.description)
            events = reader.events()
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
    for suffix in SUFFIXES:
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        owner_path(store).unlink()
