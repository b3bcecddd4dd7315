"""Single decisions of a store, with the rewards that came for them."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mobandits.logs.store.rows import Event, decision_event, reward_event

SELECT_DECISION = """
SELECT id, seq, at, arm, propensity, rows, features, context,
    eligible, other, key, made_by, active, checksum
FROM decisions WHERE agent = ? AND id = ?
"""
SELECT_REWARDS_OF_DECISION = """
SELECT seq, position, decision, at, other, objective, value, checksum
FROM rewards WHERE agent = ? AND decision = ? ORDER BY seq
"""
SELECT_REWARDS_BETWEEN = """
SELECT seq, position, decision, at, other, objective, value, checksum
FROM rewards WHERE agent = ? AND decision BETWEEN ? AND ? ORDER BY seq
"""
SELECT_RECENT = """
SELECT id, seq, at, arm, propensity, rows, features, context,
    eligible, other, key, made_by, active, checksum
FROM decisions WHERE agent = ? ORDER BY seq DESC LIMIT ?
"""
LAST_CHANGE_OF_ARMS = """
SELECT max(seq) FROM changes WHERE agent = ? AND kind IN ('add', 'remove')
"""


class RecordedDecision(NamedTuple):
    """A decision as it was written, and what it brought so far.

    Attributes:
        seq: of the event.
        event: of the decision; arms are numbers.
        rewards: {objective: value}.
        made_by: "us", or "observed".
    """

    seq: int
    event: Event
    rewards: dict[str, float]
    made_by: str


def recorded_decision(
    connection: sqlite3.Connection, agent: int, number: int, source: str
) -> RecordedDecision | None:
    """The decision of a number; None where there is none, or it was deleted.

    Args:
        connection: to the store.
        agent: its number there.
        number: of the decision.
        source: of the store, for errors.

    Raises:
        LogError: where it is damaged.
    """
    row = connection.execute(SELECT_DECISION, (agent, number)).fetchone()
    if row is None:
        return None

    rewards = connection.execute(SELECT_REWARDS_OF_DECISION, (agent, number)).fetchall()

    return _recorded(row, rewards, source)


class RecentDecisions(NamedTuple):
    """The last decisions of an agent.

    Attributes:
        decisions: the newest first.
        arms_changed: the seq of the last event that added or removed an arm; 0 where none did.
    """

    decisions: list[RecordedDecision]
    arms_changed: int


def recent_decisions(
    connection: sqlite3.Connection, agent: int, count: int, source: str
) -> RecentDecisions:
    """The last decisions of an agent, with the rewards that came for them.

    Args:
        connection: to the store.
        agent: its number there.
        count: how many, at most.
        source: of the store, for errors.

    Raises:
        LogError: where one is damaged.
    """
    rows = connection.execute(SELECT_RECENT, (agent, count)).fetchall()
    numbers = [row[0] for row in rows]
    rewards_of: dict[int, list[tuple[Any, ...]]] = {}
    if numbers:
        # In one query: one per decision would take most of the time.
        between = (agent, min(numbers), max(numbers))
        for reward in connection.execute(SELECT_REWARDS_BETWEEN, between):
            rewards_of.setdefault(reward[2], []).append(reward)

    decisions = [_recorded(row, rewards_of.get(row[0], []), source) for row in rows]
    (changed,) = connection.execute(LAST_CHANGE_OF_ARMS, (agent,)).fetchone()

    return RecentDecisions(decisions, changed or 0)


def _recorded(
    row: Sequence[Any], reward_rows: Iterable[tuple[Any, ...]], source: str
) -> RecordedDecision:
    """The decision of a row, with the rows of its rewards."""
    rewards: dict[str, float] = {}
    calls: dict[int, list[tuple[Any, ...]]] = {}
    for reward in reward_rows:
        calls.setdefault(reward[0], []).append(reward)
    for rows in calls.values():
        # The rows of one call share a checksum, and are checked together.
        event = reward_event(rows, source)
        rewards |= event["rewards"]

    event = decision_event(row, source)

    return RecordedDecision(row[1], event, rewards, event.get("made_by", "us"))
