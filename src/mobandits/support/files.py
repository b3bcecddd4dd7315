"""Files that appear whole or not at all, whenever a process dies, and locks on files and folders.

Those that may hold decisions, states or digests of keys are for their owner alone.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mobandits.errors import FolderError
from mobandits.support.describe_path import describe_path

try:
    import fcntl
except ImportError:  # Windows has no locks of this kind; there, do not run twice into one folder
    fcntl = None  # type: ignore[assignment]

TEMPORARY = ".mobandits-tmp"
PRIVATE = 0o600  # the mode of a file that only its owner reads and writes
OTHERS = 0o077  # what the mode of such a file, or of a folder, does not have


@contextlib.contextmanager
def replacing(path: Path, *, private: bool = True) -> Iterator[BinaryIO]:
    """A file to write, which takes its name and place on disk when the block ends.

    It leaves no trace if the block fails.

    Args:
        path: the file to make or to replace; its folder exists.
        private: whether a new file is for its owner alone. One that is replaced keeps its mode.
    """
    temporary = temporary_of(path)
    try:
        with temporary.open("wb") as file:
            if private:
                os.chmod(temporary, _mode_for(path))  # noqa: PTH101 - as `os.replace` below
            yield file
            file.flush()
            os.fsync(file.fileno())

        os.replace(temporary, path)  # noqa: PTH105 - the same module as fsync: tests interrupt both
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)

        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            # Of the file that the caller knows, and not of the one beside it.
            raise OSError(error.errno, error.strerror, str(path)) from error

        raise

    sync_folder(path.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file by `data`: a kill or a loss of power leaves the old file or the new one.

    Args:
        path: the file; its folder exists.
        data: the whole content.
    """
    with replacing(path, private=False) as file:
        file.write(data)


def _mode_for(path: Path) -> int:
    """The mode of a file that takes the place of another one, or of none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return PRIVATE


def make_private(path: Path) -> None:
    """Make an empty file for its owner alone, where there is none.

    Raises:
        OSError: where it cannot be made.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))


@contextlib.contextmanager
def private_files() -> Iterator[None]:
    """All files and folders that the process makes inside are for their owner alone."""
    before = os.umask(OTHERS)
    os.umask(before | OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def temporary_of(path: Path) -> Path:
    """The path at which a file is written before it takes its name."""
    # In the same folder, since a file can take its name at once only within one file system.
    name = f".{path.name}{TEMPORARY}"
    return path.with_name(name)


def is_temporary(path: Path) -> bool:
    """Whether a file is what `replacing` leaves behind when it is killed.

    Example:
        >>> is_temporary(temporary_of(Path("table.parquet"))), is_temporary(Path("table.parquet"))
        (True, False)
    """
    name = path.name
    return name.startswith(".") and name.endswith(TEMPORARY)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk, where folders can be opened."""
    # A new name is an entry of its folder: to sync the file alone does not keep it.
    with folder_handle(folder) as handle:
        if handle is not None:
            os.fsync(handle)


@contextlib.contextmanager
def folder_handle(folder: Path) -> Iterator[int | None]:
    """A folder, open for reading; None where the system cannot open folders, as Windows."""
    if fcntl is None:
        yield None
        return

    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def lock_file(handle: int | None) -> None:
    """Lock an open file or folder against all other processes and openings, until it is closed.

    The system unlocks it however the process ends. Where there are no such locks, nothing happens.

    Args:
        handle: of the file; None where it could not be opened, and then nothing happens.

    Raises:
        BlockingIOError: where it is locked already.
    """
    if fcntl is not None and handle is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """A folder that no other run may use meanwhile; it is made where it does not exist.

    The system unlocks it however the process ends.

    Raises:
        FolderError: where it cannot be made or written, or where another run holds it.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise FolderError(
            f"{path} cannot be made a folder: it is {describe_path(path)}; choose another folder"
        ) from error
    except OSError as error:
        raise FolderError(f"{path} cannot be made a folder: {error.strerror}") from error

    if not os.access(path, os.W_OK):
        raise FolderError(f"{path} cannot be written to")

    with folder_handle(path) as handle:
        try:
            lock_file(handle)
        except BlockingIOError as error:
            raise FolderError(f"{path} is in use by another run") from error

        yield


def write_at(handle: int, data: bytes, place: int) -> None:
    """Write into an open file, wherever it is read.

    Args:
        handle: of the file.
        data: what is written.
        place: the position of its first byte.
    """
    if hasattr(os, "pwrite"):
        os.pwrite(handle, data, place)
        return

    # Windows: nobody reads the file meanwhile.
    os.lseek(handle, place, os.SEEK_SET)
    os.write(handle, data)
