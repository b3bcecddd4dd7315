"""PF-LEX: the lexicographic filter without context.

Symbols: N the plays of an arm, epsilon the half-width that ends exploration, delta the failure
probability.
"""

from dataclasses import dataclass

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray, Recipe, Shape, Traits
from mobandits.estimators import MeanState, SampleMean
from mobandits.explorers import Ucb
from mobandits.explorers.radii import SelfNormalisedMean
from mobandits.policies.composite import Composite
from mobandits.policies.lexicographic.lexicographic_filter import ExploreWidest, LastLeader
from mobandits.support.checks import number


@compiled
class CountedMean(SampleMean):
    """`SampleMean` for radii that depend on an arm's own count."""

    def evidence(self, state: MeanState, context: Array, arms: IntArray) -> Evidence:
        """(slots, objectives) rewards of every arm; no volume."""
        # `SampleMean` gives the plays of all arms together, which suits radii of UCB1's kind only.
        seen = state.seen
        no_volume = np.zeros(seen.shape)
        return Evidence(seen, no_volume)


@dataclass(frozen=True)
class PfLex(Recipe):
    """Explore the widest interval while it is above epsilon; else filter lexicographically.

    The half-width of an arm with N plays is
    scale sqrt((1 + N)/N^2 (1 + 2 ln(K L sqrt(1 + N)/delta))). Once all are short: objective by
    objective keep the arms joined to the leader by overlapping intervals; play the last leader, the
    arm with the largest upper bound in the last objective. Context is ignored.

    Args:
        epsilon: half-width that ends exploration; None: (K T)^(-1/3).
        scale: multiplies the half-width.
        delta: failure probability, in (0, 1).

    Reference:
        huyuk2021, as described by xue2025; the constant is ours (yadkori2011 with a union over K L
        estimates).

    Example:
        >>> policy = PfLex().bind(Shape(arms=4, features=0, objectives=2, rounds=16_000))
        >>> round(policy.order.epsilon, 6)
        0.025
    """

    references = ("huyuk2021", "xue2025", "yadkori2011")
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="wide intervals, then a lexicographic filter",
        log="1 in most rounds",
        horizon="or `epsilon`",
    )

    epsilon: float | None = None
    scale: float = 1.0
    delta: float = 0.05

    def __post_init__(self) -> None:
        """Check the parameters."""
        number("PfLex.scale", self.scale, above=0.0)
        number("PfLex.delta", self.delta, above=0.0, below=1.0)
        # With an epsilon of 0 exploration would never end: half-widths are positive.
        if self.epsilon is not None:
            number("PfLex.epsilon", self.epsilon, above=0.0)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with epsilon resolved."""
        if self.epsilon is None and shape.rounds is None:
            raise ValueError(
                "PfLex.epsilon must be given where the number of rounds is unknown, got None"
            )

        rounds = shape.rounds or 1
        plays = shape.arms * rounds
        # It balances the cost of exploring against that of confusing near ties.
        default_epsilon = plays ** (-1.0 / 3.0)
        epsilon = self.epsilon or default_epsilon
        estimates = shape.arms * shape.objectives
        radius = SelfNormalisedMean(estimates, self.delta, self.scale)
        means = CountedMean(shape.arms, shape.objectives)
        exploitation = LastLeader()
        order = ExploreWidest(exploitation, epsilon)

        return Composite(means, Ucb(radius), order)
