"""Width-guided races against their rule, and the arm that they settle on."""

import numpy as np
import pytest
from twins.regression import History
from twins.replay import pareto_front, replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import WidthGuided

SHAPE = Shape(arms=5, features=0, objectives=3, rounds=300)


class Twin(History):
    def __init__(self, constant):
        super().__init__(5, 0, 3)
        self.scale = np.sqrt(2 * constant * np.log(300))
        self.winner = None

    def front(self, context):
        n, mean = self.means()
        if self.winner is None and n.all():
            self.winner = self.won(n, mean)
        if self.winner is not None:
            return np.arange(5) == self.winner
        if not n.all():
            return n == 0
        *_, leader, challenger = max(self.races(n, mean), key=lambda race: race[0])
        return np.arange(5) == (leader if n[leader] <= n[challenger] else challenger)

    def races(self, n, mean):
        width = self.scale / np.sqrt(n)
        for l in range(3):
            challenger, leader = np.argsort(mean[:, l] + width)[-2:]
            sure = mean[leader, l] - width[leader] >= mean[challenger, l] + width[challenger]
            yield width[leader] + width[challenger], sure, leader, challenger

    def won(self, n, mean):
        sure = [race for race in self.races(n, mean) if race[1]]
        return max(sure, key=lambda race: race[0])[2] if sure else None


@pytest.mark.parametrize("constant", [0.002, 1.0])
def test_races(constant):
    run = replay(WidthGuided(constant), SHAPE, seed=3)
    watched(run, Twin(constant))
    assert run.state.winners.any() == (constant < 1.0)


@pytest.mark.long
def test_the_winner_is_on_the_front():
    means = np.array([[0.1, 0.9], [0.9, 0.2], [0.5, 0.5], [0.4, 0.1]])
    shape = Shape(arms=4, features=0, objectives=2, rounds=2000)
    lost = 0
    for seed in range(10):
        rewards = np.random.default_rng(seed).random((2000, 4, 2)) < means
        given = (np.zeros((1, 1, 0)), rewards.astype(float))
        run = replay(WidthGuided(), shape, seed=seed, given=given)
        assert run.state.winners.sum() == 1
        assert (run.chosen[-100:] == run.state.winners.argmax()).all()
        lost += not pareto_front(means)[run.state.winners.argmax()]
    # A bound fails with a probability of at most 2 K L / T at any round, of about 1 % in all.
    assert lost <= 1


def test_an_arm_alone_has_won():
    run = replay(WidthGuided(), SHAPE._replace(arms=1), rounds=5)
    assert run.state.winners.all()


def test_refused():
    with pytest.raises(ValueError, match="WidthGuided must know the number of rounds; Doubling"):
        WidthGuided().bind(SHAPE._replace(rounds=None))
    with pytest.raises(ValueError, match=r"WidthGuided.constant must be .* got 0"):
        WidthGuided(0)
