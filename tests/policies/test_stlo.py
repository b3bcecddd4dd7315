"""STLO against its rule."""

import numpy as np
import pytest
from twins.regression import History, last_leader
from twins.replay import replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import Stlo

SHAPE = Shape(arms=6, features=2, objectives=3, rounds=300)


class Twin(History):
    def __init__(self, epsilon, scale):
        super().__init__(6, 2, 3)
        self.epsilon, self.scale, self.explored = epsilon, scale, 0

    def front(self, context):
        mean, norm = self.linear(context)
        width = self.scale * (np.sqrt(2 * np.log(2 * 3 * (self.t + 1) / 0.05)) + 1.0) * norm
        if width.max() > self.epsilon:
            self.explored += 1
            return width == width.max()
        return last_leader(mean, self.epsilon)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_stlo(seed):
    twin = Twin(0.06, 0.1)
    watched(replay(Stlo(epsilon=0.06, scale=0.1), SHAPE, seed=seed), twin)
    assert 10 < twin.explored < 250


def test_default_epsilon():
    assert Stlo().bind(SHAPE).order.epsilon == pytest.approx(2 ** (4 / 3) * 1800 ** (-1 / 3))
    with pytest.raises(
        ValueError, match=r"Stlo.epsilon must be given where the number of rounds is unknown"
    ):
        Stlo().bind(SHAPE._replace(rounds=None))
