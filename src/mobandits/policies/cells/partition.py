"""The base of mocmab2018's recipes: a partition of the context space, borders and periods.

Symbols: m the cells per side of the unit cube, d the features, T the horizon, alpha the Hoelder
exponent of the means in the context.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.contracts.assumptions import UNIT_CUBE
from mobandits.contracts.protocols import Assumption, Recipe, Shape
from mobandits.estimators import Cells
from mobandits.policies.cells.in_cells import InCells
from mobandits.policies.cells.random_borders import RandomBorders
from mobandits.policies.wrappers.periodic import Periodic
from mobandits.support.checks import choice, integer, number

# 1e5 ** (1 / 5) is 10.000000000000002 in floats, whose ceiling would be 11 cells instead of 10.
SLACK = 1e-9
MOST_FEATURES = 62  # whose coins fit into the integer of a note


@dataclass(frozen=True)
class PartitionRecipe(Recipe):
    """Base of the recipes that learn per cell of [0, 1]^d.

    Args:
        scale: multiplies the width.
        per_side: m; None: ceil(T^(1 / (3 alpha + d))).
        alpha: Hoelder exponent of the means in the context, in (0, 1].
        aim: "dominant" for that m, "pareto" for ceil(T^(1 / (2 alpha + d))), which is best for the
            Pareto regret.
        boundary: "floor" puts a context between two cells into the upper one, "random" into either
            by a coin.
        period: T_s, of rewards that change with a known period: time becomes a feature, so that d
            is one more.
        check: refuse contexts outside [0, 1]^d; without, they count to the nearest cell.
    """

    assumed: ClassVar[tuple[Assumption, ...]] = (UNIT_CUBE,)

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
        # Functions of a Hoelder exponent above 1 are constant.
        number(f"{name}.alpha", self.alpha, above=0.0, at_most=1.0)
        choice(f"{name}.aim", self.aim, ("dominant", "pareto"))
        choice(f"{name}.boundary", self.boundary, ("floor", "random"))
        for key in ("per_side", "period"):
            value = getattr(self, key)
            if value is not None:
                integer(f"{name}.{key}", value, at_least=1)

    def partition(self, shape: Shape) -> Cells:
        """The cells of the partition P, Algorithm 1, line 2.

        Raises:
            ValueError: where there is no context, or the horizon is needed and unknown.
        """
        name = type(self).__name__
        if shape.features < 1:
            raise ValueError(
                f"features must be at least 1 for {name}, which partitions their space, got 0"
            )

        # Time is one more feature, which is partitioned like the others.
        features = shape.features + (self.period is not None)
        if self.boundary == "random" and features > MOST_FEATURES:
            raise ValueError(
                f"{name}.boundary must be 'floor' for more than {MOST_FEATURES} features, "
                f"got {features}"
            )

        if self.per_side is None and shape.rounds is None:
            raise ValueError(
                f"{name}.per_side must be given where the number of rounds is unknown, got None"
            )

        rounds = shape.rounds or 1
        best = best_per_side(rounds, features, self.alpha, self.aim)

        return Cells(self.per_side or best, features, shape.arms)

    def in_cells(self, policy: Any, cells: Cells) -> Any:
        """`policy` in every cell, inside of the wrappers for borders and for the period."""
        wrapped: Any = InCells(policy, cells)
        if self.boundary == "random":
            wrapped = RandomBorders(wrapped, cells.per_side, cells.features)
        # Outermost, so that time is a coordinate when borders and cells are looked up.
        if self.period is not None:
            wrapped = Periodic(wrapped, self.period)

        return wrapped


def best_per_side(rounds: int, features: int, alpha: float, aim: str) -> int:
    """The m that mocmab2018 recommends: ceil(T^(1 / (3 alpha + d))).

    For the Pareto regret it has 2 in place of 3.

    Args:
        rounds: T.
        features: d.
        alpha: Hoelder exponent.
        aim: "dominant" or "pareto".

    Reference:
        mocmab2018, Theorems 2 and 3.

    Example:
        >>> [best_per_side(rounds, 2, 1.0, "dominant") for rounds in (100_000, 1_000_000)]
        [10, 16]
        >>> best_per_side(4_681_992, 4, 1.0, "dominant"), best_per_side(10_000, 2, 1.0, "pareto")
        (9, 10)
    """
    # Both balance the variation inside a cell against the few rewards that each cell sees.
    multiple = 3.0 if aim == "dominant" else 2.0
    exponent = multiple * alpha + features
    power = 1.0 / exponent
    cells = float(rounds**power)

    return max(1, math.ceil(cells - SLACK))
