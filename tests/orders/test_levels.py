"""Priority levels: nested fronts, and the reductions that moslb2024 states."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import orders as twins

from mobandits.orders import Levels, Lexicographic, Pareto


@pytest.mark.long
@settings(max_examples=300)
@given(st.data())
def test_front_and_gap(data):
    means = data.draw(twins.tables())
    levels = data.draw(twins.partitions(means.shape[1]))
    front, gaps = twins.survey(Levels(levels), means)
    np.testing.assert_array_equal(front, twins.levels_front(means, levels))
    np.testing.assert_array_equal(gaps, twins.levels_gap(means, levels))


@pytest.mark.long
@settings(max_examples=150)
@given(twins.tables(infinite=True))
def test_one_level_is_the_pareto_order(means):
    one = Levels([list(range(means.shape[1]))])
    np.testing.assert_array_equal(twins.front_of(one, means), twins.front_of(Pareto(), means))
    if np.isfinite(means).all():
        np.testing.assert_array_equal(twins.survey(one, means)[1], twins.survey(Pareto(), means)[1])


@pytest.mark.long
@settings(max_examples=150)
@given(twins.tables())
def test_levels_of_one_objective_are_the_lexicographic_order(means):
    singles = Levels([[i] for i in range(means.shape[1])])
    for got, expected in zip(
        twins.survey(singles, means), twins.survey(Lexicographic(), means), strict=True
    ):
        np.testing.assert_array_equal(got, expected)


def test_an_arm_weakly_beaten_in_the_first_level_is_measured_in_the_second():
    means = np.array([[1.0, 0.0, 5.0], [1.0, -1.0, 3.0]])
    front, gaps = twins.survey(Levels([[0, 1], [2]]), means)
    assert front.tolist() == [True, False]
    assert gaps.tolist() == [[0.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ([[0, 1], [1, 2]], r"must name each objective once, got 1 twice"),
        ([[0, 0]], r"must name each objective once, got 0 twice"),
        ([[0], []], r"must not have an empty group, got \[\[0\], \[-1\]\]"),
        ([[0], [-2]], r"must name objectives of at least 0, got \[-2\]"),
        ([[0], [-1, 1]], r"must"),
        ([], r"must be a list of lists of objectives, got \[\]"),
        ([0, 1], r"must be a list of lists of objectives, got \[0, 1\]"),
        ([[[0]]], r"must be a list of lists of objectives"),
        ([[0.5]], r"must be integers, or lists of integers, got"),
        ([[]], r"must be integers, or lists of integers, got"),
        (3, r"must be integers, or lists of integers, got 3"),
    ],
)
def test_levels_are_checked(levels, said):
    with pytest.raises(ValueError, match=r"Levels\.levels " + said):
        Levels(levels)


def test_levels_must_fit_the_objectives():
    Levels([[0, 2], [1]]).check(3)
    with pytest.raises(
        ValueError, match=r"Levels\.levels must name each of the 4 objectives, got no 3"
    ):
        Levels([[0, 2], [1]]).check(4)
    with pytest.raises(ValueError, match=r"Levels\.levels must name objectives below 2, got 2"):
        Levels([[0, 2], [1]]).check(2)
