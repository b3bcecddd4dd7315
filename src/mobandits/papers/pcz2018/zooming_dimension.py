"""Packing numbers and the Pareto zooming dimension of a problem, estimated on finitely many context-arm pairs."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array

Distance = Callable[[Array, Array], Array]


class Packing(NamedTuple):
    """A packing number between two bounds: the exact one is hard to compute."""

    low: int
    high: int


def scaled_distance(points: Array, point: Array) -> Array:
    """(points,) the Euclidean distances from one point, divided by sqrt(coordinates): at most 1 in the unit cube.

    Reference:
        pcz2018, footnote 5.

    Example:
        >>> scaled_distance(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([1.0, 1.0])).tolist()
        [1.0, 0.0]
    """
    squares = (points - point) ** 2
    return np.asarray(np.sqrt(squares.sum(axis=1) / points.shape[1]))


def packing_number(points: Array, radius: float, distance: Distance = scaled_distance) -> Packing:
    """Bounds on the largest number of `points` that are at least `radius` apart from each other.

    The lower bound is a packing: points are taken in their order, each where it is far enough from
        those before it. The
    upper bound is such a packing for half the radius: its balls cover all points, and no ball holds
        two points of a
    packing.

    Args: points: (points, coordinates), a fine grid of the set in question; in order of the
        coordinates, packings are
            dense.
        radius: r > 0.
        distance: (points, one of them) -> (points,) distances.

    Reference:
        pcz2018, Definition 3 (i).

    Example:
        >>> line = np.linspace(0.0, 1.0, 101)[:, None]
        >>> packing_number(line, 0.25)
        Packing(low=5, high=8)
    """
    return Packing(_greedy(points, radius, distance), _greedy(points, radius / 2.0, distance))


def zooming_numbers(
    points: Array, gaps: Array, radii: Sequence[float], distance: Distance = scaled_distance
) -> dict[float, Packing]:
    """{r: bounds on N_r}, the r-packing number of the near-optimal pairs, those with a Pareto gap of at most 12 r.

    Args:
        points: (points, coordinates) a fine grid of context-arm pairs.
        gaps: (points,) their Pareto gaps.
        radii: which r.
        distance: as in `packing_number`.

    Reference:
        pcz2018, Definition 3 (ii).

    Example:
        >>> grid = np.stack(np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41)), axis=2).reshape(-1, 2)
        >>> zooming_numbers(grid, np.zeros(len(grid)), [1.0, 0.5])
        {1.0: Packing(low=2, high=4), 0.5: Packing(low=4, high=12)}
    """
    return {r: packing_number(points[gaps <= 12.0 * r], r, distance) for r in radii}


def zooming_dimension(numbers: Mapping[float, float], constant: float) -> float:
    """The least d >= 0 with N_r <= c r^-d for all the given r in (0, 1): max over r of ln(N_r / c) / ln(1 / r).

    Definition 3 asks it of all r in (0, 1), so that radii which are not given can only make it
    larger.

    Args:
        numbers: {r: N_r}; radii of 1 or more say nothing about it.
        constant: c > 0.

    Reference:
        pcz2018, Definition 3 (iii).

    Example:
        >>> zooming_dimension({0.5: 4, 0.25: 16}, constant=1.0)
        2.0
    """
    found = [
        math.log(n / constant) / math.log(1.0 / r) for r, n in numbers.items() if r < 1.0 and n > 0
    ]
    return max([0.0, *found])


def growth(numbers: Mapping[float, float]) -> float:
    """The slope of ln N_r over ln(1 / r), by least squares: the dimension at the scale of the given radii.

    Args:
        numbers: {r: N_r} for at least two radii.

    Example:
        >>> round(growth({0.5: 12, 0.25: 24, 0.125: 48}), 6)
        1.0
    """
    x = np.log(1.0 / np.array(list(numbers)))
    y = np.log(np.array(list(numbers.values()), np.float64))
    return float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())


def _greedy(points: Array, radius: float, distance: Distance) -> int:
    left = np.asarray(points, np.float64)
    taken = 0
    while len(left):
        taken += 1
        # A hair less than the radius: points exactly that far apart stay, whatever rounding did to
        # their distance.
        left = left[distance(left, left[0]) >= radius * (1.0 - 1e-12)]
    return taken
