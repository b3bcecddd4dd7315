"""The Pareto order: edge cases of its definition, and the closed form of its gap."""

import numpy as np
import pytest
from hypothesis import given, settings
from twins import orders as twins

from mobandits.orders import Pareto

INF = np.inf


@pytest.mark.long
@settings(max_examples=200)
@given(twins.tables())
def test_front_and_gap(means):
    front, gaps = twins.survey(Pareto(), means)
    np.testing.assert_array_equal(front, twins.pareto_front(means))
    np.testing.assert_array_equal(gaps[:, 0], twins.pareto_gap_closed(means))


@pytest.mark.long
@settings(max_examples=100)
@given(twins.tables(arms=5))
def test_closed_form_is_the_infimum_of_the_definition(means):
    _, gaps = twins.survey(Pareto(), means)
    for arm, gap in enumerate(gaps[:, 0]):
        assert gap == pytest.approx(twins.pareto_gap_by_bisection(means, arm), abs=1e-10)


@settings(max_examples=100)
@given(twins.tables())
def test_gap_is_at_most_the_regret_in_every_objective(means):
    front, gaps = twins.survey(Pareto(), means)
    assert (gaps[:, 0] <= (means.max(axis=0) - means).min(axis=1)).all()
    assert not gaps[front].any()


@pytest.mark.long
@settings(max_examples=200)
@given(twins.tables(infinite=True))
def test_front_with_infinite_entries(means):
    np.testing.assert_array_equal(twins.front_of(Pareto(), means), twins.pareto_front(means))


@pytest.mark.long
@settings(max_examples=100)
@given(twins.tables(objectives=3))
def test_on_looks_at_some_objectives(means):
    front, gaps = twins.survey(Pareto(on=[2, 0]), means)
    np.testing.assert_array_equal(front, twins.pareto_front(means[:, [0, 2]]))
    np.testing.assert_array_equal(gaps[:, 0], twins.pareto_gap_closed(means[:, [0, 2]]))


@pytest.mark.parametrize(
    ("means", "front", "gaps"),
    [
        ([[1, 0], [1, -1]], [1, 0], [0, 0]),  # weakly dominated: not on the front, yet no gap
        ([[1, 0], [1, 0]], [1, 1], [0, 0]),  # equal vectors stay together
        ([[1, 0], [1, 0], [2, 1]], [0, 0, 1], [1, 1, 0]),
        (
            [[1, 0], [0, 1], [0.25, 0.25], [0.5, 0.5], [1, 0], [1, -1], [0.25, 0]],
            [1, 1, 0, 1, 1, 0, 0],
            [0, 0, 0.25, 0, 0, 0, 0.25],
        ),
        ([[3]], [1], [0]),
        ([[3], [5], [5]], [0, 1, 1], [2, 0, 0]),
        ([[0.0, -0.0], [-0.0, 0.0]], [1, 1], [0, 0]),
    ],
)
def test_examples(means, front, gaps):
    got = twins.survey(Pareto(), np.array(means, float))
    assert got[0].tolist() == list(map(bool, front))
    assert got[1][:, 0].tolist() == gaps


def test_unplayed_arms_are_on_the_front_and_dominate_the_others():
    front = twins.front_of(Pareto(), np.array([[INF, INF], [1.0, 2.0], [INF, INF], [3.0, INF]]))
    assert front.tolist() == [True, False, True, False]


def test_front_is_that_of_the_upper_bounds():
    low, high = np.array([[0.0], [0.5]]), np.array([[2.0], [1.0]])
    assert twins.front_of(Pareto(), low, high).tolist() == [True, False]


@pytest.mark.parametrize("on", [[-1], [0, 0], [[0, 1]], [0.5], 3, "01"])
def test_on_is_checked(on):
    with pytest.raises(ValueError, match=r"Pareto\.on must .* got"):
        Pareto(on=on)


def test_on_must_exist():
    Pareto(on=[1]).check(2)
    with pytest.raises(ValueError, match=r"Pareto\.on must name objectives below 2, got 2"):
        Pareto(on=[0, 2]).check(2)
    assert Pareto(on=None) == Pareto(on=[]) == Pareto()
