"""One process writes a store at a time: the owner's number stands in a file beside it."""

import contextlib
import os
from pathlib import Path
from typing import BinaryIO

from mobandits.errors import LogError, UnavailableError
from mobandits.support.files import lock_file

SUFFIX = "-owner"
LONGEST_NUMBER = 20  # digits of a process number, with the end of its line


def owner_path(path: Path) -> Path:
    """The file beside a store that its owner holds locked."""
    real = path.resolve()  # one lock, whatever links lead to the file
    return real.with_name(real.name + SUFFIX)


def hold(file: BinaryIO, path: Path) -> None:
    """Hold the lock of an open file until it is closed, or the process ends.

    Args:
        file: its first bytes are the number of the process that holds it.
        path: what an error says is in use.

    Raises:
        LogError: where another process, or another opening of this one, holds it; it is closed.
    """
    try:
        lock_file(file.fileno())
    except OSError as error:
        file.seek(0)
        owner = file.read(LONGEST_NUMBER).decode("ascii", "replace").strip() or "unknown"
        file.close()
        raise UnavailableError(
            f"{path} is in use by process {owner}: one process writes at a time"
        ) from error


def check_one_name(path: Path) -> None:
    """Refuse a file that has another name as well: the log and the lock of each would be its own.

    Raises:
        LogError: saying so.
    """
    try:
        names = path.stat().st_nlink
    except OSError:
        return  # it is made, or whoever opens it says what is wrong

    if names > 1:
        raise LogError(f"{path} must have one name, got {names} hard links: open a copy")


def claim(path: Path) -> BinaryIO:
    """Hold a store for writing, until the returned file is closed or the process ends.

    The lock is on a file of its own: closing any handle of the database itself would drop the locks
    that SQLite holds there (POSIX locks belong to a process and not to a handle).

    Raises:
        LogError: where another process, or another store of this one, holds it.
    """
    check_one_name(path)
    place = owner_path(path)
    try:
        file = place.open("a+b")
    except OSError as error:
        raise LogError(f"{path} cannot be written to: {error.strerror}") from error
    hold(file, path)
    with contextlib.suppress(OSError):  # on a full disk the lock holds without a name
        file.truncate(0)
        file.write(b"%d\n" % os.getpid())
        file.flush()
    return file
