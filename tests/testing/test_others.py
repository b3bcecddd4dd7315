"""Checks of what other libraries state: true statements pass, and every usual mistake is found."""

import math

import numpy as np
import pytest

import mobandits as mob
from mobandits.evaluation import Ips
from mobandits.logs import Feedback
from mobandits.testing import check_front, check_propensities, check_sequence

LAW = np.array([0.7, 0.2, 0.1])


def drawn(seed, law=LAW):
    return int(np.random.default_rng(seed).choice(len(law), p=law))


# --- propensities


def test_true_propensities_pass():
    check_propensities(lambda seed: (drawn(seed), LAW[drawn(seed)]))


def test_propensities_of_our_agents_pass(interpreted):
    def decide(seed):
        recipe = mob.policies.WithFloor(mob.policies.ParetoUcb1(), 0.4)
        agent = mob.Agent(recipe, arms=3, features=0, objectives=2, seed=seed, propensity="exact")
        decision = agent.decide()
        return decision.arm, decision.propensity

    check_propensities(decide, decisions=1000)


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        (lambda arm, seed: [0.6, 0.3, 0.1][arm], "has propensity"),
        (lambda arm, seed: 1.0, "add up to 3"),
        (lambda arm, seed: 0.0, "has propensity 0.0"),
        (lambda arm, seed: math.nan, "has propensity nan"),
        (lambda arm, seed: LAW[arm] + 0.001 * (seed == 100), "propensities"),
    ],
    ids=["of another policy", "of the draw", "none", "no number", "not the same"],
)
def test_mistaken_propensities_are_found(stated, says):
    with pytest.raises(AssertionError, match=says):
        check_propensities(lambda seed: (drawn(seed), stated(drawn(seed), seed)))


# --- fronts


def test_our_front_passes():
    check_front(mob.front, tables=50)


def strict(means):
    """The rows that no other row beats everywhere."""
    return [
        not (means > row).all(axis=1).any() if means.shape[1] > 1 else row == means.max()
        for row in means
    ]


MISTAKES = {
    "smaller is better": lambda means: mob.front(-means),
    "equal rows come once": lambda means: np.unique(means[mob.front(means)], axis=0, return_index=True)[1],
    "beaten everywhere": strict,
    "a tolerance": lambda means: mob.front(means.round(9)),
}  # fmt: skip


@pytest.mark.parametrize("front", MISTAKES.values(), ids=MISTAKES)
def test_mistaken_fronts_are_found(front):
    with pytest.raises(AssertionError, match="the front is"):
        check_front(front, tables=50)


# --- sequences


def at_all_looks(means, halves):
    return means - halves, means + halves


def hoeffding(weights, rewards, alpha=0.05):
    """Every round has a share of alpha: 1 / (t (t + 1)) of it."""
    t = np.arange(1, len(rewards) + 1)
    terms = weights * rewards
    width = np.sqrt(np.log(2.0 * t * (t + 1) / alpha) / (2.0 * t)) * 20.0
    return at_all_looks(np.cumsum(terms) / t, width)


def normal(weights, rewards):
    """An interval for one look, at all looks."""
    t = np.arange(1, len(rewards) + 1)
    terms = weights * rewards
    means = np.cumsum(terms) / t
    variances = np.cumsum(terms**2) / t - means**2
    low, high = at_all_looks(means, 1.96 * np.sqrt(variances / t))
    low[:30] = high[:30] = np.nan
    return low, high


def ours(weights, rewards, looks=(50, 500)):
    """`Estimate.sequence` at some looks."""
    low = np.full(len(rewards), np.nan)
    high = low.copy()
    propensities = np.where(weights > 0.0, 1.0 / np.maximum(weights, 1.0), 1.0)
    for t in looks:
        arms = (weights[:t] == 0.0).astype(int)
        log = Feedback(
            np.empty((t, 0)), arms, rewards[:t, None], propensities[:t], ["target", "other"], ["r"]
        )
        estimate = mob.evaluation.evaluate(log, mob.evaluation.ConstantTarget("target"), Ips())
        box = estimate.sequence(0.95, low=0.0, high=1.0)
        low[t - 1], high[t - 1] = box.low[0], box.high[0]
    return low, high


def test_an_interval_with_a_share_per_round_passes():
    check_sequence(hoeffding, streams=100, rounds=200)


def test_our_sequence_passes():
    check_sequence(ours, streams=30)


def test_intervals_for_one_look_are_found():
    with pytest.raises(AssertionError, match="streams are missed, more than"):
        check_sequence(normal, streams=100)
