"""Sealed segments: events as a Parquet file, written once, verified, and never changed.

Between its data and its footer, where Parquet's readers do not look, a file has the SHA-256 of all its other bytes. So
it can be verified by itself, before anything in it is parsed.
"""

import hashlib
import io
from pathlib import Path

import polars as pl

from mobandits.errors import LogError
from mobandits.logs.segments import FORMAT, Header
from mobandits.logs.table import SCHEMA
from mobandits.support.files import replacing
from mobandits.support.found import PROBE, file_kind

MARK = b"mobandits-sha256"


def seal(frame: pl.DataFrame, header: Header, path: Path) -> str:
    """Write the table of a segment as Parquet, read it back, and compare.

    Args:
        frame: its events.
        header: of the segment.
        path: the file to write, or to replace.

    Returns:
        The SHA-256 of the file.

    Raises:
        LogError: where the file would not give back the same table; then it is not written.
    """
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata={FORMAT: header.to_json()})
    data = _marked(buffer.getvalue())
    with replacing(path) as file:
        file.write(data)
        file.flush()
        if not parsed(Path(file.name).read_bytes(), path)[0].equals(frame):
            raise LogError(f"{path} cannot be sealed: what was read back differs")

    return hashlib.sha256(data).hexdigest()


def read_sealed(path: Path, digest: str, number: int, first: int) -> pl.DataFrame:
    """The table of a sealed segment.

    Args:
        path: its file.
        digest: the SHA-256 that it must have; a file that has another is not even parsed.
        number: its number.
        first: the number of its first event.

    Raises:
        LogError: naming the file, where it is missing, damaged, or another one.
    """
    data = _bytes(path)
    if hashlib.sha256(data).hexdigest() != digest:
        raise LogError(
            f"{path} is damaged: it does not have the SHA-256 that the segment after it names"
        )

    frame, header = parsed(data, path)
    numbers = frame["number"]
    if (header.segment, header.first) != (number, first) or not numbers.equals(
        pl.Series("number", range(first, first + len(frame)), pl.Int64)
    ):
        raise LogError(f"{path} is not segment {number}, which begins with event {first}")

    return frame


def read_alone(path: Path) -> tuple[pl.DataFrame, Header]:
    """The table and the header of a sealed segment without its journal.

    Raises:
        LogError: naming the file, where it is missing, changed, or something else.
    """
    return parsed(_bytes(path), path)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error


def _marked(data: bytes) -> bytes:
    """A Parquet file with its SHA-256 before the footer; its last eight bytes are the footer's length and a mark."""
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:footer] + MARK + hashlib.sha256(data).digest() + data[footer:]


def _is_as_written(data: bytes) -> bool:
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    start = footer - 32 - len(MARK)
    if start < 0 or data[start : footer - 32] != MARK:
        return False

    return hashlib.sha256(data[:start] + data[footer:]).digest() == data[footer - 32 : footer]


def _other_than_written(data: bytes) -> str:
    """What to say of a file that is no whole segment: a changed one, or one that no journal wrote."""
    if MARK in data or FORMAT.encode() in data:
        return "is a segment of a journal that was changed or cut off: it does not have the SHA-256 written into it"
    advice = "a table of your own is read from a .csv file, with the names of its columns"
    return f"is not a segment of a journal: found {file_kind(data[:PROBE])} that no journal wrote; {advice}"


def parsed(data: bytes, path: Path) -> tuple[pl.DataFrame, Header]:
    """The table and the header in the bytes of a file.

    Raises:
        LogError: naming the file, where they are not as they were written.
    """
    if not _is_as_written(data):
        raise LogError(f"{path} {_other_than_written(data)}")

    try:
        said = pl.read_parquet_metadata(io.BytesIO(data))
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise LogError(f"{path} is no Parquet file: {str(error).splitlines()[0]}") from error

    if frame.schema != SCHEMA or FORMAT not in said:
        raise LogError(f"{path} is not a segment of a journal: it has other columns or metadata")

    return frame, Header.from_json(said[FORMAT], path)
