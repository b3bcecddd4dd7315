"""Explorers and radii against their formulas."""

import math
from typing import Any

import numpy as np
import pytest

from mobandits.compiling.compiled import compile_loop, compiled
from mobandits.estimators import DisjointRidge, Ridge, SampleMean
from mobandits.explorers import Greedy, Lcb, Thompson, Ucb
from mobandits.explorers.radii import Constant, Drugan, Levelled, Radius, SelfNormalised

K, D, L = 4, 2, 2


def believe(explorer, estimator, state, xs, arms, rewards, context, eligible, rng):
    for t in range(len(xs)):
        state = estimator.update(state, xs[t], arms[t], rewards[t])
    return (
        state,
        estimator.width(state, context, eligible),
        explorer.beliefs(estimator, state, context, eligible, rng),
    )


def believed(explorer, estimator, features=D, missing=False):
    rng = np.random.default_rng(0)
    xs, arms, rewards = (
        rng.random((12, features)),
        np.arange(12) % (K - 1),
        rng.random((12, L)),
    )  # the last arm is never played
    if missing:
        rewards[5:, 1] = np.nan
    shared = isinstance(estimator, DisjointRidge) or not features
    context, eligible = rng.random((1 if shared else K - 1, features)), np.array([3, 1, 0])
    return compile_loop(believe, explorer, estimator)(
        explorer, estimator, estimator.init(), xs, arms, rewards, context, eligible, rng
    )


@compiled
class Sum(Radius):
    """A radius that tells count and volume apart."""

    factor: float

    def at(self, count: float, volume: float) -> float:
        return self.factor * (1.0 + count) + volume


@pytest.mark.parametrize("missing", [False, True])
def test_ucb_adds_the_radius_of_the_arms_own_model_times_the_width(missing):
    for estimator in (Ridge(D, L), DisjointRidge(D, L, K)):
        state, width, (mean, low, high) = believed(Ucb(Sum(0.5)), estimator, missing=missing)
        radius = np.broadcast_to(0.5 * (1.0 + state.seen) + state.volume, (len(state.seen), L))
        half = radius[[3, 1, 0] if len(radius) > 1 else [0, 0, 0]] * width
        np.testing.assert_allclose(high - mean, half, rtol=1e-12)
        np.testing.assert_allclose(mean - low, half, rtol=1e-12)


def test_ucb_is_infinite_for_arms_never_played_even_with_radius_zero():
    _, _, (mean, low, high) = believed(Ucb(Constant(0.0)), SampleMean(K, L), features=0)
    assert np.isposinf(high[0]).all()
    assert np.isneginf(low[0]).all()
    np.testing.assert_array_equal(high[1:], mean[1:])


@pytest.mark.parametrize("missing", [False, True])
def test_lcb_believes_the_lower_ends_of_ucb(missing):
    for estimator in (Ridge(D, L), DisjointRidge(D, L, K)):
        _, _, bounds = believed(Lcb(Sum(0.5)), estimator, missing=missing)
        _, _, beliefs = believed(Ucb(Sum(0.5)), estimator, missing=missing)
        for bound in bounds:
            np.testing.assert_array_equal(bound, beliefs.low)
    _, _, bounds = believed(Lcb(Constant(0.0)), SampleMean(K, L), features=0)
    assert np.isneginf(bounds.mean[0]).all()
    assert np.isfinite(bounds.mean[1:]).all()


def test_greedy_believes_the_estimates():
    _, _, (mean, low, high) = believed(Greedy(), Ridge(D, L))
    np.testing.assert_array_equal(low, mean)
    np.testing.assert_array_equal(high, mean)


def test_thompson_believes_one_sample():
    _, _, (mean, low, high) = believed(Thompson(Constant(0.1), 3), Ridge(D, L))
    _, _, estimate = believed(Greedy(), Ridge(D, L))
    np.testing.assert_array_equal(low, mean)
    np.testing.assert_array_equal(high, mean)
    assert (mean != estimate.mean).all()
    assert np.abs(mean - estimate.mean).max() < 1.0


def test_self_normalised_is_the_larger_of_the_papers_form_and_the_proven_one():
    for d, n, count in ((1, 4, 0), (1, 4, 999), (5, 4, 100), (5, 1, 0)):
        delta, noise, penalty = 0.01, 0.5, 2.0
        growth = math.log(1 + count / (penalty * d))
        paper = noise * math.sqrt(
            d * math.log((1 + count / (penalty * d)) * n / delta)
        ) + math.sqrt(penalty)
        proven = noise * math.sqrt(d * growth + 2 * math.log(n / delta)) + math.sqrt(penalty)
        assert SelfNormalised(d, n, delta, noise, penalty).at(count, 0.0) == pytest.approx(
            max(paper, proven)
        )


def test_levelled_is_alpha_gamma_with_t_one_in_the_first_round():
    for count in (0, 1, 50):
        t = count + 1
        gamma = 0.5 * math.sqrt(3 * math.log(5 * (1 + t) / 0.05)) + 1
        assert Levelled(3, 5, 0.05, 0.1, 0.5).at(count, 0.0) == pytest.approx(0.1 * gamma)


def test_drugan_is_the_papers_width_times_the_root_of_the_plays():
    for n in (1, 10, 1000):
        assert Drugan(8.0, 0.5).at(n, 0.0) == pytest.approx(
            0.5 * math.sqrt(2 * math.log(n * 8.0**0.25))
        )
    assert Drugan(8.0).at(0, 0.0) == Drugan(8.0).at(1, 0.0)


def test_a_radius_may_be_any_part_with_at():
    part: Any = Sum(1)
    assert Ucb(part) == Ucb(Sum(1.0))
