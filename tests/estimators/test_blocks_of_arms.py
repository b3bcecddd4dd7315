"""`Ridge` on blocks of arms against one arm at a time: the same bits, compiled and interpreted."""

import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training import asked, drawn, lessons, trained

from mobandits.estimators import Discounted, DisjointRidge, FixedRidge, Ridge, Scaled
from mobandits.numerics.blocks import BLOCK
from mobandits.numerics.linalg import cholesky

EDGES = (1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 1000)


# --- the twin: one arm after the other, in numbers of Python


def product(x, y):
    total = 0.0
    for one, other in zip(x, y, strict=True):
        total += one * other
    return total


def squared_width(x, inverse):
    total = 0.0
    for i, one in enumerate(x):
        half = product(inverse[i][i:], x[i:])
        total += one * (2.0 * half - inverse[i][i] * one)
    return max(total, 0.0)


def means_and_widths(state, rows):
    thetas, inverses = state.theta[0].tolist(), state.inverse[0].tolist()
    means = [[product(theta, x) for theta in thetas] for x in rows.tolist()]
    widths = [[math.sqrt(squared_width(x, each)) for each in inverses] for x in rows.tolist()]
    return np.array(means), np.array(widths)


def largest_samples(state, rows, draws, radius, seed):
    """One sampled parameter after the other, and the largest of its products with each arm."""
    rng, (objectives, d) = np.random.default_rng(seed), state.theta[0].shape
    out = np.full((len(rows), objectives), -math.inf)
    for l in range(objectives):
        root = np.zeros((d, d))
        cholesky(state.inverse[0, min(l, len(state.inverse[0]) - 1)], root)
        scale = radius[0, l] if radius.shape[1] > 1 else radius[0, 0]
        for normal in rng.standard_normal((draws, d)):
            theta = [
                state.theta[0, l, i] + scale * product(root[i, : i + 1], normal[: i + 1])
                for i in range(d)
            ]
            for a, x in enumerate(rows.tolist()):
                out[a, l] = max(out[a, l], product(theta, x))
    return out


# --- problems


def problem(arms, features, objectives, partial, seed):
    """A state that some lessons led to, and the rows of the arms."""
    xs, played, rewards = lessons(12, features, arms, objectives, seed)
    if partial:
        rewards[5:, 0] = np.nan
    ridge = Ridge(features, objectives, 0.5)
    rows = np.random.default_rng(seed).standard_normal((arms, features))
    return ridge, trained(ridge, xs, played, rewards), rows


sizes = {
    "arms": st.integers(1, 1000) | st.sampled_from(EDGES),
    "features": st.integers(0, 8),
    "objectives": st.integers(1, 4),
    "partial": st.booleans(),
    "seed": st.integers(0, 2**32 - 1),
}


@pytest.mark.long
@given(**sizes)
@settings(max_examples=60, deadline=None)
def test_means_and_widths_are_those_of_one_arm_at_a_time(arms, features, objectives, partial, seed):
    ridge, state, rows = problem(arms, features, objectives, partial, seed)
    mean, width, _ = asked(ridge, state, rows, np.arange(arms))
    expected_mean, expected_width = means_and_widths(state, rows)
    np.testing.assert_array_equal(mean, expected_mean)
    np.testing.assert_array_equal(width, expected_width)


@given(draws=st.integers(1, 3), **sizes)
@settings(max_examples=30, deadline=None)
def test_samples_are_those_of_one_arm_at_a_time(draws, arms, features, objectives, partial, seed):
    ridge, state, rows = problem(arms, features, objectives, partial, seed)
    radius = np.linspace(0.3, 0.7, objectives)[None, : 1 + partial * (objectives - 1)].copy()
    found = drawn(ridge, state, rows, np.arange(arms), draws, radius, 1, seed)[0]
    np.testing.assert_array_equal(found, largest_samples(state, rows, draws, radius, seed))


@pytest.mark.long
@pytest.mark.parametrize("arms", EDGES)
def test_arms_that_never_change_and_regressions_around_it(arms):
    xs, played, rewards = lessons(12, 5, arms, 3, seed=arms)
    rows = np.random.default_rng(arms).standard_normal((arms, 5))
    ridge = Ridge(5, 3, 0.5)
    for estimator in (Scaled(ridge, 0.5), Discounted(ridge, 0.9), FixedRidge(ridge, rows)):
        state = trained(estimator, xs, played, rewards)
        model = state.model if isinstance(estimator, Scaled) else state
        mean, width, _ = asked(estimator, state, rows, np.arange(arms))
        expected_mean, expected_width = means_and_widths(model, rows)
        if isinstance(estimator, FixedRidge):  # its tables are updated, not recomputed
            np.testing.assert_allclose(mean, expected_mean, atol=1e-12)
            np.testing.assert_allclose(width, expected_width, atol=1e-12)
        else:
            np.testing.assert_array_equal(mean, expected_mean)
            np.testing.assert_array_equal(width, expected_width)

        radius = np.full((1, 1), 0.3)
        found = drawn(estimator, state, rows, np.arange(arms), 2, radius, 1, 7, objectives=3)[0]
        np.testing.assert_array_equal(found, largest_samples(model, rows, 2, radius, 7))


@pytest.mark.long
@pytest.mark.parametrize("arms", EDGES)
def test_models_of_their_own_are_asked_one_by_one(arms):
    estimator = DisjointRidge(4, 2, arms)
    state = trained(estimator, *lessons(3 * arms, 4, arms, 2, seed=1))
    rows = np.random.default_rng(2).standard_normal((arms, 4))
    mean, width, _ = asked(estimator, state, rows, np.arange(arms))
    for a in {0, arms // 2, arms - 1}:
        row = rows[a : a + 1]
        alone_mean, alone_width, _ = asked(estimator, state, row, np.array([a]))
        np.testing.assert_array_equal(mean[a], alone_mean[0])
        np.testing.assert_array_equal(width[a], alone_width[0])


# --- other ways to run


def digest():
    """A hash of every bit of means, widths and samples of some sizes."""
    out = hashlib.sha256()
    for arms in (3, BLOCK, BLOCK + 3):
        for partial in (False, True):
            ridge, state, rows = problem(arms, 5, 3, partial, seed=arms)
            mean, width, _ = asked(ridge, state, rows, np.arange(arms))
            radius = np.full((1, 1), 0.3)
            sample = drawn(ridge, state, rows, np.arange(arms), 3, radius, 1, 5)
            for part in (mean, width, sample):
                out.update(part.tobytes())
    return out.hexdigest()


INTERPRETED = {"NUMBA_DISABLE_JIT": "1"}
PLAIN = {"MOBANDITS_COMPILING": "plain"}


@pytest.mark.parametrize("how", [INTERPRETED, pytest.param(PLAIN, marks=pytest.mark.slow)])
def test_every_way_to_run_gives_the_same_bits(how):
    here = Path(__file__).parent
    code = (
        f"import sys; sys.path[:0] = {[str(here), str(here.parent)]}; "
        "import test_blocks_of_arms; print(test_blocks_of_arms.digest())"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **how},
        capture_output=True,
        text=True,
        check=True,
    )
    assert elsewhere.stdout.strip() == digest()
