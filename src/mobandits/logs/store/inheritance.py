"""Databases that were open when this process was forked, which SQLite cannot open again here.

A fork copies what SQLite remembers of the locks that its process holds, but not the locks: it would
take those of the parent for its own, and could change the file under the parent's hands.
"""

import os
import sqlite3
from pathlib import Path
from typing import Any

from mobandits.errors import LogError
from mobandits.support.forks import on_fork

Identity = tuple[int, int]  # of a file: device and inode


class _Files:
    """The files of all connections that are open here, or were in a parent when it was forked."""

    def __init__(self) -> None:
        self.open: list[Identity] = []
        self.inherited: set[Identity] = set()

    def leave_to_parent(self) -> None:
        """In the child of a fork: what was open is the parent's."""
        self.inherited.update(self.open)
        self.open.clear()


_files = _Files()
on_fork(_files, _Files.leave_to_parent)


class TrackedConnection(sqlite3.Connection):
    """A connection that children of a fork know of."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._identity: Identity | None = None

    def track(self, path: Path) -> None:
        """Remember which file it has open."""
        self._identity = _identity_of(path)
        if self._identity is not None:
            _files.open.append(self._identity)

    def close(self) -> None:
        """Close it."""
        if self._identity is not None:
            _files.open.remove(self._identity)
            self._identity = None
        super().close()


def refuse_inherited(path: Path) -> None:
    """Refuse a file that a parent of this process had open when it was forked.

    Raises:
        LogError: saying what to do.
    """
    if _files.inherited and _identity_of(path) in _files.inherited:
        raise LogError(
            f"{path} was open when process {os.getpid()} was forked: open it before in no process "
            "that forks, or start this one in another way (spawn)"
        )


def _identity_of(path: Path) -> Identity | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
