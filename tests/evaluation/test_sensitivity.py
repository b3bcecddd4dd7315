"""Bounds where odds are not the estimated ones: against linear programs, and in worlds with a confounder."""

import dataclasses

import evaluation_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logs_for_tests import make_law, make_log

from mobandits.evaluation import Snips, evaluate
from mobandits.evaluation.sensitivity import MOST, Sensitivity
from mobandits.logs import Feedback

CASES = {
    "seed": st.integers(0, 10**6),
    "rounds": st.integers(2, 12),
    "missing": st.sampled_from([0.0, 0.3]),
    "ties": st.booleans(),
}


def case_of(seed, rounds, missing, ties):
    """A small log and the sensitivity of a random target on it."""
    log = make_log(seed, rounds=rounds, missing=missing)
    if ties:
        log = dataclasses.replace(log, rewards=np.round(log.rewards))
    law = make_law(log, seed, sharp=0.3)
    return log, law, Sensitivity(log, law[np.arange(rounds), log.arms])


@pytest.mark.long
@settings(max_examples=40)
@given(gamma=st.floats(1.0, 5.0), **CASES)
def test_bounds_are_those_of_a_linear_program(gamma, **case):
    log, _, found = case_of(**case)
    box = found.bounds(gamma)
    against = 1.0 / log.propensities - 1.0
    for l, rewards in enumerate(log.rewards.T):
        seen = ~np.isnan(rewards)
        if not seen.any():
            assert np.isnan([box.low[l], box.high[l]]).all()
            continue
        light = (found.played * (1.0 + against / gamma))[seen]
        heavy = (found.played * (1.0 + against * gamma))[seen]
        least, most = twins.extremes(light, heavy, rewards[seen])
        assert box.low[l] == pytest.approx(least, abs=1e-7)
        assert box.high[l] == pytest.approx(most, abs=1e-7)


@pytest.mark.long
@settings(max_examples=40)
@given(gammas=st.lists(st.floats(1.0, 20.0), min_size=2, max_size=4), **CASES)
def test_bounds_hold_the_estimate_and_widen_with_gamma(gammas, **case):
    log, law, found = case_of(**case)
    estimate = evaluate(log, law, Snips())
    exact = found.bounds(1.0)
    np.testing.assert_allclose(exact.low, estimate.value, rtol=1e-12)
    np.testing.assert_allclose(exact.high, estimate.value, rtol=1e-12)
    known = ~np.isnan(estimate.value)
    least, most = np.nanmin(log.rewards, axis=0), np.nanmax(log.rewards, axis=0)
    low, high = estimate.value, estimate.value
    for gamma in sorted(gammas):
        box = found.bounds(gamma)
        assert (box.low <= low + 1e-12)[known].all()
        assert (box.high >= high - 1e-12)[known].all()
        assert (box.low >= least - 1e-12)[known].all()
        assert (box.high <= most + 1e-12)[known].all()
        low, high = box.low, box.high


def test_intervals_at_gamma_one_are_those_of_the_estimate():
    log = make_log(1, rounds=300, missing=0.2)
    law = make_law(log, 1)
    found = Sensitivity(log, law[np.arange(300), log.arms])
    box, own = found.box(1.0, 0.9), evaluate(log, law, Snips()).box(0.9)
    np.testing.assert_allclose(box.low, own.low)
    np.testing.assert_allclose(box.high, own.high)


@pytest.mark.long
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), gap=st.floats(-1.0, 1.0))
def test_what_is_shown_is_shown_for_every_smaller_gamma_and_for_no_larger_one(seed, gap):
    rng = np.random.default_rng(seed)
    log = make_log(seed, rounds=200)
    rewards = log.rewards + gap * (log.arms == 1)[:, None] + 0.2 * rng.normal(size=(200, 2))
    log = dataclasses.replace(log, rewards=rewards)
    found = Sensitivity(log, make_law(log, seed, 0.5)[np.arange(200), log.arms])
    directions = np.array([found._direction(tenths / 10, 0.95) for tenths in range(10, 101)])
    for l, one in enumerate(found.robustness(0.95)):
        assert one.direction == directions[0, l]
        if not one.direction:
            assert np.isnan(one.gamma)
            continue
        shown = directions[:, l] == one.direction
        assert one.gamma == (9 + shown.sum()) / 10
        assert shown[: shown.sum()].all()


def test_better_and_worse_are_mirror_images():
    log = make_log(7, rounds=500)
    log = dataclasses.replace(log, rewards=log.rewards + 0.5 * (log.arms == 1)[:, None])
    mirrored = dataclasses.replace(log, rewards=-log.rewards)
    played = (log.arms == 1).astype(float)
    up, down = (Sensitivity(each, played).robustness() for each in (log, mirrored))
    for one, other in zip(up, down, strict=True):
        assert one.direction == -other.direction == 1
        assert 1.0 <= one.gamma == other.gamma < MOST


def test_a_target_that_plays_as_the_log_is_shown_to_be_nothing_else():
    log = make_log(8, rounds=300)
    found = Sensitivity(log, log.propensities)  # every weight is 1
    assert [one.direction for one in found.robustness()] == [0, 0]


@pytest.mark.parametrize("gamma", [0.5, np.nan])
def test_gamma_is_at_least_one(gamma):
    log = make_log(0)
    with pytest.raises(ValueError, match="gamma must be"):
        Sensitivity(log, log.propensities).bounds(gamma)


def tight_log(gamma, rounds, rng):
    """A log in which the bound at gamma is the truth, 1/2 for arm b: the odds of b are multiplied or divided by gamma
    where its reward is 1 or 0, and are even without knowing that."""
    reward = rng.random(rounds) < 0.5
    odds = np.where(reward, gamma, 1.0 / gamma)
    arms = rng.random(rounds) < odds / (1.0 + odds)
    rewards = np.where(arms, reward, 0.0)[:, None]
    return Feedback(np.ones((rounds, 1)), arms.astype(int), rewards, [0.5] * rounds, "ab", ["q"])


@pytest.mark.long
@pytest.mark.parametrize("gamma", [1.5, 3.0])
def test_lower_ends_hold_as_often_as_they_say_where_the_bound_is_the_truth(gamma):
    rng = np.random.default_rng(5)
    boxes = []
    for _ in range(600):
        log = tight_log(gamma, 400, rng)
        boxes.append(Sensitivity(log, log.arms.astype(float)))
    held = np.mean([one.box(gamma, 0.95).low[0] <= 0.5 for one in boxes])
    # 97.5 %, and three standard errors of a share of 600 are 1.9 %.
    assert held > 0.956
    # The bound alone is on the right side in half of the logs.
    assert 0.4 < np.mean([one.bounds(gamma).low[0] <= 0.5 for one in boxes]) < 0.6
    # As if nothing were hidden, the interval is wrong nearly always.
    assert np.mean([one.box(1.0, 0.95).low[0] <= 0.5 for one in boxes]) < 0.35


def confounded_population(rounds, rng):
    """(contexts, hidden, laws, nominal laws, rewards) of three arms: something hidden, of two kinds, shifts odds."""
    contexts = rng.normal(size=(rounds, 2))
    hidden = rng.random(rounds) < 0.5
    scores = contexts @ np.array([[0.5, 0.0, -0.5], [0.0, 0.4, -0.4]])
    laws = []
    for kind in (-1.0, 1.0):
        law = np.exp(scores + kind * np.array([-0.2, 0.0, 0.2]))
        laws.append(law / law.sum(1, keepdims=True))
    nominal = (laws[0] + laws[1]) / 2.0
    law = np.where(hidden[:, None], laws[1], laws[0])
    means = np.array([0.0, 0.3, 0.5]) + contexts[:, :1] * 0.2
    quality = means + 0.8 * np.where(hidden, 1.0, -1.0)[:, None]
    rewards = np.stack([quality, -0.5 * quality], axis=2) + 0.3 * rng.normal(size=(rounds, 3, 2))
    return contexts, laws, law, nominal, rewards


@pytest.mark.long
def test_bounds_hold_the_truth_where_a_confounder_shifts_odds_by_at_most_gamma():
    rng = np.random.default_rng(9)
    held, held_without = [], []
    for _ in range(150):
        contexts, laws, law, nominal, rewards = confounded_population(1000, rng)
        shift = [(each / (1.0 - each)) / (nominal / (1.0 - nominal)) for each in laws]
        gamma = max(np.max(shift), 1.0 / np.min(shift))
        assert gamma < 2.0
        arms = (law.cumsum(1) < rng.random((1000, 1))).sum(1)
        rounds = np.arange(1000)
        played = nominal[rounds, arms]
        log = Feedback(contexts, arms, rewards[rounds, arms], played, "abc", ("q", "p"))
        found = Sensitivity(log, (arms == 2).astype(float))
        # The hidden kind and the contexts have mean 0.
        truth = np.array([0.5, -0.25])
        held.append(bool(found.box(gamma).contains(truth)))
        held_without.append(bool(found.box(1.0).contains(truth)))
    assert np.mean(held) > 0.95
    # As if nothing were hidden, intervals are wrong in most logs.
    assert np.mean(held_without) < 0.5
