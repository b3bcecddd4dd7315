"""Wilcoxon's signed-rank test of paired differences: its power, and several tests together.

The absolute differences are ranked, zeros are left out, and equal ones share the mean of their
ranks. W is the sum of the ranks of the positive differences. Where differences are symmetric about
zero, each rank is in this sum with probability 1/2, whatever the distribution.

Up to 50 differences the distribution of W is exact, with ties too, by adding one rank after the
other. SciPy's is exact without ties alone. Above, W is about normal.

Reference:
    Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1(6), 1945. Ties and
    zeros: Lehmann, Nonparametrics, 1975, section 3.2.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from mobandits.contracts.protocols import Array, Mask

MOST_EXACT = 50  # differences; beyond, the normal approximation is off by less than 0.001
# The least number of trials whose p-value can be 0.05 or less: it is 2 / 2^n at least.
LEAST_TRIALS = 6
POWER = 0.8
SIGNIFICANCE = 0.05  # also of several comparisons together
# The signed-rank test needs pi / 3 times as many normal differences as Student's t, which is 5 %
# more (Lehmann, Nonparametrics, 1975, section 4.3).
RELATIVE_TRIALS = math.pi / 3.0


class SignedRank(NamedTuple):
    """A signed-rank test.

    Attributes:
        statistic: W, the sum of the ranks of the positive differences.
        p_value: two-sided; 1 where all differences are zero.
        direction: 1 where positive ranks weigh more, -1 where negative ones do, else 0.
    """

    statistic: float
    p_value: float
    direction: int


def signed_rank(differences: Array) -> SignedRank:
    """The two-sided signed-rank test that differences are symmetric about zero.

    Args:
        differences: (n,), finite.

    Example:
        >>> signed_rank(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).p_value
        0.03125
        >>> signed_rank(np.zeros(6))
        SignedRank(statistic=0.0, p_value=1.0, direction=0)
    """
    nonzero = differences[differences != 0.0]
    if len(nonzero) == 0:
        return SignedRank(0.0, 1.0, 0)

    ranks = midranks(np.abs(nonzero))
    statistic = float(ranks[nonzero > 0.0].sum())
    middle = float(ranks.sum()) / 2.0
    if len(nonzero) <= MOST_EXACT:
        p_value = _exact_p_value(ranks, statistic)
    else:
        # Each rank is in the sum or not: its variance is a quarter of its square, ties included.
        deviation = math.sqrt(float((ranks * ranks).sum()) / 4.0)
        distance = abs(statistic - middle) / deviation
        p_value = 2.0 * float(ndtr(-distance))

    direction = int(np.sign(statistic - middle))

    return SignedRank(statistic, p_value, direction)


def smallest_p_value(trials: int) -> float:
    """The smallest p-value that the exact test of so many differences can give.

    Example:
        >>> smallest_p_value(5), smallest_p_value(6)
        (0.0625, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - trials))


def midranks(values: Array) -> Array:
    """The rank of each value, from 1; equal values share the mean of their ranks.

    Example:
        >>> midranks(np.array([0.5, 0.1, 0.5])).tolist()
        [2.5, 1.0, 2.5]
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last_ranks = np.cumsum(sizes)
    ranks_of_groups = last_ranks - (sizes - 1) / 2.0
    ranks: Array = ranks_of_groups[group]
    return ranks


def _exact_p_value(ranks: Array, statistic: float) -> float:
    # Twice the ranks are whole numbers, so that sums are places in an array.
    doubled = np.rint(2.0 * np.sort(ranks)).astype(np.int64)
    probabilities = _distribution(tuple(doubled.tolist()))
    place = round(2.0 * statistic)
    at_most = float(probabilities[: place + 1].sum())
    at_least = float(probabilities[place:].sum())

    return min(1.0, 2.0 * min(at_most, at_least))


@functools.lru_cache(maxsize=256)
def _distribution(doubled_ranks: tuple[int, ...]) -> Array:
    """(sum + 1,) the probability of each value of 2 W, where every sign is as likely as the other."""
    total = sum(doubled_ranks)
    probabilities = np.zeros(total + 1)
    probabilities[0] = 1.0
    for rank in doubled_ranks:
        without = probabilities / 2.0
        probabilities = without.copy()
        probabilities[rank:] += without[: total + 1 - rank]

    return probabilities


def trials_needed(difference: float, deviation: float) -> float:
    """The number of trials with which the signed-rank test finds a difference in 80 % of cases.

        n = ((z_0.975 + z_0.8)^2 (s / d)^2 + z_0.975^2 / 2) pi / 3,   rounded up, at least 6

    with d the mean of the paired differences and s their standard deviation, both taken for the
    true ones, and z the quantiles of the standard normal. It assumes that the differences are
    normal. The second summand pays for s, which is estimated; pi / 3 is for ranks in place of
    values.

    Args:
        difference: d.
        deviation: s.

    Returns:
        A whole number; infinity where the difference is 0.

    Reference:
        Guenther, "Sample size formulas for normal theory t tests", The American Statistician 35(4),
        1981.

    Example:
        >>> trials_needed(1.0, 1.0), trials_needed(1.0, 0.0), trials_needed(0.0, 1.0)
        (11.0, 6.0, inf)
    """
    if difference == 0.0:
        return math.inf

    error_quantile = float(ndtri(1.0 - SIGNIFICANCE / 2.0))
    power_quantile = float(ndtri(POWER))
    relative_deviation = deviation / difference
    normal_trials = ((error_quantile + power_quantile) * relative_deviation) ** 2
    trials = (normal_trials + error_quantile**2 / 2.0) * RELATIVE_TRIALS
    if not math.isfinite(trials):
        return math.inf

    return float(max(math.ceil(trials), LEAST_TRIALS))


def holm(p_values: Array) -> Array:
    """The p-values that a family of m tests has after Holm's correction, in the same order.

    The i-th smallest becomes the largest of (m - j + 1) p_(j) over j <= i, at most 1. The chance
    that any true hypothesis has 0.05 or less is at most 5 %, however the tests depend on each other.

    Args:
        p_values: (m,).

    Reference:
        Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
        Statistics 6(2), 1979.

    Example:
        >>> holm(np.array([0.04, 0.01, 0.03])).round(3).tolist()
        [0.06, 0.03, 0.06]
    """
    tests = len(p_values)
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(tests, 0, -1)
    multiplied = p_values[order] * factors
    # What is rejected never has a larger p-value than what is not.
    increasing = np.maximum.accumulate(multiplied)
    adjusted = np.empty(tests)
    adjusted[order] = np.minimum(increasing, 1.0)

    return adjusted


def not_worse_than_best(values: Array, *, smaller_is_better: bool) -> Mask:
    """(rows,) the best row by its mean, and those that are not significantly worse.

    Every other row is compared with the best one by Wilcoxon's signed-rank test over the trials,
    two-sided because the best was chosen among them; Holm's method keeps all of them together at
    5 %.

    Args:
        values: (rows, trials), the same trials in all rows. Of so few trials that no test could
            give 5 %, nothing can be told, and no row is marked.
        smaller_is_better: whether less is better.

    Reference:
        Wilcoxon, "Individual comparisons by ranking methods", 1945. Holm, "A simple sequentially
        rejective multiple test procedure", 1979.

    Example:
        >>> first = np.arange(8.0)
        >>> noise = np.array([0.1, -0.1, 0.2, -0.2, 0.1, -0.1, 0.3, -0.2])
        >>> values = np.array([first, first + noise, first + 5.0])
        >>> not_worse_than_best(values, smaller_is_better=True)
        array([ True,  True, False])
    """
    rows, trials = values.shape
    others_of_best = rows - 1
    # Else everything would be marked, uniform play as well. Holm's method multiplies the smallest
    # p-value by the number of comparisons.
    smallest = others_of_best * smallest_p_value(trials)
    if trials < 2 or smallest > SIGNIFICANCE:
        return np.zeros(rows, np.bool_)

    means = values.mean(axis=1)
    best = int(means.argmin() if smaller_is_better else means.argmax())
    others = [i for i in range(rows) if i != best]
    p_values = np.array([signed_rank(values[i] - values[best]).p_value for i in others])
    marked = np.ones(rows, np.bool_)
    for i, p_value in zip(others, holm(p_values), strict=True):
        marked[i] = p_value > SIGNIFICANCE

    return marked
