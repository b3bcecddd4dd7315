"""Means rounded to decimals, as integers."""

import numpy as np
import pytest

from mobandits.numerics.rounded import in_last_decimals
from mobandits.orders import Chebyshev, ExploreWide, Lexicographic, Pareto


def test_nothing_happens_without_decimals():
    order, means = Pareto(), np.array([0.123, 0.5])
    same, untouched, unit = in_last_decimals(order, means, None)
    assert same is order
    assert untouched is means
    assert unit == 1.0


def test_means_become_integers():
    _, means, unit = in_last_decimals(Pareto(), np.array([[0.1 + 0.2, 0.3], [-0.126, 7.0]]), 2)
    assert unit == 100.0
    assert means.tolist() == [[30.0, 30.0], [-13.0, 700.0]]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Lexicographic(0.5), Lexicographic(50.0)),
        (Chebyshev([1, 2], [0.5, -1]), Chebyshev([1, 2], [50, -100])),
        (ExploreWide(Lexicographic(0.5), 0.25), ExploreWide(Lexicographic(50.0), 25.0)),
        (ExploreWide(Pareto(), 0.25), ExploreWide(Pareto(), 25.0)),
    ],
)
def test_absolute_parameters_change_their_unit(order, expected):
    assert in_last_decimals(order, np.zeros((1, 2)), 2)[0] == expected


@pytest.mark.parametrize("decimals", [-1, 1.5, True, "2", 16, 400])
def test_decimals_are_checked(decimals):
    with pytest.raises(ValueError, match=r"decimals must .* got"):
        in_last_decimals(Pareto(), np.ones((2, 2)), decimals)


def test_means_must_have_room():
    with pytest.raises(ValueError, match="at most 15 digits, got 10"):
        in_last_decimals(Pareto(), np.array([[1e6]]), 10)
