"""The lexicographic order and its priority gap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import orders as twins

from mobandits.orders import Lexicographic


@pytest.mark.long
@settings(max_examples=200)
@given(twins.tables())
def test_front_and_gap(means):
    front, gaps = twins.survey(Lexicographic(), means)
    np.testing.assert_array_equal(front, twins.lexicographic_front(means))
    np.testing.assert_array_equal(gaps, twins.priority_gap(means))


@pytest.mark.long
@settings(max_examples=100)
@given(twins.tables(infinite=True))
def test_front_with_infinite_entries(means):
    np.testing.assert_array_equal(
        twins.front_of(Lexicographic(), means), twins.lexicographic_front(means)
    )


@pytest.mark.long
@settings(max_examples=200)
@given(twins.tables(), st.sampled_from([0.0, 0.1, 1.0, 2.0]))
def test_the_gap_is_zero_exactly_on_the_front_for_any_tolerance(means, tolerance):
    front, gaps = twins.survey(Lexicographic(tolerance), means)
    np.testing.assert_array_equal(front, twins.lexicographic_front_tolerant(means, tolerance))
    np.testing.assert_array_equal(front, ~gaps.any(axis=1))
    assert ((gaps > 0.0).sum(axis=1) <= 1).all()


def test_a_tolerated_difference_costs_nothing_and_opens_the_next_objective():
    front, gaps = twins.survey(
        Lexicographic(tolerance=0.5), np.array([[3.0, 0.0], [2.5, 4.0], [2.0, 9.0]])
    )
    assert front.tolist() == [False, True, False]
    assert gaps.tolist() == [[0.0, 4.0], [0.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("tolerance", [-0.1, np.nan, np.inf, "small"])
def test_tolerance_is_checked(tolerance):
    with pytest.raises(ValueError, match=r"Lexicographic\.tolerance must .* got"):
        Lexicographic(tolerance)
