"""Pareto-UCB1: the Pareto front of upper confidence bounds, without context.

Symbols, of drugan2013, Algorithm 1: n the plays so far, N_a those of arm a, L the objectives, K the
arms, A the number of Pareto optimal arms.
"""

from dataclasses import dataclass

from mobandits.contracts.assumptions import UNIT_REWARDS
from mobandits.contracts.protocols import Recipe, Shape, Traits
from mobandits.estimators import SampleMean
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Drugan
from mobandits.orders import Pareto
from mobandits.policies.composite import Composite
from mobandits.support.checks import integer, number


@dataclass(frozen=True)
class ParetoUcb1(Recipe):
    """Play a uniform arm from the Pareto front of upper confidence bounds.

    The index of arm a in objective l is mean_{a,l} + scale sqrt(2 ln(n (L A)^(1/4)) / N_a), where n
    is the number of plays so far, N_a that of arm a. Arms that were not played yet have infinite
    indices: each is played once first, in random order. Context is ignored.

    Args:
        scale: multiplies the width.
        optimal_arms: A, the number of Pareto optimal arms; None: unknown, A = K (the "empirical"
            version).
        check: warn where rewards leave [0, 1].

    Reference:
        drugan2013, Algorithm 1; P-UCB of moglb2019, P-UCB1 of mocmab2018.

    Example:
        >>> ParetoUcb1().bind(Shape(arms=4, features=0, objectives=2)).explorer
        Ucb(radius=Drugan(product=8.0, scale=1.0))
    """

    references = ("drugan2013",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="Pareto front of bounds",
        log="exact, with zeros",
    )
    assumed = (UNIT_REWARDS,)

    scale: float = 1.0
    optimal_arms: int | None = None
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        number("ParetoUcb1.scale", self.scale, above=0.0)
        optimal_arms = self.optimal_arms
        if optimal_arms is not None:
            integer("ParetoUcb1.optimal_arms", optimal_arms, at_least=1)

    def bind(self, shape: Shape) -> Composite:
        """The policy: one mean per arm and objective, and the front of their bounds."""
        # The union bound behind (L A)^(1/4) is over the objectives of the optimal arms.
        objectives = shape.objectives
        optimal_arms = self.optimal_arms or shape.arms
        product = objectives * optimal_arms
        radius = Drugan(product, self.scale)
        means = SampleMean(shape.arms, objectives)

        # Algorithm 1 plays a uniform arm of the front of the bounds.
        return Composite(means, Ucb(radius), Pareto())
