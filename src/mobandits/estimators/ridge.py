"""Ridge regression with parameters that all arms share; every arm has features of its own."""

import math

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Rng
from mobandits.estimators.linear import LinearEstimator, RidgeState
from mobandits.numerics.linalg import cholesky, dot, weigh, weigh_quadratic


@compiled
class Ridge(LinearEstimator):
    """The mean of arm a in objective l is theta_l . x_a; its width is the norm of x_a in V^-1.

    Args:
        features: length d of a feature row.
        objectives: number of rewards L.
        penalty: lambda > 0, V starts at lambda I.
        slots: always 1: one model serves all arms.

    Example:
        >>> import numpy as np
        >>> ridge = Ridge(features=2, objectives=1)
        >>> state = ridge.update(ridge.init(), np.array([1.0, 0.0]), 0, np.array([4.0]))
        >>> contexts, arms = np.eye(2), np.arange(2)
        >>> ridge.mean(state, contexts, arms).tolist()
        [[2.0], [0.0]]
        >>> ridge.width(state, contexts, arms).round(3).tolist()
        [[0.707], [1.0]]
    """

    features: int
    objectives: int
    penalty: float = 1.0
    slots: int = 1

    def mean(self, state: RidgeState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) theta_l . x_a."""
        out = np.empty((len(arms), self.objectives))
        row = np.empty(len(arms))
        columns = context.T.copy()
        for l in range(self.objectives):
            weigh(columns, state.theta[0, l], row)
            for a in range(len(arms)):
                out[a, l] = row[a]
        return out

    def width(self, state: RidgeState, context: Array, arms: IntArray) -> Array:
        """(arms, grams) sqrt(x_a' V^-1 x_a)."""
        grams = state.inverse.shape[1]
        row = np.empty(len(arms))
        columns = context.T.copy()
        out = np.empty((len(arms), grams))
        for g in range(grams):
            weigh_quadratic(columns, state.inverse[0, g], row)
            for a in range(len(arms)):
                out[a, g] = math.sqrt(max(row[a], 0.0))
        return out

    def sample(
        self, state: RidgeState, context: Array, arms: IntArray, draws: int, radius: Array, rng: Rng
    ) -> Array:
        """(arms, objectives) the largest of `draws` posterior means x_a . N(theta_l, radius^2 V^-1).

        Largest per arm and objective; `radius` is (1, grams).
        """
        d = self.features
        row = np.empty(len(arms))
        best = np.empty(len(arms))
        columns = context.T.copy()
        out = np.empty((len(arms), self.objectives))
        root = np.zeros((d, d))
        theta = np.empty(d)
        for l in range(self.objectives):
            g = l if state.inverse.shape[1] > 1 else 0
            if l == g:
                cholesky(state.inverse[0, g], root)
            for a in range(len(arms)):
                best[a] = -math.inf
            for z in rng.standard_normal((draws, d)):
                for i in range(d):
                    theta[i] = state.theta[0, l, i] + radius[0, g] * dot(
                        root[i, : i + 1], z[: i + 1]
                    )
                weigh(columns, theta, row)
                for a in range(len(arms)):
                    best[a] = max(best[a], row[a])
            for a in range(len(arms)):
                out[a, l] = best[a]
        return out
