"""The exploration phase in front of another order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import orders as twins

from mobandits.orders import ExploreWide, Levels, Pareto

ORDERS = [Pareto(), Levels([[0, 1], [2]])]


@pytest.mark.long
@pytest.mark.parametrize("inner", ORDERS, ids=str)
@settings(max_examples=100)
@given(twins.intervals(objectives=3, infinite=True), st.sampled_from([0.0, 0.25, 0.5, 5.0]))
def test_wide_arms_first(inner, bounds, epsilon):
    low, high = bounds
    wide = ((high - low) / 2.0).max(axis=1) > epsilon
    expected = wide if wide.any() else twins.front_of(inner, low, high)
    np.testing.assert_array_equal(twins.front_of(ExploreWide(inner, epsilon), low, high), expected)


@pytest.mark.long
@pytest.mark.parametrize("inner", ORDERS, ids=str)
@settings(max_examples=50)
@given(twins.tables(objectives=3))
def test_points_and_gaps_are_left_to_the_inner_order(inner, means):
    for got, expected in zip(
        twins.survey(ExploreWide(inner, 0.0), means), twins.survey(inner, means), strict=True
    ):
        np.testing.assert_array_equal(got, expected)


def test_an_infinite_point_is_not_wide():
    means = np.array([[np.inf, 0.0], [1.0, 2.0], [0.0, 0.0]])
    assert twins.front_of(ExploreWide(Pareto(), 0.1), means).tolist() == [True, True, False]


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, np.inf, "wide"])
def test_epsilon_is_checked(epsilon):
    with pytest.raises(ValueError, match=r"ExploreWide\.epsilon must .* got"):
        ExploreWide(Pareto(), epsilon)


@pytest.mark.parametrize("order", [Pareto, "pareto", None, 3])
def test_order_is_checked(order):
    with pytest.raises(
        ValueError, match=r"ExploreWide\.order must be an order such as Pareto\(\), got"
    ):
        ExploreWide(order, 0.1)


def test_the_inner_order_checks_the_objectives():
    ExploreWide(Levels([[0, 1], [2]]), 0.1).check(3)
    with pytest.raises(ValueError, match=r"Levels\.levels must name each of the 4 objectives"):
        ExploreWide(Levels([[0, 1], [2]]), 0.1).check(4)
