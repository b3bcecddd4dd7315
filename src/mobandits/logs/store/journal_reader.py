"""Journals of version 0.1, read only: their description and their events, every file verified."""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from mobandits.errors import LogError
from mobandits.logs.store.journal_files import (
    Event,
    open_events,
    read_header,
    segment_numbers,
    segment_path,
)
from mobandits.logs.table import SCHEMA, events_of
from mobandits.support.found import found_at
from mobandits.support.naming import shortened


class JournalReader:
    """A journal of version 0.1.

    Args:
        folder: of the journal; nothing in it is changed.

    Attributes:
        description: what its events mean.

    Raises:
        LogError: where it is no journal, where a segment is missing, or where a header is damaged.
    """

    def __init__(self, folder: Path) -> None:
        open_numbers, sealed_numbers = segment_numbers(folder)
        if not open_numbers and not sealed_numbers:
            raise LogError(
                f"{folder} is not a journal: it has no segments; found {found_at(folder)}"
            )
        if not open_numbers:
            missing = segment_path(folder, sealed_numbers[-1] + 1, sealed=False)
            raise LogError(f"{folder} has no open segment: {missing.name} is missing")

        number = open_numbers[-1]
        self._folder = folder
        self._open = segment_path(folder, number, sealed=False)
        self._header = read_header(self._open)
        self.description = self._header.description
        self._refuse_gaps(number, sealed_numbers)

    def events(self) -> Iterator[Event]:
        """All events in order; a segment at a time is in memory.

        Raises:
            LogError: on the way, where something is damaged.
        """
        count = 0
        for number, digest in enumerate(self._header.sealed):
            path = segment_path(self._folder, number, sealed=True)
            frame = _sealed_table(path, digest, count)
            count += len(frame)
            yield from _events_in(frame, path)

        if count != self._header.first:
            raise LogError(
                f"{self._open} begins with event {self._header.first}, and those before it end at "
                f"{count}"
            )

        yield from open_events(self._open)

    def _refuse_gaps(self, number: int, sealed_numbers: list[int]) -> None:
        header = self._header
        if header.segment != number:
            raise LogError(f"{self._open} is segment {header.segment} of a journal, not {number}")
        if len(header.sealed) != number:
            names = f"{len(header.sealed)} segments before it"
            raise LogError(f"{self._open} has a header that is damaged: it names {names}")

        for earlier in range(number):
            if earlier not in sealed_numbers:
                raise LogError(f"{segment_path(self._folder, earlier, sealed=True)} is missing")

        # One sealed segment of the same number is what a kill may leave; a later one is not.
        last = max(sealed_numbers, default=0)
        if last > number:
            raise LogError(f"{segment_path(self._folder, last + 1, sealed=False)} is missing")


def _sealed_table(path: Path, digest: str, first: int) -> pl.DataFrame:
    """The table of a sealed segment.

    Args:
        path: its file.
        digest: the SHA-256 that it must have; a file that has another is not even parsed.
        first: the number of its first event.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error

    if hashlib.sha256(data).hexdigest() != digest:
        rule = "it does not have the SHA-256 that the open segment names"
        raise LogError(f"{path} is damaged: {rule}")

    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise LogError(f"{path} is no Parquet file: {shortened(str(error))}") from error

    numbers = pl.Series("number", range(first, first + len(frame)), pl.Int64)
    if frame.schema != SCHEMA or not frame["number"].equals(numbers):
        rule = f"a table of events that begins with event {first}"
        raise LogError(f"{path} must be {rule}, got another one")

    return frame


def _events_in(frame: pl.DataFrame, path: Path) -> Iterator[Event]:
    try:
        yield from events_of(frame)
    # Of a forged file, whose digest is right, any value may be another, or missing.
    except (TypeError, ValueError) as error:
        raise LogError(f"{path} holds no events: {error}") from error
