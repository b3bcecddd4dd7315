"""MTLO against its stages."""

import numpy as np
import pytest
from twins.regression import History
from twins.replay import replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import Mtlo

SHAPE = Shape(arms=6, features=2, objectives=3, rounds=400)


def loaf(high, among, tradeoff, width):
    for i in range(high.shape[1]):
        slack = 2 + sum(4 * tradeoff**j for j in range(1, i + 1))
        among = among & (high[:, i] >= high[among, i].max() - slack * width)
    return among


class Twin(History):
    def __init__(self, tradeoff, scale):
        super().__init__(6, 2, 3)
        self.tradeoff, self.scale, self.stages = tradeoff, scale, []

    def front(self, context):
        mean, norm = self.linear(context)
        width = self.scale * (np.sqrt(2 * np.log(2 * 3 * (self.t + 1) / 0.05)) + 1.0) * norm
        high, among, s = mean + width[:, None], np.ones(6, bool), 1
        while True:
            if width[among].max() <= 1 / np.sqrt(400):
                self.stages.append("last")
                return loaf(high, among, self.tradeoff, 1 / np.sqrt(400))
            if (among & (width > 2.0**-s)).any():
                self.stages.append(s)
                return among & (width > 2.0**-s)
            among, s = loaf(high, among, self.tradeoff, 2.0**-s), s + 1


@pytest.mark.long
@pytest.mark.parametrize("tradeoff", [0.0, 0.3, 2.0])
def test_mtlo(tradeoff):
    twin = Twin(tradeoff, 0.08)
    watched(replay(Mtlo(tradeoff=tradeoff, scale=0.08), SHAPE, 400, seed=3), twin)
    assert {3, 4, "last"} <= set(twin.stages)


def test_refused():
    with pytest.raises(ValueError, match="Mtlo must know the number of rounds"):
        Mtlo().bind(SHAPE._replace(rounds=None))
    with pytest.raises(ValueError, match=r"Mtlo.tradeoff must be at least 0, got -1"):
        Mtlo(tradeoff=-1.0)
