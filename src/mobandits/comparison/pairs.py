"""One policy against another: paired differences, their mean, their test, and who wins."""

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from mobandits.contracts.protocols import Array
from mobandits.metrics.metric import Better
from mobandits.statistics.bootstrap import PairedMean, paired_mean
from mobandits.statistics.signed_rank import SIGNIFICANCE, SignedRank, signed_rank, trials_needed

# A difference as small as this, relative to the values, is rounding: sums taken in another order.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Pair:
    """A policy against another one, such as the baseline.

    Attributes:
        policy: its number.
        other: the number of the other one.
        differences: (trials,) of the policy less the other one.
        test: of the differences.
        improvement: the share of trials in which the policy was better, and half of the equal ones.
    """

    policy: int
    other: int
    differences: Array
    test: SignedRank
    improvement: float

    # Computed where it is asked for: of most pairs, the p-value says enough.
    @functools.cached_property
    def mean(self) -> PairedMean:
        """The mean of the differences, with its interval."""
        return paired_mean(self.differences)

    @property
    def trials_needed(self) -> float:
        """The trials that would show such a difference, of at least two trials."""
        deviation = float(self.differences.std(ddof=1))
        return trials_needed(self.mean.mean, deviation)

    def is_shown(self, p_value: float) -> bool:
        """Whether a p-value, the ranks and the interval all speak for the same side of 0."""
        if p_value > SIGNIFICANCE:
            return False
        # Skewed differences may have a mean of one sign and ranks of the other.
        if self.test.direction > 0:
            return self.mean.low > 0.0
        return self.test.direction < 0 and self.mean.high < 0.0

    def winner_and_loser(self, better: Better) -> tuple[int, int]:
        """The numbers of both policies, that with the better ranks first."""
        is_higher = self.test.direction > 0
        is_higher_better = better == "larger"
        if is_higher == is_higher_better:
            return self.policy, self.other
        return self.other, self.policy


def pairs_against(values: Array, reference: int, better: Better) -> list[Pair]:
    """Every other policy against one.

    Args:
        values: (trials, policies).
        reference: the number of the one, the baseline.
        better: which values are better.
    """
    others = _all_but(values, reference)
    return [_pair(values, policy, reference, better) for policy in others]


def _all_but(values: Array, reference: int) -> list[int]:
    return [policy for policy in range(values.shape[1]) if policy != reference]


def _pair(values: Array, policy: int, other: int, better: Better) -> Pair:
    differences = paired_differences(values[:, policy], values[:, other])
    gains = differences if better == "larger" else -differences
    # 1 where the policy was better, 1/2 where both were equal.
    wins = (np.sign(gains) + 1.0) / 2.0
    improvement = float(wins.mean())
    test = signed_rank(differences)

    return Pair(policy, other, differences, test, improvement)


def paired_differences(first: Array, second: Array) -> Array:
    """(trials,) first less second; 0 where they differ by rounding only.

    Example:
        >>> paired_differences(np.array([0.1 + 0.2, 2.0]), np.array([0.3, 1.0])).tolist()
        [0.0, 1.0]
    """
    differences = first - second
    sizes = np.maximum(np.abs(first), np.abs(second))
    is_rounding = np.abs(differences) <= ROUNDING * sizes
    return np.where(is_rounding, 0.0, differences)


def other_pairs(values: Array, reference: int, better: Better) -> list[Pair]:
    """All pairs without the baseline.

    A baseline that the same trials have chosen could have been any policy. So the family of tests
    is all pairs then.

    Args:
        values: (trials, policies).
        reference: the number of the baseline.
        better: which values are better.
    """
    combinations = itertools.combinations(_all_but(values, reference), 2)
    return [_pair(values, first, second, better) for first, second in combinations]


def wilson_interval(share: float, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval for a probability, which stays between 0 and 1 and has width at both ends.

    Where trials count 0, 1/2 or 1, their variance is at most that of 0 and 1 with the same mean:
    the interval is then rather too wide.

    Args:
        share: the mean over the trials.
        trials: n, at least 1.
        level: of the interval.

    Reference:
        Wilson, "Probable inference, the law of succession, and statistical inference", JASA
        22(158), 1927.

    Example:
        >>> [round(end, 3) for end in wilson_interval(1.0, 10)]
        [0.722, 1.0]
    """
    z = float(ndtri((1.0 + level) / 2.0))
    # As if z^2 trials more had been seen, half of them successes.
    added = z * z / trials
    shrinkage = 1.0 + added
    centre = (share + added / 2.0) / shrinkage
    variance_of_share = share * (1.0 - share) / trials
    added_variance = added / (4.0 * trials)
    half_width = z * math.sqrt(variance_of_share + added_variance) / shrinkage
    # Rounding may take an end past its bound.
    low = max(centre - half_width, 0.0)
    high = min(centre + half_width, 1.0)

    return low, high
