"""What the experiments on pcz2018 need beside the library: copies of an objective, another first ball, unlike arms."""

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
        return np.full(self.objectives, max(0.0, 1.0 - 5.0 * abs(y[0] - 0.8 + 0.8 * x[0])))

    def reward(self, x: Array, y: Array, uniforms: Array) -> Array:
        """(objectives,) one coin for all."""
        out = self.mean(x, y)
        for l in range(len(out)):
            out[l] = 1.0 if uniforms[0] < out[l] else 0.0
        return out

    def gap(self, x: Array, y: Array) -> float:
        """What is missing to the top of the ridge, which is 1."""
        missing: float = 1.0 - self.mean(x, y)[0]
        return missing

    def effective_gap(self, x: Array, y: Array) -> float:
        """The same: with one objective, mixtures gain nothing."""
        return self.gap(x, y)


@dataclass(frozen=True)
class CopiedRidge:
    """The first objective of `TwoRidges`, as many times as asked for: the Pareto front is the best arm.

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

    def problem(self, rounds: int, rng: Rng) -> "CopiedRidgeProblem":
        """The surface; nothing is drawn."""
        shape = SurfaceShape(dimensions=1, features=1, objectives=self.objectives, rounds=rounds)
        return CopiedRidgeProblem(shape, CopiedRidgeSurface(self.objectives))


class CopiedRidgeProblem(NamedTuple):
    """One trial of `CopiedRidge`."""

    shape: SurfaceShape
    surface: CopiedRidgeSurface

    def block(self, first: int, rounds: int, rng: Rng) -> SurfaceBlock:
        """Contexts, and what coins are made from; the same numbers for any number of copies."""
        numbers = rng.random((rounds, 2))
        return SurfaceBlock(numbers[:, :1], numbers[:, 1:])


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
        """Those of the policy."""
        return self.inner.beliefs(state, x, rng)

    def draw(self, beliefs: Any, rng: Rng) -> Aim:
        """The policy's."""
        aim: Aim = self.inner.draw(beliefs, rng)
        return aim

    def update(
        self, state: Balls, x: Array, point: Array, note: BallNote, reward: Array, rng: Rng
    ) -> Balls:
        """The policy's; where it moves its first ball to the first pair, the ball is put back."""
        after: Balls = self.inner.update(state, x, point, note, reward, rng)
        if len(after.radius) == 1:
            move_first(after, self.centre)
        return after


@dataclass(frozen=True)
class Pinned(Recipe):
    """A zooming recipe whose first ball has a centre that is given, in place of the first pair that is played.

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
        return PinnedZooming(self.recipe.bind(shape), self.centre)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()


@compiled
class UnlikeArms:
    """Pairs of one arm are as far apart as their contexts, divided by the square root of their dimensions; others by 1.

    The arm is the last coordinate.

    Example:
        >>> points, out = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]).T, np.empty(4)
        >>> UnlikeArms().distances(np.concatenate([points[:1], points]), np.zeros((3, 1)), 0, out)
        >>> out.round(3)
        array([0., 1., 0., 1.])
    """

    def distances(self, points: Array, centres: Array, b: int, out: Array) -> None:
        """out[j] = the distance of points[:, j] from centres[:, b]."""
        last = len(points) - 1
        for j in range(len(out)):
            square = 0.0
            for i in range(last):
                square += (points[i, j] - centres[i, b]) * (points[i, j] - centres[i, b])
            out[j] = math.sqrt(square / last) if points[last, j] == centres[last, b] else 1.0
