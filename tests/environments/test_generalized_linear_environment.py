"""Generalized linear coins: the paper's law, links, both kinds of arms, refusals."""

import math
import re

import numpy as np
import pytest

from mobandits.environments import GeneralizedLinear
from mobandits.environments.generalized_linear import undominated


def draw(environment, rounds=6, seed=0):
    problem = environment.problem(100, np.random.default_rng(seed))
    return problem, problem.block(0, rounds, np.random.default_rng(seed + 1))


def slow_front(means):
    return [not any((v >= u).all() and (v > u).any() for v in means) for u in means]


MEAN = {
    "probit": lambda z: math.erfc(-z / math.sqrt(2)) / 2,
    "logit": lambda z: 1 / (1 + math.exp(-z)),
    "identity": lambda z: z,
}


@pytest.mark.parametrize("features", [5, 10, 15])
def test_the_papers_law(features):
    fronts = []
    for seed in range(8):
        problem, block = draw(GeneralizedLinear(features=features), seed=seed)
        arms = problem.shape.fixed_arms
        assert problem.shape[:4] == (4 * features, features, 5, 100)
        norms = np.linalg.norm(arms, axis=1)
        assert (norms[: 3 * features] <= 0.5).all()
        assert (norms[3 * features :] <= 1).all()
        assert (problem.theta >= 0).all()
        assert (np.linalg.norm(problem.theta, axis=1) <= 1).all()
        assert slow_front(block.means[0]) == undominated(block.means[0]).tolist()
        fronts.append(sum(slow_front(block.means[0])))
        np.testing.assert_array_equal(block.contexts[0], arms)
    assert max(fronts) <= features


@pytest.mark.parametrize("fixed", [False, True])
def test_means_go_through_links(fixed):
    links = ("probit", "logit", "identity")
    problem, block = draw(GeneralizedLinear(features=3, links=links, fixed_arms=fixed))
    for x, means in zip(block.contexts.reshape(-1, 3), block.means.reshape(-1, 3), strict=True):
        for theta, link, mean in zip(problem.theta, links, means, strict=True):
            assert mean == pytest.approx(MEAN[link](theta @ x), abs=1e-12)


def test_coins_are_coins():
    _, block = draw(GeneralizedLinear(features=3, links=("probit", "identity")), rounds=20_000)
    assert set(np.unique(block.rewards[:, :, 0])) == {0, 1}
    assert set(np.unique(block.rewards[:, :, 1])) == {-1, 1}
    np.testing.assert_allclose(block.rewards.mean(0), block.means[0], atol=0.03)
    best = block.rewards[:, 0] - block.means[0, 0]
    assert abs(np.corrcoef(best.T)[0, 1]) < 0.03  # objectives are independent


def test_arms_may_change():
    problem, block = draw(GeneralizedLinear(features=3, fixed_arms=False), rounds=5)
    assert problem.shape.fixed_arms is None
    assert len(np.unique(block.contexts.reshape(-1, 3), axis=0)) == 60


def test_block_borders_do_not_matter_with_fixed_arms():
    problem, rng = draw(GeneralizedLinear())[0], np.random.default_rng(1)
    whole = problem.block(0, 10, np.random.default_rng(1))
    parts = [problem.block(0, 4, rng), problem.block(4, 6, rng)]
    np.testing.assert_array_equal(whole.rewards, np.concatenate([part.rewards for part in parts]))


def test_hopeless_problems_are_given_up():
    with pytest.raises(
        ValueError, match="had more than 1 arms in their front; take fewer arms or more features"
    ):
        GeneralizedLinear(features=1, links=("identity",) * 2, arms=4).problem(10, Hostile())


class Hostile:
    """Theta with opposite signs would be needed for large fronts in one dimension: this makes all arms tie."""

    def standard_normal(self, shape):
        return np.ones(shape)

    def random(self, shape):
        return np.zeros(shape)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"features": 0}, "GeneralizedLinear.features must be an integer of at least 1, got 0"),
        ({"arms": 0}, "GeneralizedLinear.arms must be an integer of at least 1, got 0"),
        ({"links": ()}, "GeneralizedLinear.links must be a list of at least one link, got ()"),
        (
            {"links": "logit"},
            "GeneralizedLinear.links must be a list of at least one link, got 'logit'",
        ),
        (
            {"links": ("probt",)},
            (
                "GeneralizedLinear.links: 'probt' is unknown; did you mean probit? "
                "It must be one of identity, logit, probit"
            ),
        ),
        ({"fixed_arms": 1}, "GeneralizedLinear.fixed_arms must be True or False, got 1"),
    ],
)
def test_refusals(wrong, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        GeneralizedLinear(**wrong)
