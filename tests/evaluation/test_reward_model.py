"""The regression against least squares, one fold, arm and objective at a time."""

import dataclasses

import evaluation_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logs_for_tests import make_law, make_log

from mobandits.evaluation import DirectMethod, RidgePerArm, evaluate
from mobandits.evaluation.folds import folds_of


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    own_rows=st.booleans(),
    missing=st.sampled_from([0.0, 0.5]),
    features=st.integers(0, 3),
    penalty=st.floats(0.1, 10.0),
)
def test_predictions_are_those_of_least_squares(seed, own_rows, missing, features, penalty):
    log = make_log(seed, rounds=30, features=features, own_rows=own_rows, missing=missing)
    folds, law = folds_of(30, 3, seed), make_law(log, seed)
    table = twins.ridge(log, folds, penalty)
    fitted = RidgePerArm(penalty=penalty).fit(log, folds)
    np.testing.assert_allclose(fitted.logged(), table[np.arange(30), log.arms], atol=1e-9)
    np.testing.assert_allclose(fitted.expected(law), np.einsum("na,nal->nl", law, table), atol=1e-9)


@pytest.mark.long
def test_many_rounds_are_predicted_in_parts():
    log = make_log(1, rounds=25_000)
    law, folds = make_law(log, 1), folds_of(25_000, 2, 0)
    table = twins.ridge(log, folds, 1.0)
    found = RidgePerArm().fit(log, folds).expected(law)
    np.testing.assert_allclose(found, np.einsum("na,nal->nl", law, table), atol=1e-9)


def test_no_round_is_predicted_from_its_own_fold():
    log = make_log(2)
    folds = folds_of(60, 4, 0)
    other = log.rewards.copy()
    other[folds == 2] += 100.0
    before, after = (
        RidgePerArm().fit(one, folds).logged()
        for one in (log, dataclasses.replace(log, rewards=other))
    )
    np.testing.assert_allclose(before[folds == 2], after[folds == 2], rtol=1e-12)
    assert (np.abs(before - after)[folds != 2] > 1.0).all()


def test_an_arm_that_was_never_played_is_believed_to_pay_what_the_others_pay():
    log = make_log(3)
    wider = dataclasses.replace(log, arm_names=(*log.arm_names, "new"))
    law = np.zeros((60, 4))
    law[:, 3] = 1.0
    folds = folds_of(60, 2, 0)
    found = RidgePerArm().fit(wider, folds).expected(law)
    for fold in (0, 1):
        wanted = log.rewards[folds != fold].mean(0)
        np.testing.assert_allclose(
            found[folds == fold], np.tile(wanted, ((folds == fold).sum(), 1))
        )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            np.zeros((60, 3)),
            r"^predictions must have shape \(rounds, arms, objectives\) = \(60, 3, 2\), got \(60, 3\)$",
        ),
        (np.full((60, 3, 2), np.nan), r"^predictions must be finite"),
    ],
)
def test_own_predictions_are_checked(model, message):
    log = make_log(4)
    with pytest.raises(ValueError, match=message):
        evaluate(log, make_law(log), DirectMethod(), model=model)


def test_the_penalty_is_checked():
    with pytest.raises(ValueError, match=r"^RidgePerArm.penalty must be above 0, got 0$"):
        RidgePerArm(penalty=0)


def test_folds_are_even_and_checked():
    assert set(np.bincount(folds_of(103, 5, 1)).tolist()) == {20, 21}
    assert folds_of(20, 4, 1).tolist() == folds_of(20, 4, 1).tolist() != folds_of(20, 4, 2).tolist()
    with pytest.raises(ValueError, match=r"^folds must be at most the number of rounds, 3, got 4$"):
        folds_of(3, 4, 0)
    with pytest.raises(ValueError, match=r"^folds must be an integer of at least 2, got 1$"):
        folds_of(3, 1, 0)
