"""Parquet files of events that were exported from a store: written and read a block at a time.

The columns are those of `mobandits.logs.table`; the metadata has the agent's description. Between
its data and its footer, where Parquet's readers do not look, a file has the SHA-256 of all its
other bytes: a store may have deleted what it holds.
"""

import hashlib
import json
import mmap
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from mobandits.errors import LogError
from mobandits.logs.events import Description
from mobandits.logs.feedback import Feedback
from mobandits.logs.join import joined
from mobandits.logs.names import compact, decoded, encoded
from mobandits.logs.table import SCHEMA
from mobandits.support.describe_path import describe_path
from mobandits.support.files import replacing

KEY = "mobandits-archive"
VERSION = 1
MARK = b"mobandits-sha256"
FOOTER_END = 8  # bytes: the length of the footer, and Parquet's own mark
BLOCK = 2000  # events at a time


def write_archive(tables: Iterator[pl.DataFrame], description: Description, out: Path) -> int:
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

    def tables() -> Iterator[pl.DataFrame]:
        for frame in pl.scan_parquet(path).collect_batches(chunk_size=BLOCK, maintain_order=True):
            yield from frame.iter_slices(BLOCK)

    yield from joined(tables, data, content["events"], path, chunk=chunk)


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
        "a table of your own needs the names of its columns"
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
        # What is empty cannot be mapped.
        if not file.seek(0, os.SEEK_END):
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(MARK) >= 0


def _copy_marked(source: Path, target: BinaryIO) -> None:
    """Copy a Parquet file with its SHA-256 before the footer."""
    content = _content_of(source)
    footer = _footer_start(content)
    digest = hashlib.sha256(content)
    target.writelines((content[:footer], MARK, digest.digest(), content[footer:]))


def _check_digest(path: Path) -> None:
    content = _content_of(path)
    footer = _footer_start(content)
    # Where the file is too short for a mark, what is read is none.
    end = max(footer - len(MARK) - hashlib.sha256().digest_size, 0)
    digest = hashlib.sha256(content[:end])
    digest.update(content[footer:])
    if content[end:footer].tobytes() != MARK + digest.digest():
        raise LogError(f"{path} is damaged: it does not have the SHA-256 written into it")


def _content_of(path: Path) -> memoryview:
    """The bytes of a file with a footer, which are read as they are needed."""
    return np.memmap(path, np.uint8, "r").data


def _footer_start(content: memoryview) -> int:
    # Parquet ends with the footer, its length in four bytes, and four bytes of Parquet's own.
    length = int.from_bytes(content[-FOOTER_END:-4].tobytes(), "little")
    return max(len(content) - FOOTER_END - length, 0)
