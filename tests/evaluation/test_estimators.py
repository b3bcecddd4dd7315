"""Every estimator against its formula in a loop, and what must hold of each."""

import dataclasses

import evaluation_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logs_for_tests import make_law, make_log

from mobandits.evaluation import (
    ESTIMATORS,
    DirectMethod,
    DoublyRobust,
    Feedback,
    Ips,
    LoggingPolicy,
    Replay,
    Snips,
    SwitchDr,
    compare,
    evaluate,
)

CASES = [
    (Ips(), np.inf),
    (Ips(clip=1.2), 1.2),
    (Snips(), np.inf),
    (Snips(clip=1.2), 1.2),
    (DirectMethod(), np.inf),
    (DoublyRobust(), np.inf),
    (DoublyRobust(clip=1.2), 1.2),
    (SwitchDr(threshold=1.2), 1.2),
    (Replay(), np.inf),
]
WEIGHTED = [Ips(), Snips(), DoublyRobust(), SwitchDr()]


def table_of(log, seed):
    shape = (len(log), len(log.arm_names), len(log.objective_names))
    return np.random.default_rng(seed).random(shape)


@pytest.mark.long
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.4]), eligible=st.booleans())
def test_all_are_what_their_formulas_say(seed, missing, eligible):
    log = make_log(seed, rounds=25, missing=missing, eligible=eligible)
    law, predictions = make_law(log, seed), table_of(log, seed)
    for estimator, bound in CASES:
        found = evaluate(log, law, estimator, model=predictions)
        wanted = twins.estimate(estimator.name, log, law, predictions, bound)
        np.testing.assert_allclose(found.value, wanted, rtol=1e-12)


def test_every_estimator_is_tested():
    assert {one.name for one, _ in CASES} == set(ESTIMATORS)


@pytest.mark.long
@pytest.mark.parametrize("estimator", [one for one, _ in CASES], ids=repr)
def test_the_covariance_is_that_of_leaving_a_round_out(estimator):
    """The jackknife needs no formula for the influence of a round."""
    log = make_log(1, rounds=400, missing=0.2)
    law, predictions = make_law(log, 1), table_of(log, 1)
    found = evaluate(log, law, estimator, model=predictions)
    without = [
        evaluate(log[keep], law[keep], estimator, model=predictions[keep]).value
        for keep in (np.delete(np.arange(400), t) for t in range(400))
    ]
    jackknife = 399.0 * np.cov(np.array(without).T, bias=True)
    np.testing.assert_allclose(found.covariance, jackknife, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("estimator", WEIGHTED, ids=repr)
def test_the_logging_policy_is_worth_what_it_got(estimator):
    log = make_log(2, missing=0.3)
    found = evaluate(log, LoggingPolicy(), estimator, model=table_of(log, 2))
    np.testing.assert_allclose(found.value, np.nanmean(log.rewards, axis=0), rtol=1e-12)
    assert found.diagnostics.effective_rounds == len(log)


@pytest.mark.long
@given(shift=st.floats(-5.0, 5.0), scale=st.floats(0.1, 10.0))
def test_self_normalised_estimates_move_with_the_rewards_and_stay_in_their_range(shift, scale):
    log = make_log(3)
    law, moved = make_law(log, 3), dataclasses.replace(log, rewards=shift + scale * log.rewards)
    before, after = (evaluate(one, law, Snips()) for one in (log, moved))
    np.testing.assert_allclose(after.value, shift + scale * before.value, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        after.standard_error, scale * before.standard_error, rtol=1e-6, atol=1e-9
    )
    assert (log.rewards.min(0) <= before.value).all()
    assert (before.value <= log.rewards.max(0)).all()


def test_a_perfect_model_leaves_no_doubt_but_the_contexts():
    log = make_log(4)
    truth = table_of(log, 4)
    seen = dataclasses.replace(log, rewards=truth[np.arange(len(log)), log.arms])
    law = make_law(log, 4)
    wanted = np.einsum("na,nal->nl", law, truth)
    for estimator in (DoublyRobust(), SwitchDr(), DirectMethod()):
        found = evaluate(seen, law, estimator, model=truth)
        np.testing.assert_allclose(found.value, wanted.mean(0))
        np.testing.assert_allclose(found.standard_error, wanted.std(0, ddof=1) / len(log) ** 0.5)


@pytest.mark.parametrize(
    ("free", "bounded"),
    [
        (Ips(), Ips(clip=1.1)),
        (DoublyRobust(), DoublyRobust(clip=1.1)),
        (DoublyRobust(), SwitchDr(threshold=1.1)),
    ],
    ids=repr,
)
def test_the_bias_bound_bounds_what_clipping_did(free, bounded):
    log = make_log(5, missing=0.2)
    law, predictions = make_law(log, 5, sharp=0.3), table_of(log, 5)
    whole, cut = (evaluate(log, law, one, model=predictions) for one in (free, bounded))
    moved = np.abs(whole.value - cut.value)
    assert (moved > 1e-3).all()
    assert (moved <= cut.bias_bound + 1e-12).all()
    assert not whole.bias_bound.any() or isinstance(free, SwitchDr)


def test_the_bias_bound_of_clipped_snips_holds_in_the_limit():
    logging, rng = np.array([0.8, 0.15, 0.05]), np.random.default_rng(6)
    arms = rng.choice(3, 20_000, p=logging)
    rewards = np.column_stack([arms, -0.5 * arms]) + rng.normal(size=(20_000, 2))
    log = Feedback(np.ones((20_000, 1)), arms, rewards, logging[arms], "abc", "uv")
    law = np.tile([0.05, 0.15, 0.8], (20_000, 1))
    whole, cut = evaluate(log, law, Snips()), evaluate(log, law, Snips(clip=3.0))
    moved = np.abs(whole.value - cut.value)
    assert (moved <= cut.bias_bound + 3.0 * whole.standard_error).all()
    assert (moved > 3.0 * whole.standard_error).any()


def test_an_objective_that_is_missing_leaves_the_others_alone():
    log = make_log(7)
    partly = log.rewards.copy()
    partly[::3, 1] = np.nan
    law, predictions = make_law(log, 7), table_of(log, 7)
    every = [one for one, _ in CASES]
    whole, part = (
        compare(one, {"t": law}, every, model=predictions)
        for one in (log, dataclasses.replace(log, rewards=partly))
    )
    for key, estimate in part.estimates.items():
        assert estimate.value[0] == whole[key].value[0]
        assert estimate.standard_error[0] == pytest.approx(whole[key].standard_error[0], rel=1e-12)


def test_an_estimate_prints_as_what_was_found():
    log = make_log(8, rounds=5000)
    assert len(repr(evaluate(log, LoggingPolicy(), "ips"))) < 200
    assert repr(evaluate(log, LoggingPolicy(), "ips")).startswith(
        "Estimate('target', Ips(clip=None), value=["
    )


def test_an_objective_that_was_never_seen_is_unknown():
    log = make_log(8)
    blind = dataclasses.replace(
        log, rewards=np.column_stack([log.rewards[:, 0], np.full(len(log), np.nan)])
    )
    found = evaluate(blind, make_law(log, 8), Ips())
    assert np.isfinite(found.value[0])
    assert np.isnan(found.value[1])
    assert found.box().contains([found.value[0], 1e9])
    assert found.ellipsoid().contains([-1e9, 1e9])
    assert any(text.startswith("missing rewards: v was never observed") for text in found.warnings)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ips(clip=0.0), r"^Ips.clip must be above 0, got 0.0$"),
        (lambda: Snips(clip=-1.0), r"^Snips.clip must be above 0, got -1.0$"),
        (
            lambda: DoublyRobust(clip=float("nan")),
            r"^DoublyRobust.clip must be a finite number, got nan$",
        ),
        (lambda: SwitchDr(threshold=0.0), r"^SwitchDr.threshold must be above 0, got 0.0$"),
    ],
)
def test_parameters_are_checked(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("estimator", WEIGHTED, ids=repr)
def test_weights_need_propensities(estimator):
    log = make_log(9)
    unknown = dataclasses.replace(
        log, propensities=np.where(np.arange(len(log)) < 3, np.nan, log.propensities)
    )
    with pytest.raises(
        ValueError, match=r"^Feedback.propensities must be known in every round .* NaN in 3 of 60"
    ):
        evaluate(unknown, make_law(log, 9), estimator)


def test_replay_and_the_direct_method_need_none():
    log = make_log(9)
    unknown = Feedback(
        log.contexts, log.arms, log.rewards, np.full(60, np.nan), log.arm_names, log.objective_names
    )
    found = compare(unknown, {"t": make_law(log, 9)}, ["replay", "dm"])
    assert all(np.isfinite(one.value).all() for one in found.estimates.values())
    assert np.isnan(found["t", "dm"].diagnostics.effective_rounds)
