"""PF-LEX against its rule."""

import numpy as np
import pytest
from twins.regression import History, last_leader
from twins.replay import replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import PfLex

SHAPE = Shape(arms=5, features=0, objectives=3, rounds=300)


class Twin(History):
    def __init__(self, epsilon, scale, delta=0.05):
        super().__init__(5, 0, 3)
        self.epsilon, self.scale, self.delta, self.explored = epsilon, scale, delta, 0

    def front(self, context):
        n, mean = self.means()
        if not n.all():
            return n == 0
        doubt = 1 + 2 * np.log(5 * 3 * np.sqrt(1 + n) / self.delta)
        width = self.scale * np.sqrt((1 + n) / n**2 * doubt)
        if width.max() > self.epsilon:
            self.explored += 1
            return np.isclose(width, width.max(), rtol=1e-12)
        return last_leader(mean, width[:, None])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [0.03, 0.2])
def test_pf_lex(scale, seed):
    twin = Twin(0.2, scale)
    watched(replay(PfLex(epsilon=0.2, scale=scale), SHAPE, seed=seed), twin)
    assert scale == 0.03 or 0 < twin.explored < 200


def test_default_epsilon():
    assert PfLex().bind(SHAPE).order.epsilon == pytest.approx(1500 ** (-1 / 3))
    with pytest.raises(
        ValueError, match=r"PfLex.epsilon must be given where the number of rounds is unknown"
    ):
        PfLex().bind(SHAPE._replace(rounds=None))
