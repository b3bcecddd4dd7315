"""Wilcoxon's signed-rank test of paired differences.

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
from scipy.special import ndtr

from mobandits.contracts.protocols import Array

MOST_EXACT = 50  # differences; beyond, the normal approximation is off by less than 0.001
# The least number of trials whose p-value can be 0.05 or less: it is 2 / 2^n at least.
LEAST_TRIALS = 6


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
