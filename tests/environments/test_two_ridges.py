"""The surfaces of pcz2018: closed forms against brute force over a grid of arms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.compiling.compiled import compile_loop
from mobandits.environments import TwoRidges, TwoRidgesGrid
from mobandits.environments.two_ridges import ridges
from mobandits.orders import Pareto
from mobandits.simulation.play import score_surface

GRID = np.linspace(0, 1, 1201)  # holds the ends of the front at multiples of 1/1200


def scores(x, y, divisor=1.0):
    """means, gaps, effective gaps and bins of pairs."""
    x, y = (np.atleast_1d(np.asarray(a, float))[:, None] for a in np.broadcast_arrays(x, y))
    surface, n = TwoRidges(divisor).problem(10, np.random.default_rng(0)).surface, len(x)
    out = np.empty((n, 2)), np.empty(n), np.empty(n), np.empty(n, np.int64)
    compile_loop(score_surface, surface)(
        surface, np.ascontiguousarray(x), np.ascontiguousarray(y), *out
    )
    return out


@pytest.mark.long
@pytest.mark.parametrize("divisor", [1.0, 9.06])
def test_gaps_in_closed_form_are_those_of_a_grid(divisor):
    for x in (0.0, 0.1, 0.5, 0.95, 1.0):
        means, gaps, effective, _ = scores(x, GRID, divisor)
        np.testing.assert_allclose(means, ridges(np.full(len(GRID), x), GRID) / divisor, atol=1e-15)
        np.testing.assert_allclose(gaps, Pareto().gaps(means)[:, 0], atol=5 / 1200 / divisor)
        mixtures = np.stack([GRID, 1 - GRID], axis=1) / divisor  # of the two ends of the front
        missing = (mixtures[None] - means[::10, None]).min(2).max(1)
        np.testing.assert_allclose(effective[::10], np.maximum(missing, 0), atol=5 / 1200 / divisor)


@given(st.floats(0, 1), st.floats(0, 1))
def test_bins_are_the_sixths_of_the_front(x, y):
    _, gaps, _, bins = scores(x, y)
    beyond = (y - (8 - 8 * x) / 10) * 30
    if -1e-9 < beyond < 1e-9 or abs(beyond - round(beyond)) < 1e-9:
        return
    assert bins[0] == (int(beyond) if 0 < beyond < 6 else -1)
    assert (gaps[0] == 0.0) == (bins[0] >= 0)


@pytest.mark.long
def test_uniform_play_loses_what_the_integral_says():
    rng = np.random.default_rng(0)
    _, gaps, _, _ = scores(rng.random(400_000), rng.random(400_000))
    assert abs(gaps.mean() - 0.1675) < 5 * gaps.std() / np.sqrt(len(gaps))


def test_blocks():
    problem = TwoRidges().problem(1000, np.random.default_rng(0))
    whole, rng = problem.block(0, 64, np.random.default_rng(1)), np.random.default_rng(1)
    parts = [problem.block(0, 20, rng), problem.block(20, 44, rng)]
    for i, shape in enumerate([(64, 1), (64, 2)]):
        assert whole[i].shape == shape
        np.testing.assert_array_equal(whole[i], np.concatenate([part[i] for part in parts]))


def test_rewards_are_coins_with_the_means():
    surface, n = TwoRidges(2.0).problem(10, np.random.default_rng(0)).surface, 20_000
    x, y, uniforms = np.array([0.5]), np.array([0.45]), np.random.default_rng(1).random((n, 2))
    paid = np.array([surface.reward(x, y, u) for u in uniforms])
    assert set(paid.ravel()) == {0.0, 1.0}
    np.testing.assert_allclose(paid.mean(0), surface.mean(x, y), atol=5 * 0.5 / np.sqrt(n))


def test_the_grid_is_the_same_problem():
    grid, whole = (
        e.problem(100, np.random.default_rng(0)) for e in (TwoRidgesGrid(points=10), TwoRidges())
    )
    block, other = (
        grid.block(0, 50, np.random.default_rng(1)),
        whole.block(0, 50, np.random.default_rng(1)),
    )
    np.testing.assert_array_equal(block.contexts[:, :, 0], np.tile(other.contexts, (1, 10)))
    for a in range(10):
        y = block.contexts[:, a, 1]
        np.testing.assert_allclose(
            block.means[:, a], scores(other.contexts[:, 0], y)[0], atol=1e-15
        )
        paid = [
            whole.surface.reward(x, y[:1], u)
            for x, u in zip(other.contexts, other.uniforms, strict=True)
        ]
        np.testing.assert_array_equal(block.rewards[:, a], paid)


@pytest.mark.parametrize(
    "wrong", [lambda: TwoRidges(0.5), lambda: TwoRidgesGrid(0), lambda: TwoRidgesGrid(divisor=0)]
)
def test_refusals(wrong):
    with pytest.raises(ValueError, match=r"TwoRidges(Grid)?\.(divisor|points) must be .* got"):
        wrong()
