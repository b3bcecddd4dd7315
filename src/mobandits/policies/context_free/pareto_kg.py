"""Pareto-KG: the Pareto front of means plus what another play is expected to add to the best mean.

It has no context. Symbols: s the standard error of an arm's mean, m the best mean of the other
arms, kg the knowledge gradient s f(-|mean - m| / s) with f(z) = z Phi(z) + phi(z), T the horizon,
t the round, L the objectives, K the arms.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import (
    Array,
    Beliefs,
    IntArray,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.averages import averages
from mobandits.orders import Pareto
from mobandits.policies.set_policy import FrontPolicy
from mobandits.support.checks import integer

# An arm whose rewards never differ would have a standard error of 0, which kg divides by.
LEAST_ERROR = 1e-12


@state_fields(
    seen=counts("arms", "objectives"),
    total=Field(("arms", "objectives")),
    squares=Field(("arms", "objectives"), low=0.0),
    origin=Field(("objectives",)),
)
class KgState(NamedTuple):
    """Sums, so that arms with the same rewards of 0 and 1 have the same deviation in any order.

    Attributes:
        seen: (arms, objectives) rewards seen.
        total: (arms, objectives) their sum.
        squares: (arms, objectives) the sum of their squared distances from `origin`.
        origin: (objectives,) the first reward of any arm: near the others, so that squares are
            small.
    """

    seen: Array
    total: Array
    squares: Array
    origin: Array


@kernel
def expected_gain(z: float) -> float:
    """The expectation f(z) = E max(z + N(0, 1), 0) = z Phi(z) + phi(z)."""
    bell = math.exp(-0.5 * z * z)
    density = bell / math.sqrt(2.0 * math.pi)
    # erfc keeps its relative precision in the lower tail, where z of clear losers lies.
    argument = -z * math.sqrt(0.5)
    tail = math.erfc(argument)

    return z * 0.5 * tail + density


@compiled
class KgPolicy(FrontPolicy):
    """See `ParetoKg`; the upper bound of an arm is its index."""

    arms: int
    objectives: int
    rounds: int
    plays: int
    order: Pareto

    def init(self) -> KgState:
        """The state before the first round."""
        size = (self.arms, self.objectives)
        seen = np.zeros(size)
        total = np.zeros(size)
        squares = np.zeros(size)
        origin = np.zeros(self.objectives)

        return KgState(seen, total, squares, origin)

    def beliefs(self, state: KgState, context: Array, arms: IntArray, rng: Rng) -> Beliefs:
        """Means and indices; the index is infinite where an arm has had too few plays."""
        candidates = len(arms)
        mean = averages(state.total, state.seen, arms)
        index = np.full((candidates, self.objectives), math.inf)
        for l in range(self.objectives):
            seen = 0.0
            best = -math.inf
            second = -math.inf
            leader = -1
            for a in range(candidates):
                seen += state.seen[arms[a], l]
                value = mean[a, l]
                if value > best:
                    second = best
                    best = value
                    leader = a
                else:
                    second = max(second, value)

            # L K (T - t): what is learned now pays in all the rounds that are left.
            rounds_left = max(0.0, self.rounds - seen - 1.0)
            weight = self.objectives * self.arms * rounds_left
            for a in range(candidates):
                arm = arms[a]
                if state.seen[arm, l] >= self.plays:
                    rival = second if a == leader else best
                    lead = mean[a, l] - rival
                    gradient = self.gradient(state, arm, l, lead)
                    index[a, l] = mean[a, l] + weight * gradient

        return Beliefs(mean, mean, index)

    def gradient(self, state: KgState, arm: int, l: int, lead: float) -> float:
        """The knowledge gradient kg of an arm whose mean is `lead` above the best other one."""
        seen = state.seen[arm, l]
        # Around the origin, near all rewards, squares lose no digits; around 0 they might.
        total = state.total[arm, l]
        origin = state.origin[l]
        shifted_total = total - seen * origin
        correction = shifted_total * shifted_total / seen
        # Rounding may leave a sum of squares just below 0.
        squares = max(state.squares[arm, l] - correction, 0.0)
        variance = squares / (seen - 1.0)
        variance_of_mean = variance / seen
        error = max(math.sqrt(variance_of_mean), LEAST_ERROR)

        return error * expected_gain(-abs(lead) / error)

    def update(
        self, state: KgState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> KgState:
        """Learn sums and squares."""
        for l in range(self.objectives):
            if not math.isnan(reward[l]):
                value = reward[l]
                # Before the counts change, or no reward would be the first one.
                if self.is_first(state, l):
                    state.origin[l] = value

                state.seen[arm, l] += 1.0
                state.total[arm, l] += value
                distance = value - state.origin[l]
                state.squares[arm, l] += distance**2

        return state

    def is_first(self, state: KgState, l: int) -> bool:
        """Whether no arm has had a reward in an objective."""
        seen = 0.0
        for a in range(self.arms):
            seen += state.seen[a, l]
        return seen == 0.0


@dataclass(frozen=True)
class ParetoKg(Recipe):
    """Play a uniform arm from the Pareto front of mean_{a,l} + L K (T - t) kg_{a,l}.

    With the standard error s = std / sqrt(N) of the arm's mean, and m the best mean of the other
    arms::

        kg = s f(-|mean - m| / s);   f(z) = z Phi(z) + phi(z)

    is what one more play is expected to add to the best mean. Every arm is played `plays` times
    first. Context is ignored.

    Args:
        plays: initial plays of each arm, at least 2: a deviation must be seen.

    Reference:
        yahyaa2014kg.

    Example:
        >>> round(expected_gain(-1.0), 4)
        0.0833
        >>> ParetoKg().bind(Shape(arms=4, features=0, objectives=2, rounds=1000)).rounds
        1000
    """

    references = ("yahyaa2014kg",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="Pareto front of means plus what another play would teach",
        log="exact, with zeros",
        horizon="yes",
    )

    plays: int = 2

    def __post_init__(self) -> None:
        """Check the parameter."""
        integer("ParetoKg.plays", self.plays, at_least=2)

    def bind(self, shape: Shape) -> KgPolicy:
        """The policy, which needs the horizon."""
        if shape.rounds is None:
            raise ValueError(
                "ParetoKg must know the number of rounds; Doubling(ParetoKg()) need not"
            )

        return KgPolicy(shape.arms, shape.objectives, shape.rounds, self.plays, Pareto())
