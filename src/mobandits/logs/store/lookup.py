"""Decisions of a store, looked up by their numbers, with the rewards that came for them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from mobandits.logs.events import Decide
from mobandits.logs.store.content import corrected_rewards
from mobandits.logs.store.rows import (
    DECISION_ROWS,
    REWARD_ROWS,
    by_lesson,
    decision_event,
    reward_event,
)
from mobandits.logs.store.session import Session

SELECT_DECISIONS_OF = DECISION_ROWS + " AND id IN ({places})"
SELECT_REWARDS_OF_DECISIONS = REWARD_ROWS + " AND decision IN ({places}) ORDER BY decision, seq"
MOST_AT_ONCE = 500  # numbers in one query: older versions of SQLite take up to 999
SELECT_RECENT = "SELECT id FROM decisions WHERE agent = ? ORDER BY seq DESC LIMIT ?"
LAST_CHANGE_OF_ARMS = """
SELECT max(seq) FROM changes WHERE agent = ? AND kind IN ('add', 'remove')
"""


class RecordedDecision(NamedTuple):
    """A decision as it was written, and what it brought so far.

    Attributes:
        seq: of the event.
        event: of the decision; arms are numbers.
        rewards: {objective: value}.
    """

    seq: int
    event: Decide
    rewards: dict[Any, float]


class RecentDecisions(NamedTuple):
    """The last decisions of an agent.

    Attributes:
        decisions: the newest first.
        arms_changed: the seq of the last event that changed the arms; 0 where none did.
    """

    decisions: list[RecordedDecision]
    arms_changed: int


def recorded_decision(
    connection: Session, agent: int, number: int, source: str
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
    found = recorded_decisions(connection, agent, [number], source)
    return found[0] if found else None


def recorded_decisions(
    connection: Session, agent: int, numbers: Sequence[int], source: str
) -> list[RecordedDecision]:
    """The decisions of some numbers, in their order; those that are not there are left out.

    Args:
        connection: to the store.
        agent: its number there.
        numbers: of the decisions.
        source: of the store, for errors.

    Raises:
        LogError: where one is damaged.
    """
    found: dict[int, RecordedDecision] = {}
    for start in range(0, len(numbers), MOST_AT_ONCE):
        some = numbers[start : start + MOST_AT_ONCE]
        places = ", ".join("?" * len(some))
        values = (agent, *some)
        rewards = _rewards_of(connection, places, values, source)
        query = SELECT_DECISIONS_OF.format(places=places)
        for row in connection.execute(query, values):
            number = row[0]
            event = decision_event(row, source)
            found[number] = RecordedDecision(row[1], event, rewards.get(number, {}))

    first = min((each.seq for each in found.values()), default=0)
    for number, right in corrected_rewards(connection, agent, first, source).items():
        if number in found:
            found[number].rewards.update(right)

    return [found[number] for number in numbers if number in found]


def recent_decisions(connection: Session, agent: int, count: int, source: str) -> RecentDecisions:
    """The last decisions of an agent, with the rewards that came for them.

    Args:
        connection: to the store.
        agent: its number there.
        count: how many, at most.
        source: of the store, for errors.

    Raises:
        LogError: where one is damaged.
    """
    rows = connection.execute(SELECT_RECENT, (agent, count))
    numbers = [number for (number,) in rows]
    decisions = recorded_decisions(connection, agent, numbers, source)
    (changed,) = connection.execute(LAST_CHANGE_OF_ARMS, (agent,)).fetchone()

    return RecentDecisions(decisions, changed or 0)


def _rewards_of(
    connection: Session, places: str, values: tuple[int, ...], source: str
) -> dict[int, dict[Any, float]]:
    """{decision: {objective: value}}."""
    rewards: dict[int, dict[Any, float]] = {}
    rows = connection.execute(SELECT_REWARDS_OF_DECISIONS.format(places=places), values)
    # The rows of one call share a checksum, and are checked together.
    for lesson in by_lesson(rows):
        event = reward_event(lesson, source)
        rewards.setdefault(event.id, {}).update(event.rewards)

    return rewards
