"""Propensities: what they cost nobody, what their standard error is worth, and what is refused."""

import math

import numpy as np
import pytest

import mobandits as mob
from mobandits.policies import MolUcb, ParetoTs, RandomChoice, ScalarizedUcb1

K, D, L = 4, 2, 2
RECIPE = ParetoTs(prior="gaussian", noise=0.5)  # which compiles fast


def agent_of(recipe=RECIPE, **other):
    agent = mob.Agent(recipe, **{"arms": K, "features": D, "objectives": L, "seed": 5, **other})
    rng = np.random.default_rng(0)
    for i in range(20):
        number = agent.decide(rng.random(D), [i % K]).id
        agent.learn(number, rng.random(L) + 0.1 * (i % K))
    return agent


@pytest.fixture(scope="module")
def sampled():
    """Decisions of a sampling agent at one context, with few and with many beliefs."""
    context = np.array([0.3, 0.6])
    return [
        [agent.decide(context) for _ in range(400)]
        for agent in (agent_of(propensity="sampled", samples=n) for n in (30, 300))
    ]


@pytest.mark.long
def test_sampling_changes_no_decision(sampled):
    plain = agent_of()
    arms = [plain.decide([0.3, 0.6]).arm for _ in range(400)]
    for decisions in sampled:
        assert [one.arm for one in decisions] == arms


@pytest.mark.long
def test_the_standard_error_is_one(sampled):
    for n, decisions in zip((30, 300), sampled, strict=True):
        for arm in range(K):
            said = np.array([(one.propensity, one.error) for one in decisions if one.arm == arm])
            if len(said) > 50:
                assert said[:, 0].std() == pytest.approx(said[:, 1].mean(), rel=0.3)
                assert said[:, 1].mean() < 0.6 / math.sqrt(n)
                often = len(said) / len(decisions)
                slack = 4.0 * math.sqrt(often * (1.0 - often) / len(decisions)) + 1.0 / n
                assert abs(said[:, 0].mean() - often) < slack


@pytest.mark.long
def test_weights_by_propensities_count_every_arm_once(sampled):
    """The mean of 1 / propensity is the number of arms, but for the weight of the belief that was played."""
    for decisions in sampled:
        weights = np.array([1.0 / one.propensity for one in decisions])
        played = len({one.arm for one in decisions})
        assert abs(weights.mean() - played) < 5.0 * weights.std() / math.sqrt(len(weights)) + 0.1
        assert min(one.propensity for one in decisions) > 0.0


def test_exact_is_for_beliefs_that_are_not_drawn():
    for recipe in (RECIPE, ScalarizedUcb1(check=False)):
        with pytest.raises(
            ValueError,
            match=f"'none' where beliefs are drawn, as in {type(recipe).__name__}, got 'exact'",
        ):
            agent_of(recipe, propensity="exact")


def test_the_law_of_a_single_arm_and_of_none_asked():
    exact, none = (agent_of(MolUcb(scale=0.3), propensity=how) for how in ("exact", "none"))
    one, other = exact.decide([0.3, 0.6], [2]), none.decide([0.3, 0.6], [2])
    assert (one.propensity, one.error, one.front) == (1.0, 0.0, (2,))
    assert (other.propensity, other.error, other.front, other.scores) == (None, 0.0, None, None)
    assert (one.arm, one.id) == (other.arm, other.id)


def test_scores_are_for_beliefs_that_are_means():
    agent = mob.Agent(RandomChoice(), arms=K, features=0, objectives=L, propensity="exact")
    decision = agent.decide()
    assert (decision.propensity, decision.scores, len(decision.front)) == (0.25, None, K)
