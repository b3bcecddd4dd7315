"""One ridge regression for arms whose features never change, with tables of means and widths."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array, Evidence, IntArray, Rng
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators.linear import REFRESH, RidgeState
from mobandits.numerics.linalg import dot, quadratic, weigh, weigh_quadratic


@state_fields(
    gram=Field(("arms", "grams", "features", "features"), positive_diagonal=True),
    inverse=Field(("arms", "grams", "features", "features")),
    moment=Field(("arms", "objectives", "features")),
    theta=Field(("arms", "objectives", "features")),
    seen=counts("arms", "grams"),
    volume=Field(("arms", "grams")),
    mean=Field(("arms", "objectives")),
    square=Field(("arms", "grams")),
    columns=Field(("features", "arms")),
)
class FixedState(NamedTuple):
    """State of `FixedRidge`: that of the regression, and two tables.

    Attributes:
        gram: as in `RidgeState`, like all up to `volume`.
        inverse: V^-1.
        moment: Z.
        theta: the estimate.
        seen: rewards seen.
        volume: log det V - log det V_1.
        mean: (arms, objectives) theta_l . x_a.
        square: (arms, grams) x_a' V^-1 x_a.
        columns: (features, arms) the arms' features, which never change.
    """

    gram: Array
    inverse: Array
    moment: Array
    theta: Array
    seen: Array
    volume: Array
    mean: Array
    square: Array
    columns: Array


@kernel
def regression(state: FixedState) -> RidgeState:
    """The state without its tables."""
    return RidgeState(
        state.gram,
        state.inverse,
        state.moment,
        state.theta,
        state.seen,
        state.volume,
    )


@kernel
def with_tables(ridge: RidgeState, mean: Array, square: Array, columns: Array) -> FixedState:
    """The state of a regression, and its tables."""
    return FixedState(
        ridge.gram,
        ridge.inverse,
        ridge.moment,
        ridge.theta,
        ridge.seen,
        ridge.volume,
        mean,
        square,
        columns,
    )


@compiled
class FixedRidge:
    """`Ridge` for fixed arms, in O(K (d + L)) per round where that takes O(K d (d + L)).

    A reward of the arm with features x changes every arm a by its leverage h_a = x_a' V^-1 x alone:
    with q = x' V^-1 x and the error e_l = (reward_l - theta_l . x) / (1 + q), the mean of objective
    l moves by e_l h_a and the squared width by -h_a^2 / (1 + q). The tables are recomputed as often
    as the inverse.

    Args:
        ridge: the regression, a `Ridge`.
        rows: (arms, features) the arms' features; contexts must repeat them.

    Example:
        >>> from mobandits.estimators import Ridge
        >>> fixed = FixedRidge(Ridge(features=2, objectives=1), [[1.0, 0.0], [0.6, 0.8]])
        >>> state = fixed.update(fixed.init(), np.array([1.0, 0.0]), 0, np.array([4.0]))
        >>> fixed.mean(state, fixed.rows, np.arange(2)).round(3).tolist()
        [[2.0], [1.2]]
        >>> fixed.width(state, fixed.rows, np.arange(2)).round(3).tolist()
        [[0.707], [0.906]]
    """

    ridge: Any
    rows: Floats

    def init(self) -> FixedState:
        """No reward seen."""
        ridge = self.ridge.init()
        return self.tables(ridge)

    def tables(self, ridge: RidgeState) -> FixedState:
        """Means and squared widths of all arms, from the regression."""
        arms = len(self.rows)
        grams = ridge.inverse.shape[1]
        every_arm = np.arange(arms)
        mean: Array = self.ridge.mean(ridge, self.rows, every_arm)
        square = np.empty((arms, grams))
        row = np.empty(arms)
        columns = self.rows.T.copy()
        for g in range(grams):
            weigh_quadratic(columns, ridge.inverse[0, g], row)
            for a in range(arms):
                square[a, g] = row[a]

        return with_tables(ridge, mean, square, columns)

    def mean(self, state: FixedState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) theta_l . x_a."""
        objectives = self.ridge.objectives
        out = np.empty((len(arms), objectives))
        for a in range(len(arms)):
            arm = arms[a]
            for l in range(objectives):
                out[a, l] = state.mean[arm, l]

        return out

    def width(self, state: FixedState, context: Array, arms: IntArray) -> Array:
        """(arms, grams) sqrt(x_a' V^-1 x_a)."""
        grams = state.square.shape[1]
        out = np.empty((len(arms), grams))
        for a in range(len(arms)):
            arm = arms[a]
            for g in range(grams):
                # The table shrinks by small steps between two recomputations: rounding can leave a
                # tiny negative number.
                square = max(state.square[arm, g], 0.0)
                out[a, g] = math.sqrt(square)

        return out

    def sample(
        self, state: FixedState, context: Array, arms: IntArray, draws: int, radius: Array, rng: Rng
    ) -> Array:
        """(arms, objectives) as `Ridge.sample`."""
        ridge = regression(state)
        sample: Array = self.ridge.sample(ridge, context, arms, draws, radius, rng)
        return sample

    def evidence(self, state: FixedState, context: Array, arms: IntArray) -> Evidence:
        """Rewards seen and log det V - log det V_1."""
        ridge = regression(state)
        evidence: Evidence = self.ridge.evidence(ridge, context, arms)
        return evidence

    def update(self, state: FixedState, x: Array, arm: int, reward: Array) -> FixedState:
        """Learn one reward (objectives,), NaN where it was not observed."""
        grams_before = state.inverse.shape[1]
        ridge: RidgeState = self.ridge.update(regression(state), x, arm, reward)
        grams = ridge.inverse.shape[1]
        # With the first reward that comes in part, the table of widths gets a column per objective;
        # and a fresh inverse is worth fresh tables, which drift as it does.
        is_stale = grams != grams_before
        for g in range(grams):
            is_stale |= ridge.seen[0, g] % REFRESH == 0.0

        if is_stale:
            return self.tables(ridge)

        arms = len(self.rows)
        leverage = np.empty(arms)
        shrunk = np.empty(len(x))
        for g in range(grams):
            if math.isnan(reward[g]):
                continue

            # The regression has learned the reward already. In terms of the new inverse W, with
            # h = x_a' W x and p = x' W x, the factor 1 + q is 1 / (1 - p), and changes are
            # -h^2 (1 + q) of the squared width and e h (1 + q) of the mean, with the error e that
            # is left.
            form = quadratic(ridge.inverse[0, g], x, shrunk)
            factor = 1.0 / (1.0 - form)
            weigh(state.columns, shrunk, leverage)
            for a in range(arms):
                change = leverage[a] * leverage[a] * factor
                state.square[a, g] -= change

            for l in range(self.ridge.objectives):
                if l == g or grams == 1:
                    prediction = dot(x, ridge.theta[0, l])
                    error = (reward[l] - prediction) * factor
                    for a in range(arms):
                        state.mean[a, l] += error * leverage[a]

        return with_tables(ridge, state.mean, state.square, state.columns)
