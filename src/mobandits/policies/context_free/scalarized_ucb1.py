"""Scalarized-UCB1: one UCB1 per weight vector, and a weight vector drawn in every round."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.assumptions import UNIT_REWARDS, assumed
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    Choice,
    IntArray,
    Mask,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.averages import averages
from mobandits.numerics.linalg import dot
from mobandits.numerics.masks import everyone, leaders, pick, uniform
from mobandits.support.checks import matrix, number
from mobandits.support.naming import quoted


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

    def upgraded(self) -> "ScalarizedState":
        """Sums, of a state in which `total` holds means."""
        return self._replace(total=self.total * self.seen)


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

    RANDOM_BELIEFS: ClassVar[bool] = True  # the function

    def note(self) -> FunctionNote:
        """A note like those of `draw`."""
        return FunctionNote(0)

    def possible_notes(self, state: ScalarizedState, note: FunctionNote) -> Mask:
        """(decisions,) functions that there are."""
        function: IntArray = np.asarray(note.function)
        possible: Mask = (function >= 0) & (function < len(self.weights))
        return possible

    def init(self) -> ScalarizedState:
        """Nothing seen."""
        size = (1 if self.shared else len(self.weights), self.arms, self.weights.shape[1])
        return ScalarizedState(np.zeros(size), np.zeros(size))

    def beliefs(
        self, state: ScalarizedState, context: Array, arms: IntArray, rng: Rng
    ) -> ScalarizedBeliefs:
        """Draw a function, and compute the UCB1 index of its scalarised means; infinite for arms it has not seen."""
        f = int(rng.random() * len(self.weights))
        own = 0 if self.shared else f
        count = state.seen[own]
        mean = averages(state.total[own], state.seen[own], arms)
        plays = np.empty(len(arms))
        total = 0.0
        for i in range(len(arms)):
            plays[i] = fewest(count[arms[i]])
            total += plays[i]
        floor = lowest(mean, plays, self.margin)
        index = np.full(len(arms), math.inf)
        for i in range(len(arms)):
            if plays[i] > 0.0:
                width = self.scale * math.sqrt(2.0 * math.log(total) / plays[i])
                index[i] = self.utility(self.weights[f], mean[i], floor) + width
        return ScalarizedBeliefs(index, f)

    def utility(self, weights: Array, mean: Array, floor: Array) -> float:
        """The weighted mean, or min_l w_l (mean_l - z_l) over the objectives of positive weight."""
        if not self.chebyshev:
            return dot(weights, mean)
        least = math.inf
        for l in range(len(mean)):
            if weights[l] > 0.0:
                least = min(least, weights[l] * (mean[l] - floor[l]))
        return least

    def draw(self, beliefs: ScalarizedBeliefs, rng: Rng) -> Choice:
        """A uniform arm among those with the largest index."""
        return Choice(
            pick(leaders(beliefs.indices, everyone(len(beliefs.indices))), rng),
            FunctionNote(beliefs.function),
        )

    def probabilities(self, beliefs: ScalarizedBeliefs) -> Array:
        """Uniform on the largest index, given the function."""
        return uniform(leaders(beliefs.indices, everyone(len(beliefs.indices))))

    def update(
        self,
        state: ScalarizedState,
        x: Array,
        arm: int,
        note: FunctionNote,
        reward: Array,
        rng: Rng,
    ) -> ScalarizedState:
        """Only the function that chose the arm learns, unless all share their means."""
        f = 0 if self.shared else note.function
        if not 0 <= f < len(state.seen):
            raise IndexError("note must be the number of a function")
        for l in range(len(reward)):
            if not math.isnan(reward[l]):
                state.seen[f, arm, l] += 1.0
                state.total[f, arm, l] += reward[l]
        return state


@kernel
def fewest(counts: Array) -> float:
    """The smallest count over objectives: an arm counts as played once all its rewards are in."""
    least = math.inf
    for c in counts:
        least = min(least, c)
    return least


@kernel
def lowest(mean: Array, plays: Array, margin: float) -> Array:
    """z_l = min_a mean[a, l] - margin over the arms seen so far."""
    out = np.full(mean.shape[1], math.inf)
    for i in range(len(plays)):
        if plays[i] > 0.0:
            for l in range(len(out)):
                out[l] = min(out[l], mean[i, l] - margin)
    return out


@dataclass(frozen=True)
class ScalarizedUcb1(Recipe):
    """Draw a weight vector f uniformly, then run UCB1 number f on the scalarised rewards. Context is ignored.

    Linear: index w_f . mean_f[a] + scale sqrt(2 ln n_f / N_f[a]). Chebyshev: min_l w_fl (mean_fl[a] - z_l) in place
    of the product, over the objectives of positive weight, with z_l below all means.

    Args:
        weights: (functions, objectives) non-negative; None: every unit vector, and the equal weights (mocmab2018's
            set for two objectives).
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

    traits: ClassVar[Traits] = Traits(
        context="none",
        beliefs="drawn",
        plays="best for drawn weights",
    )

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
        object.__setattr__(self, "weights", checked_weights("ScalarizedUcb1.weights", self.weights))

    def assumptions(self) -> tuple[Assumption, ...]:
        """Rewards in [0, 1]."""
        return assumed(self, UNIT_REWARDS)

    def bind(self, shape: Shape) -> ScalarizedUcb1Policy:
        """Check the weights against the objectives."""
        weights = resolved_weights("ScalarizedUcb1.weights", self.weights, shape.objectives)
        return ScalarizedUcb1Policy(
            shape.arms, weights, self.scale, self.chebyshev, self.shared, self.margin
        )


def checked_weights(
    name: str, weights: Sequence[Sequence[float]] | None
) -> tuple[tuple[float, ...], ...] | None:
    """Weights (functions, objectives) as a tuple; refuses what is negative or all zero in a row."""
    if weights is None:
        return None
    array = matrix(name, weights, ("functions", "objectives"))
    if (array < 0).any() or (array.sum(1) == 0).any():
        raise ValueError(
            f"{name} must be non-negative and not all zero in a row, got {quoted(weights)}"
        )
    return tuple(map(tuple, array.tolist()))


def resolved_weights(
    name: str, weights: Sequence[Sequence[float]] | None, objectives: int
) -> Array:
    """(functions, objectives) the weights, or where None every unit vector and the equal weights."""
    if weights is None:
        equal = np.full((1, objectives), 1.0 / objectives)
        if objectives > 1:
            return np.vstack([np.eye(objectives), equal])
        return equal
    array = np.array(weights)
    if array.shape[1] != objectives:
        raise ValueError(
            f"{name} must have one column per objective, {objectives}, got {array.shape[1]}"
        )
    return array
