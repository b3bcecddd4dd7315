"""Pareto knowledge gradient against its formula."""

import numpy as np
import pytest
from scipy import stats
from twins.regression import History
from twins.replay import pareto_front, replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import ParetoKg
from mobandits.policies.context_free.pareto_kg import expected_gain

SHAPE = Shape(arms=5, features=0, objectives=2, rounds=300)


class Twin(History):
    def __init__(self, plays):
        super().__init__(5, 0, 2)
        self.plays = plays

    def front(self, context):
        n, mean = self.means()
        index = np.full((5, 2), np.inf)
        for a in np.flatnonzero(n >= self.plays):
            error = np.maximum(self.of(a).std(0, ddof=1) / np.sqrt(n[a]), 1e-12)
            z = -np.abs(mean[a] - np.delete(mean, a, 0).max(0)) / error
            gain = error * (z * stats.norm.cdf(z) + stats.norm.pdf(z))
            index[a] = mean[a] + 2 * 5 * (300 - self.t - 1) * gain
        return pareto_front(index)


@pytest.mark.long
@pytest.mark.parametrize("plays", [2, 4])
def test_pareto_kg(plays):
    watched(replay(ParetoKg(plays=plays), SHAPE, seed=plays), Twin(plays))


@pytest.mark.parametrize("z", [-3.0, -0.4, 0.0])
def test_expected_gain(z):
    draws = stats.norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    assert expected_gain(z) == pytest.approx(np.maximum(z + draws, 0).mean(), abs=1e-5)


def test_arms_that_never_vary():
    rewards = np.tile(np.linspace(0, 1, 5)[None, :, None], (40, 1, 2))
    run = replay(ParetoKg(), SHAPE, given=(np.zeros((1, 1, 0)), rewards))
    assert (run.chosen[10:] == 4).all()


def test_refused():
    with pytest.raises(ValueError, match="ParetoKg must know the number of rounds"):
        ParetoKg().bind(SHAPE._replace(rounds=None))
    with pytest.raises(ValueError, match=r"ParetoKg.plays must be an integer of at least 2"):
        ParetoKg(plays=1)
