"""Decisions of a store that still wait for something, by the agent's description.

Where it is not certain, a decision waits: a reward for one that was deleted could not be kept. So
a decision that was dropped because too many waited counts as one that waits, unless its age says
otherwise.
"""

import json
import math
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.logs.names import name_text
from mobandits.logs.store.content import AgentRow, slice_of
from mobandits.logs.store.session import Session

# Rewards of objectives without a default are counted apart: the others come by themselves. A group
# is one decision, whose columns PostgreSQL wants inside of functions.
SELECT_DECISIONS = """
SELECT max(d.id), d.seq, max(d.at), max(d.active), count(r.objective), max(r.seq), max(r.at),
    count(CASE WHEN {is_required} THEN 1 END)
FROM decisions d
LEFT JOIN rewards r ON r.agent = d.agent AND r.decision = d.id AND +r.seq <= ?
WHERE d.agent = ? AND d.seq > ? AND d.seq <= ? GROUP BY d.seq ORDER BY d.seq
"""
SELECT_LAST_TIME = """
SELECT at FROM decisions WHERE agent = ? AND at IS NOT NULL ORDER BY seq DESC LIMIT 1
"""
SELECT_CHANGES = """
SELECT at, body FROM changes WHERE agent = ? AND kind = ? AND seq <= ? ORDER BY seq
"""
SLICE = 10_000  # events that are read at a time


class DecisionTable(NamedTuple):
    """The decisions of an agent that are there, in its order, as columns.

    Attributes:
        ids: of the decisions.
        seqs: of their events.
        times: in seconds, NaN where not known.
        is_active: whether the arm took effect at once.
        rewards: how many objectives have a reward.
        required: of these, how many have no default.
        last_reward_seqs: of the last reward; 0 where there is none.
        last_reward_times: likewise, NaN where there is none.
    """

    ids: IntArray
    seqs: IntArray
    times: Array
    is_active: Mask
    rewards: IntArray
    required: IntArray
    last_reward_seqs: IntArray
    last_reward_times: Array

    @property
    def ends(self) -> IntArray:
        """The seq of the last event of each, which is itself or a reward."""
        last: IntArray = np.maximum(self.seqs, self.last_reward_seqs)
        return last


class Waiting:
    """Rules of an agent's description on how long decisions wait.

    Args:
        description: of the agent.
    """

    def __init__(self, description: dict[str, Any]) -> None:
        objectives = description.get("objectives") or ()
        defaults = description.get("defaults") or ()
        self.objectives = len(objectives)
        # Without a limit of age, or a default, the time never comes.
        self.max_age = _number(description.get("max_age"))
        self.required = []
        self.longest_default = 0.0
        for place, objective in enumerate(objectives):
            delay = _default_delay(defaults, place)
            if delay is not None:
                self.longest_default = max(self.longest_default, delay)
                continue

            # A name alone is an objective, too.
            name = objective.get("name") if isinstance(objective, dict) else objective
            self.required.append(name_text(name))

    def of(self, table: DecisionTable, activated: Array, abandoned: Mask, now: float) -> Mask:
        """Mask of the decisions that wait.

        Args:
            table: the decisions.
            activated: (decisions,) when those that were inactive took effect; NaN: not known.
            abandoned: (decisions,) whether nothing is waited for any more.
            now: the agent's time, or one before it.
        """
        is_complete = (table.rewards >= self.objectives) & (self.objectives > 0)
        is_too_old = table.times + self.max_age < now
        # A reward activates as well; of two times the later counts, so that nothing is over early.
        since_activation = np.fmax(activated, table.last_reward_times)
        since = np.where(table.is_active, table.times, since_activation)
        # Comparisons with NaN are false: what is not known waits.
        has_defaults = since + self.longest_default < now
        has_required = table.required >= len(self.required)
        settles_by_itself = has_defaults & has_required & (self.objectives > 0)

        is_over = is_complete | is_too_old | settles_by_itself | abandoned
        waits: Mask = ~is_over

        return waits


def waiting_decisions(
    connection: Session, agent: AgentRow, known: int, source: str
) -> tuple[DecisionTable, Mask]:
    """The decisions of an agent, and which of them wait.

    Args:
        connection: to the store.
        agent: whose.
        known: the last seq that counts of activations and abandonments.
        source: what errors call the store.

    Raises:
        LogError: where decisions are deleted meanwhile.
    """
    waiting = Waiting(agent.description)
    table = decision_table(connection, agent, source, waiting.required)
    abandoned_ids, _ = _changes(connection, agent, "abandon", known)
    abandoned = are_in(table.ids, abandoned_ids)
    activated_ids, times = _changes(connection, agent, "activate", known)
    activated = _times_of(table.ids, activated_ids, times)
    # The agent's clock, as far as the store knows it: it may be behind, and never ahead.
    row = connection.execute(SELECT_LAST_TIME, (agent.id,)).fetchone()
    now = -math.inf if row is None else row[0]
    waits = waiting.of(table, activated, abandoned, now)

    return table, waits


def _times_of(ids: IntArray, changed_ids: IntArray, times: Array) -> Array:
    """(decisions,) the time of the change of each, NaN where there is none.

    Args:
        ids: of the decisions.
        changed_ids: of those that changed, sorted.
        times: of these changes.
    """
    has_time = are_in(ids, changed_ids)
    places = np.searchsorted(changed_ids, ids[has_time])
    found = np.full(len(ids), np.nan)
    found[has_time] = times[places]

    return found


def are_in(values: IntArray, ids: IntArray) -> Mask:
    """Mask of values that are among sorted ids; a set would need ten times the memory."""
    if not len(ids):
        return np.zeros(len(values), bool)
    places = np.minimum(np.searchsorted(ids, values), len(ids) - 1)
    found: Mask = ids[places] == values
    return found


def decision_table(
    connection: Session, agent: AgentRow, source: str, required: Sequence[str] = ()
) -> DecisionTable:
    """The decisions of an agent that are there, as columns: with its events up to `agent.events`.

    Args:
        connection: to the store.
        agent: whose.
        source: what errors call the store.
        required: objectives, as `name_text` writes them, whose rewards are counted apart.

    Raises:
        LogError: where decisions are deleted meanwhile.
    """
    # Arrays that grow, for 56 bytes per decision: a list of rows takes ten times as much.
    whole = [array("q") for _ in range(6)]
    numbers = [array("d") for _ in range(2)]
    places = ", ".join("?" * len(required))
    # PostgreSQL knows no empty list.
    is_required = f"r.objective IN ({places})" if required else "1 = 0"
    query = SELECT_DECISIONS.format(is_required=is_required)
    last = agent.events
    for start in range(0, last, SLICE):
        parameters = (*required, last, agent.id, start, min(start + SLICE, last))
        with slice_of(connection, agent, source):
            rows = connection.execute(query, parameters).fetchall()

        for row in rows:
            number, seq, at, active, rewards, last_seq, last_at, own = row
            columns = (number, seq, active, rewards, own, last_seq or 0)
            for column, value in zip(whole, columns, strict=True):
                column.append(value)
            for moments, moment in zip(numbers, (at, last_at), strict=True):
                moments.append(math.nan if moment is None else moment)

    ids, seqs, active_column, counts, own_counts, last_seqs = map(_as_integers, whole)
    times, last_times = map(_as_doubles, numbers)

    return DecisionTable(
        ids=ids,
        seqs=seqs,
        times=times,
        is_active=active_column != 0,
        rewards=counts,
        required=own_counts,
        last_reward_seqs=last_seqs,
        last_reward_times=last_times,
    )


def _changes(connection: Session, agent: AgentRow, kind: str, known: int) -> tuple[IntArray, Array]:
    """(ids, times) of the decisions that changes of a kind are of, sorted by id."""
    numbers = array("q")
    moments = array("d")
    for at, body in connection.execute(SELECT_CHANGES, (agent.id, kind, known)):
        number = _id_in(body)
        if number is not None:
            numbers.append(number)
            moments.append(math.nan if at is None else at)

    ids = _as_integers(numbers)
    order = np.argsort(ids, kind="stable")

    return ids[order], _as_doubles(moments)[order]


def _default_delay(defaults: Sequence[Any], place: int) -> float | None:
    """Seconds until a default stands in for the reward of an objective; None: there is none."""
    if place >= len(defaults):
        return None

    value, after = defaults[place]

    return None if value is None or after is None else _number(after)


def _id_in(body: str) -> int | None:
    try:
        number = json.loads(body)["id"]
    except (ValueError, LookupError, TypeError):
        # Damage is found where the events are written, before anything is deleted; and events of
        # programs other than agents may have any fields.
        return None
    return number if type(number) is int else None


def _as_integers(values: "array[int]") -> IntArray:
    return np.array(values, np.int64)


def _as_doubles(values: "array[float]") -> Array:
    return np.array(values, np.float64)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.inf
