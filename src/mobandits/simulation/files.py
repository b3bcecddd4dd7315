"""Tables as files, and folders that one run holds at a time."""

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from mobandits.errors import FolderError
from mobandits.support.describe_path import describe_path
from mobandits.support.files import folder_handle, lock_file, replacing


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file by `data`: a kill or a loss of power leaves the old file or the new one.

    Args:
        path: the file; its folder exists.
        data: the whole content.
    """
    with replacing(path, private=False) as file:
        file.write(data)


def parquet(table: pl.DataFrame) -> bytes:
    """The bytes of a Parquet file; equal tables in one piece give equal bytes."""
    buffer = io.BytesIO()
    table.write_parquet(buffer, compression="zstd", compression_level=3)
    return buffer.getvalue()


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
