"""Sums of a store per agent, minute, arm and objective, which pages read in place of events.

A decision counts in the minute in which it was made, with the objective '' and its propensity. A
reward counts in the minute in which the *reward* came: so a minute that is over never changes, and
a commit touches the rows of the present minute only. Events without a time count in minute 0, and
so do those of times that no clock shows. Numbers of decisions and rewards are exact; sums are exact
up to the rounding of floats, whose order differs where a row was summed in several commits.

`rolled` says up to which event an agent is counted. Both change in the transaction that appends the
events, or, for events that came without it, in one that counts a slice of them.
"""

import logging
import sqlite3
from collections.abc import Iterable

from mobandits.logs.store.rows import INSERT_CHANGE, INSERT_DECISION, INSERT_REWARD, Row, Statement

LOG = logging.getLogger("mobandits.logs")
DECISIONS = ""  # in the place of an objective
# An objective whose name is empty: `name_of` reads it as that, and `name_text` never writes it.
EMPTY = '""'
SLICE = 2000  # events that are counted in one transaction, which holds up the commits of others
LATEST = 1e14  # seconds since 1970; the columns of a later minute could not be computed with
MOST = 1e300  # of a sum: two infinities would add up to no number, which the table refuses

ADD = """
INSERT INTO rollup VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    n = n + excluded.n, total = total + excluded.total, squares = squares + excluded.squares
"""
SET_ROLLED = """
INSERT INTO rolled VALUES (?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq
"""
SELECT_ROLLED = "SELECT seq FROM rolled WHERE agent = ?"
SELECT_ARM = "SELECT arm FROM decisions WHERE agent = ? AND id = ?"
SELECT_BEHIND = """
SELECT a.id, coalesce(r.seq, 0), a.events FROM agents a LEFT JOIN rolled r ON r.agent = a.id
WHERE coalesce(r.seq, 0) < a.events ORDER BY a.id LIMIT 1
"""

# The same in SQL: `minute_of`, and sums within `MOST`.
MINUTE = """
CASE WHEN {at} >= 0.0 AND {at} < 1e14 THEN CAST({at} / 60.0 AS INTEGER) ELSE 0 END
"""
BOUNDED = "max(min(coalesce(sum({value}), 0.0), 1e300), -1e300)"
ADD_DECISIONS = f"""
INSERT INTO rollup
SELECT d.agent, {MINUTE.format(at="d.at")} AS minute, d.arm, '', count(*),
    {BOUNDED.format(value="d.propensity")},
    {BOUNDED.format(value="d.propensity * d.propensity")}
FROM decisions d WHERE d.agent = :agent AND d.seq > :after AND d.seq <= :last
GROUP BY d.agent, minute, d.arm
ON CONFLICT DO UPDATE SET
    n = n + excluded.n, total = total + excluded.total, squares = squares + excluded.squares
"""  # noqa: S608 - of constants
ADD_REWARDS = f"""
INSERT INTO rollup
SELECT r.agent, {MINUTE.format(at="r.at")} AS minute, d.arm,
    CASE r.objective WHEN '' THEN '""' ELSE r.objective END AS name, count(*),
    {BOUNDED.format(value="r.value")},
    {BOUNDED.format(value="r.value * r.value")}
FROM rewards r CROSS JOIN decisions d ON d.agent = r.agent AND d.id = r.decision
WHERE r.agent = :agent AND r.seq > :after AND r.seq <= :last
GROUP BY r.agent, minute, d.arm, name
ON CONFLICT DO UPDATE SET
    n = n + excluded.n, total = total + excluded.total, squares = squares + excluded.squares
"""  # noqa: S608 - of constants

Cell = tuple[int, int, int, str]  # agent, minute, arm, objective


def minute_of(at: float | None) -> int:
    """The minute since 1970 in which an event counts.

    Example:
        >>> minute_of(119.9), minute_of(None), minute_of(-1.0)
        (1, 0, 0)
    """
    if at is None or not 0.0 <= at < LATEST:
        return 0

    return int(at / 60.0)


class Sums:
    """Counts and sums of some events, per agent, minute, arm and objective."""

    def __init__(self) -> None:
        self._cells: dict[Cell, list[float]] = {}

    def add(self, cell: Cell, value: float | None) -> None:
        """Count an event, with its value where it has one."""
        sums = self._cells.get(cell)
        if sums is None:
            sums = [0, 0.0, 0.0]
            self._cells[cell] = sums

        sums[0] += 1
        if value is not None:
            sums[1] += value
            sums[2] += value * value

    def statements(self) -> Iterable[Statement]:
        """What adds them to the table."""
        for cell, (n, total, squares) in self._cells.items():
            yield ADD, (*cell, n, bounded(total), bounded(squares))


def bounded(total: float) -> float:
    """A sum that can be added to any other.

    Example:
        >>> bounded(2.5), bounded(float("-inf"))
        (2.5, -1e+300)
    """
    return max(min(total, MOST), -MOST)


class Rollup:
    """Keeps the sums of a store, in the transactions of the thread that commits.

    Args:
        connection: of that thread.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # {agent: the last event that is counted}, as on disk.
        self._rolled: dict[int, int] = {}
        self._counted: dict[int, int] = {}
        # Whether events may be there that were not counted when they were appended, as an agent
        # without a service does.
        self._is_behind = connection.execute(SELECT_BEHIND).fetchone() is not None

    @property
    def is_behind(self) -> bool:
        """Whether there may be events to catch up with."""
        return self._is_behind

    def count(self, statements: Iterable[Statement]) -> None:
        """Count the events that a transaction has just appended, in the same transaction.

        Events of an agent that is not counted up to them are left to `catch_up`.
        """
        sums = Sums()
        last = self._counted
        arms: dict[tuple[int, int], int] = {}
        for sql, values in statements:
            # By identity: it is decided per statement of every call.
            if sql is INSERT_DECISION:
                agent, number, seq, at, arm, propensity = values[:6]
                arms[agent, number] = arm
                if self._follows(agent, seq):
                    sums.add((agent, minute_of(at), arm, DECISIONS), propensity)
            elif sql is INSERT_REWARD:
                agent, number, objective, value, at, seq = values[:6]
                if self._follows(agent, seq):
                    arm = self._arm_of(agent, number, arms)
                    sums.add((agent, minute_of(at), arm, objective or EMPTY), value)
            elif sql is INSERT_CHANGE:
                self._follows(values[0], values[1])

        execute = self._connection.execute
        for sql, values in sums.statements():
            execute(sql, values)
        for agent, seq in last.items():
            execute(SET_ROLLED, (agent, seq))

    def committed(self) -> None:
        """The transaction of the last `count` is on disk."""
        self._rolled |= self._counted
        self._counted = {}

    def rolled_back(self) -> None:
        """The transaction is not, or its events were not counted: nothing is known for sure."""
        self._rolled = {}
        self._counted = {}
        self._is_behind = True

    def catch_up(self) -> None:
        """Count a slice of the events that were appended without it, in the open transaction."""
        behind = self._connection.execute(SELECT_BEHIND).fetchone()
        if behind is None:
            self._is_behind = False
            return

        agent, after, events = behind
        last = min(after + SLICE, events)
        between = {"agent": agent, "after": after, "last": last}
        self._connection.execute(ADD_DECISIONS, between)
        self._connection.execute(ADD_REWARDS, between)
        self._connection.execute(SET_ROLLED, (agent, last))
        self._counted[agent] = last

    def put_off(self, error: Exception) -> None:
        """Catch up after the next event: what failed now, as on a full disk, may fail for long."""
        self._is_behind = False
        LOG.warning("the sums of a store are late, so its pages show too little: %s", error)

    def _follows(self, agent: int, seq: int) -> bool:
        """Whether an event is the next one of its agent, or belongs to the one that was."""
        known = self._counted.get(agent)
        if known is None:
            known = self._last_of(agent)
        if seq > known + 1:
            self._is_behind = True
            return False

        self._counted[agent] = seq

        return True

    def _last_of(self, agent: int) -> int:
        known = self._rolled.get(agent)
        if known is None:
            row = self._connection.execute(SELECT_ROLLED, (agent,)).fetchone()
            known = 0 if row is None else row[0]
            self._rolled[agent] = known

        return known

    def _arm_of(self, agent: int, number: int, arms: dict[tuple[int, int], int]) -> int:
        """The arm of a decision: of the same group, or of one before."""
        arm = arms.get((agent, number))
        if arm is None:
            row: Row = self._connection.execute(SELECT_ARM, (agent, number)).fetchone()
            arm = int(row[0])
            arms[agent, number] = arm

        return arm
