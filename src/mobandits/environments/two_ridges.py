"""Two ridges: contexts and arms in [0, 1], two objectives whose best arms differ and move with the context."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.continuum import Surface, SurfaceBlock, SurfaceShape
from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.support.checks import integer, number

BINS = 6  # of the Pareto front
WIDTH = 0.2  # of the Pareto front, from the first ridge to the second


@compiled
class TwoRidgesSurface(Surface):
    """The rewards of `TwoRidges`; means are divided by `divisor`."""

    divisor: float

    def mean(self, x: Array, y: Array) -> Array:
        """(2,) the means."""
        first = 0.8 - 0.8 * x[0]
        above = y[0] - first - WIDTH
        out = np.empty(2)
        out[0] = max(0.0, 1.0 - 5.0 * abs(y[0] - first)) / self.divisor
        out[1] = max(0.0, 1.0 + 5.0 * above if above <= 0.0 else 1.0 - 0.25 * above) / self.divisor
        return out

    def reward(self, x: Array, y: Array, uniforms: Array) -> Array:
        """(2,) coins with these means."""
        out = self.mean(x, y)
        for l in range(2):
            out[l] = 1.0 if uniforms[l] < out[l] else 0.0
        return out

    def gap(self, x: Array, y: Array) -> float:
        """What is missing to the segment from (1, 0) to (0, 1), divided as the means are: the front."""
        mean = self.mean(x, y)
        missing: float = 0.5 * (1.0 / self.divisor - mean[0] - mean[1])
        return 0.0 if self.bin(x, y) >= 0 else max(0.0, missing)

    def effective_gap(self, x: Array, y: Array) -> float:
        """The same: mixtures of points on a segment lie on it."""
        return self.gap(x, y)

    def bin(self, x: Array, y: Array) -> int:
        """The sixth of the front, from the first ridge; the lower end of each belongs to the one before."""
        beyond = y[0] - (0.8 - 0.8 * x[0])
        for i in range(BINS):
            if 0.0 <= beyond <= WIDTH * (i + 1) / BINS:
                return i
        return -1


@dataclass(frozen=True)
class TwoRidges:
    """Two objectives on contexts x and arms y in [0, 1], each a ridge across the square; rewards are coins.

    With y1 = 0.8 - 0.8 x and y2 = y1 + 0.2, the means are::

        mu1 = max(0, 1 - 5 |y - y1|)
        mu2 = max(0, 1 - 5 (y2 - y)) for y <= y2, else max(0, 1 - (y - y2) / 4)

    The Pareto front at x are the arms from y1 to y2; its means are the segment from (1, 0) to (0,
    1). So the Pareto gap is max(0, (1 - mu1 - mu2) / 2), and uniform play loses 0.1675 per round.
    The bins of `BinRatio` are the sixths of the front. Contexts are uniform, and coins are
    independent over objectives and rounds.

    In terms of the Euclidean distance divided by sqrt(2), the steepest slope is 9.06: more than the
    1 that the theory of PCZ assumes, as its authors say.

    Args:
        divisor: divides the means, at least 1; with 9.06 the theory applies.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        pcz2018, appendix D.

    Example:
        >>> surface = TwoRidges().problem(100, np.random.default_rng(0)).surface
        >>> x, y = np.array([0.5]), np.array([0.5])
        >>> surface.mean(x, y).round(6).tolist(), surface.gap(x, y), surface.bin(x, y)
        ([0.5, 0.5], 0.0, 2)
    """

    divisor: float = 1.0

    def __post_init__(self) -> None:
        number("TwoRidges.divisor", self.divisor, at_least=1)

    def problem(self, rounds: int, rng: Rng) -> "TwoRidgesProblem":
        """The surface; nothing is drawn."""
        return TwoRidgesProblem(SurfaceShape(1, 1, 2, rounds), TwoRidgesSurface(self.divisor))


class TwoRidgesProblem(NamedTuple):
    """One trial of `TwoRidges`."""

    shape: SurfaceShape
    surface: TwoRidgesSurface

    def block(self, first: int, rounds: int, rng: Rng) -> SurfaceBlock:
        """Contexts, and what coins are made from; other block borders are the same rounds."""
        numbers = rng.random((rounds, 3))
        return SurfaceBlock(numbers[:, :1], numbers[:, 1:])


@dataclass(frozen=True)
class TwoRidgesGrid:
    """`TwoRidges` with finitely many arms: the midpoints of equal parts of [0, 1].

    The context row of an arm is (x, y), the context and the arm itself. One coin per objective
    serves all arms of a round: a policy sees one arm, so the law of what it sees is the same, and
    comparisons between policies are sharper.

    Args:
        points: how many arms.
        divisor: divides the means, at least 1.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> TwoRidgesGrid(points=2).problem(100, rng).block(0, 1, rng).contexts[0, :, 1]
        array([0.25, 0.75])
    """

    points: int = 100
    divisor: float = 1.0

    def __post_init__(self) -> None:
        integer("TwoRidgesGrid.points", self.points, at_least=1)
        number("TwoRidgesGrid.divisor", self.divisor, at_least=1)

    def problem(self, rounds: int, rng: Rng) -> "GridProblem":
        """The arms; nothing is drawn."""
        arms = (np.arange(self.points) + 0.5) / self.points
        return GridProblem(Shape(self.points, 2, 2, rounds), arms, self.divisor)


class GridProblem(NamedTuple):
    """One trial of `TwoRidgesGrid`; `arms` is (arms,)."""

    shape: Shape
    arms: Array
    divisor: float

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds, from the same numbers as those of `TwoRidges`."""
        numbers = rng.random((rounds, 3))
        x, y = np.broadcast_arrays(numbers[:, :1], self.arms)
        means = ridges(x, y) / self.divisor
        return Block(
            np.stack([x, y], axis=2), means, (numbers[:, None, 1:] < means).astype(np.float64)
        )


def ridges(x: Array, y: Array) -> Array:
    """(..., 2) the means of `TwoRidges` for contexts and arms of one shape (...,).

    Example:
        >>> ridges(np.array([0.5, 0.5]), np.array([0.4, 1.0])).round(6).tolist()
        [[1.0, 0.0], [0.0, 0.9]]
    """
    beyond = y - (0.8 - 0.8 * x)
    above = beyond - WIDTH
    second = np.where(above <= 0.0, 1.0 + 5.0 * above, 1.0 - 0.25 * above)
    means: Array = np.maximum(np.stack([1.0 - 5.0 * np.abs(beyond), second], axis=-1), 0.0)
    return means
