"""The best quality for each cost against the linear program that it solves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from mobandits.metrics import best_within_budgets
from mobandits.numerics.hindsight import hindsight_curve


def slow(quality, cost, allowed):
    """The linear program over a mixture per round; NaN where nothing is within the budget."""
    rounds, arms = quality.shape
    simplex = np.kron(np.eye(rounds), np.ones(arms))
    solved = linprog(
        -quality.ravel() / rounds,
        A_ub=cost.reshape(1, -1) / rounds,
        b_ub=[allowed],
        A_eq=simplex,
        b_eq=np.ones(rounds),
        method="highs",
    )
    return -solved.fun if solved.success else np.nan


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 5), st.booleans())
def test_the_curve_is_the_linear_program(seed, rounds, arms, with_ties):
    rng = np.random.default_rng(seed)
    quality = rng.random((rounds, arms))
    cost = rng.random((rounds, arms))
    if with_ties:
        quality, cost = np.round(3 * quality) / 3, np.round(3 * cost) / 3

    curve = hindsight_curve(quality, cost)
    assert (np.diff(curve.cost) > 0.0).all()
    assert (np.diff(curve.quality) > 0.0).all()
    for share in (0.0, 0.3, 0.7, 1.0, 1.5):
        allowed = curve.cost[0] + share * (curve.cost[-1] - curve.cost[0]) + 1e-9
        assert curve.at(allowed) == pytest.approx(slow(quality, cost, allowed), abs=1e-6)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_one_round_of_means_is_the_best_mixture(seed, arms):
    rng = np.random.default_rng(seed)
    quality, cost = rng.random((2, 1, arms))
    curve = hindsight_curve(quality, cost)
    for allowed in np.linspace(cost.min() + 1e-9, cost.max(), 4):
        best = best_within_budgets(quality[0], cost.T, [allowed])
        assert curve.at(allowed) == pytest.approx(best.value, abs=1e-6)


def test_less_than_the_cheapest_buys_what_the_cheapest_does():
    curve = hindsight_curve(np.array([[0.2, 0.6]]), np.array([[1.0, 2.0]]))
    assert [curve.at(cost) for cost in (0.0, 1.0, 1.5, 9.0)] == pytest.approx([0.2, 0.2, 0.4, 0.6])
