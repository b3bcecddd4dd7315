"""Pareto Contextual Zooming: balls of contexts and arms, smaller where more is known.

Symbols, of pcz2018, Algorithm 1: N_B the rewards that ball B has seen, u_B its sample uncertainty,
r(B) its radius, g_B its index, dom(B) its domain, A the constant of u_B.
"""

import math
from dataclasses import dataclass

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng, Traits
from mobandits.numerics.masks import uniform
from mobandits.policies.zooming.base_recipe import ZoomingRecipe
from mobandits.policies.zooming.zooming import owned_arms
from mobandits.support.checks import number


@compiled
class ParetoRule:
    """The rule of PCZ: play from the Pareto front of the indices; `strength` is 2 A."""

    objectives: int
    strength: float
    scale: float

    def half_width(self, seen: float) -> float:
        """The half-width u_B = scale sqrt(2 A / N_B), infinite at first."""
        if seen > 0.0:
            variance = self.strength / seen
            return self.scale * math.sqrt(variance)
        return math.inf

    def enough(self, seen: float, radius: float) -> bool:
        """Whether u_B <= r_B, before the reward of this round: line 11 comes before line 16."""
        half_width = self.half_width(seen)
        return half_width <= radius

    def learned_rewards(self, reward: Array) -> Array:
        """The rewards of all objectives."""
        return reward

    def front(self, bound: Array, balls: IntArray, among: Mask) -> Mask:
        """The Pareto front of the indices g_B, line 8; bounds may be infinite.

        It keeps an archive of the balls that nothing has dominated so far, so that a ball is only
        compared with those.
        """
        front = np.zeros(len(balls), np.bool_)
        archive = np.empty(len(balls), np.int64)
        size = 0
        for i in range(len(balls)):
            if not among[i]:
                continue

            new = balls[i]
            j = 0
            dominated = False
            while j < size and not dominated:
                kept = balls[archive[j]]
                kept_is_better = False
                kept_is_worse = False
                for l in range(len(bound)):
                    kept_is_better |= bound[l, kept] > bound[l, new]
                    kept_is_worse |= bound[l, kept] < bound[l, new]

                dominated = kept_is_better and not kept_is_worse
                if kept_is_worse and not kept_is_better:
                    # The last of the archive takes the place; it is looked at next, so j stays.
                    size -= 1
                    front[archive[j]] = False
                    archive[j] = archive[size]
                else:
                    j += 1

            if not dominated:
                front[i] = True
                archive[size] = i
                size += 1

        return front

    def played(self, front: Mask, rng: Rng) -> Mask:
        """The balls that are played: the whole front."""
        return front

    def probabilities(self, owners: Mask, front: Mask) -> Array:
        """The probability of each arm: uniform on the union of the front's domains, line 9."""
        arms = owned_arms(owners, front)
        return uniform(arms)


@dataclass(frozen=True)
class Pcz(ZoomingRecipe):
    """Zoom into the contexts and arms that may be Pareto optimal, by active balls.

    A ball B has a centre in the space of contexts and arms, a radius r_B, and the average mean_B of
    the N_B rewards it has seen; its domain is the part of it that no smaller ball covers. With
    u_B = scale sqrt(2 A / N_B), its index in objective i is::

        g_B^i = r_B + min over all balls C of (mean_C^i + u_C + r_C + D(C, B))
        A = 1 + 2 ln(2 sqrt(2) L T^1.5 / delta)

    In each round, of the balls whose domain has an arm at the context, take the Pareto front of g.
    Play a uniform arm in the union of their domains, and let a uniform one of them around it learn
    the reward. If its u_B <= r_B before that, the pair of context and arm becomes the centre of a
    new ball of radius r_B / 2.

    ============= ============================================================
    paper         here
    ============= ============================================================
    D             `similarity`
    T, d_r (L)    the problem's horizon and number of objectives
    delta         `delta`
    ============= ============================================================

    The arms are [0, 1] (exact), a larger cube (by random candidates), or finitely many (exact).
    Finitely many arms are distinguished by their context rows or by `positions`; which of them are
    eligible may depend on the context.

    Args:
        scale: multiplies u_B.
        positions: (arms, any) in [0, 1], where each arm is, after the numbers of its context row;
            needed where all arms share one context. None: the rows tell the arms apart.
        similarity: a `compiled` distance; None: the Euclidean one, divided by the square root of
            the dimensions.
        candidates: how many random arms of a continuum a round sees, where domains cannot be
            computed exactly: of more than one dimension, or with another similarity.
        check: refuse contexts outside [0, 1]^d.
        delta: failure probability, in (0, 1); None: 1 / T.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        pcz2018, Algorithm 1.

    Example:
        >>> from mobandits.contracts.continuum import SurfaceShape
        >>> shape = SurfaceShape(dimensions=1, features=1, objectives=2, rounds=100_000)
        >>> policy = Pcz().bind(shape)
        >>> next(seen for seen in range(1, 1000) if policy.rule.enough(seen, 1.0))
        125
    """

    references = ("pcz2018",)
    traits = Traits(
        context="zooming",
        beliefs="definite",
        plays="Pareto front of bounds of balls",
        log="exact, with zeros",
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
        """The rule, with delta and A resolved."""
        constant = ball_confidence_constant(objectives, rounds, self.delta)
        # The factor 2 of u_B = sqrt(2 A / N_B) is part of the strength.
        strength = 2.0 * constant
        return ParetoRule(objectives, strength, self.scale)


def ball_confidence_constant(objectives: int, rounds: int, delta: float | None) -> float:
    """The constant A = 1 + 2 ln(2 sqrt(2) L T^1.5 / delta), with delta = 1 / T for None.

    Reference:
        pcz2018, section 4; appendix D for delta.

    Example:
        >>> round(ball_confidence_constant(2, 100_000, None), 2)
        62.03
    """
    # delta = 1 / T turns T^1.5 into T^2.5. Logarithms are added: T^2.5 is large.
    power = 1.5 if delta is not None else 2.5
    failure = delta or 1.0
    log_estimates = math.log(2.0 * math.sqrt(2.0) * objectives / failure)
    log_horizon = power * math.log(rounds)
    log_union = log_estimates + log_horizon

    return 1.0 + 2.0 * log_union
