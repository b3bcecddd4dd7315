"""The decisions of a store with the rewards that came for them, a block at a time, as arrays."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.errors import DamagedError
from mobandits.logs.names import name_of
from mobandits.logs.objectives import Places
from mobandits.logs.store.content import AgentLog
from mobandits.logs.store.rows import (
    SELECT_DECISIONS,
    Row,
    by_lesson,
    check_decision,
    checked_lesson,
)

BLOCK = 2000  # events, as `frames` has them
# From the decisions to their rewards, by the key of rewards. Left to itself, SQLite may begin with
# all rewards of the agent.
SELECT_REWARDS_OF = """
SELECT r.seq, r.position, r.decision, r.at, r.other, r.objective, r.value, r.checksum
FROM decisions d CROSS JOIN rewards r
WHERE r.agent = d.agent AND r.decision = d.id AND d.agent = ? AND d.seq > ? AND d.seq <= ?
ORDER BY r.seq
"""
COUNT_EVENTS = """
SELECT (SELECT count(*) FROM decisions WHERE agent = :agent AND seq > :after AND seq <= :last)
    + (SELECT count(DISTINCT seq) FROM rewards WHERE agent = :agent AND seq > :after AND seq <= :last)
    + (SELECT count(*) FROM changes WHERE agent = :agent AND seq > :after AND seq <= :last)
"""


class DecisionOutcomes(NamedTuple):
    """Consecutive decisions and what they brought so far.

    Attributes:
        seqs: (decisions,) of the events.
        ids: (decisions,) of the decisions.
        times: (decisions,) seconds since 1970, NaN where there is none.
        arms: (decisions,) numbers of the arms that were played.
        propensities: (decisions,) of these arms, NaN where not known.
        eligible: (decisions,) how many arms could be played; 0: all that there were.
        observed: (decisions,) whether somebody else decided.
        active: (decisions,) whether it took effect when it was made.
        rewards: (decisions, objectives) in the objectives' own units, NaN where there is none yet.
        reward_times: (decisions, objectives) when they came, NaN where that is not known.
    """

    seqs: IntArray
    ids: IntArray
    times: Array
    arms: IntArray
    propensities: Array
    eligible: IntArray
    observed: Mask
    active: Mask
    rewards: Array
    reward_times: Array


def check_all_there(log: AgentLog) -> None:
    """Refuse a store that lacks an event after its last deletion.

    Raises:
        DamagedError: saying how many there are.
    """
    agent = log.agent
    parameters = {
        "agent": agent.id,
        "after": agent.complete_after,
        "last": agent.events,
    }
    (count,) = log.connection.execute(COUNT_EVENTS, parameters).fetchone()
    expected = agent.events - agent.complete_after
    if count != expected:
        where = f"after event {agent.complete_after}"
        raise DamagedError(log.source, f"it has {count} events {where}, and had {expected}")


def outcomes_between(
    log: AgentLog, places: Places, after: int, last: int
) -> Iterator[DecisionOutcomes]:
    """The decisions with after < seq <= last and all rewards of them, in order.

    Args:
        log: of the agent, whose connection stays in one transaction meanwhile.
        places: {objective: column of rewards}.
        after: the seq of the last event that is not wanted.
        last: the seq of the last decision that is.

    Raises:
        LogError: where an event is damaged.
    """
    corrected = log.corrected_rewards(after)
    for start in range(after, last, BLOCK):
        end = min(start + BLOCK, last)
        decisions = log.rows(SELECT_DECISIONS, start, end).fetchall()
        if decisions:
            rewards = log.rows(SELECT_REWARDS_OF, start, end).fetchall()
            block = _outcomes(decisions, rewards, places, log.source)
            _correct(block, corrected, places)
            yield block


def joined_outcomes(blocks: Sequence[DecisionOutcomes]) -> DecisionOutcomes:
    """Blocks, of which there is at least one, as one."""
    columns = zip(*blocks, strict=True)
    return DecisionOutcomes(*[np.concatenate(column) for column in columns])


def _outcomes(
    decisions: Sequence[Row],
    rewards: Sequence[Row],
    places: Places,
    source: str,
) -> DecisionOutcomes:
    for row in decisions:
        check_decision(row, source)

    columns = list(zip(*decisions, strict=True))
    ids, seqs, times, arms, propensities, _, _, _, eligible, _, _, made_by, active, _ = columns
    reward_table, time_table = _reward_tables(ids, rewards, places, source)
    return DecisionOutcomes(
        seqs=np.array(seqs, np.int64),
        ids=np.array(ids, np.int64),
        times=_numbers(times),
        arms=np.array(arms, np.int64),
        propensities=_numbers(propensities),
        eligible=np.array([_list_length(text) for text in eligible], np.int64),
        observed=np.array([who == "observed" for who in made_by]),
        active=np.array(active, bool),
        rewards=reward_table,
        reward_times=time_table,
    )


def _correct(
    block: DecisionOutcomes, corrected: Mapping[int, dict[Any, float]], places: Places
) -> None:
    """Put the right rewards in the place of those that were told wrong."""
    for row in np.flatnonzero(np.isin(block.ids, list(corrected))).tolist():
        for name, value in corrected[int(block.ids[row])].items():
            if name in places:
                block.rewards[row, places[name]] = value


def _reward_tables(
    ids: Sequence[int],
    rewards: Sequence[Row],
    places: Places,
    source: str,
) -> tuple[Array, Array]:
    """The rewards of decisions, and when they came: (decisions, objectives) each."""
    rows = {number: row for row, number in enumerate(ids)}
    shape = (len(ids), len(places))
    values = np.full(shape, np.nan)
    times = np.full(shape, np.nan)
    for lesson_rows in by_lesson(rewards):
        lesson = checked_lesson(lesson_rows, source)
        row = rows[lesson.decision]
        for objective, value in lesson.pairs:
            name = name_of(objective)
            if name not in places:  # it was dropped: reading the log refuses unknown ones
                continue

            values[row, places[name]] = value
            if lesson.at is not None:
                times[row, places[name]] = lesson.at

    return values, times


def _list_length(text: str | None) -> int:
    """Length of a JSON list of whole numbers; 0 where there is no list."""
    # Not parsed: of a thousand arms that costs more than everything else of the decision.
    if text is None or text == "[]":
        return 0
    return text.count(",") + 1


def _numbers(values: Sequence[float | None]) -> Array:
    """Numbers, NaN where there is none."""
    return np.array(values, np.float64)  # which makes NaN of None
