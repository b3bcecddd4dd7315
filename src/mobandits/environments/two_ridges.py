"""Two ridges over contexts and arms in [0, 1]: objectives whose best arms move with the context."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.continuum import Surface, SurfaceBlock, SurfaceShape
from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.support.checks import integer, number

BINS = 6  # of the Pareto front, as in Figure 2 (ii)
WIDTH = 0.2  # of the Pareto front, from the first ridge to the second


@compiled
class TwoRidgesSurface(Surface):
    """The surface of rewards of `TwoRidges`; means are divided by `divisor`."""

    divisor: float

    def mean(self, x: Array, y: Array) -> Array:
        """(2,) the means."""
        first_ridge = 0.8 - 0.8 * x[0]
        beyond = y[0] - first_ridge
        above = beyond - WIDTH  # y - y2
        first = 1.0 - 5.0 * abs(beyond)
        # Beyond its ridge the second objective falls twenty times more slowly.
        slope = 5.0 if above <= 0.0 else -0.25
        second = 1.0 + slope * above
        out = np.empty(2)
        out[0] = max(0.0, first) / self.divisor
        out[1] = max(0.0, second) / self.divisor

        return out

    def reward(self, x: Array, y: Array, uniforms: Array) -> Array:
        """(2,) rewards 0 or 1 with these means."""
        out = self.mean(x, y)  # overwritten: a kernel allocates as little as it can
        for l in range(2):
            out[l] = 1.0 if uniforms[l] < out[l] else 0.0
        return out

    def gap(self, x: Array, y: Array) -> float:
        """The distance to the front, the segment from (1, 0) to (0, 1) divided as the means are."""
        # On the front rounding would leave a gap of 1e-17.
        if self.bin(x, y) >= 0:
            return 0.0

        mean = self.mean(x, y)
        highest = 1.0 / self.divisor  # the sum of the means on the front
        missing: float = 0.5 * (highest - mean[0] - mean[1])

        return max(0.0, missing)

    def effective_gap(self, x: Array, y: Array) -> float:
        """The same as `gap`: mixtures of points on a segment lie on it."""
        return self.gap(x, y)

    def bin(self, x: Array, y: Array) -> int:
        """The sixth of the front, counted from the first ridge; -1 off the front.

        The lower end of each belongs to the one before.
        """
        first_ridge = 0.8 - 0.8 * x[0]
        beyond = y[0] - first_ridge
        for i in range(BINS):
            upper_end = WIDTH * (i + 1) / BINS
            if 0.0 <= beyond <= upper_end:
                return i

        return -1


@dataclass(frozen=True)
class TwoRidges:
    """Two objectives on contexts and arms in [0, 1], each a ridge across the square; 0/1 rewards.

    With context x, arm y, y1 = 0.8 - 0.8 x and y2 = y1 + 0.2, the means are::

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

    references = ("pcz2018",)

    divisor: float = 1.0

    def __post_init__(self) -> None:
        number("TwoRidges.divisor", self.divisor, at_least=1)

    def problem(self, rounds: int, rng: Rng) -> "TwoRidgesProblem":
        """The problem of one trial; nothing is drawn."""
        shape = SurfaceShape(1, 1, 2, rounds)
        surface = TwoRidgesSurface(self.divisor)
        return TwoRidgesProblem(shape, surface)


class TwoRidgesProblem(NamedTuple):
    """One trial of `TwoRidges`."""

    shape: SurfaceShape
    surface: TwoRidgesSurface

    def block(self, first: int, rounds: int, rng: Rng) -> SurfaceBlock:
        """Contexts, and the uniform numbers of the rewards; other block borders are the same."""
        # All numbers of a round come from one row, whatever the borders between blocks.
        numbers = rng.random((rounds, 3))
        contexts = numbers[:, :1]
        uniforms = numbers[:, 1:]
        return SurfaceBlock(contexts, uniforms)


@dataclass(frozen=True)
class TwoRidgesGrid:
    """`TwoRidges` with finitely many arms: the midpoints of equal parts of [0, 1].

    The context row of an arm is (x, y), the context and the arm itself. One coin per objective
    serves all arms of a round: a policy sees one arm, so the distribution of its rewards is the
    same, and comparisons between policies are sharper.

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

    references = ("pcz2018",)

    points: int = 100
    divisor: float = 1.0

    def __post_init__(self) -> None:
        integer("TwoRidgesGrid.points", self.points, at_least=1)
        number("TwoRidgesGrid.divisor", self.divisor, at_least=1)

    def problem(self, rounds: int, rng: Rng) -> "GridProblem":
        """The problem of one trial; nothing is drawn."""
        shape = Shape(
            arms=self.points,
            features=2,
            objectives=2,
            rounds=rounds,
        )
        numbers = np.arange(self.points)
        arms = (numbers + 0.5) / self.points

        return GridProblem(shape, arms, self.divisor)


class GridProblem(NamedTuple):
    """One trial of `TwoRidgesGrid`; `arms` is (arms,)."""

    shape: Shape
    arms: Array
    divisor: float

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds, from the same numbers as those of `TwoRidges`."""
        numbers = rng.random((rounds, 3))
        contexts_x = numbers[:, :1]
        x, y = np.broadcast_arrays(contexts_x, self.arms)
        contexts = np.stack([x, y], axis=2)
        means = ridges(x, y) / self.divisor
        uniforms = numbers[:, None, 1:]
        rewards = (uniforms < means).astype(np.float64)

        return Block(contexts, means, rewards)


def ridges(x: Array, y: Array) -> Array:
    """(..., 2) the means of `TwoRidges` for contexts and arms of one shape (...,).

    Example:
        >>> ridges(np.array([0.5, 0.5]), np.array([0.4, 1.0])).round(6).tolist()
        [[1.0, 0.0], [0.0, 0.9]]
    """
    first_ridge = 0.8 - 0.8 * x
    beyond = y - first_ridge
    above = beyond - WIDTH  # y - y2
    slope = np.where(above <= 0.0, 5.0, -0.25)
    first = 1.0 - 5.0 * np.abs(beyond)
    second = 1.0 + slope * above
    means: Array = np.stack([first, second], axis=-1)

    return np.maximum(means, 0.0)
