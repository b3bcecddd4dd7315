"""Sums of a store per agent, minute, arm and objective, which pages read in place of events.

A decision counts in the minute in which it was made, with the objective '' and its propensity. A
reward counts in the minute in which the *reward* came: so a minute that is over does not change,
and a commit touches few rows. Events without a time count in minute 0, and so do those of times
that no clock shows. What is deleted later stays counted.

`rolled` says up to which event an agent is counted. The thread that commits counts what came since,
in the transaction of a group where there is one, at the latest a second after the events. So the
sums are exact whatever happens in between: what a killed process had not counted, or an agent
without a service has appended, is counted by the next service that opens the file.
"""

import logging
import sqlite3
import time

from mobandits.logs.store.session import Session

LOG = logging.getLogger("mobandits.logs")
DECISIONS = ""  # in the place of an objective
SLICE = 1000  # events that are counted in one transaction: it holds up a commit for a millisecond
LATEST = 1.0  # seconds after an event, until it is counted
PAUSE = 60.0  # seconds after a failure

SELECT_BEHIND = """
SELECT a.id, coalesce(r.seq, 0), a.events FROM agents a LEFT JOIN rolled r ON r.agent = a.id
WHERE coalesce(r.seq, 0) < a.events ORDER BY a.id
"""
SET_ROLLED = """
INSERT INTO rolled VALUES (?, ?) ON CONFLICT (agent) DO UPDATE SET seq = excluded.seq
"""

# Minutes are whole numbers; of a time beyond all clocks they would not be. SQLite's cast cuts the
# fraction off, and PostgreSQL's rounds.
MINUTE = """
CASE WHEN NOT ({at} >= 0.0 AND {at} < 1e14) OR {at} IS NULL THEN 0
    WHEN CAST({at} / 60.0 AS BIGINT) > {at} / 60.0 THEN CAST({at} / 60.0 AS BIGINT) - 1
    ELSE CAST({at} / 60.0 AS BIGINT) END
"""
# Within bounds: two infinities would add up to no number, which the table refuses.
BOUNDED = """
CASE WHEN sum({value}) > 1e300 THEN 1e300 WHEN sum({value}) < -1e300 THEN -1e300
    ELSE coalesce(sum({value}), 0.0) END
"""
ADD_DECISIONS = f"""
INSERT INTO rollup
SELECT d.agent, {MINUTE.format(at="d.at")} AS minute, d.arm, '', count(*),
    {BOUNDED.format(value="d.propensity")},
    {BOUNDED.format(value="d.propensity * d.propensity")}
FROM decisions d WHERE d.agent = :agent AND d.seq > :after AND d.seq <= :last
GROUP BY d.agent, minute, d.arm
ON CONFLICT (agent, minute, arm, objective) DO UPDATE SET n = rollup.n + excluded.n,
    total = rollup.total + excluded.total, squares = rollup.squares + excluded.squares
"""  # noqa: S608 - of constants
# An objective whose name is empty is '""' here: `name_of` reads it as that, and `name_text` never
# writes it for another one.
ADD_REWARDS = f"""
INSERT INTO rollup
SELECT r.agent, {MINUTE.format(at="r.at")} AS minute, d.arm,
    CASE r.objective WHEN '' THEN '""' ELSE r.objective END AS name, count(*),
    {BOUNDED.format(value="r.value")},
    {BOUNDED.format(value="r.value * r.value")}
FROM rewards r CROSS JOIN decisions d
WHERE d.agent = r.agent AND d.id = r.decision
    AND r.agent = :agent AND r.seq > :after AND r.seq <= :last
GROUP BY r.agent, minute, d.arm, name
ON CONFLICT (agent, minute, arm, objective) DO UPDATE SET n = rollup.n + excluded.n,
    total = rollup.total + excluded.total, squares = rollup.squares + excluded.squares
"""  # noqa: S608 - of constants


class Rollup:
    """Keeps the sums of a store, for the thread that commits.

    Args:
        connection: of that thread.
    """

    def __init__(self, connection: Session) -> None:
        self._connection = connection
        # When it is time to count, on the monotonic clock; None: there is nothing to count. Events
        # may have been appended without it, as an agent without a service does.
        self._due: float | None = 0.0
        self.is_anything_left()

    def note(self) -> None:
        """Something was written."""
        if self._due is None:
            self._due = time.monotonic() + LATEST

    def wait_seconds(self) -> float | None:
        """Seconds until it is time to count; None: there is nothing to count."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    def is_due(self) -> bool:
        """Whether it is time to count, in a transaction that is open anyway."""
        return self.wait_seconds() == 0.0

    def is_anything_left(self) -> bool:
        """Whether there are events to count; to look costs no transaction."""
        is_left = self._connection.execute(SELECT_BEHIND).fetchone() is not None
        if not is_left:
            self._due = None

        return is_left

    def count(self) -> None:
        """Count a slice of what is not counted yet, in the open transaction; or put it off."""
        connection = self._connection
        connection.execute("SAVEPOINT rollup")
        try:
            self._count_slice()
        except sqlite3.Error as error:
            self.put_off(error)
            # Where all of the transaction is lost, its commit says so.
            if connection.in_transaction:
                connection.execute("ROLLBACK TO rollup")
        if connection.in_transaction:
            connection.execute("RELEASE rollup")

    def put_off(self, error: Exception) -> None:
        """Go on without: the sums are no part of what a service promises."""
        self._due = time.monotonic() + PAUSE
        LOG.warning("the sums of a store are late, so its pages show too little: %s", error)

    def _count_slice(self) -> None:
        left = SLICE
        # A list: its query must not be under way while the tables change.
        for agent, after, events in self._connection.execute(SELECT_BEHIND).fetchall():
            last = min(after + left, events)
            between = {"agent": agent, "after": after, "last": last}
            self._connection.execute(ADD_DECISIONS, between)
            self._connection.execute(ADD_REWARDS, between)
            self._connection.execute(SET_ROLLED, (agent, last))
            left -= last - after
            if left == 0:
                break

        # A whole slice was there: more may be left.
        self._due = time.monotonic() if left == 0 else None
