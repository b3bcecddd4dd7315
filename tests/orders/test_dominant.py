"""The two-stage rule of MOC-MAB, on intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import orders as twins

from mobandits.orders import Dominant, Lexicographic

STEPS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5])


@pytest.mark.long
@settings(max_examples=300)
@given(twins.intervals(), STEPS, STEPS)
def test_front_of_intervals(bounds, margin, doubt):
    low, high = bounds
    got = twins.front_of(Dominant(margin, doubt), low, high)
    np.testing.assert_array_equal(got, twins.dominant_front(low, high, margin, doubt))


@pytest.mark.long
@settings(max_examples=100)
@given(twins.intervals(infinite=True), STEPS, STEPS)
def test_front_with_arms_never_played(bounds, margin, doubt):
    low, high = bounds
    got = twins.front_of(Dominant(margin, doubt), low, high)
    np.testing.assert_array_equal(got, twins.dominant_front(low, high, margin, doubt))


@pytest.mark.long
@settings(max_examples=100)
@given(twins.tables(infinite=True), STEPS)
def test_infinite_points_have_no_doubt(means, margin):
    assert twins.front_of(Dominant(margin, 0.5), means).any()


@pytest.mark.long
@settings(max_examples=100)
@given(twins.tables())
def test_gap_is_the_lexicographic_one_and_so_is_the_front_without_margin(means):
    front, gaps = twins.survey(Dominant(margin=0.0, doubt=0.0), means)
    expected, lexicographic = twins.survey(Lexicographic(), means)
    np.testing.assert_array_equal(gaps, lexicographic)
    np.testing.assert_array_equal(front, expected)


def test_of_tied_leaders_the_surest_one_leads():
    low, high = (
        np.array([[0.0, 0.0], [0.9, 0.0], [0.5, 9.0]]),
        np.array([[1.0, 1.0], [1.0, 2.0], [0.6, 9.0]]),
    )
    assert twins.front_of(Dominant(margin=0.1, doubt=0.2), low, high).tolist() == [
        False,
        True,
        False,
    ]
    assert twins.front_of(Dominant(margin=0.5, doubt=0.2), low, high).tolist() == [
        False,
        False,
        True,
    ]


def test_doubt_about_the_leader_comes_first():
    low, high = np.array([[0.0, 0.0], [0.9, 5.0]]), np.array([[2.0, 0.0], [1.0, 5.0]])
    assert twins.front_of(Dominant(margin=9.0, doubt=0.9), low, high).tolist() == [True, False]
    assert twins.front_of(Dominant(margin=9.0, doubt=1.0), low, high).tolist() == [False, True]


@pytest.mark.parametrize(
    ("margin", "doubt"), [(-1, 0), (0, -1), (np.nan, 0), (0, np.inf), ("wide", 0)]
)
def test_parameters_are_checked(margin, doubt):
    with pytest.raises(ValueError, match=r"Dominant\.(margin|doubt) must .* got"):
        Dominant(margin, doubt)
