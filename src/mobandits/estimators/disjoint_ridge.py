"""One ridge regression per arm, on a shared context or on rows of the arms' own."""

import math

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Rng
from mobandits.estimators.linear import LinearEstimator, RidgeState
from mobandits.numerics.linalg import dot, quadratic


@compiled
class DisjointRidge(LinearEstimator):
    """The ridge regression of one model per arm, on a context that the arms share.

    The mean of arm a in objective l is theta_{a,l} . x; every arm learns from its own plays only.

    Args:
        features: length d of the context.
        objectives: number of rewards L.
        slots: number of arms K: one model each.
        penalty: lambda > 0, every V starts at lambda I.

    Example:
        >>> import numpy as np
        >>> ridge = DisjointRidge(features=1, objectives=1, slots=2)
        >>> state = ridge.update(ridge.init(), np.array([1.0]), 1, np.array([4.0]))
        >>> ridge.mean(state, np.ones((1, 1)), np.arange(2)).tolist()
        [[0.0], [2.0]]
    """

    features: int
    objectives: int
    slots: int
    penalty: float = 1.0

    def mean(self, state: RidgeState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) theta_{a,l} . x."""
        has_own_rows = len(context) > 1
        out = np.empty((len(arms), self.objectives))
        for a in range(len(arms)):
            arm = arms[a]
            row = a if has_own_rows else 0
            x = context[row]
            for l in range(self.objectives):
                out[a, l] = dot(x, state.theta[arm, l])

        return out

    def width(self, state: RidgeState, context: Array, arms: IntArray) -> Array:
        """(arms, grams) sqrt(x' V_a^-1 x)."""
        grams = state.inverse.shape[1]
        has_own_rows = len(context) > 1
        out = np.empty((len(arms), grams))
        u = np.empty(self.features)
        for a in range(len(arms)):
            arm = arms[a]
            row = a if has_own_rows else 0
            x = context[row]
            for g in range(grams):
                square = quadratic(state.inverse[arm, g], x, u)
                # Rounding can leave a tiny negative number where an arm was played often.
                square = max(square, 0.0)
                out[a, g] = math.sqrt(square)

        return out

    def sample(
        self, state: RidgeState, context: Array, arms: IntArray, draws: int, radius: Array, rng: Rng
    ) -> Array:
        """(arms, objectives) the largest of `draws` posterior means, per arm and objective.

        They are x . N(theta_{a,l}, radius^2 V_a^-1); `radius` is (slots, grams), or
        (slots, objectives).
        """
        # A Gaussian parameter enters only through its product with x, and that product is Gaussian:
        # one normal per draw, not d. The joint distribution is the same, because each arm has
        # parameters of its own.
        out = np.empty((len(arms), self.objectives))
        width = self.width(state, context, arms)
        mean = self.mean(state, context, arms)
        grams = width.shape[1]
        for a in range(len(arms)):
            arm = arms[a]
            for l in range(self.objectives):
                g = l if grams > 1 else 0
                column = l if radius.shape[1] > 1 else 0
                deviation = radius[arm, column] * width[a, g]
                largest = -math.inf
                for _ in range(draws):
                    sample = mean[a, l] + deviation * rng.standard_normal()
                    largest = max(largest, sample)

                out[a, l] = largest

        return out
