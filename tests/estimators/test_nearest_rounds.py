"""`NearestRounds` against its formula in NumPy, over all rounds that still count."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.estimators import Alarmed, Discounted, DisjointRidge, NearestRounds, Ridge, Scaled
from mobandits.estimators.nearest_rounds import PULL

pytestmark = pytest.mark.usefixtures("interpreted")
D, K, L, PENALTY = 2, 3, 2, 0.5
ARMS = np.arange(K)
REGRESSIONS = {
    "own": DisjointRidge(D, L, K, PENALTY),
    "shared": Ridge(D, L, PENALTY),
    "forgetting": Discounted(DisjointRidge(D, L, K, PENALTY), 0.8),
    "alarmed": Alarmed(DisjointRidge(D, L, K, PENALTY)),
    "scaled": Scaled(Ridge(D, L, PENALTY), PENALTY),
}


def near(kind, count=4, memory=12):
    slots = 1 if kind in ("shared", "scaled") else K
    return NearestRounds(REGRESSIONS[kind], D, L, slots, count, memory)


def rounds_of(seed, n, *, partial):
    """Contexts on a grid, so that some are as far as others; arms; rewards that no line follows."""
    rng = np.random.default_rng(seed)
    xs = rng.integers(-3, 4, size=(n, D)) / 2.0
    arms = rng.integers(K, size=n)
    rewards = np.abs(xs) + arms[:, None] + 0.1 * rng.standard_normal((n, L))
    if partial:
        rewards[rng.random((n, L)) < 0.3] = np.nan
    return xs, arms, rewards


def expected(estimator, state, x, arm, told):
    """(objectives,) the mean of an arm at x by the formula; `told` are the rounds of its model."""
    regression = estimator.model
    line = regression.mean(state.model, x[None], np.array([arm]))[0]
    seen = regression.evidence(state.model, x[None], np.array([arm])).seen
    slot = arm if estimator.slots > 1 else 0
    counts = min(math.ceil(seen[slot].max()), estimator.memory)
    newest = list(enumerate(told))[-counts:] if counts else []
    # As far as another one: the place in the arrays decides, where the newest replaces the oldest.
    newest.sort(key=lambda one: (((one[1][0] - x) ** 2).sum(), one[0] % estimator.memory))
    out = line.copy()
    for l in range(L):
        residuals = []
        for _, (xi, reward) in newest[: estimator.count]:
            if not np.isnan(reward[l]):
                predicted = regression.mean(state.model, xi[None], np.array([arm]))[0, l]
                residuals.append(reward[l] - predicted)
        out[l] += sum(residuals) / (len(residuals) + PULL)
    return out


@pytest.mark.parametrize("kind", REGRESSIONS)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 60), partial=st.booleans())
@settings(max_examples=12, deadline=None)
def test_it_is_its_formula(kind, seed, n, partial):
    estimator = near(kind)
    state = estimator.init()
    told = [[] for _ in range(K)]
    for x, arm, reward in zip(*rounds_of(seed, n, partial=partial), strict=True):
        state = estimator.update(state, x, arm, reward)
        slot = arm if estimator.slots > 1 else 0
        if not np.isnan(reward).all():
            of_model = told[slot]
            joined = partial and joins(of_model[-estimator.memory :], x, reward)
            if not joined:
                of_model.append([x, reward.copy()])
    probes = np.random.default_rng(seed).integers(-3, 4, size=(K, D)) / 2.0
    mean = estimator.mean(state, probes, ARMS)
    for arm in ARMS:
        slot = arm if estimator.slots > 1 else 0
        wanted = expected(estimator, state, probes[arm], arm, told[slot])
        np.testing.assert_allclose(mean[arm], wanted, rtol=1e-9, atol=1e-9)


def joins(told, x, reward):
    """Whether a part of a reward belongs to a round before, which it completes."""
    known = ~np.isnan(reward)
    if known.all():
        return False
    for one in reversed(told):
        if (one[0] == x).all() and np.isnan(one[1][known]).all():
            one[1][known] = reward[known]
            return True
    return False


def test_samples_and_means_are_corrected_alike():
    estimator = near("own")
    state = estimator.init()
    for x, arm, reward in zip(*rounds_of(3, 40, partial=False), strict=True):
        state = estimator.update(state, x, arm, reward)
    x, radius = np.array([[0.3, -0.8]]), np.full((K, 1), 0.7)
    line = estimator.model.mean(state.model, x, ARMS)
    sample = estimator.sample(state, x, ARMS, 2, radius, np.random.default_rng(0))
    plain = estimator.model.sample(state.model, x, ARMS, 2, radius, np.random.default_rng(0))
    np.testing.assert_allclose(sample - plain, estimator.mean(state, x, ARMS) - line, rtol=1e-12)
    assert abs(sample - plain).max() > 0.01


def test_what_an_alarm_forgets_corrects_nothing():
    estimator = NearestRounds(Alarmed(DisjointRidge(1, 1, 1, 1.0)), 1, 1, 1)
    state, x = estimator.init(), np.ones(1)
    rewards = np.random.default_rng(0).normal(1.0, 0.1, 200).tolist() + [0.0] * 12
    for reward in rewards:
        state = estimator.update(state, x, 0, np.array([reward]))
    assert state.model.model.seen[0, 0] < 20
    # All of the old rounds are as near as the new ones, of which there are few.
    assert estimator.mean(state, x[None], np.array([0]))[0, 0] < 0.2


def test_it_learns_what_no_line_follows():
    """|x| at noise 0.1: the line's error is its deviation from the mean, 0.29."""
    rng = np.random.default_rng(5)
    estimator = NearestRounds(DisjointRidge(2, 1, 1, 10.0), 2, 1, 1)
    state = estimator.init()
    for place in rng.uniform(-1.0, 1.0, 400):
        reward = abs(place) + 0.1 * rng.standard_normal()
        state = estimator.update(state, np.array([1.0, place]), 0, np.array([reward]))
    probes = np.column_stack([np.ones(41), np.linspace(-1.0, 1.0, 41)])
    arm = np.array([0])
    errors = [estimator.mean(state, row[None], arm)[0, 0] - abs(row[1]) for row in probes]
    lines = [
        estimator.model.mean(state.model, row[None], arm)[0, 0] - abs(row[1]) for row in probes
    ]
    assert np.std(errors) < 0.4 * np.std(lines)
