"""What the policies of mocmab2018 share: the partition of the context space, borders and periods."""

import math
from dataclasses import dataclass
from typing import Any

from mobandits.contracts.assumptions import UNIT_CUBE, assumed
from mobandits.contracts.protocols import Assumption, Recipe, Shape
from mobandits.estimators import Cells
from mobandits.policies.cells.in_cells import InCells
from mobandits.policies.cells.random_borders import RandomBorders
from mobandits.policies.wrappers.periodic import Periodic
from mobandits.support.checks import choice, integer, number

SLACK = 1e-9  # 1e5 ** (1 / 5) is 10.000000000000002
MOST_FEATURES = 62  # whose coins fit into the integer of a note


@dataclass(frozen=True)
class PartitionRecipe(Recipe):
    """Base of the recipes that learn per cell of [0, 1]^d.

    Args:
        scale: multiplies the width.
        per_side: m; None: ceil(T^(1 / (3 alpha + d))).
        alpha: Hoelder exponent of the means in the context, in (0, 1].
        aim: "dominant" for that m, "pareto" for ceil(T^(1 / (2 alpha + d))), which is best for the Pareto regret.
        boundary: "floor" puts a context between two cells into the upper one, "random" into either by a coin.
        period: T_s, of rewards that change with a known period: time becomes a feature, so that d is one more.
        check: refuse contexts outside [0, 1]^d; without, they count to the nearest cell.
    """

    scale: float = 1.0
    per_side: int | None = None
    alpha: float = 1.0
    aim: str = "dominant"
    boundary: str = "floor"
    period: int | None = None
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        name = type(self).__name__
        number(f"{name}.scale", self.scale, above=0.0)
        number(f"{name}.alpha", self.alpha, above=0.0, at_most=1.0)
        choice(f"{name}.aim", self.aim, ("dominant", "pareto"))
        choice(f"{name}.boundary", self.boundary, ("floor", "random"))
        for key in ("per_side", "period"):
            if getattr(self, key) is not None:
                integer(f"{name}.{key}", getattr(self, key), at_least=1)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Contexts in [0, 1]^d."""
        return assumed(self, UNIT_CUBE)

    def partition(self, shape: Shape) -> Cells:
        """The cells.

        Raises:
            ValueError: where there is no context, or the horizon is needed and unknown.
        """
        name = type(self).__name__
        if shape.features < 1:
            raise ValueError(
                f"features must be at least 1 for {name}, which partitions their space, got 0"
            )
        features = shape.features + (self.period is not None)
        if self.boundary == "random" and features > MOST_FEATURES:
            raise ValueError(
                f"{name}.boundary must be 'floor' for more than {MOST_FEATURES} features, got {features}"
            )
        if self.per_side is None and shape.rounds is None:
            raise ValueError(
                f"{name}.per_side must be given where the number of rounds is unknown, got None"
            )
        per_side = self.per_side or best_per_side(shape.rounds or 1, features, self.alpha, self.aim)
        return Cells(per_side, features, shape.arms)

    def in_cells(self, policy: Any, cells: Cells) -> Any:
        """`policy` in every cell, with the borders and the period that were asked for."""
        out: Any = InCells(policy, cells)
        if self.boundary == "random":
            out = RandomBorders(out, cells.per_side, cells.features)
        return out if self.period is None else Periodic(out, self.period)


def best_per_side(rounds: int, features: int, alpha: float, aim: str) -> int:
    """The m that mocmab2018 recommends: ceil(T^(1 / (3 alpha + d))), or with 2 in place of 3 for the Pareto regret.

    Args:
        rounds: T.
        features: d.
        alpha: Hoelder exponent.
        aim: "dominant" or "pareto".

    Reference:
        mocmab2018, Theorems 2 and 3.

    Example:
        >>> best_per_side(100_000, 2, 1.0, "dominant"), best_per_side(1_000_000, 2, 1.0, "dominant")
        (10, 16)
        >>> best_per_side(4_681_992, 4, 1.0, "dominant"), best_per_side(10_000, 2, 1.0, "pareto")
        (9, 10)
    """
    power = 1.0 / ((3.0 if aim == "dominant" else 2.0) * alpha + features)
    return max(1, math.ceil(float(rounds**power) - SLACK))
