"""Variants of problems and policies for the experiments on pcz2018.

Copies of an objective, another first ball, and arms that have nothing in common.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compiled
from mobandits.contracts.continuum import Aim, Surface, SurfaceBlock, SurfaceShape
from mobandits.contracts.protocols import Array, Assumption, Recipe, Rng
from mobandits.policies.zooming.active_balls import Balls, move_first
from mobandits.policies.zooming.zooming import BallNote
from mobandits.support.checks import integer


@compiled
class CopiedRidgeSurface(Surface):
    """The first ridge of `TwoRidges`, in every objective alike, noise included."""

    objectives: int

    def mean(self, x: Array, y: Array) -> Array:
        """(objectives,) the same mean."""
        # The ridge 8 x + 10 y = 8, from which the mean falls by 5 per unit of the arm.
        distance = abs(y[0] - 0.8 + 0.8 * x[0])
        height = 1.0 - 5.0 * distance
        mean = max(0.0, height)
        return np.full(self.objectives, mean)

    def reward(self, x: Array, y: Array, uniforms: Array) -> Array:
        """(objectives,) one coin for all."""
        out = self.mean(x, y)
        # The first number for every objective: section 6 asks for equal noise as well.
        coin = uniforms[0]
        for l in range(len(out)):
            out[l] = 1.0 if coin < out[l] else 0.0

        return out

    def gap(self, x: Array, y: Array) -> float:
        """The Pareto gap: the distance to the height of the ridge, which is 1."""
        mean = self.mean(x, y)
        missing: float = 1.0 - mean[0]
        return missing

    def effective_gap(self, x: Array, y: Array) -> float:
        """The Pareto gap: with one objective, mixtures gain nothing."""
        return self.gap(x, y)


@dataclass(frozen=True)
class CopiedRidge:
    """The first objective of `TwoRidges`, several times: the Pareto front is the best arm.

    Args:
        objectives: how many copies.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        pcz2018, section 6: equal means and equal noise in all objectives.
    """

    objectives: int = 2

    def __post_init__(self) -> None:
        """Check the parameter."""
        integer("CopiedRidge.objectives", self.objectives, at_least=1)

    def problem(self, rounds: int, rng: Rng) -> "SurfaceProblem":
        """The surface; nothing is drawn."""
        shape = SurfaceShape(dimensions=1, features=1, objectives=self.objectives, rounds=rounds)
        surface = CopiedRidgeSurface(self.objectives)
        # One number per round for the coins of all copies, so that any number of copies sees the
        # same contexts and coins.
        return SurfaceProblem(shape, surface, 1)


class SurfaceProblem(NamedTuple):
    """One trial on a surface, with so many uniform numbers per round beside the context."""

    shape: SurfaceShape
    surface: Surface
    uniforms: int

    def block(self, first: int, rounds: int, rng: Rng) -> SurfaceBlock:
        """Contexts, and the uniform numbers of rewards."""
        numbers = rng.random((rounds, 1 + self.uniforms))
        contexts = numbers[:, :1]
        uniforms = numbers[:, 1:]
        return SurfaceBlock(contexts, uniforms)


@compiled
class PinnedZooming:
    """A zooming policy on a continuum whose first ball keeps a centre of its own."""

    inner: Any
    centre: Floats

    def init(self) -> Balls:
        """The first ball, at its centre."""
        state: Balls = self.inner.init()
        move_first(state, self.centre)
        return state

    def beliefs(self, state: Balls, x: Array, rng: Rng) -> Any:
        """The beliefs of the policy."""
        return self.inner.beliefs(state, x, rng)

    def draw(self, beliefs: Any, rng: Rng) -> Aim:
        """The choice of the policy."""
        aim: Aim = self.inner.draw(beliefs, rng)
        return aim

    def update(
        self, state: Balls, x: Array, point: Array, note: BallNote, reward: Array, rng: Rng
    ) -> Balls:
        """The state of the policy after the round, with the first ball where it was."""
        after: Balls = self.inner.update(state, x, point, note, reward, rng)
        # The policy moves its first ball to the first pair that is played. Later balls keep their
        # distances to it, so that it must not move once there are any.
        if len(after.radius) == 1:
            move_first(after, self.centre)

        return after


@dataclass(frozen=True)
class Pinned(Recipe):
    """A zooming recipe whose first ball has a given centre, not the first pair that is played.

    Args:
        recipe: `Pcz` or `ContextualZooming`.
        centre: (context, arm).
    """

    recipe: Recipe
    centre: tuple[float, ...]

    accepts_partial = False
    continuum = True

    def bind(self, shape: Any) -> Any:
        """The recipe's policy, pinned."""
        policy = self.recipe.bind(shape)
        return PinnedZooming(policy, self.centre)

    def assumptions(self) -> tuple[Assumption, ...]:
        """The assumptions of the recipe."""
        return self.recipe.assumptions()


@compiled
class UnlikeArms:
    """The distance of pairs where arms have nothing in common.

    Pairs of one arm are as far apart as their contexts, divided by the square root of their
    dimensions; pairs of different arms are 1 apart. The arm is the last coordinate.

    Example:
        >>> points = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]).T
        >>> points = np.concatenate([points[:1], points])
        >>> out = np.empty(4)
        >>> UnlikeArms().distances(points, np.zeros((3, 1)), 0, out)
        >>> out.round(3)
        array([0., 1., 0., 1.])
    """

    def distances(self, points: Array, centres: Array, b: int, out: Array) -> None:
        """Fill out[j] with the distance of points[:, j] from centres[:, b]."""
        last = len(points) - 1
        arm = centres[last, b]
        for j in range(len(out)):
            square = 0.0
            for i in range(last):
                difference = points[i, j] - centres[i, b]
                square += difference * difference

            if points[last, j] == arm:
                out[j] = math.sqrt(square / last)
            else:
                # The largest distance there is: no mean of one arm says anything about another.
                out[j] = 1.0
