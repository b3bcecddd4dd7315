"""Linear rewards with heavy tails or change, against their description."""

import numpy as np
import pytest
from scipy.stats import kstest
from scipy.stats import t as student

from mobandits.environments import Linear, RoughLinear


def drawn(environment, rounds=4000, first=0):
    problem = environment.problem(rounds, np.random.default_rng(0))
    return problem, problem.block(first, rounds, np.random.default_rng(1))


def test_without_adversities_it_is_linear_with_arms_that_stay():
    _, block = drawn(RoughLinear(arms=4))
    _, other = drawn(Linear(arms=4, features=5, objectives=3, fixed_arms=True))
    assert block.means.shape == other.means.shape
    assert (block.rewards - block.means).std() == pytest.approx(1.0, abs=0.02)


def test_tails_are_those_of_student():
    _, block = drawn(RoughLinear(arms=1, objectives=1, degrees=5, noise=2.0), rounds=40_000)
    noise = (block.rewards - block.means).ravel()

    # Divided by its standard deviation, sqrt(5 / 3), and multiplied by that of the noise.
    assert kstest(noise / 2.0 * np.sqrt(5 / 3), student(5).cdf).pvalue > 1e-3
    assert noise.std() == pytest.approx(2.0, rel=0.03)


def test_means_move_in_straight_lines_and_jump():
    problem, block = drawn(RoughLinear(arms=3, period=100), rounds=250)
    for t in range(250):
        start, end = problem.ends[2 * (t // 100) : 2 * (t // 100) + 2]
        share = (t % 100) / 100
        assert block.means[t] == pytest.approx((1 - share) * start + share * end)

    steps = np.abs(np.diff(block.means, axis=0)).max(axis=(1, 2))
    assert set(np.flatnonzero(steps > 5 * np.median(steps))) == {99, 199}
    # What lies past the horizon is drawn as well.
    assert problem.block(200, 256, np.random.default_rng(0)).means.shape == (256, 3, 3)
