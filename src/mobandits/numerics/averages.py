"""Averages from sums and counts, which is how they are kept.

A running mean depends in its last bit on the order of the rewards: it tells arms apart whose
rewards of 0 and 1 are the same numbers. Sums of whole numbers are exact, and their quotients are
equal where the fractions are: 1/3 is 2/6.
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray


@kernel
def average(total: float, seen: float) -> float:
    """The average of `seen` numbers that sum to `total`; 0 of none."""
    return total / seen if seen > 0.0 else 0.0


@kernel
def averages(total: Array, seen: Array, arms: IntArray) -> Array:
    """(eligible arms, objectives) the averages of some arms; sums and counts are of all arms."""
    count = len(arms)
    objectives = total.shape[1]
    out = np.empty((count, objectives))
    for a in range(count):
        arm = arms[a]
        for l in range(objectives):
            rewards = total[arm, l]
            plays = seen[arm, l]
            out[a, l] = average(rewards, plays)

    return out


@kernel
def fewest(counts: Array) -> float:
    """The smallest count over objectives: an arm counts as played once all its rewards are in."""
    least = math.inf
    for count in counts:
        least = min(least, count)
    return least
