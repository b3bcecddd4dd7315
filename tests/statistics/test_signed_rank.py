"""The signed-rank test against its definition, all signs written out, and against SciPy."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mobandits.statistics.signed_rank import LEAST_TRIALS, MOST_EXACT, midranks, signed_rank


def by_enumeration(differences):
    """W and its two-sided p-value: every way to give the ranks signs is as likely as any other."""
    nonzero = [each for each in differences if each != 0.0]
    sizes = [abs(each) for each in nonzero]
    ranks = []
    for size in sizes:
        below = sum(other < size for other in sizes)
        equal = sum(other == size for other in sizes)
        ranks.append(below + (equal + 1) / 2)
    found = sum(rank for rank, each in zip(ranks, nonzero, strict=True) if each > 0.0)
    sums = [
        sum(itertools.compress(ranks, signs))
        for signs in itertools.product((0, 1), repeat=len(ranks))
    ]
    at_most = sum(each <= found for each in sums) / len(sums)
    at_least = sum(each >= found for each in sums) / len(sums)
    return found, min(1.0, 2.0 * min(at_most, at_least))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_ties_and_zeros_are_exact(values):
    differences = np.array(values, float)
    statistic, p_value = by_enumeration(values)
    test = signed_rank(differences)
    assert test.statistic == pytest.approx(statistic)
    assert test.p_value == pytest.approx(p_value, abs=1e-12)
    mirrored = signed_rank(-differences)
    assert mirrored.p_value == pytest.approx(test.p_value, abs=1e-12)
    assert mirrored.direction == -test.direction


@pytest.mark.parametrize("trials", [2, 5, 6, 13, 30, MOST_EXACT, MOST_EXACT + 1, 300])
def test_without_ties_it_is_that_of_scipy(trials):
    differences = np.random.default_rng(trials).normal(0.3, size=trials)
    method = "exact" if trials <= MOST_EXACT else "approx"
    expected = stats.wilcoxon(differences, method=method)
    test = signed_rank(differences)
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    total = trials * (trials + 1) / 2
    assert min(test.statistic, total - test.statistic) == pytest.approx(expected.statistic)


def test_many_ties_are_about_normal_as_in_scipy():
    differences = np.random.default_rng(1).integers(-3, 5, 400).astype(float)
    expected = stats.wilcoxon(differences, method="approx", correction=False)
    assert signed_rank(differences).p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_six_trials_are_the_least_that_can_reject():
    assert signed_rank(np.arange(1.0, LEAST_TRIALS + 1)).p_value <= 0.05
    assert signed_rank(np.arange(1.0, LEAST_TRIALS)).p_value > 0.05


def test_no_difference_at_all():
    assert signed_rank(np.zeros(20)) == (0.0, 1.0, 0)
    assert signed_rank(np.zeros(0)) == (0.0, 1.0, 0)


def test_ranks_are_those_of_scipy():
    values = np.random.default_rng(0).integers(0, 9, 40).astype(float)
    assert midranks(values).tolist() == stats.rankdata(values).tolist()
