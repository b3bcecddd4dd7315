"""Ridge regression with parameters that all arms share, for arms with features of their own."""

import math

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Rng
from mobandits.estimators.linear import LinearEstimator, RidgeState
from mobandits.numerics.blocks import BLOCK, largest_of_many, norms_of_many, scores_of_many
from mobandits.numerics.linalg import cholesky, dot, weigh, weigh_quadratic


@compiled
class Ridge(LinearEstimator):
    """The ridge regression of one model for all arms, with features of the arms' own.

    The mean of arm a in objective l is theta_l . x_a; its width is the norm of x_a in V^-1.

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
        count = len(arms)
        if count > BLOCK:
            return scores_of_many(context, state.theta[0])

        out = np.empty((count, self.objectives))
        row = np.empty(count)
        # Arms innermost: one conversion per round is cheaper than sums over features, arm by arm.
        columns = context.T.copy()
        for l in range(self.objectives):
            weigh(columns, state.theta[0, l], row)
            for a in range(count):
                out[a, l] = row[a]

        return out

    def width(self, state: RidgeState, context: Array, arms: IntArray) -> Array:
        """(arms, grams) sqrt(x_a' V^-1 x_a)."""
        count = len(arms)
        if count > BLOCK:
            return norms_of_many(context, state.inverse[0])

        grams = state.inverse.shape[1]
        row = np.empty(count)
        columns = context.T.copy()
        out = np.empty((count, grams))
        for g in range(grams):
            weigh_quadratic(columns, state.inverse[0, g], row)
            for a in range(count):
                # Rounding can leave a tiny negative number in a direction that was seen often.
                square = max(row[a], 0.0)
                out[a, g] = math.sqrt(square)

        return out

    def sample(
        self, state: RidgeState, context: Array, arms: IntArray, draws: int, radius: Array, rng: Rng
    ) -> Array:
        """(arms, objectives) the largest of `draws` posterior means, per arm and objective.

        They are x_a . N(theta_l, radius^2 V^-1); `radius` is (1, grams), or (1, objectives).
        """
        # Parameters first: arms are weighed with all of them, a block of arms at a time.
        thetas = self.sampled_parameters(state, draws, radius, rng)
        count = len(arms)
        if count > BLOCK:
            return largest_of_many(context, thetas)

        row = np.empty(count)
        best = np.empty(count)
        columns = context.T.copy()
        out = np.empty((count, self.objectives))
        for l in range(self.objectives):
            for a in range(count):
                best[a] = -math.inf

            for m in range(draws):
                weigh(columns, thetas[l, m], row)
                for a in range(count):
                    best[a] = max(best[a], row[a])

            for a in range(count):
                out[a, l] = best[a]

        return out

    def sampled_parameters(self, state: RidgeState, draws: int, radius: Array, rng: Rng) -> Array:
        """(objectives, draws, features) N(theta_l, radius^2 V^-1)."""
        d = self.features
        grams = state.inverse.shape[1]
        root = np.zeros((d, d))
        out = np.empty((self.objectives, draws, d))
        for l in range(self.objectives):
            g = l if grams > 1 else 0
            # Objectives that share their Gram matrix share its root.
            if l == g:
                cholesky(state.inverse[0, g], root)

            column = l if radius.shape[1] > 1 else 0
            normals = rng.standard_normal((draws, d))
            for m in range(draws):
                # root root' = V^-1, so root . normal has covariance V^-1; root is lower triangular.
                for i in range(d):
                    filled = i + 1
                    noise = dot(root[i, :filled], normals[m, :filled])
                    out[l, m, i] = state.theta[0, l, i] + radius[0, column] * noise

        return out
