"""Annealing-Pareto: the arms near the best means, with a tolerance that shrinks geometrically.

It has no context. Symbols: eps_t the tolerance eps_0 rate^t of round t, in the unit of the rewards.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Mask, Recipe, Rng, Shape, Traits
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators import SampleMean
from mobandits.numerics.averages import averages
from mobandits.numerics.masks import count
from mobandits.policies.set_policy import SetPolicy
from mobandits.support.checks import integer, number


@state_fields(
    seen=counts("arms", "objectives"),
    total=Field(("arms", "objectives")),
    candidates=Field(("arms",)),
    epsilon=Field(("one",), low=0.0),
)
class AnnealingState(NamedTuple):
    """The rewards seen so far, the candidates of the previous round, and the tolerance.

    Attributes:
        seen: (arms, objectives) rewards seen.
        total: (arms, objectives) their sum.
        candidates: (arms,) the set of the previous round.
        epsilon: (1,) the tolerance.
    """

    seen: Array
    total: Array
    candidates: Mask
    epsilon: Array


@compiled
class AnnealingPolicy(SetPolicy):
    """See `AnnealingPareto`; beliefs are the set that is played from, (arms,)."""

    means: SampleMean
    epsilon: float
    rate: float
    plays: int

    def init(self) -> AnnealingState:
        """The state before the first round: no rewards, no candidates, tolerance eps_0."""
        means = self.means.init()
        arms = len(means.seen)
        candidates = np.zeros(arms, np.bool_)
        epsilon = np.full(1, self.epsilon)

        return AnnealingState(means.seen, means.total, candidates, epsilon)

    def beliefs(self, state: AnnealingState, context: Array, arms: IntArray, rng: Rng) -> Mask:
        """(arms,) the arms with too few plays if there are any, else the candidates."""
        arm_count = len(arms)
        fresh = np.zeros(arm_count, np.bool_)
        for a in range(arm_count):
            arm = arms[a]
            # Rewards are whole: every objective has been seen as often as the first one.
            plays = state.seen[arm, 0]
            fresh[a] = plays < self.plays

        if count(fresh) > 0:
            return fresh

        return self.candidates(state, arms)

    def candidates(self, state: AnnealingState, arms: IntArray) -> Mask:
        """(arms,) the near arms, and arms of the previous set that no near arm weakly dominates.

        An arm is near where it is at most epsilon below the best mean in some objective.
        """
        near = np.zeros(len(arms), np.bool_)
        mean = averages(state.total, state.seen, arms)
        arm_count, objectives = mean.shape
        epsilon = state.epsilon[0]
        for l in range(objectives):
            best = -math.inf
            for a in range(arm_count):
                best = max(best, mean[a, l])

            floor = best - epsilon
            for a in range(arm_count):
                near[a] |= mean[a, l] >= floor

        candidates = near.copy()
        for a in range(arm_count):
            # The old set keeps front arms that are best in no objective: the tolerance shrinks
            # below their distance, but no near arm dominates them.
            if state.candidates[arms[a]] and not near[a]:
                candidates[a] = not self.is_weakly_dominated(mean, a, near)

        return candidates

    def is_weakly_dominated(self, mean: Array, a: int, near: Mask) -> bool:
        """Whether an arm of `near` is at least as good in every objective; all by position."""
        arms, objectives = mean.shape
        for b in range(arms):
            at_least_as_good = near[b]
            for l in range(objectives):
                at_least_as_good = at_least_as_good and mean[b, l] >= mean[a, l]

            if at_least_as_good:
                return True

        return False

    def update(
        self,
        state: AnnealingState,
        x: Array,
        arm: int,
        note: float,
        reward: Array,
        rng: Rng,
    ) -> AnnealingState:
        """The state after a reward: the candidates are kept, then the tolerance shrinks."""
        arms = np.arange(len(state.seen))
        fresh = 0
        for a in arms:
            fresh += state.seen[a, 0] < self.plays

        # The set of this round is computed from what was known before its reward, and over all
        # arms: which of them are eligible may change from round to round.
        if fresh == 0:
            candidates = self.candidates(state, arms)
            for a in arms:
                state.candidates[a] = candidates[a]

        for l in range(len(reward)):
            state.seen[arm, l] += 1.0
            state.total[arm, l] += reward[l]

        state.epsilon[0] *= self.rate

        return state


@dataclass(frozen=True)
class AnnealingPareto(Recipe):
    """Play uniformly from the arms that are near the best mean in some objective, ever nearer.

    In round t the tolerance is eps_t = eps_0 rate^t. The candidates are the arms with a mean of at
    least the best minus eps_t in some objective, and those of the previous round's set that no such
    arm weakly dominates. Every arm is played `plays` times first. Context is ignored, and rewards
    must be whole.

    Args:
        epsilon: eps_0 > 0, in the unit of the rewards.
        rate: in (0, 1).
        plays: initial plays of each arm.

    Reference:
        yahyaa2014ap.

    Example:
        >>> AnnealingPareto(rate=0.9).bind(Shape(arms=4, features=0, objectives=2)).rate
        0.9
    """

    references = ("yahyaa2014ap",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="arms near the best mean in some objective",
        log="exact, with zeros",
        part="no",
    )

    epsilon: float = 1.0
    rate: float = 0.99
    plays: int = 2

    accepts_partial = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        number("AnnealingPareto.epsilon", self.epsilon, above=0.0)
        number("AnnealingPareto.rate", self.rate, above=0.0, below=1.0)
        integer("AnnealingPareto.plays", self.plays, at_least=1)

    def bind(self, shape: Shape) -> AnnealingPolicy:
        """The policy, with one mean per arm and objective."""
        return AnnealingPolicy(
            means=SampleMean(shape.arms, shape.objectives),
            epsilon=self.epsilon,
            rate=self.rate,
            plays=self.plays,
        )
