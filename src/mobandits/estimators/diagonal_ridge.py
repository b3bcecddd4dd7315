"""Ridge regression that keeps variances alone, for contexts with very many columns, mostly zeros."""

import math
import sys
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray, Rng
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators.scaled import deviations_of_models, root_mean_squares

LEAST = sys.float_info.min  # of a diagonal in a file: nothing is divided by 0


@state_fields(
    diagonal=Field(("arms", "objectives", "features"), low=LEAST),
    theta=Field(("arms", "objectives", "features")),
    seen=counts("arms", "objectives"),
    residuals=Field(("arms", "objectives"), low=0.0),
    squares=Field(("arms", "objectives"), low=0.0),
)
class DiagonalState(NamedTuple):
    """State of `DiagonalRidge`: 1 slot where the arms share their parameters, else one per arm.

    There is no sum of two such states: estimates depend on the order in which rewards came.

    Attributes:
        diagonal: (slots, objectives, features) V_ii.
        theta: (slots, objectives, features) the estimates.
        seen: (slots, objectives) rewards seen.
        residuals: (slots, objectives) sum of (r - theta . x)^2 / (1 + q), before each update.
        squares: (slots, objectives) sum of r^2.
    """

    diagonal: Array
    theta: Array
    seen: Array
    residuals: Array
    squares: Array


@compiled
class DiagonalRidge:
    """A heuristic ridge regression with a diagonal V: memory O(d), an update O(non-zero features).

    A reward r of the arm with features x takes the step of `Ridge` from V as it is, and then
    forgets which estimates vary together: of the new V^-1 only the diagonal is kept,

        q = sum_i x_i^2 / V_ii
        theta_i += (r - theta . x) / (1 + q) x_i / V_ii
        V_ii += x_i^2 / (1 + q - x_i^2 / V_ii)

    for every i with x_i != 0. The width is sqrt(sum_i x_i^2 / V_ii). Where no row has more than one
    feature that is not 0, all is equal to `Ridge`. Elsewhere it is a heuristic without a regret
    bound: estimates of columns that come together are learned more slowly, and depend on the order
    of the rewards. The more columns a row has, and the more they are correlated, the worse.

    Each objective has a V of its own, so rewards may come in part, NaN for what was not observed.

    Args:
        features: length d of a row.
        objectives: number of rewards L.
        slots: number of models: one for all arms, or one each.
        penalty: lambda > 0, V starts at lambda I.
        discount: in (0, 1]; each new reward first does V_ii <- discount V_ii +
            (1 - discount) penalty where x_i != 0, so that a column remembers about
            1 / (1 - discount) of its own rewards. 1: nothing is forgotten.

    Reference:
        Ours: a Kalman filter for constant parameters whose covariance is cut to its diagonal.

    Example:
        >>> ridge = DiagonalRidge(features=3, objectives=1)
        >>> x, arm = np.array([1.0, 0.0, 1.0]), np.array([0])
        >>> state = ridge.update(ridge.init(), x, 0, np.array([3.0]))
        >>> state.theta.ravel().tolist(), state.diagonal.ravel().tolist()
        ([1.0, 0.0, 1.0], [1.5, 1.0, 1.5])
        >>> ridge.width(state, x[None], arm).round(3).tolist()
        [[1.155]]
    """

    features: int
    objectives: int
    slots: int = 1
    penalty: float = 1.0
    discount: float = 1.0

    ORDERED = True  # a step rests on the estimates before it

    def init(self) -> DiagonalState:
        """No reward seen: V = penalty I, theta = 0."""
        models = (self.slots, self.objectives)
        parameters = (self.slots, self.objectives, self.features)
        return DiagonalState(
            diagonal=np.full(parameters, self.penalty),
            theta=np.zeros(parameters),
            seen=np.zeros(models),
            residuals=np.zeros(models),
            squares=np.zeros(models),
        )

    def matrix_entries(self) -> int:
        """How many numbers the diagonals of all models have."""
        return self.slots * self.objectives * self.features

    def mean(self, state: DiagonalState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) theta_l . x_a."""
        out = np.empty((len(arms), self.objectives))
        places = np.flatnonzero(context[0])
        for a in range(len(arms)):
            s = arms[a] if self.slots > 1 else 0
            row = a if len(context) > 1 else 0
            x = context[row]
            if row > 0:
                places = np.flatnonzero(x)

            for l in range(self.objectives):
                theta = state.theta[s, l]
                total = 0.0
                for i in places:
                    total += theta[i] * x[i]

                out[a, l] = total

        return out

    def width(self, state: DiagonalState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) sqrt(sum_i x_i^2 / V_ii)."""
        out = np.empty((len(arms), self.objectives))
        places = np.flatnonzero(context[0])
        for a in range(len(arms)):
            s = arms[a] if self.slots > 1 else 0
            row = a if len(context) > 1 else 0
            x = context[row]
            if row > 0:
                places = np.flatnonzero(x)

            for l in range(self.objectives):
                diagonal = state.diagonal[s, l]
                total = 0.0
                for i in places:
                    total += x[i] * x[i] / diagonal[i]

                out[a, l] = math.sqrt(total)

        return out

    def sample(
        self,
        state: DiagonalState,
        context: Array,
        arms: IntArray,
        draws: int,
        radius: Array,
        rng: Rng,
    ) -> Array:
        """(arms, objectives) the largest of `draws` posterior means, per arm and objective.

        They are x_a . N(theta_l, radius^2 V^-1); `radius` is (slots, 1), or (slots, objectives).
        """
        out = self.mean(state, context, arms)
        width = self.width(state, context, arms)
        for l in range(self.objectives):
            column = l if radius.shape[1] > 1 else 0
            # Arms with models of their own are independent: one normal stands for all parameters.
            noise = np.empty((draws, 0))
            if self.slots == 1:
                noise = rng.standard_normal((draws, self.features))

            for a in range(len(arms)):
                s = arms[a] if self.slots > 1 else 0
                largest = -math.inf
                for m in range(draws):
                    if self.slots == 1:
                        row = a if len(context) > 1 else 0
                        drawn = self.weighed(state, l, context[row], noise[m])
                    else:
                        drawn = width[a, l] * rng.standard_normal()

                    largest = max(largest, drawn)

                out[a, l] += radius[s, column] * largest

        return out

    def weighed(self, state: DiagonalState, l: int, x: Array, noise: Array) -> float:
        """sum_i x_i noise_i / sqrt(V_ii), of the model that arms share."""
        diagonal = state.diagonal[0, l]
        total = 0.0
        for i in range(self.features):
            if x[i] != 0.0:
                total += x[i] * noise[i] / math.sqrt(diagonal[i])

        return total

    def evidence(self, state: DiagonalState, context: Array, arms: IntArray) -> Evidence:
        """Rewards seen, per slot and objective; no volume, which theories need and this has none."""
        no_volume = np.zeros(state.seen.shape)
        return Evidence(state.seen, no_volume)

    def deviations(self, state: DiagonalState) -> Array:
        """(slots, objectives) the standard deviations of rewards, as `Scaled` pools them.

        The variance of a model is `residuals` / `seen`: errors of predictions before each update,
        whose variance is 1 + q times that of the rewards.
        """
        slots, objectives = state.squares.shape
        out = np.empty((slots, objectives))
        for l in range(objectives):
            seen = state.seen[:, l].copy()
            residuals = state.residuals[:, l].copy()
            squares = state.squares[:, l].copy()
            deviations_of_models(residuals, seen, squares, seen, out[:, l])

        return out

    def sizes(self, state: DiagonalState) -> Array:
        """(objectives,) the root mean square of the rewards of every objective, 0 before any."""
        return root_mean_squares(state.squares, state.seen)

    def update(self, state: DiagonalState, x: Array, arm: int, reward: Array) -> DiagonalState:
        """Learn one reward (objectives,), NaN where it was not observed."""
        s = arm if self.slots > 1 else 0
        places = np.flatnonzero(x)
        for l in range(self.objectives):
            if not math.isnan(reward[l]):
                self.learn(state, s, l, x, places, reward[l])

        return state

    def learn(
        self, state: DiagonalState, s: int, l: int, x: Array, places: IntArray, reward: float
    ) -> None:
        """Take one step of one model and objective, in place."""
        diagonal = state.diagonal[s, l]
        theta = state.theta[s, l]
        self.forget(diagonal, places)
        prediction = 0.0
        q = 0.0
        for i in places:
            value = x[i]
            prediction += theta[i] * value
            q += value * value / diagonal[i]

        difference = reward - prediction
        error = difference / (1.0 + q)
        for i in places:
            square = x[i] * x[i]
            theta[i] += error * x[i] / diagonal[i]
            # Rounding can leave less than nothing of the other features.
            others = max(q - square / diagonal[i], 0.0)
            diagonal[i] += square / (1.0 + others)

        self.add(state.seen, s, l, 1.0)
        self.add(state.residuals, s, l, difference * error)
        self.add(state.squares, s, l, reward * reward)

    def forget(self, diagonal: Array, places: IntArray) -> None:
        """Let earlier rewards count less in some columns, in place."""
        if self.discount == 1.0:
            return

        # As in `Discounted`, the penalty is not forgotten.
        put_back = (1.0 - self.discount) * self.penalty
        for i in places:
            diagonal[i] = self.discount * diagonal[i] + put_back

    def add(self, sums: Array, s: int, l: int, term: float) -> None:
        """Add a term to one discounted sum, in place."""
        kept = self.discount * sums[s, l]
        sums[s, l] = kept + term
