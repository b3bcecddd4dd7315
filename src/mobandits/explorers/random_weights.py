"""A fresh weight vector in every round turns several objectives into one."""

import math
from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.numerics.linalg import dot


@kernel
def sums(values: Array, weights: Array) -> Array:
    """(arms, 1) w . v of every row of `values`."""
    out = np.empty((len(values), 1))
    for a in range(len(values)):
        out[a, 0] = dot(values[a], weights)
    return out


@compiled
class RandomWeights:
    """Draws w uniformly from the simplex and believes in w . v, one column, where `explorer` believes in v.

    The largest is on the effective front of v: it is best for some positive weights. The arms of that front are not
    equally likely: each has the share of the simplex for which it is best.

    Args:
        explorer: believes in several objectives.

    Reference:
        molts2025, the remark after Algorithm 1.

    Example:
        >>> from mobandits.explorers import Greedy
        >>> RandomWeights(Greedy())
        RandomWeights(explorer=Greedy())
    """

    explorer: Any

    RANDOM_BELIEFS: ClassVar[bool] = True  # the weights
    ONE_COLUMN: ClassVar[bool] = True  # beliefs are of one number per arm

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """(arms, 1) weighted sums."""
        several = self.explorer.beliefs(estimator, state, context, arms, rng)
        weights = np.empty(several.mean.shape[1])
        total = 0.0
        for l in range(len(weights)):
            weights[l] = -math.log(1.0 - rng.random())
            total += weights[l]
        for l in range(len(weights)):
            weights[l] /= total
        return Beliefs(
            sums(several.mean, weights), sums(several.low, weights), sums(several.high, weights)
        )
