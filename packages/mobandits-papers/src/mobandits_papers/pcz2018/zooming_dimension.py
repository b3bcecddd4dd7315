"""Packing numbers and the Pareto zooming dimension, estimated on finitely many pairs."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array

# From (points, coordinates) and one of them to (points,) distances.
Distance = Callable[[Array, Array], Array]


class Packing(NamedTuple):
    """A packing number between two bounds: the exact one is hard to compute."""

    low: int
    high: int


def scaled_distance(points: Array, point: Array) -> Array:
    """(points,) the Euclidean distances from one point, divided by sqrt(coordinates).

    They are at most 1 in the unit cube.

    Reference:
        pcz2018, footnote 5.

    Example:
        >>> scaled_distance(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([1.0, 1.0])).tolist()
        [1.0, 0.0]
    """
    coordinates = points.shape[1]
    squares = (points - point) ** 2
    mean_squares = squares.sum(axis=1) / coordinates
    return np.asarray(np.sqrt(mean_squares))


def packing_number(points: Array, radius: float, distance: Distance = scaled_distance) -> Packing:
    """Bounds on the largest number of `points` that are at least `radius` apart from each other.

    The lower bound is a packing: points are taken in their order, each where it is far enough from
    those before it. The upper bound is such a packing for half the radius: its balls cover all
    points, and no ball holds two points of a packing.

    Args:
        points: (points, coordinates), a fine grid of the set in question; in order of the
            coordinates, packings are dense.
        radius: r > 0.
        distance: (points, one of them) -> (points,) distances.

    Reference:
        pcz2018, Definition 3 (i).

    Example:
        >>> line = np.linspace(0.0, 1.0, 101)[:, None]
        >>> packing_number(line, 0.25)
        Packing(low=5, high=8)
    """
    low = _greedy_packing(points, radius, distance)
    high = _greedy_packing(points, radius / 2.0, distance)
    return Packing(low, high)


def zooming_numbers(
    points: Array, gaps: Array, radii: Sequence[float], distance: Distance = scaled_distance
) -> dict[float, Packing]:
    """{r: bounds on N_r}, the r-packing numbers of the near-optimal pairs.

    Near-optimal are those with a Pareto gap of at most 12 r.

    Args:
        points: (points, coordinates) a fine grid of context-arm pairs.
        gaps: (points,) their Pareto gaps.
        radii: which r.
        distance: as in `packing_number`.

    Reference:
        pcz2018, Definition 3 (ii).

    Example:
        >>> side = np.linspace(0, 1, 41)
        >>> grid = np.stack(np.meshgrid(side, side), axis=2).reshape(-1, 2)
        >>> zooming_numbers(grid, np.zeros(len(grid)), [1.0, 0.5])
        {1.0: Packing(low=2, high=4), 0.5: Packing(low=4, high=12)}
    """
    numbers = {}
    for radius in radii:
        # 12 r is what Lemma 4 grants the centres of the balls of radius r.
        near_optimal = points[gaps <= 12.0 * radius]
        numbers[radius] = packing_number(near_optimal, radius, distance)

    return numbers


def zooming_dimension(numbers: Mapping[float, float], constant: float) -> float:
    """The least d >= 0 with N_r <= c r^-d for all the given r in (0, 1).

    It is the largest ln(N_r / c) / ln(1 / r). Definition 3 asks it of all r in (0, 1), so that
    radii which are not given can only make it larger.

    Args:
        numbers: {r: N_r}; radii of 1 or more say nothing about it.
        constant: c > 0.

    Reference:
        pcz2018, Definition 3 (iii).

    Example:
        >>> zooming_dimension({0.5: 4, 0.25: 16}, constant=1.0)
        2.0
    """
    dimensions = [0.0]
    for radius, number in numbers.items():
        # An empty set keeps to any bound, and its logarithm does not exist.
        if radius < 1.0 and number > 0:
            growth_of_number = math.log(number / constant)
            dimensions.append(growth_of_number / math.log(1.0 / radius))

    return max(dimensions)


def growth(numbers: Mapping[float, float]) -> float:
    """The slope of ln N_r over ln(1 / r), by least squares.

    This is the dimension at the scale of the given radii.

    Args:
        numbers: {r: N_r} for at least two radii.

    Example:
        >>> round(growth({0.5: 12, 0.25: 24, 0.125: 48}), 6)
        1.0
    """
    radii = np.array(list(numbers))
    counts = np.array(list(numbers.values()), np.float64)
    x = np.log(1.0 / radii)
    y = np.log(counts)
    x_off = x - x.mean()
    y_off = y - y.mean()
    # Undivided sums: the number of radii cancels.
    covariance = (x_off * y_off).sum()
    variance = (x_off**2).sum()

    return float(covariance / variance)


def _greedy_packing(points: Array, radius: float, distance: Distance) -> int:
    """The size of a packing that takes points in their order."""
    left = np.asarray(points, np.float64)
    taken = 0
    # A hair less than the radius: points exactly that far apart stay, whatever rounding did to
    # their distance.
    least = radius * (1.0 - 1e-12)
    while len(left):
        taken += 1
        apart = distance(left, left[0])
        left = left[apart >= least]

    return taken
