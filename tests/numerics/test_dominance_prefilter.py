"""Contenders and draws from large tables against all pairs of arms, and a draw that tests every arm."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_pareto_filter import KINDS, obvious_front, questions, table

from mobandits.compiling.compiled import compile_loop
from mobandits.numerics.dominance import draw_from_many, draw_nondominated, nondominated
from mobandits.numerics.dominance_prefilter import MANY, contender_table, contenders, row_of
from mobandits.numerics.hull import effective_draw, effective_front
from mobandits.orders.effective_pareto import EffectivePareto
from mobandits.orders.pareto import Pareto

ALL, PARETO, EFFECTIVE = np.zeros(0, np.int64), Pareto(), EffectivePareto()
SEEDS = st.integers(0, 2**32 - 1)


def contenders_loop(_order, values, which, among):
    left = contender_table(values, which, among)
    places = np.empty(len(left.arms), np.int64)
    for row in range(len(places)):
        places[row] = row_of(left.arms, left.arms[row])
    return contenders(values, which, among), left, places


def front_loop(_order, values, on, among):
    return nondominated(values, on, among)


def draws_loop(_order, values, on, among, rng, out):
    for i in range(len(out)):
        out[i] = draw_nondominated(values, on, among, rng)


def draws_from_many_loop(_order, values, on, among, rng, out):
    for i in range(len(out)):
        out[i] = draw_from_many(values, on, among, rng)


def effective_draws_loop(_order, values, rng, out):
    for i in range(len(out)):
        out[i] = effective_draw(values, rng)


def effective_front_loop(_order, values):
    return effective_front(values)


contenders_of = compile_loop(contenders_loop, PARETO)
front_of = compile_loop(front_loop, PARETO)
draws = compile_loop(draws_loop, PARETO)
draws_from_many = compile_loop(draws_from_many_loop, PARETO)
effective_draws = compile_loop(effective_draws_loop, EFFECTIVE)
effective_front_of = compile_loop(effective_front_loop, EFFECTIVE)


def first_of_front(front, rng):
    """The first arm of the front in a random order of visit."""
    visit = list(range(len(front)))
    for i in range(len(visit)):
        j = i + int(rng.random() * (len(visit) - i))
        visit[i], visit[j] = visit[j], visit[i]
        if front[visit[i]]:
            return visit[i]
    return -1


def expected_draws(front, seed, number):
    rng = np.random.default_rng(seed)
    return [first_of_front(front, rng) for _ in range(number)]


@settings(max_examples=300, deadline=None)
@given(questions(), SEEDS)
def test_contenders_and_draws_of_small_tables(question, seed):
    values, on, padded, among = question
    which = np.array(on or range(values.shape[1]), np.int64)
    seen = values[:, which]
    front = np.zeros(len(values), bool)
    front[among] = obvious_front(seen[among])
    before = among.copy()
    mask, (same, arms, rows), places = contenders_of(PARETO, values, which, among)
    np.testing.assert_array_equal(among, before)
    assert not (mask & ~among).any()
    assert not (front & ~mask).any()
    np.testing.assert_array_equal(same, mask)
    np.testing.assert_array_equal(arms, np.flatnonzero(mask))
    np.testing.assert_array_equal(places, np.arange(mask.sum()))
    np.testing.assert_array_equal(rows, seen[mask])
    # What dominates a contender is one.
    for row in seen[mask]:
        dominators = (seen >= row).all(1) & (seen > row).any(1) & among
        assert not (dominators & ~mask).any()

    drawn = np.empty(5, np.int64)
    expected = expected_draws(front, seed, len(drawn))
    for loop in (draws, draws_from_many):
        loop(PARETO, values, padded, among, np.random.default_rng(seed), drawn)
        assert drawn.tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("objectives", [1, 2, 3, 5])
@pytest.mark.parametrize("arms", [MANY - 1, MANY, 2 * MANY])
def test_fronts_and_draws_of_large_tables(kind, objectives, arms):
    values = table(kind, arms, objectives, seed=arms)
    before = values.copy()
    for share in (1.0, 0.5):
        among = np.random.default_rng(1).random(arms) < share
        front = np.zeros(arms, bool)
        front[among] = obvious_front(values[among])
        np.testing.assert_array_equal(front_of(PARETO, values, ALL, among), front)
        drawn = np.empty(10, np.int64)
        draws(PARETO, values, ALL, among, np.random.default_rng(2), drawn)
        assert drawn.tolist() == expected_draws(front, 2, len(drawn))
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("kind", ["random", "sphere", "grid", "coarse", "staircase", "equal"])
@pytest.mark.parametrize("objectives", [1, 2, 3])
@pytest.mark.parametrize("arms", [MANY - 1, MANY, 2 * MANY])
def test_effective_draws_of_large_tables(kind, objectives, arms):
    values = table(kind, arms, objectives, seed=arms)
    front = effective_front_of(EFFECTIVE, values)
    drawn = np.empty(10, np.int64)
    effective_draws(EFFECTIVE, values, np.random.default_rng(3), drawn)
    assert drawn.tolist() == expected_draws(front, 3, len(drawn))


def test_effective_draws_where_an_arm_is_infinitely_bad():
    values = table("random", 2 * MANY, 3)
    values[::3, 1] = -np.inf
    front = effective_front_of(EFFECTIVE, values)
    drawn = np.empty(10, np.int64)
    effective_draws(EFFECTIVE, values, np.random.default_rng(4), drawn)
    assert drawn.tolist() == expected_draws(front, 4, len(drawn))


def test_few_contenders_are_left_of_a_cloud():
    values = np.random.default_rng(5).standard_normal((20_000, 3)) * [1e-6, 1.0, 1e6]
    mask, *_ = contenders_of(PARETO, values, np.arange(3), np.ones(20_000, bool))
    assert 0 < mask.sum() < 0.2 * len(values)


def test_sums_that_are_no_numbers():
    values = np.full((MANY, 2), -math.inf)
    mask, *_ = contenders_of(PARETO, values, np.arange(2), np.ones(MANY, bool))
    assert mask.all()
    values[::2] = math.nan
    assert front_of(PARETO, values, ALL, np.ones(MANY, bool)).shape == (MANY,)
