"""LexElim against its rule, and the arm that it keeps."""

import numpy as np
import pytest
from twins.regression import History
from twins.replay import replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import LexElim

SHAPE = Shape(arms=5, features=0, objectives=3)


class Twin(History):
    def __init__(self, tradeoff, delta):
        super().__init__(5, 0, 3)
        self.tradeoff, self.delta, self.active = tradeoff, delta, list(range(5))

    def width(self, n):
        return np.inf if n == 0 else np.sqrt(4 / n * np.log(6 * 5 * 3 * n / self.delta))

    def front(self, context):
        n, mean = self.means()
        widest = max(self.width(n[a]) for a in self.active)
        for l in range(3):
            slack = 2 + sum(4 * self.tradeoff**i for i in range(1, l + 1))
            best = max(mean[a, l] for a in self.active)
            self.active = [a for a in self.active if mean[a, l] >= best - slack * widest]
        widths = np.array([self.width(n[a]) if a in self.active else -1 for a in range(5)])
        return widths == widths.max()


@pytest.mark.long
@pytest.mark.parametrize(("tradeoff", "delta"), [(0.05, 0.9), (1.0, 0.5)])
def test_arms_leave(tradeoff, delta):
    # Rewards far apart: a few hundred rounds are enough for arms to leave.
    rng = np.random.default_rng(1)
    level = np.array([[9, 9, 9], [9, 9, 2], [9, 1, 9], [1, 9, 9], [9, 5, 9]])
    rewards = level + rng.random((400, 5, 3))
    twin = Twin(tradeoff, delta)
    run = replay(LexElim(tradeoff, delta), SHAPE, rounds=400, given=(np.zeros((1, 1, 0)), rewards))
    watched(run, twin)
    twin.front(None)
    assert np.flatnonzero(run.state.active).tolist() == twin.active
    assert len(twin.active) < 5


@pytest.mark.long
def test_the_best_stays_and_the_others_leave():
    means = np.array([[0.95, 0.05], [0.95, 0.95], [0.05, 1.0]])
    shape = Shape(arms=3, features=0, objectives=2)
    kept = []
    for seed in range(15):
        rewards = np.random.default_rng(seed).random((1200, 3, 2)) < means
        given = (np.zeros((1, 1, 0)), rewards.astype(float))
        run = replay(LexElim(tradeoff=0.1, delta=0.2), shape, seed=seed, given=given)
        kept.append(np.flatnonzero(run.state.active).tolist())
    assert kept.count([1]) >= 14


def test_refused():
    with pytest.raises(ValueError, match=r"LexElim.tradeoff must be .* got 0"):
        LexElim(tradeoff=0)
    with pytest.raises(ValueError, match=r"LexElim.delta must be .* got 1"):
        LexElim(delta=1.0)
