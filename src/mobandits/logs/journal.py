"""A journal: events that are on disk before `append` returns."""

import json
import os
import threading
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Self

from mobandits.errors import LogError, LogWarning
from mobandits.logs.arm_registry import ArmRegistry, first_arms
from mobandits.logs.collector import Collector
from mobandits.logs.events import checked
from mobandits.logs.files import LOCK, lock
from mobandits.logs.lines import event_content, event_in, is_own, sealed_line
from mobandits.logs.names import compact, decoded, encoded
from mobandits.logs.segments import Header, Snapshot, first_events, is_journal, segment_path
from mobandits.support.checks import choice, integer
from mobandits.support.files import is_temporary, replacing, sync_folder
from mobandits.support.forks import on_fork
from mobandits.support.found import first_names, found_at
from mobandits.support.naming import quoted

SEGMENT_BYTES = (
    2**26
)  # of lines: what is sealed at once must fit in memory, whatever an event's size
BUFFER = 2**16
CHANGES = {"add", "remove"}  # kinds of events after which there are other arms
flush_to_disk = getattr(
    os, "fdatasync", os.fsync
)  # without the times of the file, where the system can


class Journal:
    """A write-ahead log of events in a folder: JSON lines, which become Parquet a segment at a time.

    A process that is killed at any moment leaves a folder that opens again with every event whose `append` returned.
    A line that was being written then is cut off, with a `LogWarning`. All else that is wrong with the folder is
    refused, and nothing in it is changed. One process writes at a time; any number may read (`mobandits.logs.scan`).

    What `durability` promises, and what an event costs where a disk confirms in 0.2 ms (benchmarks/bench_journal.py):

    - "disk": the disk has confirmed it, so it survives a loss of power; 0.2 ms and what "system" costs.
    - "system": the operating system has it, so it survives a killed process; 20 microseconds for a lesson, 25 for a
      decision with five shared features, and 0.8 for every further number of a context.
    - "buffered": up to 64 KiB of lines wait in the process, and are lost with it; 2 microseconds less than "system".

    Once in 1000 events `append` takes some 50 ms, when they become a table, and once in `segment` 0.15 s, when this is
    sealed. Opening verifies the open segment: 10 microseconds per event.

    Threads may share a journal: each call is done before the next one begins. In the child of a fork it takes nothing,
    and the parent goes on.

    Args:
        folder: where the journal is, or shall be; made where it does not exist.
        durability: "disk", "system" or "buffered".
        segment: events per segment; one is also full at 64 MiB of lines.

    Attributes:
        torn: how many torn lines were cut off on opening: 0 or 1.

    Raises:
        LogError: where the folder holds something else, is damaged, of a newer version, or is being written to.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with Journal(folder) as journal:
        ...     journal.describe({"arms": ["small", "large"], "objectives": [{"name": "quality", "minimise": False}]})
        ...     journal.append({"kind": "decide", "id": 0, "context": [[1.0]], "arm": 1, "propensity": 0.5})
        >>> with Journal(folder) as journal:
        ...     journal.append({"kind": "learn", "id": 0, "rewards": {"quality": 0.25}})
        ...     [event["kind"] for event in journal.events()], len(journal)
        (['decide', 'learn'], 2)
    """

    def __init__(
        self, folder: str | Path, durability: str = "disk", segment: int = 100_000
    ) -> None:
        choice("Journal.durability", durability, ("disk", "system", "buffered"))
        integer("Journal.segment", segment, at_least=1)
        self.folder = Path(folder)
        self.durability = durability
        self.segment = int(segment)
        self.torn = 0
        self._file: BinaryIO | None = None
        self._header: Header | None = None
        self._roster = ArmRegistry()
        self._waiting = bytearray()
        # whether a write was not finished; whether some are not on disk
        self._broken = False
        self._dirty = False
        # last checksum and bytes of the open segment
        self._crc = 0
        self._size = 0
        self._collector = Collector(0)
        self._threads = threading.RLock()
        self._process = os.getpid()
        self._forked = False
        self._lock: BinaryIO | None = _claimed(self.folder)
        on_fork(self, Journal.leave_to_parent)
        try:
            if is_journal(self.folder):
                self._resume()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"Journal cannot be copied or pickled: one at a time writes into {self.folder}; open it there"
        )

    def __len__(self) -> int:
        """How many events there are."""
        return self._collector.count + (self._header.first if self._header else 0)

    @property
    def description(self) -> dict[str, Any] | None:
        """The journal's description; None where it is new and has none."""
        return self._header.description if self._header else None

    def describe(self, description: dict[str, Any]) -> None:
        """Describe the events of a new journal; check that an old one has the same description.

        Args:
            description: names and numbers; for `logs.read` it has the names of "arms" and "objectives", these as
                {"name": ..., "minimise": ...}.

        Raises:
            LogError: where the journal has another description, or files cannot hold this one.
        """
        with self._threads:
            self.check_usable()
            if self._header is None:
                header = _first_header(description)
                self._begin(header)
                self._roster = ArmRegistry.from_json(header.arms)
                return

            mine = self._header.description

        for key in [*mine, *description]:
            if key not in mine or key not in description or mine[key] != description[key]:
                said = f"{key} = {quoted(mine.get(key))}, now {quoted(description.get(key))}"
                raise LogError(f"{self.folder} is a journal with {said}: choose another folder")

    def append(self, event: dict[str, Any]) -> None:
        """Keep an event; when this returns, it is as safe as `durability` promises.

        Args:
            event: see `mobandits.logs.events`; it must have "kind", and no field "crc".

        Raises:
            LogError: naming field, rule and value; then nothing was appended.
            OSError: where the disk is full or failing. Then it is not known whether the event was kept, and the journal
                takes no more: close it, and open it again.
        """
        with self._threads:
            self.check_usable()
            kept = checked(event)
            content = event_content(kept)
            if kept["kind"] in CHANGES:
                self._roster.check(kept)
            if self._header is None:
                self.describe({})

            self._broken = True  # until all of it is done: an error or an interruption must not leave half of it
            if self._is_full(0):
                self._seal()

            line = self._next_line(content)
            self._keep_promise()
            self._note(kept, line)
            self._broken = False

    def extend(self, events: Iterable[dict[str, Any]]) -> None:
        """Keep several events, of which none is appended where one is refused; they are confirmed together.

        Raises:
            LogError: as `append`; then nothing was appended.
            OSError: as `append`; then it is not known how many of them were kept.
        """
        with self._threads:
            self.check_usable()
            kept = [checked(event) for event in events]
            contents = [event_content(event) for event in kept]
            self._check_arms(kept)
            if self._header is None:
                self.describe({})

            self._broken = True  # as in `append`
            fresh: list[
                tuple[dict[str, Any], bytes]
            ] = []  # what the open segment gets, and has not noted
            for event, content in zip(kept, contents, strict=True):
                if self._is_full(len(fresh)):
                    self._settle(fresh)
                    self._seal()
                    fresh = []

                fresh.append((event, self._next_line(content)))

            self._settle(fresh)
            self._broken = False

    def events(self) -> Iterator[dict[str, Any]]:
        """All events up to now, in order, as they were appended (numbers as floats where they must be).

        Sealed segments are verified and read one at a time; what is appended meanwhile is not in it.

        Raises:
            LogError: on the way, where something is damaged.
        """
        with self._threads:
            if self._header is None:
                return
            if not self._broken:
                self._broken = True
                self._hand_over()
                self._broken = False

        with Snapshot(self.folder) as snapshot:
            yield from snapshot.events()

    def flush(self) -> None:
        """Have all events on disk, whatever `durability` promises.

        Raises:
            OSError: as `append` does.
        """
        with self._threads:
            self.check_usable()
            if self._file is not None:
                self._hand_over()
                self._broken = True
                flush_to_disk(self._file.fileno())
                self._broken = False

    def check_usable(self) -> None:
        """Refuse a journal that takes no events.

        Raises:
            LogError: where it was closed, where a write failed, or where this process was forked from the one that
                opened it.
        """
        if self._forked:
            here = f"process {os.getpid()} was forked from it"
            raise LogError(
                f"{self.folder} is the folder of a journal of process {self._process}, and {here}: "
                "open another folder here, or close the journal before the fork"
            )

        if self._lock is None:
            raise LogError(
                f"{self.folder} is the folder of a journal that was closed: open it again"
            )
        if self._broken:
            raise LogError(
                f"{self.folder} could not be written to before: close the journal, and open it again"
            )

    def close(self) -> None:
        """Hand over what waits, and let another writer in; a closed journal can be closed again."""
        with self._threads:
            try:
                if self._file is not None and not self._broken and self._dirty:
                    self._hand_over()
                    flush_to_disk(self._file.fileno())
            finally:
                self._let_go()

    def _let_go(self) -> None:
        for file in (self._file, self._lock):
            if file is not None:
                file.close()
        self._file = self._lock = None

    def leave_to_parent(self) -> None:
        """In the child of a fork: what waits here waits in the parent too, which will write it."""
        self._threads = threading.RLock()  # another thread of the parent may have held the old one
        self._waiting = bytearray()
        self._forked = True
        self._let_go()  # the parent's files stay open and locked

    # --- the open segment

    def _resume(self) -> None:
        """Go on where the last writer stopped: everything is verified before anything is changed."""
        with Snapshot(self.folder) as snapshot:
            header = snapshot.header
            lines = snapshot.open_events()
            roster = ArmRegistry.from_json(header.arms)
            count = 0
            for event in lines:
                roster.follow(event, snapshot.path)
                count += 1

            snapshot.refuse_loss()

        path = segment_path(self.folder, header.segment, sealed=False)
        self._file = path.open("r+b", buffering=0)
        if lines.torn:
            self.torn = 1
            self._file.truncate(lines.whole)
            os.fsync(self._file.fileno())
            said = f"{path} ended with a torn line of {lines.torn} bytes, which was cut off: its writer was stopped"
            warnings.warn(said, LogWarning, stacklevel=3)

        self._file.seek(lines.whole)
        self._header = header
        self._roster = roster
        self._crc = lines.crc
        self._size = lines.whole
        self._collector = Collector(header.first, first_events(self.folder, count), count)
        self._tidy()

    def _begin(self, header: Header) -> None:
        """Begin a segment: its file appears with its header in it."""
        path = segment_path(self.folder, header.segment, sealed=False)
        line, crc = header.line()
        with replacing(path) as file:
            file.write(line)

        old = self._file
        self._file = path.open("r+b", buffering=0)
        if old is not None:
            old.close()

        self._file.seek(len(line))
        self._header = header
        self._crc = crc
        self._collector = Collector(header.first)
        self._size = len(line)

    def _seal(self) -> None:
        """Turn the open segment into Parquet and begin the next one.

        A kill leaves: the lines; or the lines and a Parquet file that nobody names; or, from the moment when the next
        header names it, both and the next segment.
        """
        from mobandits.logs.sealed import seal  # noqa: PLC0415 - tables take a tenth of a second to load

        assert self._header is not None  # noqa: S101
        number = self._header.segment
        first = len(self)
        self._hand_over()
        digest = seal(
            self._collector.table(), self._header, segment_path(self.folder, number, sealed=True)
        )
        sealed = (*self._header.sealed, digest)
        self._begin(
            Header(number + 1, first, sealed, self._header.description, self._roster.to_json())
        )
        self._tidy()

    def _tidy(self) -> None:
        """Remove what is sealed already, and what a kill left half-written."""
        assert self._header is not None  # noqa: S101
        before = segment_path(self.folder, self._header.segment - 1, sealed=False)
        if stale := [
            path for path in self.folder.iterdir() if is_temporary(path) or path == before
        ]:
            for path in stale:
                path.unlink()

            sync_folder(self.folder)

    # --- bytes

    def _check_arms(self, events: list[dict[str, Any]]) -> None:
        """Refuse events that add an arm that is there, or remove one that is not, after those before them."""
        if any(event["kind"] in CHANGES for event in events):
            roster = self._roster.copy()
            for event in events:
                roster.follow(event)

    def _is_full(self, fresh: int) -> bool:
        """Whether the open segment takes no more, after so many events that it has not noted."""
        return self._collector.count + fresh >= self.segment or self._size >= SEGMENT_BYTES

    def _next_line(self, content: str) -> bytes:
        """One line more of the open segment, which waits to be handed over."""
        line, self._crc = sealed_line(content, self._crc)
        self._waiting += line
        self._dirty = True
        self._size += len(line)

        return line

    def _note(self, event: dict[str, Any], line: bytes) -> None:
        """Take notice of an event that was written."""
        if event["kind"] in CHANGES:
            self._roster.follow(event)
        self._collector.add(event if is_own(event) else event_in(line), len(line))

    def _settle(self, fresh: "list[tuple[dict[str, Any], bytes]]") -> None:
        """Write what waits, and take notice of it."""
        self._keep_promise()
        for event, line in fresh:
            self._note(event, line)

    def _keep_promise(self) -> None:
        """Make what waits as safe as `durability` promises."""
        if self.durability != "buffered" or len(self._waiting) >= BUFFER:
            self._hand_over()
        if self.durability == "disk":
            assert self._file is not None  # noqa: S101
            flush_to_disk(self._file.fileno())
            self._dirty = False

    def _hand_over(self) -> None:
        while self._waiting and self._file is not None:
            del self._waiting[: self._file.write(self._waiting)]


def _claimed(folder: Path) -> BinaryIO:
    """The lock of a folder that is a journal's, or empty."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = sorted(
            path.name for path in folder.iterdir() if path.name != LOCK and not is_temporary(path)
        )
    except FileExistsError as error:
        raise LogError(
            f"{folder} cannot be made the folder of a journal: it is {found_at(folder)}"
        ) from error
    except OSError as error:
        raise LogError(
            f"{folder} cannot be made the folder of a journal: {error.strerror}"
        ) from error

    if others and not is_journal(folder):
        raise LogError(
            f"{folder} is not empty and not a journal (it has {first_names(others)}): choose another folder"
        )

    return lock(folder)


def _first_header(description: Any) -> Header:
    if not isinstance(description, dict):
        raise LogError(f"description must be a dictionary, got {quoted(description)}")

    try:
        copied = decoded(json.loads(compact(encoded(description, "description"))))
    except RecursionError as error:
        raise LogError("description must not be nested as deeply as it is") from error

    return Header(0, 0, (), copied, first_arms(copied, "description").to_json())
