"""Sealed segments: events as a Parquet file, written once, verified, and never changed."""

import hashlib
import io
from itertools import islice
from pathlib import Path

import polars as pl

from mobandits.logs.errors import LogError
from mobandits.logs.files import replacing
from mobandits.logs.lines import Lines, event_line
from mobandits.logs.segments import BLOCK, FORMAT, Header
from mobandits.logs.table import SCHEMA, events_of, table

CHECKSUM = "mobandits-checksum"  # of the last line: with it a file can be verified by itself


def seal(lines: Lines, header: Header, path: Path) -> str:
    """Write a segment's events as Parquet, read them back, and compare them with their lines.

    Args:
        lines: of the segment.
        header: of the segment.
        path: the file to write, or to replace.

    Returns:
        The SHA-256 of the file.

    Raises:
        LogError: where the file would not give back the same lines; then it is not written.
    """
    blocks, number, events = [], header.first, iter(lines)
    while block := list(islice(events, BLOCK)):
        blocks.append(table(block, number))
        number += len(block)
    frame = pl.concat(blocks) if blocks else pl.DataFrame(schema=SCHEMA)
    with replacing(path) as file:
        frame.write_parquet(file, metadata={FORMAT: header.to_json(), CHECKSUM: f"{lines.crc:08x}"})
        file.flush()
        data = Path(file.name).read_bytes()
        if _last_checksum(*_parsed(data, path)[:2]) != lines.crc:
            raise LogError(f"{path} cannot be sealed: what was read back gives other lines")
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
        raise LogError(f"{path} is damaged: it does not have the SHA-256 that the segment after it names")
    frame, header, _ = _parsed(data, path)
    numbers = frame["number"]
    if (header.segment, header.first) != (number, first) or not numbers.equals(
        pl.Series("number", range(first, first + len(frame)), pl.Int64)
    ):
        raise LogError(f"{path} is not segment {number}, which begins with event {first}")
    return frame


def read_alone(path: Path) -> tuple[pl.DataFrame, Header]:
    """The table and the header of a sealed segment without its journal; its own checksum verifies it.

    Raises:
        LogError: naming the file, where it is missing, damaged, or something else.
    """
    frame, header, checksum = _parsed(_bytes(path), path)
    try:
        found = f"{_last_checksum(frame, header):08x}"
    except LogError as error:
        raise LogError(f"{path} is damaged: {error}") from error
    if found != checksum:
        raise LogError(f"{path} is damaged: its events do not agree with their checksum")
    return frame, header


def _last_checksum(frame: pl.DataFrame, header: Header) -> int:
    """Of the last line, were the events written as lines once more."""
    checksum = header.line()[1]
    for event in events_of(frame):
        checksum = event_line(event, checksum)[1]
    return checksum


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error


def _parsed(data: bytes, path: Path) -> tuple[pl.DataFrame, Header, str]:
    try:
        said = pl.read_parquet_metadata(io.BytesIO(data))
        if FORMAT not in said:
            raise LogError(f"{path} is not a segment of a journal: its metadata do not say so")
        frame = pl.read_parquet(io.BytesIO(data), use_statistics=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path} is damaged, or no Parquet file: {str(error).splitlines()[:1]}") from error
    if frame.schema != SCHEMA:
        raise LogError(f"{path} has other columns than a segment of a journal")
    return frame, Header.from_json(said[FORMAT], path), said.get(CHECKSUM, "")
