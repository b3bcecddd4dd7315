"""The files of a journal, and a snapshot of its events.

    000000.parquet   sealed: a table of events, see `table`
    000001.parquet
    000002.jsonl     open: a header, then a line per event, see `lines`
    lock             held by the process that writes

The header of the open segment has the SHA-256 of all sealed ones, in order. So the highest .jsonl says everything:
what else a killed writer left behind (a .jsonl of a lower number, a .parquet of its own number, temporary files) is
passed over by readers, and tidied up by the next writer.
"""

import hashlib
import itertools
import json
import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

from mobandits.errors import LogError, LogWarning
from mobandits.logs.arm_registry import ArmRegistry
from mobandits.logs.lines import MAX_LINE, Lines, opened_line, sealed_line
from mobandits.logs.names import compact, decoded, encoded
from mobandits.support.found import found_at
from mobandits.support.naming import quoted

if TYPE_CHECKING:
    import polars as pl

FORMAT = "mobandits-journal"
VERSION = 1
MIN_LINE = 30  # bytes
BLOCK = 5000  # events of the open segment that become a table at a time


class Header(NamedTuple):
    """The first line of a segment.

    Attributes:
        segment: its number, from 0.
        first: the number of its first event.
        sealed: the SHA-256 of the file of each segment before it.
        description: the caller's.
        arms: which there were when it began, see `ArmRegistry.to_json`.
    """

    segment: int
    first: int
    sealed: tuple[str, ...]
    description: dict[str, Any]
    arms: dict[str, Any]

    def line(self) -> tuple[bytes, int]:
        """Its line, and its checksum."""
        return sealed_line(self.to_json(), 0)

    def to_json(self) -> str:
        """Its JSON object."""
        fields = self._asdict() | {"description": encoded(self.description, "description")}
        return compact({"format": FORMAT, "version": VERSION, **fields})

    @classmethod
    def from_json(cls, content: str | bytes, path: Path) -> "Header":
        """The inverse of `to_json`.

        Raises:
            LogError: naming the file, where it is no header of this version.
        """
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            found = None

        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise LogError(f"{path} is not a segment of a journal: it does not begin with a header")
        if found.get("version") != VERSION:
            raise LogError(
                f"{path} has version {quoted(found.get('version'))}, and this program reads {VERSION}"
            )

        try:
            return cls(*(found[name] for name in cls._fields)).checked()
        except (KeyError, LogError, RecursionError) as error:
            raise LogError(f"{path} has a header that is damaged: {error}") from error

    def checked(self) -> "Header":
        """The same header, whose values are of the right kinds."""
        for name in ("segment", "first"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise LogError(f"{name} must be an integer of at least 0, got {quoted(value)}")

        if not isinstance(self.sealed, list) or not all(
            isinstance(one, str) for one in self.sealed
        ):
            raise LogError(f"sealed must be a list of text, got {quoted(self.sealed)}")

        description = decoded(self.description)
        if not isinstance(description, dict):
            raise LogError(f"description must be an object, got {quoted(description)}")

        ArmRegistry.from_json(self.arms)

        return self._replace(sealed=tuple(self.sealed), description=description)


def segment_path(folder: Path, number: int, *, sealed: bool) -> Path:
    """The file of a segment."""
    return folder / f"{number:06d}.{'parquet' if sealed else 'jsonl'}"


def segment_numbers(folder: Path) -> tuple[list[int], list[int]]:
    """The numbers of the open segments (there is one, or two after a kill) and of the sealed ones, in order.

    Raises:
        LogError: where the folder cannot be read.
    """
    found: dict[str, list[int]] = {"jsonl": [], "parquet": []}
    try:
        for path in folder.iterdir():
            if match := re.fullmatch(r"(\d{6,})\.(jsonl|parquet)", path.name):
                found[match[2]].append(int(match[1]))
    except OSError as error:
        raise LogError(f"{folder} cannot be read: {error.strerror}") from error

    return sorted(found["jsonl"]), sorted(found["parquet"])


def is_journal(folder: Path) -> bool:
    """Whether a folder has segments."""
    return any(segment_numbers(folder))


def read_header(file: BinaryIO, path: Path) -> tuple[Header, int, int]:
    """The header of an open segment, its checksum, and its length in bytes.

    Raises:
        LogError: naming the file, where there is none, or where it is damaged or of another version.
    """
    line = file.readline(MAX_LINE)
    content = opened_line(line, 0)
    header = Header.from_json(line if content is None else content[0], path)
    if content is None:
        raise LogError(f"{path}, line 1 is damaged: it does not agree with its checksum")

    return header, content[1], len(line)


class Snapshot:
    """A journal as it is at one moment: what is appended later is not in it.

    Args:
        folder: of the journal.

    Attributes:
        header: of the open segment.
        path: of the open segment.

    Raises:
        LogError: where it is no journal, where a segment is missing, or where a header is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for _ in range(10):  # a writer may seal the open segment between two looks
            numbers, sealed = segment_numbers(folder)
            if not numbers and not sealed:
                raise LogError(
                    f"{folder} is not a journal: it has no segments; found {found_at(folder)}"
                )
            if not numbers:
                raise LogError(
                    f"{folder} has no open segment: {sealed[-1] + 1:06d}.jsonl is missing"
                )

            path = segment_path(folder, numbers[-1], sealed=False)
            try:
                self._file = path.open("rb")
                break
            except FileNotFoundError:
                continue
            except OSError as error:
                raise LogError(f"{path} cannot be read: {error.strerror}") from error
        else:
            raise LogError(f"{folder} changes faster than it can be read")

        self.path = path
        self._warned = False
        try:
            self.header, self._crc, self._start = read_header(self._file, path)
            self._end = os.fstat(self._file.fileno()).st_size
            self._refuse_gaps(numbers[-1], sealed)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the open segment."""
        self._file.close()

    def _refuse_gaps(self, number: int, sealed: list[int]) -> None:
        header = self.header
        if header.segment != number or len(header.sealed) != number:
            raise LogError(f"{self.path} is segment {header.segment} of a journal, not {number}")

        for other in range(number):
            if other not in sealed:
                raise LogError(f"{segment_path(self.folder, other, sealed=True)} is missing")

        if not header.sealed and header.first:
            raise LogError(
                f"{self.path} begins with event {header.first}, and there is none before it"
            )
        if sealed and sealed[-1] > number:
            raise LogError(f"{segment_path(self.folder, sealed[-1] + 1, sealed=False)} is missing")

    def most_events(self) -> int:
        """A number of events that there are at most."""
        return self.header.first + self._end // MIN_LINE

    def refuse_loss(self) -> None:
        """Before the lines of the last sealed segment are removed, where a kill has left them: make sure of its table.

        Raises:
            LogError: where it is damaged.
        """
        number = self.header.segment - 1
        if number >= 0 and segment_path(self.folder, number, sealed=False).exists():
            path = segment_path(self.folder, number, sealed=True)
            if hashlib.sha256(path.read_bytes()).hexdigest() != self.header.sealed[number]:
                raise LogError(
                    f"{path} is damaged: it does not have the SHA-256 that {self.path} names"
                )

    def open_events(self) -> Lines:
        """The events of the open segment."""
        self._file.seek(self._start)
        return Lines(self._file, self.path, self._crc, self._start, self._end)

    def events(self) -> Iterator[dict[str, Any]]:
        """All events in order; a segment at a time is in memory.

        Raises:
            LogError: on the way, where something is damaged.
        """
        if self.header.sealed:
            from mobandits.logs.table import events_of  # noqa: PLC0415 - tables take a tenth of a second to load

            for frame in self._sealed_tables():
                yield from events_of(frame)

        yield from self._remaining()

    def tables(self) -> "Iterator[pl.DataFrame]":
        """All events in order, as tables.

        Raises:
            LogError: on the way, where something is damaged.
        """
        from mobandits.logs.table import event_table  # noqa: PLC0415

        if self.header.sealed:
            yield from self._sealed_tables()

        events = self._remaining()
        first = self.header.first
        while block := list(itertools.islice(events, BLOCK)):
            yield event_table(block, first)
            first += len(block)

    def _sealed_tables(self) -> "Iterator[pl.DataFrame]":
        from mobandits.logs.sealed import read_sealed  # noqa: PLC0415

        first = 0
        for number, digest in enumerate(self.header.sealed):
            frame = read_sealed(
                segment_path(self.folder, number, sealed=True), digest, number, first
            )
            first += len(frame)
            yield frame

        if first != self.header.first:
            raise LogError(
                f"{self.path} begins with event {self.header.first}, and those before it end at {first}"
            )

    def _remaining(self) -> Iterator[dict[str, Any]]:
        lines = self.open_events()
        yield from lines
        if lines.torn and not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.path} ends with a torn line, which was passed over",
                LogWarning,
                stacklevel=3,
            )


def first_events(folder: Path, count: int) -> Iterator[dict[str, Any]]:
    """The first events of the open segment; its file is opened when the first is asked for."""
    if count:
        with Snapshot(folder) as snapshot:
            yield from itertools.islice(snapshot.open_events(), count)
