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

from mobandits.contracts.protocols import IntArray
from mobandits.errors import LogError
from mobandits.logs.arm_registry import CHANGES, ArmRegistry, first_arms
from mobandits.logs.events import Event
from mobandits.logs.store.content import AgentRow
from mobandits.logs.store.rows import (
    INSERT_CHANGE,
    INSERT_DECISION,
    SELECT_CHANGES,
    SELECT_DECISIONS,
    SELECT_REWARDS,
    Row,
    by_lesson,
    change_event,
    check_change,
    check_decision,
    checked_lesson,
    checksum,
)

BLOCK = 2000  # events at a time
LEAST_EVENT = 16  # bytes of the file: no event takes less
NO_DECISION = -1  # in the place of the decision of a change, or of its arm
SELECT_SEQS = "SELECT seq FROM snapshots WHERE agent = ? ORDER BY seq DESC"
SELECT_SNAPSHOT = "SELECT seq, at, state, checksum FROM snapshots WHERE agent = ? AND seq = ?"
# Columns as of `REWARD_ROWS`; decisions and changes are selected as they are inserted.
INSERT_REWARD = """
INSERT INTO rewards (agent, seq, position, decision, at, other, objective, value, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
SELECT_BYTES = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
LAST_SEQ = "SELECT max(seq) FROM {table} WHERE agent = ?"
# What SQLite and its module raise where they meet damage.
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)


class FoundEvent(NamedTuple):
    """An event whose rows can be read.

    Attributes:
        seq: of the event.
        decision: that it makes or rewards; `NO_DECISION` of a change, and where it is damaged.
        arm: of a decision; `NO_DECISION` of others.
        insert: SQL that writes a row of it into another store, after the agent's number.
        rows: of the table; none where it is damaged.
    """

    seq: int
    decision: int
    arm: int
    insert: str
    rows: Sequence[Row]


class Survey(NamedTuple):
    """Events of an agent that are whole.

    Attributes:
        last: the seq of the last event that there was.
        seqs: of the events that are whole and of use, in order.
        decisions: which decision each of them makes or rewards; `NO_DECISION` of a change.
        arms: of decisions; `NO_DECISION` of others.
        orphans: the seqs of whole rewards of a decision that is not whole, which are of no use.
        damaged: the seqs of events that are there, and not as they were written.
        holes: the seqs of all that are not whole, from 1; the last one is that after `last`.
        arm_changes: (seq, event) of those that add or remove an arm.
    """

    last: int
    seqs: IntArray
    decisions: IntArray
    arms: IntArray
    orphans: IntArray
    damaged: IntArray
    holes: IntArray
    arm_changes: list[tuple[int, Event]]

    def holes_between(self, after: int, last: int) -> list[int]:
        """The seqs of the events that are not whole, after one and up to another."""
        holes: list[int] = self.holes[(self.holes > after) & (self.holes <= last)].tolist()
        return holes

    def arms_after(self, agent: AgentRow, seq: int) -> ArmRegistry:
        """The arms of the agent after an event, as far as whole changes say so.

        Raises:
            LogError: where a change of arms is missing that another one builds on.
        """
        arms = first_arms(agent.description, "the store")
        for number, event in self.arm_changes:
            if number <= seq:
                arms.follow(event)

        return arms


def survey_of(connection: sqlite3.Connection, agent: AgentRow) -> Survey:
    """Survey of an agent's events; nothing is raised where the store is damaged."""
    last = _last_of(connection, agent)
    numbers = array("q")
    damaged = array("q")
    arm_changes = []
    for found in found_events(connection, agent.id, last):
        if not found.rows:
            damaged.append(found.seq)
            continue

        numbers.extend(found[:3])
        row = found.rows[0]
        if found.insert == INSERT_CHANGE and row[2] in CHANGES:
            arm_changes.append((found.seq, change_event(row, "")))

    table = np.array(numbers, np.int64).reshape(-1, 3)
    known = table[table[:, 2] != NO_DECISION, 1]
    is_of_use = np.isin(table[:, 1], known) | (table[:, 1] == NO_DECISION)
    seqs, decisions, arms = table[is_of_use].T

    return Survey(
        last=last,
        seqs=seqs,
        decisions=decisions,
        arms=arms,
        orphans=table[~is_of_use, 0],
        damaged=np.array(damaged, np.int64),
        holes=np.setdiff1d(np.arange(1, last + 2), table[:, 0]),
        arm_changes=arm_changes,
    )


def found_events(connection: sqlite3.Connection, agent: int, last: int) -> Iterator[FoundEvent]:
    """The events of an agent up to one whose rows can be read, in order.

    Args:
        connection: to the store.
        agent: its number there.
        last: the seq of the last event.
    """
    for start in range(0, last, BLOCK):
        end = min(start + BLOCK, last)
        found = []
        for row in _rows_between(connection, SELECT_DECISIONS, agent, start, end):
            event = FoundEvent(row[1], row[0], row[3], INSERT_DECISION, [row])
            found.append(_checked(event, check_decision, row))

        for rows in by_lesson(_rows_between(connection, SELECT_REWARDS, agent, start, end)):
            event = FoundEvent(rows[0][0], rows[0][2], NO_DECISION, INSERT_REWARD, rows)
            found.append(_checked(event, checked_lesson, rows))

        for row in _rows_between(connection, SELECT_CHANGES, agent, start, end):
            event = FoundEvent(row[0], NO_DECISION, NO_DECISION, INSERT_CHANGE, [row])
            found.append(_checked(event, check_change, row))

        # A damaged row may hold anything in the place of its number.
        numbered = [each for each in found if isinstance(each.seq, int)]
        yield from sorted(numbered, key=operator.attrgetter("seq"))


def found_snapshots(connection: sqlite3.Connection, agent: int) -> Iterator[tuple[int, Row | None]]:
    """(seq, row) of the snapshots of an agent, the newest first; no row of one that is damaged."""
    for (seq,) in rows_of(connection, SELECT_SEQS, (agent,)):
        rows = rows_of(connection, SELECT_SNAPSHOT, (agent, seq))
        is_whole = len(rows) == 1 and rows[0][-1] == checksum(seq, blob=rows[0][2])
        yield seq, rows[0] if is_whole else None


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
    (file_bytes,) = connection.execute(SELECT_BYTES).fetchone()
    # A number that was damaged may be any: there cannot be more than the file has room for.
    most = file_bytes // LEAST_EVENT + max(agent.complete_after, 0)
    last = agent.events if 0 <= agent.events <= most else 0
    for table in ("decisions", "rewards", "changes"):
        rows = rows_of(connection, LAST_SEQ.format(table=table), (agent.id,))
        for (seq,) in rows:
            if isinstance(seq, int) and seq <= most:
                last = max(last, seq)

    return last


def _checked(
    event: FoundEvent, check: Callable[[Any, str], Any], rows: Sequence[Any]
) -> FoundEvent:
    """An event, without rows where they are not as they were written."""
    try:
        check(rows, "")
    # In those that are not, a column may hold anything.
    except (LogError, TypeError, ValueError):
        return event._replace(decision=NO_DECISION, arm=NO_DECISION, rows=[])

    return event
