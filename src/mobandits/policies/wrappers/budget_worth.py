"""The estimate of zeta of `PrimalDual`: what the budgets of one round buy, bounded from above by weak duality.

Symbols are those of `primal_dual`. The kernels take its policy, whose costs and parameters they read.
"""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array
from mobandits.numerics.linalg import copy_into
from mobandits.orders import Weighted
from mobandits.support.naming import quoted


@kernel
def estimated_worth(policy: Any, model: Any, rows: Array) -> float:
    """zeta: twice the estimated bound on what the budgets of one round buy, within limits."""
    least = policy.reward
    budgets = len(policy.allowed)
    for price in policy.trials:
        bound = price * budgets + best_value(policy, model, rows, price)
        least = min(least, bound)

    # Twice, since it is estimated: a price that can not rise as far as it must is worse than one that
    # can rise too far.
    twice = 2.0 * least
    floor = policy.reward * min(1.0, policy.tightest())
    worth: float = min(policy.reward, max(floor, twice))

    return worth


@kernel
def best_value(policy: Any, model: Any, rows: Array, price: float) -> float:
    """The mean over rounds of the largest value of an arm, costs at a price."""
    if policy.own_rows:
        # Of a round only the row of one arm is known, the arms being alike but for their rows: the best
        # of these rows stands for the best of the arms.
        every_row = np.arange(len(rows))
        means = policy.policy.estimator.mean(model, rows, every_row)
        return largest_value(policy, means, price)

    every_arm = np.arange(policy.arms)
    row = np.empty((1, policy.features))
    total = 0.0
    for i in range(len(rows)):
        copy_into(row[0], rows[i])
        means = policy.policy.estimator.mean(model, row, every_arm)
        total += largest_value(policy, means, price)

    return total / len(rows)


@kernel
def largest_value(policy: Any, means: Array, price: float) -> float:
    """The largest g - price sum_j c_j / b_j, of rows of estimated means."""
    largest = -math.inf
    for a in range(len(means)):
        value = 0.0
        for l in range(len(policy.weights)):
            value += policy.weights[l] * means[a, l]

        for j in range(len(policy.allowed)):
            cost = max(0.0, policy.cost(j, means[a]))
            value -= price * cost / policy.allowed[j]

        largest = max(largest, value)

    return largest


def trial_prices(reward: float, tightest: float) -> list[float]:
    """The prices reward / 2^k down to reward times the tightest budget, which may be above 1."""
    halvings = max(0, math.ceil(-math.log2(tightest)))
    return [reward / 2.0**k for k in range(halvings + 1)]


def reward_weights(order: Weighted, objectives: list[int]) -> Array:
    """(objectives,) the weights of the reward g that a charge is taken from, which add up to 1.

    Raises:
        ValueError: where no objective without a budget has a weight.
    """
    weights = order.weights
    charged = np.delete(weights, objectives).sum()
    if charged <= 0.0:
        rule = "PrimalDual.budgets must leave an objective with a weight without a budget"
        raise ValueError(f"{rule}, got {quoted(objectives)} and the weights {weights.tolist()}")

    reward: Array = weights / charged

    return reward
