"""Arms that an arm beats in every way change nothing for the others, however many and however bad.

True of the front and the gaps of exact means under every order, and of the front of intervals under
all orders that look at upper bounds alone, and `Dominant`. Three answers are meant to change, and do:
those of the orders that resolve doubt first (`ExploreWide`, `ChainFilter`: a bad arm with a wide
interval is worth a look), and the gap of the authors' chains, which measures an arm against the
weakest that beats it.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_order_properties import ORDERS
from twins import hull
from twins import orders as twins

from mobandits.orders import (
    ChainFilter,
    Chains,
    Chebyshev,
    Dominant,
    EffectivePareto,
    ExploreWide,
    Levels,
    Lexicographic,
    Pareto,
    Weighted,
    pc_gap_authors,
)

UPPER_BOUNDS_ONLY = [
    Pareto(),
    EffectivePareto(),
    Lexicographic(),
    Levels([[2, 0], [1]]),
    Chains([[1, 0], [2]]),
    Weighted([1, 0.5, 2]),
    Chebyshev([1, 0.5, 2], [-1, 0, -1]),
]
STEPS = st.sampled_from([0.0, 0.0, 1e-300, 1e-9, 0.25, 1.0, 3.0, 1e4, 1e8, 1e12, 1e17, 1e300])


@st.composite
def joined_by_worse(draw, means):
    """A table with dominated arms in between, and where the arms of `means` are in it."""
    worse = []
    for _ in range(draw(st.integers(1, 6))):
        better = means[draw(st.integers(0, len(means) - 1))]
        row = better - np.array(draw(st.lists(STEPS, min_size=len(better), max_size=len(better))))
        if (row < better).any():
            worse.append(row)
    rows = np.vstack([means, *worse])
    order = np.array(draw(st.permutations(range(len(rows)))))
    places = np.sort(np.flatnonzero(order < len(means)))
    order[places] = np.arange(len(means))  # the others keep their order: so do sums over them
    return rows[order], places


@pytest.mark.parametrize("order", ORDERS, ids=str)
@settings(max_examples=100)
@given(st.data())
def test_worse_arms_change_nothing_for_the_others(order, data):
    means = data.draw(twins.tables(objectives=3))
    more, places = data.draw(joined_by_worse(means))
    front, gaps = twins.survey(order, means)
    front_of_more, gaps_of_more = twins.survey(order, more)
    np.testing.assert_array_equal(front_of_more[places], front)
    np.testing.assert_array_equal(gaps_of_more[places], gaps)


def assert_the_same_mixtures(means, more, places):
    """Fronts are equal, gaps up to the documented tolerance: a tie, or the ninth digit."""
    front, gaps = hull.answers(means)
    front_of_more, gaps_of_more = hull.answers(more)
    np.testing.assert_array_equal(front_of_more[places], front)
    assert not np.delete(front_of_more, places).any()
    tie = 1e-12 * np.ptp(means[twins.pareto_front(means)], axis=0).max()
    np.testing.assert_allclose(gaps_of_more[places], gaps, rtol=1e-8, atol=tie)


@settings(max_examples=300)
@given(st.data())
def test_worse_arms_change_no_mixture(data):
    means = data.draw(twins.tables(objectives=data.draw(st.integers(1, 4))))
    more, places = data.draw(joined_by_worse(means))
    assert_the_same_mixtures(means, more, places)


@pytest.mark.parametrize("order", UPPER_BOUNDS_ONLY, ids=str)
@settings(max_examples=100)
@given(st.data())
def test_worse_bounds_change_no_front(order, data):
    """Some upper bounds are infinite: arms never played."""
    high = data.draw(twins.tables(objectives=3))
    unplayed = data.draw(st.lists(st.integers(0, high.size - 1), max_size=4))
    high.ravel()[unplayed] = np.inf
    more, places = data.draw(joined_by_worse(high))
    low = np.full(more.shape, -np.inf)
    np.testing.assert_array_equal(
        twins.front_of(order, low, more)[places], twins.front_of(order, low[: len(high)], high)
    )


@settings(max_examples=100)
@given(st.data())
def test_worse_intervals_change_nothing_for_dominant(data):
    low, high = data.draw(twins.intervals(objectives=3))
    better = data.draw(st.integers(0, len(low) - 1))
    step = np.array(data.draw(st.lists(STEPS, min_size=3, max_size=3)))
    order = Dominant(margin=0.5, doubt=0.25)
    more = twins.front_of(
        order, np.vstack([low, low[better] - step]), np.vstack([high, high[better] - step])
    )
    np.testing.assert_array_equal(more[:-1], twins.front_of(order, low, high))


@settings(max_examples=100)
@given(st.data(), st.integers(0, 100))
def test_draws_stay_on_the_effective_front(data, seed):
    means = data.draw(twins.tables(objectives=3))
    more, places = data.draw(joined_by_worse(means))
    front = hull.answers(means)[0]
    drawn = twins.draws(EffectivePareto(), more, more, seed)
    assert not np.delete(drawn, places).any()
    assert not drawn[places][~front].any()


@pytest.mark.parametrize("worst", [1.0, 1e4, 1e12, 1e17])
@pytest.mark.parametrize(
    "name", ["random", "grid of 3", "coplanar grid", "flat to 1e-9", "scales", "few arms"]
)
def test_an_outlier_beside_tables_of_many_kinds(name, worst):
    for means in hull.tables(name, seed=21, number=6, arms=20, objectives=4):
        rng = np.random.default_rng(len(means))
        outliers = means[rng.integers(0, len(means), 3)] - worst * (
            1.0 + rng.random((3, means.shape[1]))
        )
        for more in (
            outliers[:1],
            outliers,
            np.where(rng.random(outliers.shape) < 0.5, outliers, means.min(axis=0)),
        ):
            keep = twins.pareto_front(np.vstack([means, more]))[len(means) :]
            assert_the_same_mixtures(means, np.vstack([means, more[~keep]]), np.arange(len(means)))


@pytest.mark.parametrize(
    ("means", "third"),
    [
        ([[1, 0], [0, 1], [0.3, 0.3], [-1e12, 0]], 0.2),
        ([[1, 0], [0, 1], [0.3, 0.3], [-1e12, -1e12]], 0.2),
        ([[0, 1.0002], [1, 1], [-3e8, -3e8]], 3e8 + 1),
        ([[1, 0, 0], [0, 1, 0], [0.4, 0.4, 0], [-1e12, -0.1, -0.1]], 0.0),
    ],
)
def test_exact_arithmetic_on_penalty_arms(means, third):
    front, gaps = hull.answers(means)
    assert front.tolist() == [hull.exact_effective(means, arm) for arm in range(len(means))]
    for arm in range(len(means)):
        assert gaps[arm] == pytest.approx(float(hull.exact_gap(means, arm)), rel=1e-12, abs=1e-12)
    assert gaps[2] == pytest.approx(third, rel=1e-12, abs=1e-12)
    drawn = twins.draws(EffectivePareto(), np.array(means, float), np.array(means, float))
    np.testing.assert_array_equal(drawn > 0, front)


def test_an_arm_far_off_in_one_objective_has_the_gap_of_the_others():
    means = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1e12, -0.1, -0.1], [-1e17, -0.1, -0.1]])
    np.testing.assert_allclose(hull.answers(means)[1], [0, 0, 0, 0.6, 0.6], atol=1e-12)


def test_infinitely_bad_bounds():
    """A dominated arm without a lower end changes nothing; one that is not dominated cannot be mixed."""
    worst = np.array([[1, 0], [0, 1], [0.3, 0.3], [0.5, -np.inf]])
    assert twins.front_of(EffectivePareto(), worst).tolist() == [True, True, False, False]
    assert twins.draws(EffectivePareto(), worst, worst)[2:].tolist() == [0, 0]
    best = np.array([[1, 0], [0, 1], [0.3, 0.3], [2, -np.inf]])
    assert twins.front_of(EffectivePareto(), best).tolist() == [True] * 4
    assert (twins.draws(EffectivePareto(), best, best) > 0).all()


def test_a_worse_arm_in_doubt_is_looked_at():
    """Why the front of intervals is another one for orders that resolve doubt first."""
    low, high = np.array([[1.0], [0.5], [-1.0]]), np.array([[1.2], [0.7], [1.1]])
    wide = ExploreWide(Pareto(), epsilon=0.2)
    assert twins.front_of(wide, low[:2], high[:2]).tolist() == [True, False]
    assert twins.front_of(wide, low, high).tolist() == [False, False, True]
    linked = ChainFilter([[0]])
    assert twins.front_of(linked, low[:2], high[:2]).tolist() == [True, False]
    assert twins.front_of(linked, low, high).tolist() == [True, True, True]


def test_the_authors_chains_measure_against_the_weakest():
    means = np.array([[3.0, 3.0], [1.0, 1.0], [3.0, 2.0]])
    assert pc_gap_authors(means[:2], [[0], [1]])[1].tolist() == [2.0]
    assert pc_gap_authors(means, [[0], [1]])[1].tolist() == [1.0]
