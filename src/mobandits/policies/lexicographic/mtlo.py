"""MTLO: a lexicographic filter in stages, with an explicit trade-off between objectives."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.assumptions import UNIT_BALL, declared
from mobandits.contracts.protocols import Array, Assumption, Beliefs, Mask, Recipe, Shape, Traits
from mobandits.estimators import ridge_for
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Xue
from mobandits.numerics.masks import count, everyone
from mobandits.orders.intervals import half_width
from mobandits.orders.lexicographic import priority_gaps
from mobandits.orders.order import BaseOrder
from mobandits.policies.composite import Composite
from mobandits.support.checks import number


@kernel
def near_best(high: Array, among: Mask, tradeoff: float, width: float) -> Mask:
    """(arms,) LOAF: of `among`, in objective i keep those at most (2 + 4 l + ... + 4 l^(i-1)) width below the best."""
    kept = among.copy()
    slack = 2.0
    power = 1.0
    for i in range(high.shape[1]):
        top = -math.inf
        for a in range(len(kept)):
            if kept[a]:
                top = max(top, high[a, i])
        for a in range(len(kept)):
            kept[a] = kept[a] and high[a, i] >= top - slack * width
        power *= tradeoff
        slack += 4.0 * power
    return kept


@compiled
class StagedFilter(BaseOrder):
    """Filter with width 1/2, 1/4, 1/8, ... until an arm that is left has a wider interval; play such an arm.

    Where all arms that are left have intervals of at most `floor`, filter once with that width and play what is left.

    Args:
        tradeoff: lambda.
        floor: 1 / sqrt(T).
    """

    tradeoff: float
    floor: float

    def in_words(self, objectives: Sequence[str]) -> str:
        """The objectives by priority."""
        return f"lexicographic filter in stages: {', then '.join(objectives)}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms with wide intervals in the first stage that has some, or the survivors of the last."""
        n = len(beliefs.high)
        among = everyone(len(beliefs.high))
        width = 0.5
        while True:
            wide = np.zeros(n, np.bool_)
            widest = 0.0
            for a in range(n):
                for i in range(beliefs.high.shape[1]):
                    half = half_width(beliefs.low[a, i], beliefs.high[a, i]) if among[a] else 0.0
                    widest = max(widest, half)
                    wide[a] |= half > width
            if widest <= self.floor:
                return near_best(beliefs.high, among, self.tradeoff, self.floor)
            if count(wide) > 0:
                return wide
            among = near_best(beliefs.high, among, self.tradeoff, width)
            width *= 0.5

    def gap(self, means: Array, arm: int) -> Array:
        """(objectives,) the lexicographic gap."""
        gap: Array = priority_gaps(means, arm, arm + 1, 0.0)[0]
        return gap


@dataclass(frozen=True)
class Mtlo(Recipe):
    """Filter the arms in stages that get finer; play what a stage does not know well enough yet.

    With w_a = scale gamma_t ||x_a||_{V^-1} as in STLO: stage s = 1, 2, ... has the arms D_s, D_1 all of them. If all
    their w are at most 1/sqrt(T), play uniformly from LOAF(D_s, 1/sqrt(T)); if some w exceeds 2^-s, play such an arm;
    else D_{s+1} = LOAF(D_s, 2^-s). LOAF(D, W) keeps, for objective i = 1, 2, ..., the arms with an upper bound of at
    least the best minus (2 + 4 lambda + ... + 4 lambda^(i-1)) W: no arm is lost in objective i that loses at most
    lambda times as much in an earlier one as it gains.

    Args:
        tradeoff: lambda >= 0.
        scale: multiplies the half-width.
        delta: failure probability, in (0, 1).
        penalty: ridge penalty.
        noise: sub-Gaussian constant R of the rewards.
        bound: U, an upper bound of the norms of the parameters.
        check: warn where features have norms above 1.

    Reference:
        xue2025, Algorithms 2 and 3.

    Example:
        >>> Mtlo(tradeoff=2.0).bind(Shape(arms=8, features=4, objectives=2, rounds=10_000)).order
        StagedFilter(tradeoff=2.0, floor=0.01)
    """

    traits: ClassVar[Traits] = Traits(
        context="linear",
        beliefs="definite",
        plays="wide intervals, then a lexicographic filter with a trade-off",
        horizon="yes",
    )

    tradeoff: float = 1.0
    scale: float = 1.0
    delta: float = 0.05
    penalty: float = 1.0
    noise: float = 1.0
    bound: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        number("Mtlo.tradeoff", self.tradeoff, at_least=0.0)
        for name in ("scale", "penalty", "noise", "bound"):
            number(f"Mtlo.{name}", getattr(self, name), above=0.0)
        number("Mtlo.delta", self.delta, above=0.0, below=1.0)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Norms of at most 1."""
        return declared(self, UNIT_BALL)

    def bind(self, shape: Shape) -> Composite:
        """Resolve the finest width."""
        if shape.rounds is None:
            raise ValueError("Mtlo must know the number of rounds; Doubling(Mtlo()) need not")
        models = shape.objectives * (shape.arms if shape.shared else 1)
        radius = Xue(shape.features, models, self.delta, self.noise, self.bound, self.scale)
        order = StagedFilter(self.tradeoff, shape.rounds**-0.5)
        return Composite(ridge_for(shape, self.penalty), Ucb(radius), order)
