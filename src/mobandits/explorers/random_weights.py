"""Weighted sums with a fresh random weight vector in every round: one objective out of several."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.numerics.linalg import dot


@kernel
def weighted_column(values: Array, weights: Array) -> Array:
    """(arms, 1) w . v of every row of `values`."""
    arms = len(values)
    out = np.empty((arms, 1))
    for a in range(arms):
        total = dot(values[a], weights)
        out[a, 0] = total

    return out


@compiled
class RandomWeights:
    """The explorer of w . v, one column, where `explorer` gives beliefs about v and w is random.

    In every round w is uniform on the simplex. The largest is on the effective front of v: it is
    best for some positive weights. The arms of that front are not equally likely: each has the
    share of the simplex for which it is best.

    Args:
        explorer: gives beliefs about several objectives.

    Reference:
        molts2025, the remark after Algorithm 1.

    Example:
        >>> from mobandits.explorers import Greedy
        >>> RandomWeights(Greedy())
        RandomWeights(explorer=Greedy())
    """

    explorer: Any

    RANDOM_BELIEFS = True  # the weights
    ONE_COLUMN = True  # beliefs are of one number per arm

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """(arms, 1) weighted sums."""
        several = self.explorer.beliefs(estimator, state, context, arms, rng)
        objectives = several.mean.shape[1]
        weights = np.empty(objectives)
        total = 0.0
        # Exponential numbers divided by their sum are uniform on the simplex. 1 - u is never 0,
        # where u can be.
        for l in range(objectives):
            exponential = -math.log(1.0 - rng.random())
            weights[l] = exponential
            total += exponential

        for l in range(objectives):
            weights[l] /= total

        # No weight is negative: bounds go to bounds.
        mean = weighted_column(several.mean, weights)
        low = weighted_column(several.low, weights)
        high = weighted_column(several.high, weights)

        return Beliefs(mean, low, high)
