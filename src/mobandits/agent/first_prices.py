"""The rounds of a log that an agent has at hand, and the prices of costs that it begins with.

A recipe with prices looks for its first ones on a log, as `contracts.terms.first_prices` has it: at
the end of `learn_log`, or where an agent is retuned to it. They are written down, so that replaying
leads to the same prices without looking again.
"""

import numpy as np

from mobandits.agent.bound_policy import BoundPolicy
from mobandits.agent.core import AgentCore
from mobandits.contracts.protocols import LoggedRounds
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
    names = log.objective_names
    columns = [names.index(name) for name in core.objective_names]
    rewards = learned_rewards(core.objectives, log.own_rewards[:, columns])
    is_missing = np.isnan(rewards)
    there = [i for i, name in enumerate(log.arm_names) if name in core.arms.names]
    places = np.array(there, np.int64)
    is_there = np.isin(log.arms, places)
    teaches = ~is_missing.all(axis=1) if core.recipe.accepts_partial else ~is_missing.any(axis=1)
    kept = np.flatnonzero(is_there & teaches)
    slots = np.array([core.arms.slot(log.arm_names[place]) for place in places], np.int64)
    eligible = np.ones((len(log), len(log.arm_names)), bool)
    if log.eligible is not None:
        eligible = log.eligible

    contexts = log.contexts[:, None] if log.contexts.ndim == 2 else log.contexts[:, places]
    position = np.full(len(log.arm_names), -1, np.int64)
    position[places] = np.arange(len(places))

    return LoggedRounds(
        np.ascontiguousarray(contexts[kept]),
        slots,
        np.ascontiguousarray(eligible[np.ix_(kept, places)]),
        position[log.arms[kept]],
        log.propensities[kept].copy(),
        np.ascontiguousarray(rewards[kept]),
    )
