"""One process writes a journal at a time."""

import contextlib
import os
from pathlib import Path
from typing import BinaryIO

from mobandits.errors import LogError
from mobandits.support.files import lock_file

LOCK = "lock"


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
        lock_file(file.fileno())
    except OSError as error:
        file.seek(0)
        holder = file.read(20).decode("ascii", "replace").strip() or "unknown"
        file.close()
        raise LogError(
            f"{folder} is being written to by another journal, of process {holder}"
        ) from error

    with contextlib.suppress(OSError):  # on a full disk the lock holds without a name
        file.truncate(0)
        file.write(b"%d\n" % os.getpid())
        file.flush()

    return file
