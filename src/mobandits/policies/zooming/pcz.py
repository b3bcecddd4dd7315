"""Pareto Contextual Zooming: balls of contexts and arms, smaller where more is known."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng, Traits
from mobandits.numerics.masks import uniform
from mobandits.policies.zooming.base_recipe import ZoomingRecipe
from mobandits.policies.zooming.zooming import owned_by
from mobandits.support.checks import number


@compiled
class ParetoRule:
    """The rule of PCZ; `strength` is 2 A."""

    objectives: int
    strength: float
    scale: float

    def doubt(self, seen: float) -> float:
        """u_B = scale sqrt(2 A / N_B), infinite at first."""
        if seen > 0.0:
            return self.scale * math.sqrt(self.strength / seen)
        return math.inf

    def enough(self, seen: float, radius: float) -> bool:
        """u_B <= r_B, before the reward of this round."""
        return self.doubt(seen) <= radius

    def lesson(self, reward: Array) -> Array:
        """All objectives."""
        return reward

    def front(self, bound: Array, balls: IntArray, among: Mask) -> Mask:
        """The Pareto front of the indices g_B; an archive of the balls that nothing has dominated so far."""
        front = np.zeros(len(balls), np.bool_)
        kept = np.empty(len(balls), np.int64)
        size = 0
        for i in range(len(balls)):
            if among[i]:
                j = 0
                beaten = False
                while j < size and not beaten:
                    # has the kept ball more than ball i somewhere, or less?
                    more = False
                    less = False
                    for l in range(len(bound)):
                        more |= bound[l, balls[kept[j]]] > bound[l, balls[i]]
                        less |= bound[l, balls[kept[j]]] < bound[l, balls[i]]
                    beaten = more and not less
                    if less and not more:
                        size -= 1
                        front[kept[j]] = False
                        kept[j] = kept[size]
                    else:
                        j += 1
                if not beaten:
                    front[i] = True
                    kept[size] = i
                    size += 1
        return front

    def played(self, front: Mask, rng: Rng) -> Mask:
        """The whole front."""
        return front

    def law(self, owners: Mask, front: Mask) -> Array:
        """Uniform on the union of the domains of the front."""
        return uniform(owned_by(owners, front))


@dataclass(frozen=True)
class Pcz(ZoomingRecipe):
    """Zoom into the contexts and arms that may be Pareto optimal, by active balls.

    A ball B has a centre in the space of contexts and arms, a radius r_B, and the average mean_B of the N_B rewards it
    has seen; its domain is what it covers and no smaller ball does. With u_B = scale sqrt(2 A / N_B), its index in
    objective i is::

        g_B^i = r_B + min over all balls C of (mean_C^i + u_C + r_C + D(C, B))
        A = 1 + 2 ln(2 sqrt(2) L T^1.5 / delta)

    In each round, of the balls whose domain has an arm at the context, take the Pareto front of g. Play a uniform arm
    in the union of their domains, and let a uniform one of them around it learn the reward. If its u_B <= r_B before
    that, the pair of context and arm becomes the centre of a new ball of radius r_B / 2.

    ============= ============================================================
    paper         here
    ============= ============================================================
    D             `similarity`
    T, d_r (L)    the problem's horizon and number of objectives
    delta         `delta`
    ============= ============================================================

    The arms are [0, 1] (exact), a larger cube (by random candidates), or finitely many (exact). Finitely many arms are
    told apart by their context rows or by `positions`; which of them are eligible may depend on the context.

    Args:
        scale: multiplies u_B.
        positions: (arms, any) in [0, 1], where each arm is, after the numbers of its context row; needed where all arms
            share one context. None: the rows say it all.
        similarity: a `compiled` distance; None: the Euclidean one, divided by the square root of the dimensions.
        candidates: how many random arms of a continuum a round sees, where domains cannot be computed exactly: of more
            than one dimension, or with another similarity.
        check: refuse contexts outside [0, 1]^d.
        delta: failure probability, in (0, 1); None: 1 / T.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        pcz2018, Algorithm 1.

    Example:
        >>> from mobandits.contracts.continuum import SurfaceShape
        >>> policy = Pcz().bind(SurfaceShape(dimensions=1, features=1, objectives=2, rounds=100_000))
        >>> next(seen for seen in range(1, 1000) if policy.rule.enough(seen, 1.0))
        125
    """

    traits: ClassVar[Traits] = Traits(
        context="zooming",
        beliefs="definite",
        plays="Pareto front of bounds of balls",
        horizon="yes",
        part="no",
    )

    delta: float | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.delta is not None:
            number("Pcz.delta", self.delta, above=0.0, below=1.0)

    def rule(self, objectives: int, rounds: int) -> ParetoRule:
        """Resolve delta and A."""
        return ParetoRule(objectives, 2.0 * doubt(objectives, rounds, self.delta), self.scale)


def doubt(objectives: int, rounds: int, delta: float | None) -> float:
    """A = 1 + 2 ln(2 sqrt(2) L T^1.5 / delta), with delta = 1 / T for None.

    Reference:
        pcz2018, section 4; appendix D for delta.

    Example:
        >>> round(doubt(2, 100_000, None), 2)
        62.03
    """
    power = 1.5 if delta is not None else 2.5
    return 1.0 + 2.0 * (
        math.log(2.0 * math.sqrt(2.0) * objectives / (delta or 1.0)) + power * math.log(rounds)
    )
