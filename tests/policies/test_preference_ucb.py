"""The learned weights and the scores against their formulas, and the arm that a user wants."""

import numpy as np
import pytest
from twins.replay import replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import PreferenceUcb


class Twin:
    """The formulas, with NumPy's inverses and all rounds kept."""

    def __init__(self, recipe, rewards, arms):
        self.recipe, self.rewards, self.arms, self.rounds = recipe, rewards, arms, []

    def learn(self, _, arm, reward):
        self.rounds.append((arm, reward))

    def front(self, _):
        played = np.array([arm for arm, _ in self.rounds], int)
        n = np.bincount(played, minlength=self.arms)
        if (n == 0).any():
            return n == 0
        table = np.array([reward for _, reward in self.rounds])
        r, told = table[:, : self.rewards], table[:, self.rewards :]
        mean = np.array([r[played == arm].mean(0) for arm in range(self.arms)])
        rho = self.recipe.scale * np.sqrt(np.log((len(r) + 1) / self.recipe.delta) / n)
        if self.recipe.kind == "user":
            c, bonus = told.mean(0), 0.0
        else:
            share = self.recipe.omega / (r**2).sum(1)
            v = np.eye(self.rewards) + (r * share[:, None]).T @ r
            c = np.linalg.solve(v, (r * share[:, None]).T @ told[:, 0])
            high = mean + rho[:, None]
            bonus = self.recipe.beta * np.sqrt(
                np.einsum("al,lk,ak->a", high, np.linalg.inv(v), high)
            )
        score = mean @ c + rho * np.abs(c).sum() + bonus
        return score >= score.max() - 1e-12 * abs(score.max())


@pytest.mark.parametrize(
    ("recipe", "objectives", "rewards"),
    [
        (PreferenceUcb("user", scale=0.3), 4, 2),
        (PreferenceUcb("hidden", scale=0.3, beta=0.5, omega=2.0), 4, 3),
        (PreferenceUcb("hidden", delta=0.5), 2, 1),
    ],
    ids=str,
)
def test_scores(recipe, objectives, rewards):
    run = replay(recipe, Shape(arms=4, features=0, objectives=objectives), rounds=200)
    watched(run, Twin(recipe, rewards, 4))


MEANS = np.array([[0.9, 0.1], [0.1, 0.9], [0.6, 0.6]])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["user", "hidden"])
@pytest.mark.parametrize(
    ("weights", "best"), [((1.0, 0.1), 0), ((0.1, 1.0), 1), ((0.5, 0.5), 2)], ids=str
)
def test_the_best_arm_of_the_user_is_played(kind, weights, best):
    rng = np.random.default_rng(5)
    rounds = 3000
    r = (rng.random((rounds, 3, 2)) < MEANS).astype(float)
    if kind == "user":
        # Weights of a round lie around those of the user; the policy is told the same of any arm.
        told = np.repeat(weights + 0.2 * rng.standard_normal((rounds, 1, 2)), 3, axis=1)
    else:
        told = r @ np.array(weights)[:, None] + 0.1 * rng.standard_normal((rounds, 3, 1))
    given = (np.zeros((1, 1, 0)), np.concatenate([r, told], axis=2))
    shape = Shape(arms=3, features=0, objectives=2 + told.shape[2])
    run = replay(PreferenceUcb(kind, scale=0.3), shape, given=given)
    late = run.chosen[rounds // 2 :]
    # Margin: a uniform policy plays it in a third of the rounds.
    assert (late == best).mean() > 0.9
    policy = PreferenceUcb(kind).bind(shape)
    assert policy.weights(run.state) == pytest.approx(weights, abs=0.05)


def test_refused():
    shape = Shape(arms=3, features=0, objectives=3)
    with pytest.raises(ValueError, match="an even number of objectives, rewards and then"):
        PreferenceUcb("user").bind(shape)
    with pytest.raises(ValueError, match="at least two objectives, of which the last"):
        PreferenceUcb("hidden").bind(shape._replace(objectives=1))
    with pytest.raises(ValueError, match=r"PreferenceUcb.kind must be"):
        PreferenceUcb("shown")
