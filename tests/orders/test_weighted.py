"""Scalarisations: weighted sums, by objective and by rank, and worst leads over a reference point."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import orders as twins

from mobandits.orders import Chebyshev, Gini, Pareto, Weighted

INF = np.inf


@st.composite
def weighings(draw, infinite=False):
    """A table on a grid, where sums are exact, and integer weights that are not all 0."""
    means = draw(twins.tables(grid=True, infinite=infinite))
    entries = st.lists(st.integers(0, 3), min_size=means.shape[1], max_size=means.shape[1])
    return means, draw(entries.filter(any)), draw(entries)


@pytest.mark.long
@settings(max_examples=200)
@given(weighings())
def test_weighted_sums(question):
    means, weights, _ = question
    front, gaps = twins.survey(Weighted(weights), means)
    scores = means @ np.array(weights)
    np.testing.assert_array_equal(front, scores == scores.max())
    np.testing.assert_array_equal(gaps[:, 0], scores.max() - scores)
    if all(weights):
        assert twins.pareto_front(means)[front].all()


@pytest.mark.long
@settings(max_examples=200)
@given(weighings())
def test_worst_leads(question):
    means, weights, reference = question
    front, gaps = twins.survey(Chebyshev(weights, reference), means)
    counts = np.array(weights) > 0
    scores = ((means - reference) * weights)[:, counts].min(axis=1)
    np.testing.assert_array_equal(front, scores == scores.max())
    np.testing.assert_array_equal(gaps[:, 0], scores.max() - scores)


@pytest.mark.long
@settings(max_examples=200)
@given(weighings())
def test_welfares_are_the_smallest_sums_over_all_orders_of_the_weights(question):
    means, weights, _ = question
    falling = np.sort(weights)[::-1] + 1
    front, gaps = twins.survey(Gini(falling), means)
    # The largest weight meets the smallest value in the order with the smallest sum.
    sums = [means @ np.array(order) for order in itertools.permutations(falling.tolist())]
    scores = np.min(sums, axis=0)
    np.testing.assert_array_equal(front, scores == scores.max())
    np.testing.assert_array_equal(gaps[:, 0], scores.max() - scores)
    assert twins.pareto_front(means)[front].all()


@pytest.mark.long
@given(twins.tables(grid=True))
def test_equal_ranks_are_equal_weights_and_order_of_objectives_does_not_matter(means):
    ones = [1.0] * means.shape[1]
    equal = twins.survey(Gini(ones), means)
    np.testing.assert_equal(equal, twins.survey(Weighted(ones), means))
    falling = np.arange(means.shape[1], 0, -1)
    turned = twins.survey(Gini(falling), np.ascontiguousarray(means[:, ::-1]))
    np.testing.assert_equal(twins.survey(Gini(falling), means), turned)


@pytest.mark.long
@settings(max_examples=200)
@given(weighings(infinite=True))
def test_fronts_with_infinite_entries_are_never_empty(question):
    means, weights, reference = question
    finite = np.clip(means, -1e6, 1e6)
    sums = [
        -INF if -INF in v[w > 0] else (v[w > 0] * w[w > 0]).sum()
        for v in means
        for w in [np.array(weights)]
    ]
    np.testing.assert_array_equal(
        twins.front_of(Weighted(weights), means), np.array(sums) == max(sums)
    )
    got = twins.front_of(Chebyshev(weights, reference), means)
    assert twins.front_of(Chebyshev(weights, reference), finite)[got].any()


def test_an_infinite_objective_without_weight_counts_nothing():
    means = np.array([[1.0, INF], [2.0, 0.0]])
    assert twins.front_of(Weighted([1, 0]), means).tolist() == [False, True]
    assert twins.front_of(Chebyshev([1, 0], [0, 0]), means).tolist() == [False, True]


def test_worst_lead_reaches_a_hollow_of_the_front():
    means = np.array([[1.0, 0.0], [0.0, 1.0], [0.4, 0.4]])
    assert twins.front_of(Chebyshev([1, 1], [-0.1, -0.1]), means).tolist() == [False, False, True]
    assert twins.front_of(Pareto(), means).all()
    for weight in np.linspace(0.0, 1.0, 11):
        assert not twins.front_of(Weighted([weight, 1.0 - weight]), means)[2]


@pytest.mark.parametrize("order", [Weighted, lambda weights: Chebyshev(weights, [0] * 2)])
@pytest.mark.parametrize(
    "weights", [[-1, 1], [0, 0], [np.nan, 1], [np.inf, 1], [], [[1, 1]], ["a", 1], 3]
)
def test_weights_are_checked(order, weights):
    with pytest.raises(ValueError, match=r"(Weighted|Chebyshev)\.weights must .* got"):
        order(weights)


@pytest.mark.parametrize("reference", [[0], [0, np.nan], [0, 0, 0], [[0, 0]], "z"])
def test_reference_is_checked(reference):
    with pytest.raises(ValueError, match=r"Chebyshev\.reference must .* got"):
        Chebyshev([1, 1], reference)


def test_weights_must_fit_the_objectives():
    Weighted([1, 2]).check(2)
    with pytest.raises(
        ValueError,
        match=r"Weighted\.weights must have one entry per objective, 3, got \[1.0, 2.0\]",
    ):
        Weighted([1, 2]).check(3)
    with pytest.raises(
        ValueError, match=r"Chebyshev\.weights must have one entry per objective, 3"
    ):
        Chebyshev([1, 2], [0, 0]).check(3)


@pytest.mark.parametrize(
    "weights", [[1, 2], [1, 0], [-1, 1], [np.nan, 1], [np.inf, 1], [], [[1, 1]], {"a": 1}]
)
def test_ranks_are_checked(weights):
    with pytest.raises(ValueError, match=r"Gini\.weights must .* got"):
        Gini(weights)
