"""CS-UCB1: Scalarized-UCB1 in every cell of the context space.

Symbols: f a weight vector, w_f its weights, n_f and N_f[a] its plays in the cell of the context, of
all arms and of arm a; m the cells per side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mobandits.contracts.assumptions import UNIT_CUBE, UNIT_REWARDS
from mobandits.contracts.protocols import Shape, Traits
from mobandits.policies.cells.partition import PartitionRecipe
from mobandits.policies.context_free.scalarized_ucb1 import (
    ScalarizedUcb1Policy,
    checked_weights,
    resolved_weights,
)


@dataclass(frozen=True)
class CsUcb1(PartitionRecipe):
    """Draw a weight vector uniformly, then run its UCB1 on the scalarised rewards of the cell.

    Of weight vector f it plays the largest w_f . mean_f[a] + scale sqrt(2 ln n_f / N_f[a]), where
    n_f and N_f[a] count the plays of function f in the cell of the context.

    Args:
        scale: multiplies the width.
        per_side: m, cells per side of the unit cube; None: ceil(T^(1 / (3 alpha + d))), as MOC-MAB.
        alpha: Hoelder exponent, for that m only.
        aim: "dominant", or "pareto" for m = ceil(T^(1 / (2 alpha + d))).
        boundary: "floor" puts a context between two cells into the upper one, "random" into either
            by a coin.
        period: T_s, of rewards that change with a known period: time becomes a feature.
        check: refuse contexts outside [0, 1]^d, and warn where rewards leave [0, 1].
        weights: (functions, objectives) non-negative; None: every unit vector, and the equal
            weights.
        shared: let every function learn from all rewards; by default only the one that chose does.

    Reference:
        mocmab2018, section VII; Scalarized-UCB1 is drugan2013, Algorithm 2.

    Example:
        >>> shape = Shape(arms=4, features=2, objectives=2, rounds=100_000, shared=True)
        >>> CsUcb1().bind(shape).policy.weights.tolist()
        [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    """

    references = ("mocmab2018", "drugan2013")
    traits = Traits(
        context="cells",
        beliefs="drawn",
        plays="best for drawn weights",
        log="sampled",
        horizon="or `per_side`",
    )
    assumed = (UNIT_CUBE, UNIT_REWARDS)

    weights: Sequence[Sequence[float]] | None = None
    shared: bool = False

    def __post_init__(self) -> None:
        """Check the parameters and make the weights a tuple, so that recipes compare by value."""
        super().__post_init__()
        weights = checked_weights("CsUcb1.weights", self.weights)
        object.__setattr__(self, "weights", weights)

    def bind(self, shape: Shape) -> Any:
        """The policy, with m resolved and the weights checked against the objectives."""
        cells = self.partition(shape)
        weights = resolved_weights("CsUcb1.weights", self.weights, shape.objectives)
        # A slot of the partition is an arm to Scalarized-UCB1.
        policy = ScalarizedUcb1Policy(
            arms=cells.size(),
            weights=weights,
            scale=self.scale,
            chebyshev=False,
            shared=self.shared,
            margin=0.0,
        )

        return self.in_cells(policy, cells)
