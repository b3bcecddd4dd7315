"""Scalarized-UCB1: one UCB1 per weight vector, and a weight vector drawn in every round.

Symbols, of drugan2013, Algorithm 2: f the number of a weight vector ("function"), w_f its weights,
n_f and N_f[a] its plays so far and those of arm a, mean_f[a] its means of arm a, z the reference
point of the Chebyshev scalarisation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.assumptions import UNIT_REWARDS
from mobandits.contracts.protocols import (
    Array,
    Choice,
    IntArray,
    Mask,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.averages import averages, fewest
from mobandits.numerics.linalg import dot
from mobandits.numerics.masks import everyone, leaders, pick, uniform
from mobandits.support.checks import matrix, number
from mobandits.support.naming import wrong_value


@state_fields(
    seen=counts("functions", "arms", "objectives"),
    total=Field(("functions", "arms", "objectives")),
)
class ScalarizedState(NamedTuple):
    """Rewards per weight vector ("function"), arm and objective.

    The first axis has length 1 where all functions share them.

    Attributes:
        seen: (functions or 1, arms, objectives) rewards seen.
        total: (functions or 1, arms, objectives) their sum.
    """

    seen: Array
    total: Array


class FunctionNote(NamedTuple):
    """The number of the function that chose the arm."""

    function: int


class ScalarizedBeliefs(NamedTuple):
    """The indices (arms,) of the function that was drawn, and its number."""

    indices: Array
    function: int


@compiled
class ScalarizedUcb1Policy:
    """See `ScalarizedUcb1`."""

    arms: int
    weights: Floats
    scale: float
    chebyshev: bool
    shared: bool
    margin: float

    RANDOM_BELIEFS = True  # the function

    def note(self) -> FunctionNote:
        """A note like those of `draw`."""
        return FunctionNote(0)

    def possible_notes(self, state: ScalarizedState, note: FunctionNote) -> Mask:
        """(decisions,) functions that there are."""
        function: IntArray = np.asarray(note.function)
        functions = len(self.weights)
        is_known = function < functions
        possible: Mask = (function >= 0) & is_known

        return possible

    def note_for(
        self, beliefs: ScalarizedBeliefs, arm: int, probability: float, rng: Rng
    ) -> FunctionNote:
        """The function of the round, whichever arm was chosen."""
        return FunctionNote(beliefs.function)

    def init(self) -> ScalarizedState:
        """The state before the first round."""
        functions, objectives = self.weights.shape
        # Shared means are one instance of UCB1 that all functions read.
        instances = 1 if self.shared else functions
        size = (instances, self.arms, objectives)
        seen = np.zeros(size)
        # Rewards are kept per objective, not scalarised: a reward may come in part.
        total = np.zeros(size)

        return ScalarizedState(seen, total)

    def beliefs(
        self, state: ScalarizedState, context: Array, arms: IntArray, rng: Rng
    ) -> ScalarizedBeliefs:
        """A drawn function, and the UCB1 indices of its scalarised means.

        An index is infinite for arms that the function has not seen.
        """
        function = int(rng.random() * len(self.weights))
        instance = 0 if self.shared else function
        seen = state.seen[instance]
        total = state.total[instance]
        mean = averages(total, seen, arms)
        count = len(arms)
        plays = np.empty(count)
        total_plays = 0.0
        for a in range(count):
            plays[a] = fewest(seen[arms[a]])
            total_plays += plays[a]

        reference = reference_point(mean, plays, self.margin)
        weights = self.weights[function]
        # UCB1 counts the plays of its own instance, in n_f as in N_f[a].
        indices = np.full(count, math.inf)
        for a in range(count):
            if plays[a] > 0.0:
                variance = 2.0 * math.log(total_plays) / plays[a]
                width = self.scale * math.sqrt(variance)
                utility = self.utility(weights, mean[a], reference)
                indices[a] = utility + width

        return ScalarizedBeliefs(indices, function)

    def utility(self, weights: Array, mean: Array, reference: Array) -> float:
        """The weighted mean, or min_l w_l (mean_l - z_l) over the objectives of positive weight."""
        if not self.chebyshev:
            return dot(weights, mean)

        least = math.inf
        for l in range(len(mean)):
            # A weight of 0 would make the minimum 0 whatever the other objectives are.
            if weights[l] > 0.0:
                height = mean[l] - reference[l]
                least = min(least, weights[l] * height)

        return least

    def draw(self, beliefs: ScalarizedBeliefs, rng: Rng) -> Choice:
        """A uniform arm among those with the largest index."""
        indices = beliefs.indices
        all_arms = everyone(len(indices))
        # Arms that were not played yet lead with infinite indices, in random order.
        best = leaders(indices, all_arms)
        arm = pick(best, rng)

        return Choice(arm, FunctionNote(beliefs.function))

    def probabilities(self, beliefs: ScalarizedBeliefs) -> Array:
        """The probability of each arm, given the function: uniform on the largest index."""
        indices = beliefs.indices
        all_arms = everyone(len(indices))
        best = leaders(indices, all_arms)
        return uniform(best)

    def update(
        self,
        state: ScalarizedState,
        x: Array,
        arm: int,
        note: FunctionNote,
        reward: Array,
        rng: Rng,
    ) -> ScalarizedState:
        """The state after a reward: the function that chose the arm learns, or the shared means."""
        instance = 0 if self.shared else note.function
        # Compiled code checks no bounds: another number would write beside the arrays.
        if not 0 <= instance < len(state.seen):
            raise IndexError("note must be the number of a function")

        seen = state.seen[instance]
        total = state.total[instance]
        for l in range(len(reward)):
            value = reward[l]
            # NaN where an objective was not observed: counts are per objective.
            if not math.isnan(value):
                seen[arm, l] += 1.0
                total[arm, l] += value

        return state


@kernel
def reference_point(mean: Array, plays: Array, margin: float) -> Array:
    """(objectives,) the point z_l = min_a mean[a, l] - margin over the arms seen so far."""
    arms, objectives = mean.shape
    point = np.full(objectives, math.inf)
    for a in range(arms):
        # The mean of an arm without plays is 0, which may lie below all others.
        if plays[a] > 0.0:
            for l in range(objectives):
                below = mean[a, l] - margin
                point[l] = min(point[l], below)

    return point


@dataclass(frozen=True)
class ScalarizedUcb1(Recipe):
    """Draw a weight vector f uniformly, then run UCB1 number f on the scalarised rewards.

    Context is ignored. Linear: index w_f . mean_f[a] + scale sqrt(2 ln n_f / N_f[a]). Chebyshev:
    min_l w_fl (mean_fl[a] - z_l) in place of the product, over the objectives of positive weight,
    with z_l below all means.

    Args:
        weights: (functions, objectives) non-negative; None: every unit vector, and the equal
            weights (mocmab2018's set for two objectives).
        scale: multiplies the width.
        chebyshev: use the Chebyshev scalarisation.
        shared: let every function learn from all rewards; by default only the one that chose does.
        margin: how far z_l lies below the smallest mean, for Chebyshev.
        check: warn where rewards leave [0, 1].

    Reference:
        drugan2013, Algorithm 2; S-UCB of moglb2019 (weights 1/L), S-UCB1 of mocmab2018.

    Example:
        >>> ScalarizedUcb1().bind(Shape(arms=4, features=0, objectives=2)).weights.tolist()
        [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    """

    references = ("drugan2013",)
    traits = Traits(
        context="none",
        beliefs="drawn",
        plays="best for drawn weights",
        log="sampled",
    )
    assumed = (UNIT_REWARDS,)

    weights: Sequence[Sequence[float]] | None = None
    scale: float = 1.0
    chebyshev: bool = False
    shared: bool = False
    margin: float = 0.1
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters and make the weights a tuple, so that recipes compare by value."""
        number("ScalarizedUcb1.scale", self.scale, above=0.0)
        number("ScalarizedUcb1.margin", self.margin, above=0.0)
        # A tuple of tuples: recipes hold no arrays, which have no single truth when compared.
        weights = checked_weights("ScalarizedUcb1.weights", self.weights)
        object.__setattr__(self, "weights", weights)

    def bind(self, shape: Shape) -> ScalarizedUcb1Policy:
        """The policy, with its weights checked against the objectives."""
        weights = resolved_weights("ScalarizedUcb1.weights", self.weights, shape.objectives)
        return ScalarizedUcb1Policy(
            arms=shape.arms,
            weights=weights,
            scale=self.scale,
            chebyshev=self.chebyshev,
            shared=self.shared,
            margin=self.margin,
        )


def checked_weights(
    name: str, weights: Sequence[Sequence[float]] | None
) -> tuple[tuple[float, ...], ...] | None:
    """Weights (functions, objectives) as a tuple; refuses what is negative or all zero in a row."""
    if weights is None:
        return None

    array = matrix(name, weights, ("functions", "objectives"))
    is_negative = (array < 0).any()
    is_zero_row = (array.sum(1) == 0).any()
    if is_negative or is_zero_row:
        raise wrong_value(f"{name} must be non-negative and not all zero in a row", weights)

    return tuple(map(tuple, array.tolist()))


def resolved_weights(
    name: str, weights: Sequence[Sequence[float]] | None, objectives: int
) -> Array:
    """(functions, objectives) the weights; where None, the unit vectors and the equal weights."""
    if weights is None:
        equal = np.full((1, objectives), 1.0 / objectives)
        # Of one objective, the unit vector and the equal weights are the same.
        if objectives == 1:
            return equal

        unit_vectors = np.eye(objectives)
        return np.vstack([unit_vectors, equal])

    array = np.array(weights)
    if array.shape[1] != objectives:
        raise ValueError(
            f"{name} must have one column per objective, {objectives}, got {array.shape[1]}"
        )

    return array
