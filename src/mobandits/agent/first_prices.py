"""The rounds of a log that an agent has at hand, and the prices of costs that it begins with.

A recipe with prices looks for its first ones on a log, as `contracts.terms.first_prices` has it: at
the end of `learn_log`, or where an agent is retuned to it. They are written down, so that replaying
leads to the same prices without looking again.
"""

from typing import Any

import numpy as np

from mobandits.agent.bound_policy import BoundPolicy
from mobandits.agent.core import AgentCore
from mobandits.contracts.protocols import Array, IntArray, LoggedRounds, Mask
from mobandits.contracts.states import accounts_of, write_accounts
from mobandits.contracts.terms import first_prices, has_prices
from mobandits.logs.feedback import Feedback, together
from mobandits.logs.objectives import learned_rewards

# Of a long log the last rounds are enough: prices move on from there.
MOST_ROUNDS = 4000
MOST_NUMBERS = 2**20  # in contexts of all arms
FEWEST_ROUNDS = 200

Prices = dict[str, list[float]]


def last_rounds(before: Feedback | None, chunk: Feedback, features: int) -> Feedback:
    """The last rounds of a log, of which another chunk was read.

    Args:
        before: the last rounds until now; None: it is the first chunk.
        chunk: the rounds that come next.
        features: of a context row.
    """
    size = max(1, features) * len(chunk.arm_names)
    most = max(FEWEST_ROUNDS, min(MOST_ROUNDS, MOST_NUMBERS // size))
    if before is not None and len(chunk) < most:
        chunk = together([before, chunk])

    start = max(0, len(chunk) - most)

    # By positions, which copies: whoever gave the log may change its arrays.
    return chunk[np.arange(start, len(chunk))]


def slots_of(core: AgentCore, log: Feedback) -> IntArray:
    """(arms of the log,) their slots in the agent's policy; -1 of arms that it does not have."""
    slots = np.full(len(log.arm_names), -1, np.int64)
    for position, name in enumerate(log.arm_names):
        if name in core.arms.names:
            slots[position] = core.arms.slot(name)

    return slots


def rewards_in_order(core: AgentCore, log: Feedback) -> Array:
    """(rounds, objectives) of a log, in the order and the terms of the agent's objectives."""
    columns = [log.objective_names.index(name) for name in core.objective_names]
    rewards: Array = log.own_rewards[:, columns] + 0.0  # as `reward_list` has them
    return rewards


def teaches(core: AgentCore, rewards: Array) -> Mask:
    """(rounds,) whether the recipe learns from these rewards, NaN where not observed."""
    is_known: Mask = np.logical_not(np.isnan(rewards))
    is_enough: Any = np.any if core.recipe.accepts_partial else np.all
    learned: Mask = is_enough(is_known, axis=1)
    return learned


def prices_by(
    core: AgentCore, bound: BoundPolicy, log: Feedback | None, *, has_begun: bool = False
) -> Prices | None:
    """The prices that a policy begins with, by a log; None where it has begun, or has none.

    Args:
        core: of the agent.
        bound: its policy, or the one that takes its place.
        log: rounds in the agent's objectives.
        has_begun: whether prices are looked for all the same, such as after costs have changed.
    """
    if log is None or bound.stage == 0 or not has_prices(bound.recipe):
        return None
    if not has_begun and not _is_fresh(bound):
        return None

    rounds = _in_slots(core, log)
    found = first_prices(bound.recipe, bound.policy, rounds, bound.state())
    if found is None:
        return None

    return {name: getattr(found, name).tolist() for name in found._fields}


def begin_with(bound: BoundPolicy, prices: Prices | None) -> None:
    """Begin with these prices; None: as the policy does."""
    if prices is not None:
        write_accounts(bound.state(), prices)


def _is_fresh(bound: BoundPolicy) -> bool:
    """Whether nothing was charged of what the policy decided itself."""
    now = accounts_of(bound.state())
    first = accounts_of(bound.recipe_policy.init())
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(now, first, strict=True))


def _in_slots(core: AgentCore, log: Feedback) -> LoggedRounds:
    """Rounds in the numbers of the agent's policy, of which it learns."""
    rewards = learned_rewards(core.objectives, rewards_in_order(core, log))
    slots = slots_of(core, log)
    places = np.flatnonzero(slots >= 0)
    is_there = slots[log.arms] >= 0
    kept = np.flatnonzero(is_there & teaches(core, rewards))
    eligible = np.ones((len(log), len(log.arm_names)), bool)
    if log.eligible is not None:
        eligible = log.eligible

    contexts = log.contexts[:, None] if log.contexts.ndim == 2 else log.contexts[:, places]

    return LoggedRounds(
        np.ascontiguousarray(contexts[kept]),
        slots[places],
        np.ascontiguousarray(eligible[np.ix_(kept, places)]),
        np.searchsorted(places, log.arms[kept]),
        log.propensities[kept].copy(),
        np.ascontiguousarray(rewards[kept]),
    )
