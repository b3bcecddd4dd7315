"""Check of a store: SQLite's own, every row, every agent's snapshots."""

import sqlite3
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mobandits.errors import DamagedError, LogError, StateError
from mobandits.logs.address import place_of
from mobandits.logs.names import name_of
from mobandits.logs.store.connection import reading, warn_of_loss
from mobandits.logs.store.content import SELECT_AGENTS, AgentRow, made_agent_row
from mobandits.logs.store.ownership import Note, notes_beside
from mobandits.logs.store.rows import Row
from mobandits.logs.store.survey import (
    UNREADABLE,
    Survey,
    found_snapshots,
    rows_of,
    survey_of,
)
from mobandits.support.naming import quantity, quoted, shortened

MOST_FAULTS = 100  # that SQLite looks for: the first few tell as much
MOST_SHOWN = 10
SELECT_ARMS = "SELECT name FROM arms WHERE agent = ? ORDER BY number"

# Of the state of a snapshot: the arms that it has, and the decisions that wait; it raises StateError
# where no agent goes on from it.
CheckState = Callable[[bytes], tuple[Sequence[Hashable], Sequence[int]]]


class SnapshotCheck(NamedTuple):
    """A snapshot of an agent.

    Attributes:
        seq: the last event that it knows.
        fault: why no agent goes on from it; None where one does.
        arms: of the agent then; none where it does not load.
        waiting: the numbers of the decisions that waited; likewise.
    """

    seq: int
    fault: str | None
    arms: Sequence[Hashable] = ()
    waiting: Sequence[int] = ()


class Plan(NamedTuple):
    """Part of an agent's log that can be saved, so that it leads to the same agent.

    Attributes:
        complete_after: of the events up to this one some are missing: a snapshot knows them.
        last: the last event that can be saved.
    """

    complete_after: int
    last: int


class AgentCheck(NamedTuple):
    """Findings on an agent.

    Attributes:
        row: of the agent.
        survey: of its events.
        snapshots: the newest first.
        faults: what is wrong, one line each.
        plan: of what can be saved.
        note: that was made beside the store; of no events where there is none.
    """

    row: AgentRow
    survey: Survey
    snapshots: list[SnapshotCheck]
    faults: list[str]
    plan: Plan
    note: Note

    @property
    def saved_events(self) -> int:
        """Number of events that can be saved."""
        return int((self.survey.seqs <= self.plan.last).sum())

    def saved_snapshots(self) -> list[SnapshotCheck]:
        """Those that agents may go on from once the rest is saved, the newest first."""
        plan = self.plan
        return [
            each
            for each in self.snapshots
            if each.fault is None and plan.complete_after <= each.seq <= plan.last
        ]


class StoreCheck(NamedTuple):
    """Findings on a store.

    Attributes:
        faults: of the file, one line each.
        agents: that are described as they were written.
    """

    faults: list[str]
    agents: list[AgentCheck]

    @property
    def all_faults(self) -> list[str]:
        """All faults, one line each; none where all is as it was written."""
        faults = list(self.faults)
        for agent in self.agents:
            faults += [f"agent {quoted(agent.row.name)}: {fault}" for fault in agent.faults]

        return faults


def check(store: str | Path, check_state: CheckState) -> StoreCheck:
    """Look at all of a store, which is only read; an agent may go on writing meanwhile.

    Args:
        store: the file of a `Store`.
        check_state: of the state of each snapshot.

    Raises:
        LogError: where the file cannot be read as a store.
    """
    place = place_of(store)
    if not isinstance(place, Path):
        raise LogError(f"store must be a file to be checked, and {place} is a database")

    warn_of_loss(place)
    # Before the events: of what is written meanwhile the notes must not know more than is read.
    notes = notes_beside(place)
    try:
        with reading(place) as connection:
            return checked_store(connection, check_state, notes)
    except DamagedError as error:
        raise LogError(f"{place} cannot be read as a store: {error.what}") from error


def checked_store(
    connection: sqlite3.Connection, check_state: CheckState, notes: dict[str, Note]
) -> StoreCheck:
    """Findings on a store that can be opened.

    Args:
        connection: to it.
        check_state: of the state of each snapshot.
        notes: on its agents, see `ownership`.
    """
    faults = integrity_faults(connection)
    agents = []
    for row in rows_of(connection, SELECT_AGENTS):
        try:
            agent = made_agent_row(row, "the store")
        except (DamagedError, sqlite3.DatabaseError, ValueError) as error:
            faults.append(f"an agent cannot be read: {shortened(str(error))}")
            continue

        note = notes.get(agent.name)
        if note is None or note.created != agent.created:
            note = Note(0, 0, agent.created)
        agents.append(_checked_agent(connection, agent, check_state, note))

    return StoreCheck(faults, agents)


def lines_of(found: StoreCheck, source: object) -> list[str]:
    """Findings in words.

    Args:
        found: of a store.
        source: what it is called.
    """
    faults = found.all_faults
    lines = [f"{source}: {'damaged' if faults else 'whole'}", *faults[:MOST_SHOWN]]
    if len(faults) > MOST_SHOWN:
        lines.append(f"and {len(faults) - MOST_SHOWN} more")

    for agent in found.agents:
        name = f"agent {quoted(agent.row.name)}"
        states = quantity(len(agent.snapshots), "snapshot")
        if not faults:
            count = len(agent.survey.seqs) + len(agent.survey.orphans)
            lines.append(f"{name}: {quantity(count, 'event')}, {states}")
            continue

        saved = f"{quantity(agent.saved_events, 'event')}, up to event {agent.plan.last:,}"
        lines.append(f"{name}: can be saved by --salvage: {saved}")

    return lines


def integrity_faults(connection: sqlite3.Connection) -> list[str]:
    """Faults of a database that SQLite finds, one line each."""
    try:
        rows = connection.execute(f"PRAGMA integrity_check({MOST_FAULTS})").fetchall()
    except UNREADABLE as error:
        return [shortened(f"SQLite: {error}")]

    return [shortened(f"SQLite: {text}") for (text,) in rows if text != "ok"]


def require_whole(connection: sqlite3.Connection, source: object) -> None:
    """Refuse a store whose rows are not as they were written; states are not loaded.

    Raises:
        DamagedError: with what was found first.
    """
    # Checksums of states are enough.
    found = checked_store(connection, lambda _state: ((), ()), {})
    faults = found.all_faults
    if faults:
        raise DamagedError(source, faults[0])


def _checked_agent(
    connection: sqlite3.Connection, agent: AgentRow, check_state: CheckState, note: Note
) -> AgentCheck:
    survey = survey_of(connection, agent)
    snapshots = [
        _checked_snapshot(seq, row, check_state)
        for seq, row in found_snapshots(connection, agent.id)
    ]
    names = [name for (name,) in rows_of(connection, SELECT_ARMS, (agent.id,))]
    faults = list(_event_faults(agent, survey, note))
    faults += [
        f"the snapshot after event {each.seq:,} {each.fault}"
        for each in snapshots
        if each.fault is not None
    ]
    plan = _plan(agent, survey, snapshots, names)

    return AgentCheck(agent, survey, snapshots, faults, plan, note)


def _checked_snapshot(seq: int, row: Row | None, check_state: CheckState) -> SnapshotCheck:
    if row is None:
        return SnapshotCheck(seq, "is damaged")

    try:
        arms, waiting = check_state(row[2])
    except StateError as error:
        return SnapshotCheck(seq, shortened(str(error)))

    return SnapshotCheck(seq, None, arms, waiting)


def _event_faults(agent: AgentRow, survey: Survey, note: Note) -> Iterator[str]:
    """Faults of the events of an agent, one line each."""
    # Up to `complete_after` some were deleted, and only what is there can be damaged.
    lost = survey.damaged[survey.damaged <= agent.complete_after].tolist()
    lost += survey.holes_between(agent.complete_after, survey.last)
    if lost:
        yield (
            f"damaged or missing: {len(lost):,} of {quantity(survey.last, 'event')}, the first is "
            f"event {lost[0]:,}"
        )
    if agent.complete_after > survey.last:
        yield f"it has {survey.last:,} events, and of {agent.complete_after:,} some were deleted"
    if survey.last != agent.events:
        yield f"it has {survey.last:,} events, and had {agent.events:,}"
    if note.events > survey.last:
        yield f"it has {survey.last:,} events, and had {note.events:,} when they were last written"


# --- what can be saved


def _plan(
    agent: AgentRow, survey: Survey, snapshots: Sequence[SnapshotCheck], names: Sequence[str]
) -> Plan:
    """Plan of what can be saved of an agent.

    From the newest snapshot on that loads, all events up to the next damage; and of those before
    it, all that are whole, as in a store that was shortened. Where an event that added or removed
    an arm may be lost, an older snapshot is the start, or the first event.
    """
    # One older than the last deletion leads nowhere: events after it were deleted.
    starts = [
        each
        for each in snapshots
        if each.fault is None and agent.complete_after <= each.seq <= survey.last
    ]
    # Without a snapshot, nothing may be missing but what was deleted before.
    for start in [*starts, None]:
        after = min(agent.complete_after, survey.last) if start is None else start.seq
        plan = _plan_from(agent, survey, after)
        if _has_all_arms(agent, survey, plan, names, start):
            return plan

    return _plan_from(agent, survey, 0)


def _plan_from(agent: AgentRow, survey: Survey, start: int) -> Plan:
    """The plan with all events after a start up to the next damage, and what is whole before."""
    # Of a decision that is lost, no reward can be kept.
    lost = np.union1d(survey.holes, survey.orphans)
    place = np.searchsorted(lost, start, "right")
    before = int(lost[place - 1]) if place else 0
    complete_after = min(max(agent.complete_after, before), start)

    return Plan(complete_after, int(lost[place]) - 1)


def _has_all_arms(
    agent: AgentRow,
    survey: Survey,
    plan: Plan,
    names: Sequence[str],
    snapshot: SnapshotCheck | None,
) -> bool:
    """Whether no event that added or removed an arm is missing: they say what numbers of arms mean.

    Args:
        agent: whose.
        survey: of its events.
        plan: of what is saved.
        names: of all arms there ever were, as the store has them beside the events.
        snapshot: that the agent goes on from; None: it begins with the first event.
    """
    try:
        known = survey.arms_after(agent, plan.last).names
        if snapshot is not None:
            before = survey.arms_after(agent, snapshot.seq)
            present = {before.names[position] for position in before.present}
            if present != set(snapshot.arms):
                return False
    except (LogError, LookupError):
        return False

    listed = [name_of(name) for name in names[: len(known)]]
    is_kept = survey.seqs <= plan.last
    most = int(survey.arms[is_kept].max(initial=-1))

    return listed == known and most < len(known)
