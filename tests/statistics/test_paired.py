"""Intervals of paired differences: the bootstrap by loops, few trials, many trials, coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mobandits.statistics.bootstrap import (
    COUNTS,
    FEWEST_RESAMPLED,
    MOST_RESAMPLED,
    RESAMPLES,
    counts,
    paired_mean,
)


def by_loops(differences):
    """Every resample written out, with its own mean and standard error."""
    trials = len(differences)
    mean = math.fsum(differences) / trials
    error = float(np.std(differences, ddof=1)) / math.sqrt(trials)
    deviations = []
    for often in counts(trials, min(RESAMPLES, COUNTS // trials)).astype(int):
        drawn = [d for d, times in zip(differences, often, strict=True) for _ in range(times)]
        own_mean = math.fsum(drawn) / trials
        own_error = float(np.std(drawn, ddof=1)) / math.sqrt(trials)
        off = own_mean - mean
        if abs(off) < 1e-14:
            deviations.append(0.0)
        else:
            deviations.append(
                off / own_error if own_error > 1e-13 else math.copysign(math.inf, off)
            )
    deviations.sort()
    last = len(deviations) - 1
    low = mean - deviations[round(0.975 * last)] * error
    high = mean - deviations[round(0.025 * last)] * error
    return low, high


@pytest.mark.long
@pytest.mark.parametrize("trials", [FEWEST_RESAMPLED, 13, 20])
def test_it_is_the_bootstrap_by_loops(trials):
    differences = np.random.default_rng(trials).exponential(size=trials) - 0.3
    mean, low, high = paired_mean(differences)
    assert mean == pytest.approx(differences.mean())
    assert (low, high) == pytest.approx(by_loops(differences.tolist()), rel=1e-6)


@pytest.mark.parametrize("trials", [2, FEWEST_RESAMPLED - 1, MOST_RESAMPLED + 1])
def test_few_and_very_many_trials_have_student_s_interval(trials):
    differences = np.random.default_rng(trials).normal(size=trials)
    _, low, high = paired_mean(differences)
    expected = stats.t.interval(
        0.95, trials - 1, loc=differences.mean(), scale=stats.sem(differences)
    )
    assert (low, high) == pytest.approx(expected, rel=1e-9)


def test_one_trial_has_no_interval():
    mean, low, high = paired_mean(np.array([3.0]))
    assert mean == 3.0
    assert math.isnan(low)
    assert math.isnan(high)


def test_equal_differences_have_an_interval_without_width():
    assert paired_mean(np.full(8, 2.0)) == (2.0, 2.0, 2.0)
    assert paired_mean(np.zeros(8)) == (0.0, 0.0, 0.0)


def test_one_trial_that_differs_from_the_others_has_a_finite_interval():
    mean, low, high = paired_mean(np.array([0.0] * 19 + [1.0]))
    assert low < mean < high
    assert math.isfinite(high - low)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=12),
    st.sampled_from([0.5, 4.0, 1024.0]),
)
def test_it_turns_and_scales_with_the_differences(values, scale):
    differences = np.array(values, float)
    mean, low, high = paired_mean(differences)
    assert low <= mean <= high
    assert paired_mean(-differences) == pytest.approx((-mean, -high, -low), abs=1e-9)
    scaled = paired_mean(scale * differences)
    assert scaled == pytest.approx((scale * mean, scale * low, scale * high), rel=1e-9, abs=1e-9)


def coverage(draw, truth, trials, sets):
    rng = np.random.default_rng(trials)
    inside = 0
    for _ in range(sets):
        _, low, high = paired_mean(draw(rng, trials))
        inside += low <= truth <= high
    return inside / sets


@pytest.mark.long
@pytest.mark.parametrize("trials", [5, 10, 20])
def test_intervals_of_normal_differences_hold_the_truth(trials):
    found = coverage(lambda rng, n: rng.normal(1.0, 2.0, n), 1.0, trials, 300)
    assert found >= 0.92  # 95 % less two and a half standard errors


def test_intervals_of_skewed_differences_hold_it_more_often_than_student_s():
    rng = np.random.default_rng(2)
    inside = {"bootstrap": 0, "student": 0}
    for _ in range(300):
        differences = rng.exponential(size=10)
        _, low, high = paired_mean(differences)
        inside["bootstrap"] += low <= 1.0 <= high
        low, high = stats.t.interval(0.95, 9, differences.mean(), stats.sem(differences))
        inside["student"] += low <= 1.0 <= high
    assert inside["bootstrap"] >= inside["student"]
    assert inside["bootstrap"] >= 0.9 * 300
