"""Annealing-Pareto against its sets."""

import numpy as np
import pytest
from twins.regression import History
from twins.replay import replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import AnnealingPareto

SHAPE = Shape(arms=7, features=0, objectives=2)


class Twin(History):
    def __init__(self, epsilon, rate, plays):
        super().__init__(7, 0, 2)
        self.epsilon, self.rate, self.plays = epsilon, rate, plays
        self.previous, self.kept = np.zeros(7, bool), 0

    def front(self, context):
        n, mean = self.means()
        if (n < self.plays).any():
            return n < self.plays
        near = (mean >= mean.max(0) - self.epsilon * self.rate**self.t).any(1)
        out = near.copy()
        for b in np.flatnonzero(self.previous & ~near):
            out[b] = not any((mean[a] >= mean[b]).all() for a in np.flatnonzero(near))
        self.kept += (out & ~near).any()
        self.previous = out
        return out


@pytest.mark.long
def test_annealing_pareto():
    kept = 0
    for seed in range(4):
        twin = Twin(0.8, 0.97, 3)
        watched(replay(AnnealingPareto(epsilon=0.8, rate=0.97, plays=3), SHAPE, seed=seed), twin)
        kept += twin.kept
    assert kept > 0  # arms of the middle of the front stay by the second rule


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rate": 1.0}, "rate must be below 1"),
        ({"epsilon": 0}, "epsilon must be above 0"),
        ({"plays": 0}, "at least 1"),
    ],
)
def test_refused(given, message):
    with pytest.raises(ValueError, match=message):
        AnnealingPareto(**given)
