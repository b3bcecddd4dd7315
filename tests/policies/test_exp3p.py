"""Exp3.P against its formulas, and against rewards that turn around."""

import numpy as np
import pytest
from twins.replay import replay, uniform_rewards

from mobandits.contracts.protocols import Shape
from mobandits.policies import Exp3P

SHAPE = Shape(arms=4, features=0, objectives=2, rounds=300)


def law(gains, eta, gamma):
    weights = np.exp(eta * (gains - gains.max()))
    return (1 - gamma) * weights / weights.sum() + gamma / len(gains)


@pytest.mark.parametrize("objective", [0, 1])
def test_gains(objective):
    run = replay(Exp3P(objective=objective), SHAPE, seed=objective)
    doubt, gains = np.log(4), np.zeros(4)
    beta, eta = np.sqrt(doubt / (300 * 4)), 0.95 * np.sqrt(doubt / (300 * 4))
    gamma = 1.05 * np.sqrt(4 * doubt / 300)
    for arm, reward in zip(run.chosen, run.rewards[range(300), run.chosen, objective], strict=True):
        p = law(gains, eta, gamma)
        gains += (reward * (np.arange(4) == arm) + beta) / p
    np.testing.assert_allclose(run.state.gains, gains, rtol=1e-10)
    assert run.fronts.all()


def test_an_objective_is_drawn_once():
    drawn = {
        int(replay(Exp3P(objective=None), SHAPE, rounds=50, seed=seed).state.objective[0])
        for seed in range(20)
    }
    assert drawn == {0, 1}


def test_it_follows_an_adversary():
    """The best arm changes after a third of the rounds; in the end another arm has paid most, and it is played."""
    shape = SHAPE._replace(rounds=3000)
    contexts, rewards = uniform_rewards(shape, 3000, 0)
    rewards[:] = 0.1
    rewards[:1000, 0], rewards[1000:, 1] = 0.9, 0.9
    run = replay(Exp3P(), shape, given=(contexts[:, :, :0], rewards))
    assert (run.chosen[800:1000] == 0).mean() > 0.6
    assert (run.chosen[2800:] == 1).mean() > 0.6


def test_refused():
    with pytest.raises(ValueError, match="Exp3P must know the number of rounds"):
        Exp3P().bind(SHAPE._replace(rounds=None))
    with pytest.raises(
        ValueError, match=r"Exp3P.objective must be below the number of objectives, 2, got 2"
    ):
        Exp3P(objective=2).bind(SHAPE)
