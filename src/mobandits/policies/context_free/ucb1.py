"""UCB1 on one of the objectives, without context.

Symbols: n the plays so far, N_a those of arm a, mean_a its mean reward in the chosen objective.
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
from mobandits.support.naming import wrong_value


@dataclass(frozen=True)
class Ucb1(Recipe):
    """Play the arm with the largest mean_a + scale sqrt(2 ln n / N_a) in one objective.

    Ties are broken at random. n is the number of plays so far, N_a that of arm a. Each arm is
    played once first, in random order. Context is ignored, and so are the other objectives: its
    Pareto regret is at most its regret in that objective, yet it is unfair by construction.

    Args:
        objective: the one that counts, from 0.
        scale: multiplies the width.
        check: warn where rewards leave [0, 1].

    Reference:
        Auer, Cesa-Bianchi and Fischer, "Finite-time analysis of the multiarmed bandit problem",
        2002, Figure 1; the reduction to one objective is xu2023.

    Example:
        >>> policy = Ucb1(objective=1).bind(Shape(arms=4, features=0, objectives=2))
        >>> policy.explorer, policy.order
        (Ucb(radius=Drugan(product=1.0, scale=1.0)), Pareto(on=[1]))
    """

    references = ("auer2002ucb1", "xu2023")
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="largest bound in one objective",
        log="1 in most rounds",
    )
    assumed = (UNIT_REWARDS,)

    objective: int = 0
    scale: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        integer("Ucb1.objective", self.objective, at_least=0)
        number("Ucb1.scale", self.scale, above=0.0)

    def bind(self, shape: Shape) -> Composite:
        """The policy: one mean per arm and objective, and the largest bound in one objective."""
        if self.objective >= shape.objectives:
            raise wrong_value(
                f"Ucb1.objective must be below the number of objectives, {shape.objectives}",
                self.objective,
            )

        means = SampleMean(shape.arms, shape.objectives)
        # Drugan's radius with L A = 1 is UCB1's, and the Pareto front of one objective its maximum.
        radius = Drugan(1.0, self.scale)
        order = Pareto([self.objective])

        return Composite(means, Ucb(radius), order)
