"""Survey of an agent's whole events in a store that may be damaged, read around the damage.

SQLite ends a query at the first page that it cannot read. So what cannot be read at once is read in
halves, down to single events, and only those on such a page are missing. Checksums tell which of
the others are as they were written.
"""

import operator
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import IntArray, Mask
from mobandits.errors import LogError
from mobandits.logs.events import Event
from mobandits.logs.store.content import AgentRow
from mobandits.logs.store.rows import (
    INSERT_CHANGE,
    INSERT_DECISION,
    INSERT_REWARD,
    SELECT_CHANGES,
    SELECT_DECISIONS,
    SELECT_REWARDS,
    Row,
    Statement,
    by_lesson,
    change_event,
    check_change,
    check_decision,
    checked_lesson,
    checksum,
)

BLOCK = 2000  # events at a time
LEAST_EVENT = 16  # bytes of the file: no event takes less
CHANGES_OF_ARMS = ("add", "remove")
NO_DECISION = -1  # in the place of the decision of a change, or of its arm
SELECT_SEQS = "SELECT seq FROM snapshots WHERE agent = ? ORDER BY seq DESC"
SELECT_SNAPSHOT = "SELECT seq, at, state, checksum FROM snapshots WHERE agent = ? AND seq = ?"
LAST_SEQ = "SELECT max(seq) FROM {table} WHERE agent = ?"
# What SQLite and its module raise where they meet damage.
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)


class FoundEvent(NamedTuple):
    """An event whose rows can be read.

    Attributes:
        seq: of the event.
        decision: that it makes or rewards; `NO_DECISION` of a change.
        arm: of a decision; `NO_DECISION` of others.
        statements: that write it into another store; none where it is damaged.
        arm_change: the event itself, where it adds or removes an arm.
    """

    seq: int
    decision: int
    arm: int
    statements: list[Statement]
    arm_change: Event | None = None


class Survey(NamedTuple):
    """Events of an agent that are whole.

    Attributes:
        last: the seq of the last one that there was.
        seqs: of those that are whole, in order.
        decisions: which decision each of them makes or rewards; `NO_DECISION` of a change.
        arms: of decisions; `NO_DECISION` of others.
        damaged: the seqs of those that are there, and not as they were written.
        arm_changes: (seq, event) of those that add or remove an arm.
    """

    last: int
    seqs: IntArray
    decisions: IntArray
    arms: IntArray
    damaged: IntArray
    arm_changes: list[tuple[int, Event]]

    @property
    def are_decisions(self) -> Mask:
        """Mask of the whole events that are decisions."""
        mask: Mask = self.arms != NO_DECISION
        return mask

    def first_hole(self, after: int) -> int:
        """The first event after one that is not whole; the one after the last where all are."""
        start = np.searchsorted(self.seqs, after, "right")
        following = self.seqs[start:]
        first = after + 1
        expected = first + np.arange(len(following))

        return first + _equal_at_first(following, expected)

    def last_hole(self, up_to: int) -> int:
        """The last event up to one that is not whole; 0 where all are."""
        end = np.searchsorted(self.seqs, up_to, "right")
        before = self.seqs[:end]
        backwards = before[::-1]
        expected = up_to - np.arange(len(backwards))

        return up_to - _equal_at_first(backwards, expected)


def _equal_at_first(one: IntArray, other: IntArray) -> int:
    """Number of leading entries that two lists of one length share."""
    differing = np.flatnonzero(one != other)
    return int(differing[0]) if len(differing) else len(one)


class FoundSnapshot(NamedTuple):
    """A snapshot.

    Attributes:
        seq: the last event that it knows.
        row: as the table has it, without the agent; None where it is damaged.
    """

    seq: int
    row: Row | None


def survey_of(connection: sqlite3.Connection, agent: AgentRow) -> Survey:
    """Survey of an agent's events; nothing is raised where the store is damaged."""
    last = _last_of(connection, agent)
    columns = [array("q") for _ in range(3)]
    damaged = array("q")
    arm_changes = []
    for found in found_events(connection, agent.id, last):
        if not found.statements:
            damaged.append(found.seq)
            continue

        for column, value in zip(columns, found[:3], strict=True):
            column.append(value)
        if found.arm_change is not None:
            arm_changes.append((found.seq, found.arm_change))

    seqs, decisions, arms = (np.array(column, np.int64) for column in columns)

    return Survey(last, seqs, decisions, arms, np.array(damaged, np.int64), arm_changes)


def found_events(connection: sqlite3.Connection, agent: int, last: int) -> Iterator[FoundEvent]:
    """The events of an agent up to one whose rows can be read, in order.

    Args:
        connection: to the store.
        agent: its number there.
        last: the seq of the last event.
    """
    for start in range(0, last, BLOCK):
        end = min(start + BLOCK, last)
        decisions = _rows_between(connection, SELECT_DECISIONS, agent, start, end)
        rewards = _rows_between(connection, SELECT_REWARDS, agent, start, end)
        changes = _rows_between(connection, SELECT_CHANGES, agent, start, end)
        found = [_found_decision(agent, row) for row in decisions]
        found += [_found_lesson(agent, lesson) for lesson in by_lesson(rewards)]
        found += [_found_change(agent, row) for row in changes]
        # A damaged row may hold anything in the place of its number.
        numbered = [each for each in found if isinstance(each.seq, int)]
        yield from sorted(numbered, key=operator.attrgetter("seq"))


def found_snapshots(connection: sqlite3.Connection, agent: int) -> Iterator[FoundSnapshot]:
    """The snapshots of an agent, the newest first."""
    for (seq,) in rows_of(connection, SELECT_SEQS, (agent,)):
        rows = rows_of(connection, SELECT_SNAPSHOT, (agent, seq))
        is_whole = len(rows) == 1 and rows[0][-1] == checksum(seq, blob=rows[0][2])
        yield FoundSnapshot(seq, rows[0] if is_whole else None)


def rows_of(connection: sqlite3.Connection, query: str, values: Sequence[Any] = ()) -> list[Row]:
    """The rows of a query up to the first that cannot be read."""
    rows = []
    try:
        for row in connection.execute(query, values):
            rows.append(row)  # noqa: PERF402 - what came before the damage is kept
    except UNREADABLE:
        pass

    return rows


def _rows_between(
    connection: sqlite3.Connection, query: str, agent: int, after: int, last: int
) -> list[Row]:
    """The rows of a query of events that can be read, with after < seq <= last."""
    try:
        return connection.execute(query, (agent, after, last)).fetchall()
    except UNREADABLE:
        if last - after <= 1:
            return []

    middle = (after + last) // 2
    first_half = _rows_between(connection, query, agent, after, middle)

    return first_half + _rows_between(connection, query, agent, middle, last)


def _last_of(connection: sqlite3.Connection, agent: AgentRow) -> int:
    """The seq of the last event: of the rows, or as the agent's row has it."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    # A number that was damaged may be any: there cannot be more than the file has room for.
    most = pages * page_bytes // LEAST_EVENT + max(agent.complete_after, 0)
    last = agent.events if 0 <= agent.events <= most else 0
    for table in ("decisions", "rewards", "changes"):
        rows = rows_of(connection, LAST_SEQ.format(table=table), (agent.id,))
        for (seq,) in rows:
            if isinstance(seq, int) and seq <= most:
                last = max(last, seq)

    return last


def _found_decision(agent: int, row: Row) -> FoundEvent:
    statements = []
    if _is_whole(check_decision, row):
        statements.append((INSERT_DECISION, (agent, *row)))

    return FoundEvent(row[1], row[0], row[3], statements)


def _found_lesson(agent: int, rows: Sequence[Row]) -> FoundEvent:
    statements = []
    if _is_whole(checked_lesson, rows):
        for seq, position, decision, at, other, objective, value, check in rows:
            values = (agent, decision, objective, value, at, seq, position, other, check)
            statements.append((INSERT_REWARD, values))

    return FoundEvent(rows[0][0], rows[0][2], NO_DECISION, statements)


def _found_change(agent: int, row: Row) -> FoundEvent:
    if not _is_whole(check_change, row):
        return FoundEvent(row[0], NO_DECISION, NO_DECISION, [])

    event = change_event(row, "") if row[2] in CHANGES_OF_ARMS else None
    statements = [(INSERT_CHANGE, (agent, *row))]

    return FoundEvent(row[0], NO_DECISION, NO_DECISION, statements, event)


def _is_whole(check: Callable[[Any, str], Any], rows: Sequence[Any]) -> bool:
    """Whether rows are as they were written; in those that are not, a column may hold anything."""
    try:
        check(rows, "")
    except (LogError, TypeError, ValueError):
        return False

    return True
