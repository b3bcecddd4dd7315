"""Identification in environments and from logs, and how often its answer is wrong."""

import numpy as np
import pytest
from scipy import stats

import mobandits as mob
from mobandits.identification import certify, identify
from mobandits.logs import Feedback
from mobandits.policies import Ape, Ege, Elimination, ParetoUcb1, RandomChoice, TopTwoParetoTs

MEANS = [[0.9, 0.1], [0.4, 0.9], [0.1, -0.3]]
EASY = mob.environments.MultiArmed(MEANS, rewards="gaussian", noise=0.1)
ASKED = {"delta": 0.2, "sigma": 0.1}


@pytest.mark.long
@pytest.mark.parametrize("policy", [Ape(), Elimination(), RandomChoice(), ParetoUcb1(check=False)])
def test_any_policy_may_play_and_stops_when_all_arms_are_decided(policy):
    found = identify(policy, EASY, **ASKED)
    assert (found.inside, found.outside, found.front) == ((0, 1), (2,), (0, 1))
    assert found.is_complete
    assert found.rounds % 3 == 0
    # A shorter run is a prefix of a longer one: it was not certain at the look before.
    assert not identify(policy, EASY, **ASKED, rounds=found.rounds - 3).is_complete
    assert identify(policy, EASY, **ASKED, rounds=found.rounds) == found


def test_parameters_of_the_policy_are_those_of_the_certificate():
    asked = ASKED | {"rounds": 90}
    assert identify(Ape(delta=0.5, sigma=3.0), EASY, **asked) == identify(Ape(), EASY, **asked)


def test_a_tolerance_and_few_arms_are_enough_sooner():
    close = mob.environments.MultiArmed([*MEANS, [0.85, 0.08]], rewards="gaussian", noise=0.1)
    asked = ASKED | {"rounds": 400}
    assert not identify(Ape(), close, **asked).is_complete
    tolerant = identify(Ape(), close, **asked, epsilon=0.1)
    assert tolerant.is_complete
    assert {0, 1} <= set(tolerant.inside)
    first = identify(Ape(), close, **asked, at_most=1)
    assert len(first.inside) >= 1
    assert first.rounds < tolerant.rounds


def test_what_is_left_of_the_budget_gives_the_best_guess():
    ege = identify(Ege(), EASY, delta=1e-9, sigma=9.0, rounds=60)
    assert ege.undecided == (0, 1, 2)
    assert ege.front == (0, 1)
    assert identify(TopTwoParetoTs(), EASY, delta=1e-9, sigma=9.0, rounds=60).front == (0, 1)


@pytest.mark.long
@pytest.mark.parametrize("policy", [Ape(), Elimination(), RandomChoice()])
def test_few_answers_are_wrong(policy):
    """A front arm outside, or an arm inside that is dominated, in 40 runs."""
    means = np.random.default_rng(5).random((40, 3, 2))
    wrong = 0
    for trial, table in enumerate(means):
        arms = mob.environments.MultiArmed(table.tolist(), rewards="gaussian", noise=0.3)
        found = identify(policy, arms, 0.2, sigma=0.3, trial=trial, rounds=90)
        front = set(np.flatnonzero(mob.front(table)))
        wrong += bool(front & set(found.outside)) or not set(found.inside) <= front
    assert stats.binom.sf(wrong - 1, 40, 0.2) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("rewards", ["bernoulli", "gaussian"])
def test_few_of_1000_answers_are_wrong(rewards, epsilon):
    rng = np.random.default_rng(1)
    sigma = 0.5
    wrong = 0
    for trial in range(1000):
        table = rng.random((5, 2))
        arms = mob.environments.MultiArmed(table.tolist(), rewards=rewards, noise=sigma)
        found = identify(Ape(), arms, 0.05, epsilon, sigma=sigma, trial=trial, rounds=20_000)
        front = set(np.flatnonzero(mob.front(table)))
        leads = (table[None] - table[:, None]).min(axis=2).max(axis=1)
        good = set(np.flatnonzero(leads <= epsilon))
        wrong += bool(front & set(found.outside)) or not set(found.inside) <= good
    assert stats.binom.sf(wrong - 1, 1000, 0.05) > 1e-3


def log_of(rng, objectives, rounds=900, missing=0.0):
    level = np.array([[0.9, 0.5], [0.5, 0.9], [0.1, 0.0]])
    arms = rng.integers(3, size=rounds)
    rewards = (rng.random((rounds, 2)) < level[arms]).astype(float)
    rewards[rng.random(rewards.shape) < missing] = np.nan
    return Feedback(np.empty((rounds, 0)), arms, rewards, np.full(rounds, 1 / 3), "abc", objectives)


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_a_log_gives_the_certificate_of_its_counts_and_means(missing):
    log = log_of(np.random.default_rng(2), ["quality", "speed"], missing=missing)
    played = [log.rewards[log.arms == a] for a in range(3)]
    counts = [np.isfinite(rewards).sum(axis=0) for rewards in played]
    means = [np.nanmean(rewards, axis=0) for rewards in played]
    found = identify(None, log, 0.05)
    by_hand = certify(counts, means, delta=0.05, names="abc")
    assert (found.inside, found.outside) == (by_hand.inside, by_hand.outside)
    assert found.outside == ("c",)
    assert found.rounds == sum(max(count) for count in counts)


def test_objectives_are_compared_in_units_of_their_ranges():
    """A cost in dollars counts as one in cents, and as a quality, and a given scale as half a range."""
    plain = log_of(np.random.default_rng(3), ["quality", "speed"])
    expected = identify(None, plain, 0.05, 0.125)
    cost = mob.Objective("cost", minimise=True, low=0.0, high=128.0)
    dollars = Feedback(
        plain.contexts,
        plain.arms,
        np.column_stack([plain.rewards[:, 0], -128.0 * (1.0 - plain.rewards[:, 1])]),
        plain.propensities,
        plain.arm_names,
        ["quality", cost],
    )
    assert identify(None, dollars, 0.05, 0.125) == expected
    assert identify(None, dollars, 0.05, 0.125, sigma={"cost": 64.0}) == expected


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((None, EASY, 0.1), "policy must be a recipe"),
        ((Ape(), EASY, 2.0), "delta must be below 1, got 2.0"),
        ((RandomChoice(), EASY, 0.1), r"sigma must be given for rewards outside \[0, 1\], got"),
        ((Ape(), "stream", 0.1), "environment must be an environment"),
    ],
)
def test_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        identify(*asked)


def test_refused_of_a_log():
    log = log_of(np.random.default_rng(4), [mob.Objective("q", low=0.0, high=0.5), "s"])
    with pytest.raises(
        ValueError,
        match=r"rewards of q must lie in \[0, 0.5\], or have another range or a sigma, got 1",
    ):
        identify(None, log, 0.1)
    with pytest.raises(ValueError, match="sigma must name objectives, q, s, got 'x'"):
        identify(None, log, 0.1, sigma={"x": 1.0})
    with pytest.raises(ValueError, match=r"sigma must be {objective: scale} for a log, got 1"):
        identify(None, log, 0.1, sigma=1)
    with pytest.raises(ValueError, match=r"policy must be None for a log, got Ape"):
        identify(Ape(), log, 0.1)
