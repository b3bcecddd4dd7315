"""The true value lies in the 95 % joint region in 90 to 98 % of 200 repetitions; what is biased is so as documented."""

import dataclasses

import numpy as np
import pytest
from calibration import ESTIMATORS, REPETITIONS, ROUNDS, repeat
from worlds import WORLDS, linear_world

from mobandits.evaluation import compare
from mobandits.evaluation.folds import folds_of
from mobandits.evaluation.training import ask, trained
from mobandits.logs import Feedback
from mobandits.policies import MolEpsGreedy

SOUND = ("ips", "snips", "dr")


@pytest.fixture(scope="module", params=sorted(WORLDS))
def repeated(request):
    return repeat(WORLDS[request.param](), ESTIMATORS)


@pytest.mark.parametrize("name", SOUND)
def test_joint_regions_hold_the_truth_as_often_as_they_should(repeated, name):
    assert len(repeated[name].values) == REPETITIONS == 200
    assert 0.90 <= repeated[name].ellipsoid <= 0.98
    assert 0.90 <= repeated[name].box <= 0.98


@pytest.mark.parametrize("name", SOUND)
def test_sound_estimators_have_no_visible_bias(repeated, name):
    assert (np.abs(repeated[name].bias) < 4.0 / REPETITIONS**0.5).all()


def test_a_model_makes_doubly_robust_estimates_sharper(repeated):
    spread = {name: found.values.std(0) for name, found in repeated.items()}
    assert (spread["dr"] < spread["snips"]).all()
    assert (spread["dr"] < spread["ips"]).all()


def test_clipping_takes_spread_and_gives_bias(repeated):
    assert (repeated["ips, clip 3"].values.std(0) < repeated["ips"].values.std(0)).all()
    assert (np.abs(repeated["ips, clip 3"].bias) > 1.0).any()


def test_replay_of_an_uneven_log_is_far_off_and_says_so(repeated):
    assert repeated["replay"].ellipsoid < 0.1
    assert (np.abs(repeated["replay"].bias) > 1.0).any()


def test_the_direct_method_promises_too_much(repeated):
    """Its region leaves the model's error out; the warning says so."""
    assert repeated["dm"].ellipsoid < 0.9


def test_a_recipe_is_as_well_calibrated_as_a_policy_that_was_fixed_before():
    """What is estimated is the mean over folds of policies that were trained without the fold: each is asked on the
    whole population."""
    world, recipe, hits = linear_world(population=4000), MolEpsGreedy(epsilon=0.1), []
    everything = world.log_of(np.arange(4000), np.random.default_rng(0))
    for seed in range(100):
        log, _ = world.log(ROUNDS, seed)
        folds, truth = folds_of(ROUNDS, 2, seed), np.zeros(2)
        for fold in (0, 1):
            rng, law = np.random.default_rng(0), np.zeros((4000, 4))
            policy, state = trained(recipe, log, np.flatnonzero(folds != fold), rng)
            ask(policy, state, everything, np.arange(4000), 1, rng, law)
            truth += world.value(law) / 2.0
        found = compare(log, {"t": recipe}, ["ips", "dr"], folds=2, seed=seed)
        hits.append([one.ellipsoid().contains(truth) for one in found.estimates.values()])
    assert (np.mean(hits, axis=0) >= 0.88).all()


def test_missing_rewards_do_not_move_regions_where_they_miss_at_random():
    world, hits = linear_world(), []
    truth = world.value(world.target)
    for seed in range(REPETITIONS):
        log, rows = world.log(ROUNDS, seed)
        gone = np.random.default_rng(seed).random((ROUNDS, 2)) < [0.1, 0.5]
        partial: Feedback = dataclasses.replace(log, rewards=np.where(gone, np.nan, log.rewards))
        found = compare(partial, {"t": world.target[rows]}, SOUND, seed=seed)
        hits.append([one.ellipsoid().contains(truth) for one in found.estimates.values()])
    shares = np.mean(hits, axis=0)
    assert ((shares >= 0.9) & (shares <= 0.985)).all()
