"""Decisions of a store that still wait for something, by the agent's description.

Where it is not certain, a decision waits: a reward for one that was deleted could not be kept. So
a decision that was dropped because too many waited counts as one that waits, unless its age says
otherwise.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Mask
from mobandits.logs.log_description import objectives_of_data
from mobandits.logs.names import name_text
from mobandits.logs.store.arm_timeline import decision_times
from mobandits.logs.store.content import AgentLog

# Rewards of objectives without a default are counted apart: the others come by themselves. A group
# is one decision, whose columns PostgreSQL wants inside of functions.
SELECT_DECISIONS = """
SELECT max(d.id), d.seq, max(d.at), max(d.active), count(r.objective),
    count(CASE WHEN {is_required} THEN 1 END), coalesce(max(r.seq), 0), max(r.at)
FROM decisions d
LEFT JOIN rewards r ON r.agent = d.agent AND r.decision = d.id AND +r.seq <= ?
WHERE d.agent = ? AND d.seq > ? AND d.seq <= ? GROUP BY d.seq ORDER BY d.seq
"""
# Of decisions, with NaN for times that are not known. The last two are of the last reward.
COLUMNS = np.dtype(
    [
        ("id", np.int64),
        ("seq", np.int64),
        ("time", np.float64),
        ("is_active", np.bool_),
        ("rewards", np.int64),  # how many objectives have one
        ("required", np.int64),  # of these, how many have no default
        ("reward_seq", np.int64),  # 0 where there is none
        ("reward_time", np.float64),
    ]
)
SELECT_LAST_TIME = """
SELECT at FROM decisions WHERE agent = ? AND at IS NOT NULL ORDER BY seq DESC LIMIT 1
"""
SLICE = 10_000  # events that are read at a time


def waiting_decisions(log: AgentLog, known: int) -> tuple[Any, Mask]:
    """The decisions of an agent, and which of them wait.

    Args:
        log: of the agent.
        known: the last seq that counts of activations and abandonments.

    Raises:
        LogError: where decisions are deleted meanwhile, or a change is damaged.
    """
    description = log.agent.description
    described = description.get("objectives")
    objectives = objectives_of_data(description, log.source) if described else ()
    required = [name_text(each.name) for each in objectives if each.waits]
    longest_default = max((each.after or 0.0 for each in objectives), default=0.0)
    # Without a limit of age, the time never comes.
    max_age = description.get("max_age")
    if not isinstance(max_age, int | float):
        max_age = math.inf

    table = decision_table(log, required)
    abandonments = decision_times(log, "abandon", known)
    is_abandoned = np.isfinite(abandonments.of(table["id"]))
    activations = decision_times(log, "activate", known)
    activated = activations.of(table["id"], unknown=np.nan)
    activated[np.isinf(activated)] = np.nan
    # The agent's clock, as far as the store knows it: it may be behind, and never ahead.
    row = log.rows(SELECT_LAST_TIME).fetchone()
    now = -math.inf if row is None else row[0]

    # A reward activates as well; of two times the later counts, so that nothing is over early.
    since_activation = np.fmax(activated, table["reward_time"])
    since = np.where(table["is_active"], table["time"], since_activation)
    # Comparisons with NaN are false: what is not known waits.
    has_defaults = since + longest_default < now
    has_required = table["required"] >= len(required)
    is_complete = table["rewards"] >= len(objectives)
    is_rewarded = (is_complete | (has_defaults & has_required)) & (len(objectives) > 0)
    is_too_old = table["time"] + max_age < now
    waits: Mask = ~(is_rewarded | is_too_old | is_abandoned)

    return table, waits


def decision_table(log: AgentLog, required: Sequence[str] = ()) -> Any:
    """The decisions of an agent that are there, in its order, as an array of `COLUMNS`.

    Args:
        log: of the agent, with its events up to `log.agent.events`.
        required: objectives, as `name_text` writes them, whose rewards are counted apart.

    Raises:
        LogError: where decisions are deleted meanwhile.
    """
    places = ", ".join("?" * len(required))
    # PostgreSQL knows no empty list.
    is_required = f"r.objective IN ({places})" if required else "1 = 0"
    query = SELECT_DECISIONS.format(is_required=is_required)
    last = log.agent.events
    # 57 bytes per decision: a list of rows takes ten times as much.
    parts = [np.empty(0, COLUMNS)]
    for start in range(0, last, SLICE):
        parameters = (*required, last, log.agent.id, start, min(start + SLICE, last))
        with log.slice():
            rows = log.connection.execute(query, parameters).fetchall()

        parts.append(np.array(rows, COLUMNS))

    return np.concatenate(parts)
