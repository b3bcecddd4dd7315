"""Contextual Zooming: one objective, the relevant ball with the largest index."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.continuum import SurfaceShape
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng, Shape, Traits
from mobandits.numerics.masks import count, pick
from mobandits.policies.zooming.base_recipe import ZoomingRecipe
from mobandits.policies.zooming.pcz import doubt
from mobandits.support.checks import choice, integer
from mobandits.support.naming import quoted


@compiled
class LeaderRule:
    """The rule of Contextual Zooming: width scale sqrt(strength / (prior + N_B))."""

    objective: int
    strength: float
    prior: float
    scale: float
    objectives: int = 1

    def doubt(self, seen: float) -> float:
        """conf_B; infinite at first where the prior is 0."""
        weight = self.prior + seen
        if weight > 0.0:
            return self.scale * math.sqrt(self.strength / weight)
        return math.inf

    def enough(self, seen: float, radius: float) -> bool:
        """conf_B <= r_B, after the reward of this round."""
        return self.doubt(seen + 1.0) <= radius

    def lesson(self, reward: Array) -> Array:
        """One objective."""
        return reward[self.objective : self.objective + 1]

    def front(self, bound: Array, balls: IntArray, among: Mask) -> Mask:
        """The balls with the largest index."""
        top = -math.inf
        out = np.zeros(len(balls), np.bool_)
        for i in range(len(balls)):
            top = max(top, bound[0, balls[i]] if among[i] else -math.inf)
        for i in range(len(balls)):
            out[i] = among[i] and bound[0, balls[i]] == top
        return out

    def played(self, front: Mask, rng: Rng) -> Mask:
        """One of them."""
        out = np.zeros(len(front), np.bool_)
        out[pick(front, rng)] = True
        return out

    def law(self, owners: Mask, front: Mask) -> Array:
        """Uniform on the domain of each of them, on average."""
        out = np.zeros(owners.shape[1])
        for b in range(len(front)):
            if front[b]:
                size = count(front) * count(owners[b])
                for a in range(len(out)):
                    out[a] += 1.0 / size if owners[b, a] else 0.0
        return out


@dataclass(frozen=True)
class ContextualZooming(ZoomingRecipe):
    """Zoom into the contexts and arms that are good in one objective.

    Balls, domains and indices are those of `Pcz`, with rewards of one objective and the width
    conf_B = scale 4 sqrt(ln T / (1 + N_B)) in place of u_B. In each round play a uniform arm in the domain of the
    relevant ball with the largest index. It learns the reward; if then conf_B <= r_B, the pair of context and arm
    becomes the centre of a new ball of radius r_B / 2.

    Args:
        scale: multiplies conf_B.
        positions: (arms, any) in [0, 1], where each arm is, after the numbers of its context row; needed where all arms
            share one context. None: the rows say it all.
        similarity: a `compiled` distance; None: the Euclidean one, divided by the square root of the dimensions.
        candidates: how many random arms of a continuum a round sees, where domains cannot be computed exactly: of more
            than one dimension, or with another similarity.
        check: refuse contexts outside [0, 1]^d.
        objective: the one that it learns from.
        width: "slivkins", as above, or "pcz", u_B of `Pcz` for one objective; pcz2018 does not say which it used.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        slivkins2014 (A. Slivkins, Contextual bandits with similarity information, JMLR 15), Algorithm 1; the baseline
        of pcz2018, appendix D. The source calls the arm arbitrary; it is uniform here.

    Example:
        >>> shape = Shape(arms=3, features=1, objectives=2, rounds=100_000, shared=True)
        >>> policy = ContextualZooming(positions=[[0.0], [0.5], [1.0]]).bind(shape)
        >>> round(policy.rule.doubt(0.0), 3), policy.positions.tolist()
        (13.572, [[0.0], [0.5], [1.0]])
    """

    traits: ClassVar[Traits] = Traits(
        context="zooming",
        beliefs="definite",
        plays="largest bound in one objective",
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
        """As other zooming recipes do, if there is such an objective."""
        if self.objective >= shape.objectives:
            raise ValueError(
                f"ContextualZooming.objective must be below the number of objectives, {shape.objectives}, "
                f"got {quoted(self.objective)}"
            )
        return super().bind(shape)

    def rule(self, objectives: int, rounds: int) -> LeaderRule:
        """Resolve the width."""
        if self.width == "pcz":
            return LeaderRule(self.objective, 2.0 * doubt(1, rounds, None), 0.0, self.scale)
        return LeaderRule(self.objective, 16.0 * math.log(rounds), 1.0, self.scale)
