"""Parquet files of events that were exported from a store: written and read a block at a time.

The columns are those of `mobandits.logs.table`; the metadata has the agent's description. Between
its data and its footer, where Parquet's readers do not look, a file has the SHA-256 of all its
other bytes: a store may have deleted what it holds.
"""

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from mobandits.errors import LogError
from mobandits.logs.arm_registry import first_arms
from mobandits.logs.feedback import Feedback
from mobandits.logs.join import joined
from mobandits.logs.log_description import LogDescription
from mobandits.logs.names import compact, decoded, encoded
from mobandits.logs.table import SCHEMA
from mobandits.support.describe_path import describe_path
from mobandits.support.files import replacing

KEY = "mobandits-archive"
VERSION = 1
MARK = b"mobandits-sha256"
FOOTER_END = 8  # bytes: the length of the footer, and Parquet's own mark
BLOCK = 2000  # events at a time
COPIED = 2**20  # bytes at a time


def write_archive(tables: Iterator[pl.DataFrame], description: dict[str, Any], out: Path) -> int:
    """Write tables of events as one Parquet file, which appears whole or not at all.

    Args:
        tables: of events, in order.
        description: of their agent.
        out: the file.

    Returns:
        The number of events.
    """
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as name:
        folder = Path(name)
        # Files of a block each, since Polars makes one file only from what is there as a whole; an
        # empty one first, so that there are columns where there are no events.
        count = 0
        parts = [folder / "0"]
        pl.DataFrame(schema=SCHEMA).write_parquet(parts[0])
        for frame in tables:
            parts.append(folder / str(len(parts)))
            frame.write_parquet(parts[-1])
            count += len(frame)
        content = {"version": VERSION, "events": count, "description": encoded(description)}
        whole = folder / "whole"
        pl.scan_parquet(parts).sink_parquet(whole, metadata={KEY: compact(content)})
        with replacing(out) as file:
            _copy_marked(whole, file)
    return count


def scan_archive(path: Path, *, chunk: int) -> Iterator[Feedback]:
    """The decisions of an archive with their rewards.

    Args:
        path: of the file.
        chunk: decisions at a time, at most.

    Raises:
        LogError: where the file is something else, damaged, or of another version.
    """
    _refuse_others(path)
    _check_digest(path)
    content = json.loads(pl.read_parquet_metadata(path)[KEY])
    if content.get("version") != VERSION:
        raise LogError(
            f"{path} is an export of version {content.get('version')}: this mobandits understands "
            f"version {VERSION} only"
        )
    data = decoded(content["description"])
    description = LogDescription.of(data, path)
    first = first_arms(data, path)

    def tables() -> Iterator[pl.DataFrame]:
        for frame in pl.scan_parquet(path).collect_batches(chunk_size=BLOCK, maintain_order=True):
            yield from frame.iter_slices(BLOCK)

    yield from joined(
        tables, first.copy, description, content["events"], path, chunk=chunk, alone=True
    )


def _refuse_others(path: Path) -> None:
    """Refuse a file that `write_archive` did not write.

    Raises:
        LogError: saying what was found.
    """
    if KEY in _metadata_keys(path):
        return
    try:
        was_archive = _has_mark(path)
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error
    if was_archive:
        raise LogError(f"{path} is damaged: it is no longer a Parquet file")
    raise LogError(
        f"{path} must be a file of `mobandits export`, got {describe_path(path)} that it did not write; "
        "a table of your own is read from a .csv file, with the names of its columns"
    )


def _metadata_keys(path: Path) -> set[str]:
    """The keys of a Parquet file's metadata; none of another file."""
    try:
        return set(pl.read_parquet_metadata(path))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return set()


def _has_mark(path: Path) -> bool:
    """Whether a file was an archive before it was damaged."""
    with path.open("rb") as file:
        before = b""
        while data := file.read(COPIED):
            # With the end of what came before, where the mark may begin.
            if MARK in before + data:
                return True
            before = data[-len(MARK) :]
    return False


def _copy_marked(source: Path, target: BinaryIO) -> None:
    """Copy a Parquet file with its SHA-256 before the footer."""
    with source.open("rb") as file:
        footer = _footer_start(file)
        digest = hashlib.sha256()

        def write(data: bytes) -> None:
            digest.update(data)
            target.write(data)

        file.seek(0)
        _each(file, footer, write)
        rest = file.read()
        digest.update(rest)
        target.write(MARK + digest.digest() + rest)


def _check_digest(path: Path) -> None:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        footer = _footer_start(file)
        end = footer - len(MARK) - digest.digest_size
        file.seek(0)
        _each(file, end, digest.update)
        mark = file.read(len(MARK))
        written = file.read(digest.digest_size)
        rest = file.read()
        digest.update(rest)
    # Where the file is too short for a mark, what was read is none.
    if mark != MARK or written != digest.digest():
        raise LogError(f"{path} is damaged: it does not have the SHA-256 written into it")


def _footer_start(file: BinaryIO) -> int:
    # Parquet ends with the footer, its length in four bytes, and four bytes of Parquet's own.
    size = file.seek(0, 2)
    file.seek(max(size - FOOTER_END, 0))
    length = int.from_bytes(file.read(4), "little")
    return max(size - FOOTER_END - length, 0)


def _each(file: BinaryIO, size: int, use: Callable[[bytes], object]) -> None:
    """Hand over the next `size` bytes of a file, some at a time."""
    while size > 0:
        data = file.read(min(size, COPIED))
        if not data:
            return
        use(data)
        size -= len(data)
