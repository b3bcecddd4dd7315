"""Ridge regression with parameters that all arms share, for arms with features of their own."""

import math

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Array, IntArray, Rng
from mobandits.estimators.linear import LinearEstimator, RidgeState
from mobandits.numerics.linalg import (
    BLOCK,
    cholesky,
    dot,
    fill_columns,
    weigh,
    weigh_four,
    weigh_quadratic,
)


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

    # Arms innermost: one conversion per block is cheaper than sums over features, arm by arm. Every
    # arm's own sums are in the same order whatever its block, so blocks change no bit.

    def mean(self, state: RidgeState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) theta_l . x_a."""
        count = len(arms)
        room = min(count, BLOCK)
        columns = np.empty((context.shape[1], room))
        scores = np.empty(room)
        out = np.empty((count, self.objectives))
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            means = out[first:last]
            row = scores[: last - first]
            fill_columns(context[first:last], columns)
            for l in range(self.objectives):
                weigh(columns, state.theta[0, l], row)
                for a in range(len(row)):
                    means[a, l] = row[a]

        return out

    def width(self, state: RidgeState, context: Array, arms: IntArray) -> Array:
        """(arms, grams) sqrt(x_a' V^-1 x_a)."""
        count = len(arms)
        grams = state.inverse.shape[1]
        room = min(count, BLOCK)
        columns = np.empty((context.shape[1], room))
        squares = np.empty(room)
        out = np.empty((count, grams))
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            widths = out[first:last]
            row = squares[: last - first]
            fill_columns(context[first:last], columns)
            for g in range(grams):
                weigh_quadratic(columns, state.inverse[0, g], row)
                for a in range(len(row)):
                    # Rounding can leave a tiny negative number in a direction that was seen often.
                    square = max(row[a], 0.0)
                    widths[a, g] = math.sqrt(square)

        return out

    def sample(
        self, state: RidgeState, context: Array, arms: IntArray, draws: int, radius: Array, rng: Rng
    ) -> Array:
        """(arms, objectives) the largest of `draws` posterior means, per arm and objective.

        They are x_a . N(theta_l, radius^2 V^-1); `radius` is (1, grams), or (1, objectives).
        """
        # Parameters first: every block of arms is weighed with all of them.
        thetas = self.sampled_parameters(state, draws, radius, rng)
        count = len(arms)
        in_fours = draws - draws % 4
        room = min(count, BLOCK)
        columns = np.empty((context.shape[1], room))
        largest = np.empty(room)
        out = np.empty((count, self.objectives))
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            samples = out[first:last]
            best = largest[: last - first]
            scores = np.empty((4, last - first))
            row = scores[0]
            fill_columns(context[first:last], columns)
            for l in range(self.objectives):
                for a in range(len(best)):
                    best[a] = -math.inf

                for m in range(0, in_fours, 4):
                    raise_to_four(columns, thetas[l, m : m + 4], scores, best)

                for m in range(in_fours, draws):
                    weigh(columns, thetas[l, m], row)
                    for a in range(len(best)):
                        best[a] = max(best[a], row[a])

                for a in range(len(best)):
                    samples[a, l] = best[a]

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


@kernel
def raise_to_four(columns: Array, thetas: Array, scores: Array, best: Array) -> None:
    """Raise the `best` of every arm to its largest score under four parameters (4, features).

    `scores` (4, arms) is work space.
    """
    arms = len(best)
    for k in range(4):
        for a in range(arms):
            scores[k, a] = 0.0

    weigh_four(columns, thetas, scores)
    for a in range(arms):
        largest = max(best[a], scores[0, a])
        largest = max(largest, scores[1, a])
        largest = max(largest, scores[2, a])
        best[a] = max(largest, scores[3, a])
