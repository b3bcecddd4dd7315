"""Gradient descent on the Gini index against its formulas, and the mixture that it finds."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from twins.regression import History
from twins.replay import replay

from mobandits.contracts.protocols import Shape
from mobandits.policies import Ogde
from mobandits.policies.context_free.ogde import nearest_mixture

SHAPE = Shape(arms=4, features=0, objectives=3)


@given(arrays(float, st.integers(1, 6), elements=st.floats(-3, 3)), st.floats(0, 1))
def test_the_nearest_mixture(point, share):
    floor = share / len(point)
    got = nearest_mixture(point, floor)
    assert got.sum() == pytest.approx(1)
    assert (got >= floor).all()
    # It is the nearest one where no direction to a corner of the set leads nearer to the point.
    corners = np.eye(len(point)) * (1 - share) + floor
    assert ((point - got) @ (corners - got).T <= 1e-9).all()


def test_steps():
    weights = np.array([3.0, 2.0, 0.5])
    recipe = Ogde(weights=[3, 2, 0.5], delta=0.2)
    run = replay(recipe, SHAPE, rounds=200)
    history, alpha = History(4, 0, 3), np.full(4, 0.25)
    for t, arm in enumerate(run.chosen, start=1):
        n, _ = history.means()
        assert n.all() or n[arm] == 0
        history.learn(np.zeros(0), arm, run.rewards[t - 1, arm])
        n, mean = history.means()
        costs = 1 - mean
        order = np.argsort(-(alpha @ costs))
        eta = np.sqrt(2) / (1 - 1 / np.sqrt(4)) * np.sqrt(np.log(2 / 0.2) / t)
        alpha = nearest_mixture(alpha - eta * costs[:, order] @ weights, min(eta, 1) / 4)
    np.testing.assert_allclose(run.state.mixture, alpha, rtol=1e-9)


def best_welfare(means, weights):
    """The largest Gini welfare of a mixture, by a linear program over all orders of the weights."""
    # Welfare is the least sum over all orders: maximise t <= sums of all orders.
    arms = len(means)
    rows = [[*(-means @ np.array(order)), 1.0] for order in permutations(weights)]
    answer = linprog(
        [0.0] * arms + [-1.0],
        A_ub=rows,
        b_ub=np.zeros(len(rows)),
        A_eq=[[1.0] * arms + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * arms + [(None, None)],
    )
    return -answer.fun


@pytest.mark.long
def test_it_finds_a_mixture_that_is_fairer_than_any_arm():
    means = np.array([[0.9, 0.1], [0.1, 0.9], [0.3, 0.3]])
    weights = np.array([1.0, 0.5])
    rewards = (np.random.default_rng(0).random((10_000, 3, 2)) < means).astype(float)
    shape = Shape(arms=3, features=0, objectives=2)
    run = replay(Ogde(), shape, given=(np.zeros((1, 1, 0)), rewards))
    welfare = np.sort(run.state.mixture @ means) @ weights
    best = best_welfare(means, weights)
    assert best == pytest.approx(0.75)
    # The floor of eta / K costs some of it: eta is .09 after so many rounds.
    assert welfare > best - 0.04
    assert welfare > (np.sort(means) @ weights).max() + 0.15


def test_refused():
    with pytest.raises(ValueError, match=r"Ogde.weights must be positive and not increase"):
        Ogde(weights=[1, 2])
    with pytest.raises(ValueError, match=r"Ogde.weights must have one entry per objective, 3"):
        Ogde(weights=[2, 1]).bind(SHAPE)
