"""Databases that were open when this process was forked, which SQLite cannot open again here.

A fork copies what SQLite remembers of the locks that its process holds, but not the locks: it would
take those of the parent for its own, and could change the file under the parent's hands.
"""

import os
import sqlite3
from pathlib import Path
from typing import Any

from mobandits.errors import LogError

Identity = tuple[int, int]  # of a file: device and inode

# Of all connections that are open; and of those that were, in a parent, when this one was forked.
_open: list[Identity] = []
_inherited: set[Identity] = set()


class TrackedConnection(sqlite3.Connection):
    """A connection that children of a fork know of."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._identity: Identity | None = None

    def track(self, path: Path) -> None:
        """Remember which file it has open."""
        self._identity = _identity_of(path)
        if self._identity is not None:
            _open.append(self._identity)

    def close(self) -> None:
        """Close it."""
        if self._identity is not None:
            _open.remove(self._identity)
            self._identity = None
        super().close()


def refuse_inherited(path: Path) -> None:
    """Refuse a file that a parent of this process had open when it was forked.

    Raises:
        LogError: saying what to do.
    """
    if _inherited and _identity_of(path) in _inherited:
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


def _inherit() -> None:
    _inherited.update(_open)
    _open.clear()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_inherit)
