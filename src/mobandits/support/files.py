"""Files that appear whole or not at all, wherever a process is killed or power is lost."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows has no locks of this kind; there, do not run twice into one folder
    fcntl = None  # type: ignore[assignment]

__all__ = ["fcntl", "is_temporary", "replacing", "sync_folder", "temporary_of"]

TEMPORARY = ".mobandits-tmp"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes its name and place on disk when the block ends, and leaves no trace if it fails.

    Args:
        path: the file to make or to replace; its folder exists.
    """
    temporary = temporary_of(path)
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105 - the same module as fsync: tests interrupt both
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            # The file that the caller knows, and not the one beside it.
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    sync_folder(path.parent)


def temporary_of(path: Path) -> Path:
    """Where a file is written before it takes its name."""
    return path.with_name(f".{path.name}{TEMPORARY}")


def is_temporary(path: Path) -> bool:
    """Whether a file is what `replacing` leaves behind when it is killed.

    Example:
        >>> is_temporary(temporary_of(Path("table.parquet"))), is_temporary(Path("table.parquet"))
        (True, False)
    """
    return path.name.startswith(".") and path.name.endswith(TEMPORARY)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk, where folders can be opened."""
    if fcntl is not None:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
