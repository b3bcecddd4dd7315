"""A store of decisions: one SQLite file, which an agent writes and any tool reads."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mobandits.errors import LogError
from mobandits.logs.address import Address
from mobandits.logs.arm_registry import ArmRegistry
from mobandits.logs.events import Decide, Description, Event
from mobandits.logs.names import name_text
from mobandits.logs.store.connection import copied, explained, new_file
from mobandits.logs.store.content import (
    MOST_SEQ,
    SELECT_SPENT,
    Snapshot,
)
from mobandits.logs.store.lookup import (
    RecentDecisions,
    RecordedDecision,
    recent_decisions,
    recorded_decisions,
)
from mobandits.logs.store.pages import Page, PageWanted, page_of
from mobandits.logs.store.replay import events_between
from mobandits.logs.store.store_writing import StoreWriting

SELECT_SNAPSHOT_TIME = "SELECT at FROM snapshots WHERE agent = ? ORDER BY seq DESC LIMIT 1"


class Store(StoreWriting):
    """The decisions, rewards and changes of an agent in a SQLite file, in the agent's order.

    What `durability` promises, once a call has returned:

    - "disk": the disk has confirmed it, so it survives a loss of power.
    - "system": the operating system has it, so it survives a killed process.
    - "buffered": it waits in the process for at most 10 ms, with at most 255 other events, and is
      lost if the process is killed, or ends without `close`, before then.

    A process that is killed at any moment leaves a file that opens again with every event whose
    call had returned (but for those that "buffered" may lose), and with whole calls only. Every
    event has a checksum and a number, so one that is damaged or missing is noticed when it is
    read. A damaged file is refused in one line; where SQLite's own recovery gave up transactions,
    a `LogWarning` says so.

    One process writes; any number may read meanwhile, with any tool that reads SQLite. Threads may
    share a store: each call is done before the next one begins. In the child of a fork it takes
    nothing, and the parent goes on.

    Args:
        path: of the file, made where it does not exist; or a `SharedFile` or `SharedDatabase`,
            which several agents of this process write. Then a call returns before it is on disk:
            what they share says when it is.
        durability: "disk", "system" or "buffered"; what agents share has its own.
        lock_timeout: seconds that a call waits where another program has locked the file, such as
            a tool that looks into it; then it fails, and nothing has changed.
        agent: whose events these are; a file may hold those of several.

    Attributes:
        last_seq: of the last event: how many there ever were; those that were deleted count.

    Raises:
        LogError: where the file is something else, damaged, of a newer version, or in use.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "router.db"
        >>> objectives = [{"name": "quality", "minimise": False}]
        >>> with Store(path) as store:
        ...     store.describe({"arms": ["small", "large"], "objectives": objectives})
        ...     store.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
        >>> with Store(path) as store:
        ...     store.append({"kind": "learn", "id": 0, "rewards": {"quality": 0.25}})
        ...     [event.kind for event in store.events()], len(store)
        (['decide', 'learn'], 2)
    """

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
    def description(self) -> Description | None:
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

    def arms_after(self, seq: int) -> ArmRegistry:
        """The arms that there were after an event, with their names of then.

        Raises:
            LogError: where a change of arms is damaged.
        """
        # The connection of a shared file reads only what was committed.
        self.flush()
        with self._locked() as log:
            return log.arms_after(seq)

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

    def _events_between(self, after: int, last: int) -> Iterator[Event]:
        with self._beside(in_slices=True) as log:
            yield from events_between(log, after, last)
