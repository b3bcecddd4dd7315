"""PFI-RLS against its sets, and that its decisions are right."""

import numpy as np
import pytest
from twins.regression import History
from twins.replay import pareto_front, replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import PfiRls


def fixed(k, d, objectives, rounds, seed, noise=0.3):
    """Arms that stay, their true means, and what a replay needs."""
    rng = np.random.default_rng(seed)
    arms = rng.standard_normal((k, d))
    arms /= np.maximum(np.linalg.norm(arms, axis=1), 1)[:, None] * 1.001
    theta = rng.standard_normal((objectives, d))
    means = arms @ (theta / np.linalg.norm(theta, axis=1)[:, None]).T
    rewards = means + noise * rng.standard_normal((rounds, k, objectives))
    return Shape(k, d, objectives, rounds, fixed_arms=arms), means, (arms[None].copy(), rewards)


class Twin(History):
    """The rules of the spec as sets."""

    def __init__(self, shape, scale, tolerance=0.0):
        super().__init__(shape.arms, shape.features, shape.objectives)
        self.x, self.scale, self.tolerance = shape.fixed_arms, scale, tolerance
        self.u, self.p, self.explored, self.exploring = set(range(shape.arms)), set(), 0, False

    def front(self, context):
        mean, width = self.linear(context)
        left = np.isin(np.arange(self.k), list(self.u | self.p))
        self.exploring = self.explored < np.ceil(4 * self.d * np.log(self.t + 2))
        if self.exploring:
            return width == np.where(left, width, -1).max()
        return np.array(
            [
                left[i] and pareto_front(mean[left])[np.flatnonzero(left).tolist().index(i)]
                for i in range(self.k)
            ]
        )

    def learn(self, x, arm, reward):
        super().learn(x, arm, reward)
        self.explored += self.exploring
        inverse, theta = self.ridge()
        mu, n, d = self.x @ theta.T, self.t, self.d
        growth, doubt = np.log(1 + n / d), np.log(self.l / 0.01)
        c = self.scale * (np.sqrt(max(d * (growth + doubt), d * growth + 2 * doubt)) + 1)
        b = c * np.sqrt([[max((p - q) @ inverse @ (p - q), 0) for q in self.x] for p in self.x])

        def m(i, j):
            return max(0, (mu[j] - mu[i]).min())

        def big(i, j):
            return (mu[i] - mu[j]).max() + self.tolerance

        a1 = {i for i in self.u if all(m(i, j) <= b[i, j] for j in self.u | self.p)}
        p1 = {i for i in a1 if all(big(i, j) >= b[i, j] for j in a1 - {i})}
        p2 = {j for j in p1 if not any(big(i, j) <= b[i, j] for i in a1 - p1)}
        self.u, self.p = a1 - p2, self.p | p2


@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_pfi_rls(tolerance):
    shape, _, given = fixed(6, 2, 2, 250, 1)
    run, twin = (
        replay(PfiRls(scale=0.1, tolerance=tolerance), shape, given=given),
        Twin(shape, 0.1, tolerance),
    )
    watched(run, twin)
    assert set(np.flatnonzero(run.state.undecided)) == twin.u
    assert set(np.flatnonzero(run.state.accepted)) == twin.p
    assert twin.p
    assert len(twin.u | twin.p) < 6


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_accepted_arms_are_right_and_no_front_arm_is_dropped(seed):
    shape, means, given = fixed(12, 4, 3, 2000, seed)
    state = replay(PfiRls(scale=0.2), shape, given=given).state
    best = pareto_front(means)
    assert state.accepted.any()
    assert best[state.accepted].all()
    assert (state.accepted | state.undecided)[best].all()


def test_arms_that_change_are_refused():
    with pytest.raises(ValueError, match="PfiRls needs arms whose features never change"):
        PfiRls().bind(Shape(3, 2, 2))
