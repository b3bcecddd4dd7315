"""`Alarmed` against NumPy: weighted least squares of all rewards, whose weights fall at an alarm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.estimators import Alarmed, DisjointRidge, Ridge
from mobandits.estimators.alarmed import FEWEST, KEPT, MOST, RATE, SLACK, THRESHOLD

pytestmark = pytest.mark.usefixtures("interpreted")
D, K, L, PENALTY = 2, 2, 2, 0.5
SHIFT = 4.0


def stream(seed, rounds, *, shifted, partial):
    """Contexts, arms and rewards; those of arm 0 fall in the middle, in objective 1."""
    rng = np.random.default_rng(seed)
    xs = rng.standard_normal((rounds, D))
    arms = rng.integers(K, size=rounds)
    rewards = xs @ rng.standard_normal((D, L)) + rng.standard_normal((rounds, L))
    if shifted:
        late = (np.arange(rounds) > rounds // 2) & (arms == 0)
        rewards[late, 1] -= SHIFT
    if partial:
        rewards[rng.random((rounds, L)) < 0.2] = np.nan
    return xs, arms, rewards


class Twin:
    """One model of one arm: all that it was told, with the weights that are left."""

    def __init__(self):
        self.told = [[] for _ in range(L)]
        self.sums = np.zeros((2, L))
        self.variance = np.zeros(L)
        self.known = np.zeros(L)
        self.alarms = 0

    def theta(self, l):
        if not self.told[l]:
            return np.zeros(D)
        weights, xs, rewards = map(np.array, zip(*self.told[l], strict=True))
        gram = PENALTY * np.eye(D) + (weights[:, None] * xs).T @ xs
        return np.linalg.solve(gram, xs.T @ (weights * rewards))

    def learn(self, x, reward):
        is_alarm = False
        residuals = [reward[l] - self.theta(l) @ x for l in range(L)]
        for l in range(L):
            if np.isnan(reward[l]):
                continue
            self.told[l].append([1.0, x, reward[l]])
            known, self.known[l] = self.known[l], self.known[l] + 1
            before = self.variance[l]
            self.variance[l] += max(RATE, 1 / (known + 1)) * (residuals[l] ** 2 - before)
            if known < FEWEST + 10 * PENALTY:
                continue
            z = np.clip(residuals[l] / before**0.5, -MOST, MOST)
            self.sums[:, l] = np.maximum(0.0, self.sums[:, l] + [z - SLACK, -z - SLACK])
            is_alarm |= self.sums[:, l].max() > THRESHOLD
        if is_alarm:
            self.alarms += 1
            self.sums[:] = 0.0
            self.known[:] = KEPT
            for told in self.told:
                weight = sum(each[0] for each in told)
                for each in told:
                    each[0] *= min(1.0, KEPT / weight)


@pytest.mark.long
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_it_is_weighted_least_squares(seed, partial, own_rows):
    xs, arms, rewards = stream(seed, 240, shifted=True, partial=partial)
    ridge = Ridge(D, L, PENALTY) if own_rows else DisjointRidge(D, L, K, PENALTY)
    alarmed = Alarmed(ridge)
    twins = [Twin() for _ in range(1 if own_rows else K)]
    state = alarmed.init()
    probe = np.eye(D)
    for x, arm, reward in zip(xs, arms, rewards, strict=True):
        state = alarmed.update(state, x, arm, reward)
        twins[0 if own_rows else arm].learn(x, reward)
    for slot, twin in enumerate(twins):
        for l in range(L):
            mine = [alarmed.mean(state, row[None], np.array([slot]))[0, l] for row in probe]
            np.testing.assert_allclose(mine, twin.theta(l), rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(state.known[slot], twin.known)
        grams = state.model.gram[slot]
        volume = np.linalg.slogdet(grams)[1] - D * np.log(PENALTY)
        np.testing.assert_allclose(state.model.volume[slot], volume, rtol=1e-9, atol=1e-9)
        inverse = state.model.inverse[slot]
        np.testing.assert_allclose(
            inverse @ grams, np.broadcast_to(np.eye(D), grams.shape), atol=1e-8
        )
    if not own_rows:
        assert twins[0].alarms > 0
        assert twins[1].alarms == 0


@pytest.mark.long
def test_a_shift_is_noticed_soon_and_only_by_its_arm():
    late = []
    for seed in range(20):
        xs, arms, rewards = stream(seed, 400, shifted=True, partial=False)
        alarmed = Alarmed(DisjointRidge(D, L, K, PENALTY))
        state = alarmed.init()
        noticed = None
        seen = 0
        for t in range(len(xs)):
            before = state.model.seen.copy()
            state = alarmed.update(state, xs[t], arms[t], rewards[t])
            is_faded = state.model.seen[:, 0] < before[:, 0]
            assert not is_faded[1]
            if t > 200 and arms[t] == 0 and noticed is None:
                seen += 1
                noticed = seen if is_faded[0] else None
        late.append(noticed)
    # A shift of four deviations counts for at most three less one half: five rewards, six with noise.
    assert max(late) <= 10


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "exponential", "nine of ten"])
def test_what_does_not_drift_seldom_alarms(kind):
    """At most one alarm in 36,000 rewards is expected: of 40,000, seven have a chance below 1e-3."""
    rng = np.random.default_rng(1)
    count = 40_000
    rewards = {
        "normal": lambda: rng.standard_normal(count),
        "exponential": lambda: rng.exponential(size=count),
        "nine of ten": lambda: (rng.random(count) < 0.9).astype(float),
    }[kind]()
    alarmed = Alarmed(DisjointRidge(1, 1, 1, 1.0))
    state = alarmed.init()
    x = np.ones(1)
    alarms = 0
    for reward in rewards:
        state = alarmed.update(state, x, 0, np.array([reward]))
        alarms += state.known[0, 0] == KEPT
    assert alarms <= 6
