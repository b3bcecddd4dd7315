"""Random hypervolume scalarisations turn several objectives into one."""

import math
from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.numerics.linalg import dot


@kernel
def volumes(values: Array, weights: Array, reference: Array) -> Array:
    """(arms, 1) min_l max(0, v_l - z_l) / w_l."""
    out = np.full((len(values), 1), math.inf)
    for a in range(len(values)):
        for l in range(len(weights)):
            out[a, 0] = min(out[a, 0], max(0.0, values[a, l] - reference[l]) / weights[l])
    return out


@compiled
class Hypervolume:
    """Draws w uniformly from the positive part of the unit sphere and believes in min_l max(0, v_l - z_l) / w_l.

    Averaged over w, the largest such number to the power L is, up to a constant, the hypervolume that a set of arms
    dominates above z; the power changes no comparison and is left out.

    Args:
        explorer: believes in several objectives.
        reference: (objectives,) z; what lies below it in some objective counts nothing.

    Reference:
        zhang2024, Lemma 1 and Algorithm 1.

    Example:
        >>> from mobandits.explorers import Greedy
        >>> Hypervolume(Greedy(), [0.0, 0.0])
        Hypervolume(explorer=Greedy(), reference=[0.0, 0.0])
    """

    explorer: Any
    reference: Floats

    RANDOM_BELIEFS: ClassVar[bool] = True  # the weights
    ONE_COLUMN: ClassVar[bool] = True  # beliefs are of one number per arm

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """(arms, 1) scalarisations."""
        several = self.explorer.beliefs(estimator, state, context, arms, rng)
        weights = np.empty(len(self.reference))
        for l in range(len(weights)):
            weights[l] = abs(rng.standard_normal())
        norm = math.sqrt(dot(weights, weights))
        for l in range(len(weights)):
            weights[l] /= norm
        return Beliefs(
            volumes(several.mean, weights, self.reference),
            volumes(several.low, weights, self.reference),
            volumes(several.high, weights, self.reference),
        )
