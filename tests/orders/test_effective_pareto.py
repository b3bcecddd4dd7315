"""The uniform draw from the effective front, against the whole front; and guessed certificates against the solver."""

import numpy as np
import pytest
from twins import hull as twins

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Beliefs
from mobandits.orders import EffectivePareto


def draws_loop(order, beliefs, rng, counts, draws):
    for _ in range(draws):
        counts[order.draw(beliefs, rng)] += 1


def draw(values, draws, seed=0):
    """(arms,) how often each arm was drawn."""
    order, counts = EffectivePareto(), np.zeros(len(values), np.int64)
    beliefs = Beliefs(values, values, values)
    compile_loop(draws_loop, order)(order, beliefs, np.random.default_rng(seed), counts, draws)
    return counts


@pytest.mark.parametrize(
    "name", ["random", "grid of 3", "duplicates", "coplanar grid", "collinear", "flat to 1e-9"]
)
def test_draws_are_uniform_on_the_front(name):
    draws = 4000
    for values in twins.tables(name, seed=11, number=6, arms=25, objectives=4):
        front = twins.answers(values)[0]
        counts = draw(values, draws)
        assert not counts[~front].any()
        expected = draws / front.sum()
        assert np.abs(counts[front] - expected).max() <= 5.0 * np.sqrt(expected)


def test_arms_never_played_are_drawn_first():
    values = np.array([(np.inf, 1.0), (5.0, 5.0), (np.inf, 0.0), (np.inf, 1.0)])
    counts = draw(values, 400)
    assert counts[[1, 2]].tolist() == [0, 0]
    assert counts[[0, 3]].min() > 150


def test_one_number_per_visited_arm():
    """The stream that a seed gives must not change: a visit draws one number, whatever the tests of the arm need."""
    values = np.random.default_rng(3).standard_normal((30, 3))
    front = twins.answers(values)[0]
    for seed in range(20):
        rng, visit, chosen = np.random.default_rng(seed), np.arange(30), -1
        for i in range(30):
            j = i + int(rng.random() * (30 - i))
            visit[i], visit[j] = visit[j], visit[i]
            if front[visit[i]]:
                chosen = visit[i]
                break
        assert draw(values, 1, seed)[chosen] == 1


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_guessed_weights_never_hide_a_gap(scale):
    """Arms just below the hull, where a wrong certificate would give 0."""
    rng = np.random.default_rng(5)
    for depth in (1e-3, 1e-6, 1e-9, 1e-11):
        corners = np.vstack([np.eye(4), twins.spherical(rng, 20, 4).clip(min=0.0)])
        inside = rng.dirichlet(np.ones(24), 12) @ corners - depth
        values = np.vstack([corners, inside]) * [scale, 1.0, 1.0, 1.0]
        gaps = twins.answers(values)[1]
        expected = [float(twins.exact_gap(values, arm)) for arm in range(24, 28)]
        assert (gaps[24:] > 0).all()
        np.testing.assert_allclose(
            gaps[24:28], expected, rtol=0, atol=1e-12 * np.ptp(values, axis=0).min()
        )


def with_outliers(rng, dominated):
    """A random table and one to three arms that are far worse: in all objectives, or in some."""
    values = rng.standard_normal((int(rng.integers(3, 9)), int(rng.integers(1, 5))))
    number = int(rng.integers(1, 4))
    behind = values[rng.integers(len(values), size=number)]
    depths = 10.0 ** rng.uniform(0, 12, behind.shape)
    if not dominated:
        depths *= rng.random(behind.shape) < 0.6
    return np.vstack([values, behind - depths])


@pytest.mark.parametrize("dominated", [True, False])
def test_gaps_beside_outliers_are_as_exact_as_they_say(dominated):
    for seed in range(60):
        values = with_outliers(np.random.default_rng([13, seed]), dominated)
        gaps = twins.answers(values)[1]
        for arm, gap in enumerate(gaps):
            exact = float(twins.exact_gap(values, arm))
            rows, _ = twins.in_question(values, arm)
            unit = np.ptp(rows, axis=0).max()
            assert abs(gap - exact) <= max(1e-12 * unit, 1e-9 * exact), (seed, arm)
            if dominated and exact > 1e-4 * unit:
                assert gap == pytest.approx(exact, rel=1e-11)
