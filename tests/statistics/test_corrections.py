"""Holm's correction, Friedman's test, Wilson's interval and numbers of trials, by definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mobandits.comparison.pairs import wilson_interval
from mobandits.statistics.friedman import friedman, nemenyi_difference
from mobandits.statistics.signed_rank import holm, signed_rank, trials_needed


def rejected_by_holm(p_values, level):
    """Step by step: the smallest p-value against level / m, the next against level / (m - 1) ..."""
    rejected = set()
    left = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for i in left:
        if p_values[i] > level / (len(p_values) - len(rejected)):
            break
        rejected.add(i)
    return rejected


@given(
    st.lists(st.integers(0, 1000).map(lambda n: n / 1000), min_size=1, max_size=8),
    st.sampled_from([0.0123, 0.0517, 0.2011]),
)
def test_holm_rejects_what_its_steps_reject(p_values, level):
    adjusted = holm(np.array(p_values))
    assert {i for i, each in enumerate(adjusted) if each <= level} == rejected_by_holm(
        p_values, level
    )
    assert (adjusted >= np.array(p_values)).all()
    assert (adjusted <= 1.0).all()


def friedman_by_formula(values):
    """Sums of squares of ranks, as in Conover, Practical Nonparametric Statistics, section 5.8."""
    ranks = np.array([stats.rankdata(row) for row in values])
    n, k = ranks.shape
    total = (ranks**2).sum()
    correction = n * k * (k + 1) ** 2 / 4
    sums = ranks.sum(axis=0)
    return (k - 1) * ((sums**2).sum() - n * correction) / (total - correction)


@pytest.mark.parametrize(("problems", "treatments"), [(2, 3), (5, 4), (12, 6)])
@pytest.mark.parametrize("ties", [False, True])
def test_friedman_is_its_formula_and_that_of_scipy(problems, treatments, ties):
    rng = np.random.default_rng(problems)
    values = rng.normal(size=(problems, treatments))
    if ties:
        values = np.round(values)
    test = friedman(values)
    assert test.statistic == pytest.approx(friedman_by_formula(values))
    expected = stats.friedmanchisquare(*values.T)
    assert (test.statistic, test.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert test.ranks.sum() == pytest.approx(treatments * (treatments + 1) / 2)


def test_problems_where_all_tie_say_nothing():
    test = friedman(np.ones((4, 3)))
    assert (test.statistic, test.p_value) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("treatments", "quantile"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)]
)
def test_critical_differences_have_the_quantiles_of_demsar(treatments, quantile):
    """JMLR 7, 2006, Table 5 (a)."""
    unit = math.sqrt(treatments * (treatments + 1) / (6 * 30))
    assert nemenyi_difference(treatments, 30) / unit == pytest.approx(quantile, abs=1e-3)


@pytest.mark.parametrize(("successes", "trials"), [(0, 5), (5, 5), (3, 10), (50, 1000)])
def test_wilson_is_that_of_scipy(successes, trials):
    expected = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    ends = wilson_interval(successes / trials, trials)
    assert ends == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("effect", [0.4, 0.7, 1.2])
def test_so_many_trials_find_a_normal_difference_in_four_of_five_cases(effect):
    trials = int(trials_needed(effect, 1.0))
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(1500):
        test = signed_rank(rng.normal(effect, 1.0, size=trials))
        found += test.p_value <= 0.05 and test.direction > 0
    # Two standard errors are 0.02; the p-values of few trials jump by more.
    assert 0.73 <= found / 1500 <= 0.87


def test_trials_that_never_end():
    assert trials_needed(0.0, 1.0) == math.inf
    assert trials_needed(1e-200, 1e200) == math.inf
    assert trials_needed(-2.0, 1.0) == trials_needed(2.0, 1.0)
