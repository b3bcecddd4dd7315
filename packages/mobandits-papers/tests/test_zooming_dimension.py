"""Packing numbers against exhaustive search, and the zooming dimension of simple and of the paper's problems."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits_papers.pcz2018 import theory as pcz2018
from mobandits_papers.pcz2018 import zooming_dimension as zooming


def largest_packing(points, radius):
    """Every subset."""
    apart = np.array([zooming.scaled_distance(points, point) >= radius for point in points])
    for size in range(len(points), 0, -1):
        for group in itertools.combinations(range(len(points)), size):
            if all(apart[i, j] for i, j in itertools.combinations(group, 2)):
                return size
    return 0


@given(st.integers(1, 9), st.integers(1, 3), st.floats(0.05, 0.9), st.integers(0, 10**6))
@settings(max_examples=60)
def test_the_bounds_enclose_the_packing_number(count, coordinates, radius, seed):
    points = np.random.default_rng(seed).random((count, coordinates))
    found = zooming.packing_number(points, radius)
    assert found.low <= largest_packing(points, radius) <= found.high


def square(side):
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side), indexing="ij")
    return np.stack([x.ravel(), y.ravel()], axis=1)


def gaps_of_the_ridges(points):
    """The Pareto gap of the paper's two surfaces, in closed form."""
    x, y = points.T
    first, second = (8 - 8 * x) / 10, (10 - 8 * x) / 10
    mu1 = np.maximum(0, 1 - 5 * np.abs(y - first))
    mu2 = np.where(
        y <= second, np.maximum(0, 1 - 5 * (second - y)), np.maximum(0, 1 - (y - second) / 4)
    )
    return np.maximum(0, (1 - mu1 - mu2) / 2)


@pytest.mark.long
def test_the_square_has_dimension_two():
    points, radii = square(201), [2.0**-i for i in range(6)]
    numbers = zooming.zooming_numbers(points, np.zeros(len(points)), radii)
    for r, found in numbers.items():
        assert found.low <= pcz2018.PACKING * r**-2
    assert zooming.growth(
        {r: found.low for r, found in numbers.items() if r < 0.5}
    ) == pytest.approx(2, abs=0.25)
    assert (
        zooming.zooming_dimension({r: found.low for r, found in numbers.items()}, pcz2018.PACKING)
        <= 2
    )


def test_a_line_has_dimension_one():
    points = square(257)
    numbers = zooming.zooming_numbers(
        points, np.where(points[:, 1] == 0, 0.0, 100.0), [2.0**-i for i in range(1, 7)]
    )
    assert zooming.growth({r: found.low for r, found in numbers.items()}) == pytest.approx(
        1, abs=0.1
    )


@pytest.mark.long
def test_the_papers_surfaces():
    """All pairs are near-optimal for r >= 1/24; below, a band around the front is, whose area does not vanish."""
    points = square(161)
    found = gaps_of_the_ridges(points)
    assert found.max() == pytest.approx(0.5, abs=0.01)
    assert (found <= 12 / 24).all()
    shares = [(found <= 12 * r).mean() for r in (1 / 25, 1 / 50, 1 / 200, 1 / 10_000)]
    assert 1 > shares[0] >= shares[1] >= shares[2] >= shares[3] > 0.15
    numbers = zooming.zooming_numbers(points, found, [1 / 8, 1 / 16, 1 / 32])
    assert zooming.growth({r: packing.low for r, packing in numbers.items()}) == pytest.approx(
        2, abs=0.5
    )  # borders count at such radii


def test_an_empty_set_has_no_packing():
    assert zooming.packing_number(np.empty((0, 2)), 0.5) == (0, 0)
    assert zooming.zooming_dimension({0.5: 0, 0.25: 0}, 1.0) == 0.0
