"""Single decisions of a store, with the rewards that came for them."""

import sqlite3
from typing import NamedTuple

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

    rewards: dict[str, float] = {}
    calls: dict[int, list[tuple[object, ...]]] = {}
    for reward in connection.execute(SELECT_REWARDS_OF_DECISION, (agent, number)):
        calls.setdefault(reward[0], []).append(reward)
    for rows in calls.values():
        # The rows of one call share a checksum, and are checked together.
        event = reward_event(rows, source)
        rewards |= event["rewards"]

    event = decision_event(row, source)

    return RecordedDecision(row[1], event, rewards, event.get("made_by", "us"))
