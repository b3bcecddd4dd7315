"""The half of a store that reads: events, decisions, changes and snapshots of an agent."""

import contextlib
from collections.abc import Collection, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mobandits.errors import LogError
from mobandits.logs.address import Address, Place
from mobandits.logs.arm_registry import ArmRegistry
from mobandits.logs.events import Decide, Event
from mobandits.logs.names import name_text
from mobandits.logs.store.connection import copied, explained, new_file, reading
from mobandits.logs.store.content import (
    MOST_SEQ,
    SELECT_SPENT,
    AgentLog,
    AgentRow,
    Snapshot,
    agent_row,
)
from mobandits.logs.store.grouped_writer import GroupedWriter
from mobandits.logs.store.lookup import (
    RecentDecisions,
    RecordedDecision,
    recent_decisions,
    recorded_decisions,
)
from mobandits.logs.store.pages import Page, PageWanted, page_of
from mobandits.logs.store.replay import events_between
from mobandits.logs.store.writer import Writer

SELECT_SNAPSHOT_TIME = "SELECT at FROM snapshots WHERE agent = ? ORDER BY seq DESC LIMIT 1"


class StoreReading:
    """What a `Store` can tell: nothing here writes an event, or changes what is there.

    Attributes:
        path: of the file, or the address of the database.
        agent: whose events these are.
        last_seq: of the last event: how many there ever were; those that were deleted count.
    """

    path: Place
    agent: str
    last_seq: int
    _row: AgentRow
    _arms: ArmRegistry
    _threads: contextlib.AbstractContextManager[object]

    def flush(self) -> None:
        """Commit what waits; what is read by a connection of its own must be on disk."""
        raise NotImplementedError

    def check_usable(self) -> None:
        """Refuse a store that takes no events."""
        raise NotImplementedError

    def _usable(self) -> Writer | GroupedWriter:
        """The writer, whose connection has seen every event."""
        raise NotImplementedError

    @property
    def arm_names(self) -> list[Hashable]:
        """All arms that there ever were, by number: as decisions name them."""
        with self._threads:
            return list(self._arms.names)

    @property
    def number(self) -> int | None:
        """The agent's number in the tables; None where it is new."""
        return self._row.id or None

    @property
    def description(self) -> dict[str, Any] | None:
        """Description of the agent, as `describe` was given it; None where it is new."""
        with self._threads:
            row = self._agent_row()
        return None if row is None else row.description

    def first_change(self, kind: str, after: int = 0) -> Any:
        """The first event of a kind that is neither a decision nor a reward; None: there is none.

        Args:
            kind: of the event.
            after: the seq of the last event that is not looked at.

        Raises:
            LogError: where it is damaged.
        """
        with self._locked() as log:
            return log.first_change(kind, after)

    def last_changes(
        self, kinds: Sequence[str], *, before: int = MOST_SEQ, limit: int = 1
    ) -> list[Any]:
        """The last events of some kinds that are neither decisions nor rewards, the newest first.

        Args:
            kinds: of the events.
            before: the seq of the first event that is not looked at.
            limit: how many, at most.

        Raises:
            LogError: where one is damaged.
        """
        with self._beside() as log:
            return log.last_changes(kinds, before, limit)

    def copy(self, path: str | Path) -> None:
        """Write all that is in the store into a new file, another store.

        Raises:
            LogError: where the file exists, or cannot be written.
        """
        if isinstance(self.path, Address):
            raise LogError(f"{self.path} must be a file to be copied: pg_dump copies databases")
        target = new_file(path)
        with self._threads:
            self.flush()
            with explained(self.path), copied(self._usable().connection, target):
                pass

    def events(self, after: int = 0) -> Iterator[Event]:
        """The events that came after one, in order, as they were appended; contexts are arrays.

        What is appended meanwhile is not in it. The reader has a connection of its own, so that
        others may write.

        Args:
            after: the seq of the last event that is not wanted; 0: all.

        Raises:
            LogError: where an event is damaged, missing, or was deleted.
        """
        with self._threads:
            last = self.last_seq
        self.flush()
        return self._events_between(after, last) if last else iter(())

    def decision_with_key(self, key: str) -> Decide | None:
        """The decision that has a client's key; None where none has, or it was deleted.

        Raises:
            LogError: where it is damaged.
        """
        with self._threads, explained(self.path):
            return self._usable().decision_with_key(self._row.id, key)

    def decision(self, number: int) -> RecordedDecision | None:
        """A decision and the rewards that came for it; None where there is none, or it was deleted.

        Args:
            number: of the decision.

        Raises:
            LogError: where it is damaged.
        """
        self.flush()
        with self._locked() as log:
            found = recorded_decisions(log, [number])
            return found[0] if found else None

    def page(self, wanted: PageWanted, waiting: Collection[int] = ()) -> Page:
        """Some decisions that are on disk, with their rewards.

        It is read by a connection of its own, so that others go on meanwhile.

        Args:
            wanted: which decisions.
            waiting: the numbers of those that wait for rewards, which the agent knows.

        Raises:
            LogError: where one is damaged.
        """
        self.check_usable()
        with self._beside() as log:
            return page_of(log, wanted, waiting)

    def recent(self, count: int) -> RecentDecisions:
        """The last decisions that are on disk, with the rewards that came for them.

        The reader has a connection of its own, so that others may read and write meanwhile.

        Args:
            count: how many, at most.

        Raises:
            LogError: where one is damaged.
        """
        with self._beside() as log:
            return recent_decisions(log, count)

    def spent_since(self, objective: Hashable, start: float) -> float:
        """The sum of an objective's rewards of the agent's own decisions since a time.

        Args:
            objective: its name.
            start: in seconds since 1970.

        Raises:
            LogError: where it cannot be read.
        """
        self.flush()
        with self._beside(in_slices=True) as log:
            (total,) = log.rows(SELECT_SPENT, start, name_text(objective)).fetchone()

        spent = float(total or 0.0)
        for event in self.last_changes(["correct"], limit=MOST_SEQ):
            is_since = event.decided is not None and event.decided >= start
            if is_since and objective in event.rewards:
                spent += event.rewards[objective] - event.was[objective]

        return spent

    def snapshots(self) -> Iterator[Snapshot]:
        """The snapshots that are not damaged, the newest first.

        Raises:
            LogError: where they cannot be read.
        """
        self.flush()
        # By a connection of its own, and without the lock: states are large, and whoever makes an
        # agent of one must not keep the other agents of a shared file waiting.
        with self._beside(in_slices=True) as log:
            yield from log.sound_snapshots()

    def snapshot_time(self) -> float | None:
        """Time of the newest snapshot on disk, in seconds since 1970; None: there is none.

        Raises:
            LogError: where it cannot be read.
        """
        with self._locked() as log:
            row = log.rows(SELECT_SNAPSHOT_TIME).fetchone()
        return None if row is None else row[0]

    def latest_snapshot(self) -> Snapshot | None:
        """The newest snapshot that is not damaged; None where there is none.

        Raises:
            LogError: where it cannot be read.
        """
        return next(self.snapshots(), None)

    def _agent_row(self) -> AgentRow | None:
        writer = self._usable()
        # The connection of a shared file reads only what was committed.
        writer.flush()
        with explained(self.path):
            return agent_row(writer.connection, self.agent, str(self.path))

    def _events_between(self, after: int, last: int) -> Iterator[Event]:
        with self._beside(in_slices=True) as log:
            yield from events_between(log, after, last)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[AgentLog]:
        """What the writer's connection sees, while nobody else of this process uses it."""
        with self._threads, explained(self.path):
            yield AgentLog(self._usable().connection, self._row, str(self.path))

    @contextlib.contextmanager
    def _beside(self, *, in_slices: bool = False) -> Iterator[AgentLog]:
        """What a connection of its own sees, beside all others; arguments as of `reading`."""
        with reading(self.path, in_slices=in_slices) as connection:
            yield AgentLog(connection, self._row, str(self.path))
