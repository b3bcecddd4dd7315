"""Files of a journal: they appear whole or not at all, and one process writes at a time."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mobandits.logs.errors import LogError

try:
    import fcntl
except ImportError:  # Windows has no locks of this kind; there, do not write twice into one folder
    fcntl = None  # type: ignore[assignment]

LOCK, TEMPORARY = "lock", ".mobandits-tmp"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes its name and place on disk when the block ends, and leaves no trace if it fails.

    Args:
        path: the file to make or to replace; its folder exists.
    """
    temporary = path.with_name(f".{path.name}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105 - the same module as fsync: tests interrupt both
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def is_temporary(path: Path) -> bool:
    """Whether a file is what `replacing` leaves behind when it is killed."""
    return path.name.startswith(".") and path.name.endswith(TEMPORARY)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk, where folders can be opened."""
    if fcntl is not None:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def lock(folder: Path) -> BinaryIO:
    """Hold a folder for writing, until the file that is returned is closed or the process ends, however it ends.

    Raises:
        LogError: where another process, or another journal of this one, holds it.
    """
    path = folder / LOCK
    try:
        file = path.open("a+b")
    except OSError as error:
        raise LogError(f"{folder} cannot be written to: {error.strerror}") from error
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.seek(0)
        holder = file.read(20).decode("ascii", "replace").strip() or "unknown"
        file.close()
        raise LogError(f"{folder} is being written to by another journal, of process {holder}") from error
    with contextlib.suppress(OSError):  # on a full disk the lock holds without a name
        file.truncate(0)
        file.write(b"%d\n" % os.getpid())
        file.flush()
    return file
