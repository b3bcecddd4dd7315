"""Contextual Zooming: one objective, and the relevant ball with the largest index.

Symbols, of slivkins2014, Algorithm 1: N_B the rewards that ball B has seen, conf_B its confidence
radius, r_B its radius.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.continuum import SurfaceShape
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng, Shape, Traits
from mobandits.numerics.masks import count, pick
from mobandits.policies.zooming.base_recipe import ZoomingRecipe
from mobandits.policies.zooming.pcz import ball_confidence_constant
from mobandits.support.checks import choice, integer
from mobandits.support.naming import wrong_value


@compiled
class LeaderRule:
    """The rule of Contextual Zooming, with conf_B = scale sqrt(strength / (prior + N_B))."""

    objective: int
    strength: float
    prior: float
    scale: float
    objectives: int = 1

    def half_width(self, seen: float) -> float:
        """The half-width conf_B; infinite at first where the prior is 0."""
        weight = self.prior + seen
        # Without a prior, as in PCZ, a ball that has seen nothing may be anything.
        if weight > 0.0:
            variance = self.strength / weight
            return self.scale * math.sqrt(variance)

        return math.inf

    def enough(self, seen: float, radius: float) -> bool:
        """Whether conf_B <= r_B after the reward of this round, unlike PCZ, which tests before."""
        half_width = self.half_width(seen + 1.0)
        return half_width <= radius

    def learned_rewards(self, reward: Array) -> Array:
        """The reward of one objective, (1,)."""
        first = self.objective
        # A slice and not a number: balls keep a row per objective that they learn from.
        return reward[first : first + 1]

    def front(self, bound: Array, balls: IntArray, among: Mask) -> Mask:
        """(some,) the balls with the largest index; exact ties all lead."""
        size = len(balls)
        largest = -math.inf
        front = np.zeros(size, np.bool_)
        # There is one objective: the first row holds all indices.
        for i in range(size):
            if among[i]:
                index = bound[0, balls[i]]
                largest = max(largest, index)

        for i in range(size):
            index = bound[0, balls[i]]
            front[i] = among[i] and index == largest

        return front

    def played(self, front: Mask, rng: Rng) -> Mask:
        """The ball that is played: a uniform one of the front."""
        balls = len(front)
        played = np.zeros(balls, np.bool_)
        # One ball only, unlike PCZ: the arm comes from a single domain.
        ball = pick(front, rng)
        played[ball] = True

        return played

    def probabilities(self, owners: Mask, front: Mask) -> Array:
        """The probability of each arm: uniform on a ball's domain, averaged over the front."""
        balls, arms = owners.shape
        probabilities = np.zeros(arms)
        for b in range(balls):
            if front[b]:
                # A ball of the front owns an arm at least: it would not be relevant otherwise.
                owned = count(owners[b])
                size = count(front) * owned
                for a in range(arms):
                    if owners[b, a]:
                        probabilities[a] += 1.0 / size

        return probabilities


@dataclass(frozen=True)
class ContextualZooming(ZoomingRecipe):
    """Zoom into the contexts and arms that are good in one objective.

    Balls, domains and indices are those of `Pcz`, with rewards of one objective and the width
    conf_B = scale 4 sqrt(ln T / (1 + N_B)) in place of u_B. In each round play a uniform arm in the
    domain of the relevant ball with the largest index. It learns the reward; if then conf_B <= r_B,
    the pair of context and arm becomes the centre of a new ball of radius r_B / 2.

    Args:
        scale: multiplies conf_B.
        positions: (arms, any) in [0, 1], where each arm is, after the numbers of its context row;
            needed where all arms share one context. None: the rows tell the arms apart.
        similarity: a `compiled` distance; None: the Euclidean one, divided by the square root of
            the dimensions.
        candidates: how many random arms of a continuum a round sees, where domains cannot be
            computed exactly: of more than one dimension, or with another similarity.
        check: refuse contexts outside [0, 1]^d.
        objective: the one that it learns from.
        width: "slivkins", as above, or "pcz", u_B of `Pcz` for one objective; pcz2018 does not
            state which one its experiments used.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        slivkins2014 (A. Slivkins, Contextual bandits with similarity information, JMLR 15),
        Algorithm 1; the baseline of pcz2018, appendix D. The source calls the arm arbitrary; it is
        uniform here.

    Example:
        >>> shape = Shape(arms=3, features=1, objectives=2, rounds=100_000, shared=True)
        >>> policy = ContextualZooming(positions=[[0.0], [0.5], [1.0]]).bind(shape)
        >>> round(policy.rule.half_width(0.0), 3), policy.positions.tolist()
        (13.572, [[0.0], [0.5], [1.0]])
    """

    references = ("slivkins2014", "pcz2018")
    traits = Traits(
        context="zooming",
        beliefs="definite",
        plays="largest bound in one objective",
        log="exact, with zeros",
        horizon="yes",
        part="no",
    )

    objective: int = 0
    width: Literal["slivkins", "pcz"] = "slivkins"

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        integer("ContextualZooming.objective", self.objective, at_least=0)
        choice("ContextualZooming.width", self.width, ("slivkins", "pcz"))

    def bind(self, shape: Shape | SurfaceShape) -> Any:
        """The policy, if there is such an objective."""
        if self.objective >= shape.objectives:
            raise wrong_value(
                "ContextualZooming.objective must be below the number of objectives, "
                f"{shape.objectives}",
                self.objective,
            )

        return super().bind(shape)

    def rule(self, objectives: int, rounds: int) -> LeaderRule:
        """The rule, with its width resolved."""
        if self.width == "pcz":
            # u_B of one objective, which is infinite before the first reward: no prior.
            strength = 2.0 * ball_confidence_constant(1, rounds, None)
            prior = 0.0
        else:
            # conf_B = 4 sqrt(ln T / (1 + N_B)), with the 4 under the root.
            strength = 16.0 * math.log(rounds)
            prior = 1.0

        return LeaderRule(self.objective, strength, prior, self.scale)
