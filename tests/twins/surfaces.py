"""Small surfaces, a distance and environments for tests; in a module, because classes of scripts are not cached."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.continuum import Surface, SurfaceBlock, SurfaceShape
from mobandits.policies.zooming.similarity import ScaledEuclidean


@compiled
class Copies(Surface):
    """The first ridge, in any number of identical objectives; arms may have any dimension."""

    objectives: int

    def mean(self, x, y):
        far = abs(y[0] - 0.8 + 0.8 * x[0])
        for i in range(1, len(y)):
            far += abs(y[i] - 0.5)
        return np.full(self.objectives, max(0.0, 1.0 - far))

    def reward(self, x, y, uniforms):
        return self.mean(x, y) + 0.2 * (uniforms[0] - 0.5)

    def gap(self, x, y):
        return 1.0 - self.mean(x, y)[0]


@dataclass(frozen=True)
class PlainCopies(Surface):
    """One objective, not compiled."""

    def mean(self, x, y):
        return np.full(1, 1.0 - abs(y[0] - x[0]))

    def reward(self, x, y, uniforms):
        return self.mean(x, y)

    def gap(self, x, y):
        return abs(y[0] - x[0])


@dataclass(frozen=True)
class Continuum:
    """A surface, with uniform contexts times `reach`."""

    surface: object
    objectives: int = 2
    dimensions: int = 1
    features: int = 1
    reach: float = 1.0

    def problem(self, rounds, rng):
        shape = SurfaceShape(self.dimensions, self.features, self.objectives, rounds)
        return ContinuumProblem(shape, self.surface, self.reach)


class ContinuumProblem(NamedTuple):
    shape: SurfaceShape
    surface: object
    reach: float

    def block(self, first, rounds, rng):
        numbers = rng.random((rounds, self.shape.features + 1))
        return SurfaceBlock(self.reach * numbers[:, :-1], numbers[:, -1:])


@compiled
class Manhattan:
    """D(z, w) = |z - w|_1 / dimensions."""

    def distances(self, points, centres, b, out):
        for j in range(len(out)):
            out[j] = 0.0
            for i in range(len(points)):
                out[j] += abs(points[i, j] - centres[i, b]) / len(points)


@compiled
class SameDistance(ScaledEuclidean):
    """The default distance, but not the class that intervals are exact for."""
