"""Decisions of a store, looked up by their numbers, with the rewards that came for them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from mobandits.logs.events import Decide
from mobandits.logs.store.content import AgentLog
from mobandits.logs.store.rows import (
    DECISION_ROWS,
    REWARD_ROWS,
    by_lesson,
    decision_event,
    reward_event,
)

SELECT_DECISIONS_OF = DECISION_ROWS + " AND id IN ({places})"
SELECT_REWARDS_OF = REWARD_ROWS + " AND decision IN ({places}) ORDER BY decision, seq"
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


def recorded_decisions(log: AgentLog, numbers: Sequence[int]) -> list[RecordedDecision]:
    """The decisions of some numbers, in their order; those that are not there are left out.

    Args:
        log: of the agent.
        numbers: of the decisions.

    Raises:
        LogError: where one is damaged.
    """
    found: dict[int, RecordedDecision] = {}
    for start in range(0, len(numbers), MOST_AT_ONCE):
        some = numbers[start : start + MOST_AT_ONCE]
        places = ", ".join("?" * len(some))
        rewards: dict[int, dict[Any, float]] = {}
        # The rows of one call share a checksum, and are checked together.
        for lesson in by_lesson(log.rows(SELECT_REWARDS_OF.format(places=places), *some)):
            told = reward_event(lesson, log.source)
            rewards.setdefault(told.id, {}).update(told.rewards)

        for row in log.rows(SELECT_DECISIONS_OF.format(places=places), *some):
            event = decision_event(row, log.source)
            found[event.id] = RecordedDecision(row[1], event, rewards.get(event.id, {}))

    first = min((each.seq for each in found.values()), default=0)
    for number, right in log.corrected_rewards(first).items():
        if number in found:
            found[number].rewards.update(right)

    return [found[number] for number in numbers if number in found]


def recent_decisions(log: AgentLog, count: int) -> RecentDecisions:
    """The last decisions of an agent, with the rewards that came for them.

    Args:
        log: of the agent.
        count: how many, at most.

    Raises:
        LogError: where one is damaged.
    """
    numbers = [number for (number,) in log.rows(SELECT_RECENT, count)]
    decisions = recorded_decisions(log, numbers)
    (changed,) = log.rows(LAST_CHANGE_OF_ARMS).fetchone()

    return RecentDecisions(decisions, changed or 0)
