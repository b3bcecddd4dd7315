"""MTLO: a lexicographic filter in stages, with an explicit trade-off between objectives.

Symbols, of xue2025, Algorithms 2 and 3: s the stage, D_s its arms, w_a the half-width of arm a's
interval, W the width of a filter, lambda the trade-off, LOAF(D, W) the filter of Algorithm 2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.assumptions import UNIT_BALL
from mobandits.contracts.protocols import Array, Beliefs, Mask, Recipe, Shape, Traits
from mobandits.estimators import ridge_for
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Xue
from mobandits.numerics.masks import count, everyone
from mobandits.orders.intervals import half_width
from mobandits.orders.lexicographic import ScoresByPriority
from mobandits.policies.composite import Composite
from mobandits.policies.linear.linear_radius import estimate_count
from mobandits.support.checks import number


@kernel
def near_best(high: Array, among: Mask, tradeoff: float, width: float) -> Mask:
    """(arms,) the arms of LOAF(among, width): those near the best bound in every objective.

    In objective i = 1, 2, ... that is at most (2 + 4 lambda + ... + 4 lambda^(i-1)) width below it.
    """
    kept = among.copy()
    arms, objectives = high.shape
    factor = 2.0
    power = 1.0
    for i in range(objectives):
        # The best of the arms that are left: what an earlier objective dropped does not count.
        best = -math.inf
        for a in range(arms):
            if kept[a]:
                best = max(best, high[a, i])

        floor = best - factor * width
        for a in range(arms):
            is_near = high[a, i] >= floor
            kept[a] = kept[a] and is_near

        power *= tradeoff
        factor += 4.0 * power

    return kept


@compiled
class StagedFilter(ScoresByPriority):
    """The arms with wide intervals in the first stage that has some, else the finest filter's arms.

    The trade-off steers play only: regret is that of the lexicographic order.

    Filters have width 1/2, 1/4, 1/8, ... until an arm that is left has a wider interval; such an
    arm is played. Where all arms that are left have intervals of at most `floor`, filter once with
    that width and play what is left.

    Args:
        tradeoff: lambda.
        floor: 1 / sqrt(T).
    """

    tradeoff: float
    floor: float

    def in_words(self, objectives: Sequence[str]) -> str:
        """The order in words: the objectives by priority."""
        priorities = ", then ".join(objectives)
        return f"lexicographic filter in stages: {priorities}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms with wide intervals in a stage, or the survivors of the last one."""
        low = beliefs.low
        high = beliefs.high
        arms, objectives = high.shape
        stage_arms = everyone(arms)
        width = 0.5
        # Ends: the width halves in every stage, and half-widths are either wider than it or, from
        # some stage on, at most `floor`.
        while True:
            wide = np.zeros(arms, np.bool_)
            widest = 0.0
            for a in range(arms):
                for i in range(objectives):
                    half = half_width(low[a, i], high[a, i]) if stage_arms[a] else 0.0
                    widest = max(widest, half)
                    wide[a] |= half > width

            # The order of the two tests is that of Algorithm 3: with all intervals as short as
            # the horizon resolves, no stage is needed any more.
            if widest <= self.floor:
                return near_best(high, stage_arms, self.tradeoff, self.floor)
            if count(wide) > 0:
                return wide

            stage_arms = near_best(high, stage_arms, self.tradeoff, width)
            width *= 0.5


@dataclass(frozen=True)
class Mtlo(Recipe):
    """Filter the arms in stages that get finer; play what a stage does not know well enough yet.

    With w_a = scale gamma_t ||x_a||_{V^-1} as in STLO: stage s = 1, 2, ... has the arms D_s, D_1
    all of them. If all their w are at most 1/sqrt(T), play uniformly from LOAF(D_s, 1/sqrt(T)); if
    some w exceeds 2^-s, play such an arm; else D_{s+1} = LOAF(D_s, 2^-s). LOAF(D, W) keeps, for
    objective i = 1, 2, ..., the arms with an upper bound of at least the best minus
    (2 + 4 lambda + ... + 4 lambda^(i-1)) W: no arm is lost in objective i that loses at most lambda
    times as much in an earlier one as it gains.

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

    references = ("xue2025",)
    traits = Traits(
        context="linear",
        beliefs="definite",
        plays="wide intervals, then a lexicographic filter with a trade-off",
        log="1 in most rounds",
        horizon="yes",
    )
    assumed = (UNIT_BALL,)

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
            value = getattr(self, name)
            number(f"Mtlo.{name}", value, above=0.0)

        number("Mtlo.delta", self.delta, above=0.0, below=1.0)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with its finest width resolved."""
        if shape.rounds is None:
            raise ValueError("Mtlo must know the number of rounds; Doubling(Mtlo()) need not")

        radius = Xue(
            features=shape.features,
            models=estimate_count(shape),
            delta=self.delta,
            noise=self.noise,
            bound=self.bound,
            scale=self.scale,
        )
        finest_width = shape.rounds**-0.5
        order = StagedFilter(self.tradeoff, finest_width)
        estimator = ridge_for(shape, self.penalty)

        return Composite(estimator, Ucb(radius), order)
