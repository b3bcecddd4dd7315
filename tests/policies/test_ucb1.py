"""UCB1 against its formula, and what it refuses."""

import numpy as np
import pytest
from twins.replay import replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import Ucb1

SHAPE = Shape(arms=6, features=0, objectives=3)


class Twin:
    def __init__(self, objective, scale):
        self.seen, self.objective, self.scale = [[] for _ in range(SHAPE.arms)], objective, scale

    def front(self, context):
        n = sum(map(len, self.seen))
        index = [
            np.mean(r) + self.scale * np.sqrt(2 * np.log(n) / len(r)) if r else np.inf
            for r in self.seen
        ]
        return np.array(index) == max(index)

    def learn(self, x, arm, reward):
        self.seen[arm].append(reward[self.objective])


@pytest.mark.parametrize(("objective", "scale"), [(0, 1.0), (2, 0.2)])
def test_ucb1(objective, scale):
    run = replay(Ucb1(objective=objective, scale=scale), SHAPE, seed=objective)
    watched(run, Twin(objective, scale))
    assert sorted(run.chosen[:6]) == list(range(6))


def test_refused():
    with pytest.raises(
        ValueError, match=r"Ucb1.objective must be below the number of objectives, 3, got 3"
    ):
        Ucb1(objective=3).bind(SHAPE)
    with pytest.raises(ValueError, match=r"Ucb1.scale must be above 0"):
        Ucb1(scale=0.0)
