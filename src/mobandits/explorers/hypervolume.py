"""Random hypervolume scalarisations, which turn several objectives into one."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.numerics.linalg import dot


@kernel
def volumes(values: Array, weights: Array, reference: Array) -> Array:
    """(arms, 1) min_l max(0, v_l - z_l) / w_l, the scalarisation of every arm."""
    arms = len(values)
    out = np.empty((arms, 1))
    for a in range(arms):
        least = math.inf
        for l in range(len(weights)):
            # What lies below the reference dominates no volume, however far below it is.
            lead = max(0.0, values[a, l] - reference[l])
            ratio = lead / weights[l]
            least = min(least, ratio)

        out[a, 0] = least

    return out


@compiled
class RandomHypervolume:
    """The explorer that scalarises by min_l max(0, v_l - z_l) / w_l with random weights w.

    In every round w is uniform on the positive part of the unit sphere. Averaged over w, the
    largest such number to the power L is, up to a constant, the hypervolume that a set of arms
    dominates above z; the power changes no comparison and is left out.

    Args:
        explorer: gives beliefs about v, several objectives.
        reference: (objectives,) z; what lies below it in some objective counts nothing.

    Reference:
        zhang2024, Lemma 1 and Algorithm 1.

    Example:
        >>> from mobandits.explorers import Greedy
        >>> RandomHypervolume(Greedy(), [0.0, 0.0])
        RandomHypervolume(explorer=Greedy(), reference=[0.0, 0.0])
    """

    explorer: Any
    reference: Floats

    RANDOM_BELIEFS = True  # the weights
    ONE_COLUMN = True  # beliefs are of one number per arm

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """(arms, 1) scalarisations."""
        several = self.explorer.beliefs(estimator, state, context, arms, rng)
        objectives = len(self.reference)
        weights = np.empty(objectives)
        # A normal vector points in a uniform direction; absolute values fold the sphere onto its
        # positive part.
        for l in range(objectives):
            weights[l] = abs(rng.standard_normal())

        norm = math.sqrt(dot(weights, weights))
        for l in range(objectives):
            weights[l] /= norm

        # The scalarisation increases with every objective: bounds go to bounds.
        mean = volumes(several.mean, weights, self.reference)
        low = volumes(several.low, weights, self.reference)
        high = volumes(several.high, weights, self.reference)

        return Beliefs(mean, low, high)
