"""CD-UCB1: UCB1 on the dominant objective in every cell of the context space.

Symbols: n and N_a the plays in the cell of the context, of all arms and of arm a; m the cells per
side.
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
class CdUcb1(PartitionRecipe):
    """Play the arm with the largest mean_{a,0} + scale sqrt(2 ln n / N_a) in the cell.

    Ties are broken at random. n and N_a count the plays in the cell of the context. The other
    objectives do not matter.

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
        mocmab2018, section VII.

    Example:
        >>> shape = Shape(arms=4, features=2, objectives=2, rounds=100_000, shared=True)
        >>> CdUcb1().bind(shape).policy.order
        Pareto(on=[0])
    """

    references = ("mocmab2018",)
    traits = Traits(
        context="cells",
        beliefs="definite",
        plays="largest bound in the first objective",
        log="1 in most rounds",
        horizon="or `per_side`",
    )
    assumed = (UNIT_CUBE, UNIT_REWARDS)

    def bind(self, shape: Shape) -> Any:
        """The policy, with m resolved."""
        cells = self.partition(shape)
        slots = cells.size()
        means = SampleMean(slots, shape.objectives)
        # Drugan's radius with L A = 1 is UCB1's, and the Pareto front of one objective its maximum.
        radius = Drugan(1.0, self.scale)
        explorer = Ucb(radius)
        order = Pareto([0])
        policy = Composite(means, explorer, order)

        return self.in_cells(policy, cells)
