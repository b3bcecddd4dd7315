"""CP-UCB1: Pareto-UCB1 in every cell of the context space.

Symbols: n and N_a the plays in the cell of the context, of all arms and of arm a; L the objectives;
K the arms; m the cells per side.
"""

from dataclasses import dataclass
from typing import Any

from mobandits.contracts.assumptions import UNIT_CUBE, UNIT_REWARDS
from mobandits.contracts.protocols import Shape, Traits
from mobandits.estimators import SampleMean
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Drugan
from mobandits.orders import Pareto
from mobandits.policies.cells.partition import PartitionRecipe
from mobandits.policies.composite import Composite


@dataclass(frozen=True)
class CpUcb1(PartitionRecipe):
    """Play a uniform arm from the Pareto front of upper confidence bounds in the cell.

    The bounds are mean_{a,l} + scale sqrt(2 ln(n (L K)^(1/4)) / N_a), where n and N_a count the
    plays in the cell of the context.

    Args:
        scale: multiplies the width.
        per_side: m, cells per side of the unit cube; None: ceil(T^(1 / (3 alpha + d))), as MOC-MAB.
        alpha: Hoelder exponent, for that m only.
        aim: "dominant", or "pareto" for m = ceil(T^(1 / (2 alpha + d))).
        boundary: "floor" puts a context between two cells into the upper one, "random" into either
            by a coin.
        period: T_s, of rewards that change with a known period: time becomes a feature.
        check: refuse contexts outside [0, 1]^d, and warn where rewards leave [0, 1].

    Reference:
        mocmab2018, section VII; Pareto-UCB1 is drugan2013, Algorithm 1.

    Example:
        >>> shape = Shape(arms=4, features=2, objectives=2, rounds=100_000, shared=True)
        >>> CpUcb1().bind(shape).policy.explorer
        Ucb(radius=Drugan(product=8.0, scale=1.0))
    """

    references = ("mocmab2018", "drugan2013")
    traits = Traits(
        context="cells",
        beliefs="definite",
        plays="Pareto front of bounds",
        log="exact, with zeros",
        horizon="or `per_side`",
    )
    assumed = (UNIT_CUBE, UNIT_REWARDS)

    def bind(self, shape: Shape) -> Any:
        """The policy, with m resolved."""
        objectives = shape.objectives
        cells = self.partition(shape)
        slots = cells.size()
        means = SampleMean(slots, objectives)
        # The number of Pareto optimal arms is not known: A = K.
        product = objectives * shape.arms
        radius = Drugan(product, self.scale)
        explorer = Ucb(radius)
        policy = Composite(means, explorer, Pareto())

        return self.in_cells(policy, cells)
