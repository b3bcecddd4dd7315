"""Ridge regression that forgets: older rewards count less, for means that drift."""

import math
from typing import Any

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array
from mobandits.estimators.around_regression import AroundRegression
from mobandits.estimators.linear import RidgeState, log_volume, split_grams
from mobandits.numerics.linalg import invert, quadratic


@compiled
class Discounted(AroundRegression):
    """`Ridge` or `DisjointRidge` in which rewards are discounted by those that come after them.

    A reward of a model makes its earlier ones count `discount` times as much. With S the discounted
    sum of x x' and Z that of r x, a reward r of the arm with features x does
    S <- discount S + x x', Z <- discount Z + r x, V = penalty I + S, theta = V^-1 Z. The penalty is
    not forgotten. A model remembers about 1 / (1 - discount) of its own rewards; a model that gets
    none forgets nothing. V is inverted anew in every update, in O(d^3).

    Args:
        model: `Ridge` or `DisjointRidge`.
        discount: in (0, 1).

    Reference:
        Russac, Vernade, Cappé, "Weighted linear bandits for non-stationary environments", 2019;
        here intervals use V^-1 alone, and time is counted per model.

    Example:
        >>> import numpy as np
        >>> from mobandits.estimators import Ridge
        >>> forgetful = Discounted(Ridge(features=1, objectives=1), discount=0.5)
        >>> state, x = forgetful.init(), np.array([1.0])
        >>> for reward in (8.0, 2.0):
        ...     state = forgetful.update(state, x, 0, np.array([reward]))
        >>> state.theta.round(12).ravel().tolist()  # (0.5 * 8 + 2) / (1 + 0.5 + 1)
        [2.4]
        >>> state.gram.ravel().tolist()
        [2.5]
    """

    model: Any
    discount: float

    FORGETS = True

    def init(self) -> RidgeState:
        """No reward seen."""
        first: RidgeState = self.model.init()
        return first

    def model_state(self, state: RidgeState) -> RidgeState:
        """The same: it has no state of its own."""
        return state

    def update(self, state: RidgeState, x: Array, arm: int, reward: Array) -> RidgeState:
        """Learn one reward (objectives,), NaN where it was not observed."""
        state = split_grams(state, reward)
        s = arm if self.model.slots > 1 else 0
        d = len(x)
        grams = state.inverse.shape[1]
        for l in range(len(reward)):
            observed = reward[l]
            if math.isnan(observed):
                continue

            g = l if grams > 1 else 0
            # A Gram matrix that all objectives share learns the features once, with objective 0.
            if g == l:
                self.absorb(state, s, g, x)

            moment = state.moment[s, l]
            for i in range(d):
                moment[i] = self.discount * moment[i] + observed * x[i]

            quadratic(state.inverse[s, g], moment, state.theta[s, l])

        return state

    def absorb(self, state: RidgeState, s: int, g: int, x: Array) -> None:
        """Forget a little of one Gram matrix, and add x x'."""
        gram = state.gram[s, g]
        penalty = self.model.penalty
        d = len(x)
        # The discount takes from the penalty too. It is put back, so that V stays positive definite
        # in directions that are no longer seen.
        kept = (1.0 - self.discount) * penalty
        for i in range(d):
            for j in range(d):
                product = x[i] * x[j]
                gram[i, j] = self.discount * gram[i, j] + product

            gram[i, i] += kept

        # A discounted matrix is no rank-one update of the last one: it is inverted anew.
        invert(gram, state.inverse[s, g])
        seen = self.discount * state.seen[s, g]
        state.seen[s, g] = seen + 1.0
        state.volume[s, g] = log_volume(gram, penalty)
