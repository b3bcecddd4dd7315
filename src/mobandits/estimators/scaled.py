"""Ridge regression that also estimates how much its rewards deviate from what it predicts."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Array
from mobandits.contracts.states import Field, state_fields
from mobandits.estimators.around_regression import AroundRegression
from mobandits.numerics.linalg import dot

# What is believed of a deviation before there is any evidence. An agent learns an objective with a
# range on [0, 1], where this is the whole range.
UNKNOWN = 1.0


@state_fields(squares=Field(("arms", "objectives"), low=0.0))
class ScaledState(NamedTuple):
    """The regression's state, and the sums of squares of what it has learned.

    Attributes:
        model: the state of the regression.
        squares: (slots, objectives) Q = sum of reward^2.
    """

    model: Any
    squares: Array

    def merged(self, other: "ScaledState", first: "ScaledState") -> "ScaledState":
        """What the regression has learned, and the sums of squares, which began at 0."""
        model = self.model.merged(other.model, first.model)
        return ScaledState(model, self.squares + other.squares)


@compiled
class Scaled(AroundRegression):
    """A regression with the standard deviation of its rewards, per model and objective.

    Since Z = V theta, Q - theta . Z is the sum of squared residuals plus penalty |theta|^2. With n
    rewards and p = trace(I - penalty V^-1), the parameters that these rewards determine,

        s_l^2 = sum_a (Q_{a,l} - theta_{a,l} . Z_{a,l}) / max(1, sum_a (n_{a,l} - p_{a,l}))

    over all models a: one where arms share their parameters, else one per arm. In units of the
    rewards: rewards c times as large have s_l c times as large. What a model of one arm has in
    addition:

    - the same ratio of its own, where that is larger. It holds penalty |theta|^2, by which few
      rewards are drawn towards 0; and no arm is thought to be certain whose first rewards happen to
      be 0, because the pooled ratio counts as well;
    - the root mean square of all rewards of the objective, where it has none: its mean may be as
      large as those of the others.

    An objective of which nothing but zeros came has no scale yet: s_l = 1. An order without units
    decides the same with any other number there, since all means of that objective are 0.

    Args:
        model: `Ridge`, `DisjointRidge`, `FixedRidge`, or one of these in `Discounted`.
        penalty: lambda of the regression.
        discount: of the sums of squares, 1 where nothing is forgotten.

    Reference:
        Ours. The pooled ratio is the estimate of a residual variance with the effective degrees of
        freedom of ridge regression (Hastie, Tibshirani and Friedman, "The elements of statistical
        learning", 2009, section 3.4.1), plus penalty |theta|^2. No regret bound is proven for radii
        that are estimated.

    Example:
        >>> from mobandits.estimators import Ridge
        >>> scaled = Scaled(Ridge(features=1, objectives=1))
        >>> state, x = scaled.init(), np.array([1.0])
        >>> for reward in (1.0, 3.0):
        ...     state = scaled.update(state, x, 0, np.array([reward]))
        >>> # theta = 4/3, Q - theta Z = 10 - 16/3, n - p = 2 - (1 - 1/3)
        >>> (scaled.deviations(state) ** 2).round(6).tolist()
        [[3.5]]
    """

    model: Any
    penalty: float = 1.0
    discount: float = 1.0

    def init(self) -> ScaledState:
        """No reward seen."""
        model = self.model.init()
        slots, objectives, _ = model.moment.shape
        squares = np.zeros((slots, objectives))
        return ScaledState(model, squares)

    def update(self, state: ScaledState, x: Array, arm: int, reward: Array) -> ScaledState:
        """Learn one reward (objectives,), NaN where it was not observed."""
        slots, objectives = state.squares.shape
        s = arm if slots > 1 else 0
        squares = state.squares[s]
        for l in range(objectives):
            observed = reward[l]
            if math.isnan(observed):
                continue

            # As old squares fade, so do the moments that they are compared with.
            kept = self.discount * squares[l]
            square = observed * observed
            squares[l] = kept + square

        model = self.model.update(state.model, x, arm, reward)

        return ScaledState(model, state.squares)

    def deviations(self, state: ScaledState) -> Array:
        """(slots, objectives) s, the standard deviation of the rewards of every model."""
        slots, objectives = state.squares.shape
        grams = state.model.seen.shape[1]
        out = np.empty((slots, objectives))
        free = np.empty(slots)
        residuals = np.empty(slots)
        squares = np.empty(slots)
        seen = np.empty(slots)
        for l in range(objectives):
            g = l if grams > 1 else 0
            # Objectives that share a Gram matrix share what it determines.
            if l == g:
                self.count_free(state, g, free)

            for s in range(slots):
                residuals[s] = self.residual(state, s, l)
                squares[s] = state.squares[s, l]
                seen[s] = state.model.seen[s, g]

            deviations_of_models(residuals, free, squares, seen, out[:, l])

        return out

    def sizes(self, state: ScaledState) -> Array:
        """(objectives,) the root mean square of the rewards of every objective, 0 before any."""
        return root_mean_squares(state.squares, state.model.seen)

    def residual(self, state: ScaledState, s: int, l: int) -> float:
        """Q - theta . Z of one model and objective."""
        explained = dot(state.model.theta[s, l], state.model.moment[s, l])
        # Rounding can leave less than nothing where the regression fits all rewards.
        residual: float = max(state.squares[s, l] - explained, 0.0)

        return residual

    def count_free(self, state: ScaledState, g: int, free: Array) -> None:
        """(slots,) out: n - trace(I - penalty V^-1) of every model, for one Gram matrix."""
        slots = len(free)
        for s in range(slots):
            inverse = state.model.inverse[s, g]
            features = len(inverse)
            # Between 0, before any reward, and the number of features.
            determined = 0.0
            for i in range(features):
                prior_share = self.penalty * inverse[i, i]
                determined += 1.0 - prior_share

            seen = state.model.seen[s, g]
            free[s] = seen - determined


@kernel
def deviations_of_models(
    residuals: Array, free: Array, squares: Array, seen: Array, out: Array
) -> None:
    """(slots,) out: the standard deviations of one objective's rewards, as `Scaled` states them.

    Args:
        residuals: (slots,) sums of squared residuals.
        free: (slots,) how many rewards they stand for.
        squares: (slots,) sums of squared rewards.
        seen: (slots,) rewards seen.
        out: (slots,).
    """
    all_residuals = 0.0
    all_free = 0.0
    all_squares = 0.0
    all_seen = 0.0
    for s in range(len(out)):
        all_residuals += residuals[s]
        all_free += free[s]
        all_squares += squares[s]
        all_seen += seen[s]

    pooled = all_residuals / max(1.0, all_free)
    for s in range(len(out)):
        own = residuals[s] / max(1.0, free[s])
        variance = max(own, pooled)
        # Files may hold squares of rewards that were never seen.
        if all_squares == 0.0 or all_seen == 0.0:
            variance = UNKNOWN * UNKNOWN
        elif seen[s] == 0.0:
            variance = all_squares / all_seen

        out[s] = math.sqrt(variance)


@kernel
def root_mean_squares(squares: Array, seen: Array) -> Array:
    """(objectives,) of rewards with (slots, objectives) sums of squares; 0 before any.

    `seen` is (slots, objectives), or (slots, 1) where it is the same in all of them.
    """
    slots, objectives = squares.shape
    out = np.zeros(objectives)
    for l in range(objectives):
        g = l if seen.shape[1] > 1 else 0
        total = 0.0
        count = 0.0
        for s in range(slots):
            total += squares[s, l]
            count += seen[s, g]

        if count > 0.0:
            out[l] = math.sqrt(total / count)

    return out
