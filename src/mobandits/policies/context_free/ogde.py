"""OGDE: online gradient descent on the generalised Gini index, over mixtures of arms.

Symbols: alpha the mixture that is played, c the costs 1 - r, eta the step of a round, w the weights
of the objectives by rank, K the arms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.assumptions import UNIT_REWARDS
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import (
    Array,
    Choice,
    IntArray,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators import SampleMean
from mobandits.estimators.sample_mean import MeanState
from mobandits.numerics.averages import averages
from mobandits.numerics.masks import pick_weighted
from mobandits.orders.gini import check_ranks
from mobandits.orders.weighted import check_length
from mobandits.support.checks import as_float_array, number


@state_fields(
    seen=counts("arms", "objectives"),
    total=Field(("arms", "objectives")),
    mixture=Field(("arms",), low=0.0, high=1.0),
    steps=counts("one"),
)
class OgdeState(NamedTuple):
    """The rewards seen so far, and the mixture.

    Attributes:
        seen: (arms, objectives) rewards seen.
        total: (arms, objectives) their sum.
        mixture: (arms,) alpha.
        steps: (1,) rewards so far, t.
    """

    seen: Array
    total: Array
    mixture: Array
    steps: Array


@kernel
def nearest_mixture(point: Array, floor: float) -> Array:
    """(arms,) the mixture with shares of at least `floor` that is nearest to a point (arms,).

    It is ``max(point - shift, floor)``, with the shift at which the shares sum to 1.
    """
    arms = len(point)
    heights = np.sort(point)
    total = 0.0
    shift = 0.0
    # From the largest: the shift for the first k arms holds where it leaves each above the floor.
    for k in range(1, arms + 1):
        height = heights[arms - k]
        total += height
        others = (arms - k) * floor
        candidate = (total + others - 1.0) / k
        if height - candidate >= floor:
            shift = candidate

    out = np.empty(arms)
    for a in range(arms):
        out[a] = max(point[a] - shift, floor)

    return out


@compiled
class OgdePolicy(NotesNothing):
    """See `Ogde`; beliefs are probabilities."""

    means: SampleMean
    weights: Floats
    rate: float

    def init(self) -> OgdeState:
        """The state before the first round: no rewards, and every arm alike."""
        means = self.means.init()
        arms = len(means.seen)
        mixture = np.full(arms, 1.0 / arms)
        steps = np.zeros(1)

        return OgdeState(means.seen, means.total, mixture, steps)

    def beliefs(self, state: OgdeState, context: Array, arms: IntArray, rng: Rng) -> Array:
        """(arms,) uniform on arms without a reward if there are any, else the mixture."""
        shares = np.empty(len(arms))
        total = 0.0
        for a in range(len(arms)):
            # Rewards are whole: every objective has been seen as often as the first one.
            is_fresh = state.seen[arms[a], 0] == 0.0
            shares[a] = 1.0 if is_fresh else 0.0
            total += shares[a]

        if total == 0.0:
            for a in range(len(arms)):
                shares[a] = state.mixture[arms[a]]
                total += shares[a]

        # Eligible arms may have no share at all, once rounds are many.
        for a in range(len(arms)):
            shares[a] = shares[a] / total if total > 0.0 else 1.0 / len(arms)

        return shares

    def draw(self, beliefs: Array, rng: Rng) -> Choice:
        """An arm with these probabilities."""
        arm = pick_weighted(beliefs, rng)
        return Choice(arm, 0.0)

    def probabilities(self, beliefs: Array) -> Array:
        """The probability of each arm: the beliefs themselves."""
        return beliefs.copy()

    def update(
        self, state: OgdeState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> OgdeState:
        """The state after a reward: the mean of the arm, then a step of the mixture."""
        learned = MeanState(state.seen, state.total)
        self.means.update(learned, x, arm, reward)
        state.steps[0] += 1.0

        arms = len(state.mixture)
        step = self.rate / math.sqrt(state.steps[0])
        gradient = self.gradient(state)
        point = np.empty(arms)
        for a in range(arms):
            point[a] = state.mixture[a] - step * gradient[a]

        # The first steps are larger than 1: no mixture but the uniform one has such shares.
        floor = min(step, 1.0) / arms
        mixture = nearest_mixture(point, floor)
        for a in range(arms):
            state.mixture[a] = mixture[a]

        return state

    def gradient(self, state: OgdeState) -> Array:
        """(arms,) ``sum_i w_i c_{a, sigma(i)}``; sigma sorts the mixture's costs, largest first."""
        arms, objectives = state.seen.shape
        everyone = np.arange(arms)
        costs = averages(state.total, state.seen, everyone)
        mixed = np.zeros(objectives)
        for a in range(arms):
            for l in range(objectives):
                costs[a, l] = 1.0 - costs[a, l]
                mixed[l] += state.mixture[a] * costs[a, l]

        smallest_first = np.argsort(mixed)
        gradient = np.zeros(arms)
        for i in range(objectives):
            l = smallest_first[objectives - 1 - i]
            for a in range(arms):
                gradient[a] += self.weights[i] * costs[a, l]

        return gradient


@dataclass(frozen=True)
class Ogde(Recipe):
    """Play the mixture of arms with the best generalised Gini welfare, learned by gradient descent.

    A mixture may be fairer than any arm: of two arms that are good in one objective each, half and
    half. Each arm is played once; then arms are drawn from the mixture alpha, and after each
    reward, with mean costs c = 1 - r::

        alpha <- nearest mixture with shares of at least eta / K to alpha - eta g
        g_a = sum_i w_i c_{a, sigma(i)}        sigma sorts sum_a alpha_a c_a, the largest cost first
        eta = sqrt(2) / (1 - 1 / sqrt K) sqrt(ln(2 / delta) / t)

    Propensities are the shares: exact, and positive once each arm was played. Context is ignored,
    and rewards must be whole. The order `Gini` says what a single arm is worth by the same weights.

    Args:
        weights: w by rank, the worst objective's first, positive and not increasing; None:
            1, 1/2, 1/4, ...
        delta: failure probability of the bound, in (0, 1).
        check: warn where rewards leave [0, 1].

    Reference:
        busafekete2017, Algorithm 1.

    Example:
        >>> policy = Ogde(delta=0.5).bind(Shape(arms=4, features=0, objectives=3))
        >>> policy.weights.tolist(), round(policy.rate, 2)
        ([1.0, 0.5, 0.25], 3.33)
    """

    references = ("busafekete2017",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="mixture with the best Gini welfare",
        log="exact, with zeros",
        part="no",
    )
    assumed = (UNIT_REWARDS,)

    weights: Sequence[float] | None = None
    delta: float = 0.05
    check: bool = True

    accepts_partial = False

    def __post_init__(self) -> None:
        """Check the parameters and make the weights a tuple, so that recipes compare by value."""
        number("Ogde.delta", self.delta, above=0.0, below=1.0)
        if self.weights is not None:
            weights = as_float_array("Ogde.weights", self.weights)
            check_ranks("Ogde.weights", weights)
            object.__setattr__(self, "weights", tuple(weights.tolist()))

    def bind(self, shape: Shape) -> OgdePolicy:
        """The policy, with its weights checked against the objectives."""
        chosen = self.weights
        if chosen is None:
            chosen = [0.5**rank for rank in range(shape.objectives)]

        weights = np.array(chosen, dtype=np.float64)
        check_length("Ogde.weights", weights, shape.objectives)

        # Of one arm there is one mixture, whatever the step.
        arms = max(shape.arms, 2)
        numerator = math.sqrt(2.0 * math.log(2.0 / self.delta))
        rate = numerator / (1.0 - 1.0 / math.sqrt(arms))
        means = SampleMean(shape.arms, shape.objectives)

        return OgdePolicy(means, weights, rate)
