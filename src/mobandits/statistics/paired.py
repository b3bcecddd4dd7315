"""Intervals for the mean of paired differences."""

import math
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.statistics.bands import interval_factor
from mobandits.statistics.resampling import RESAMPLES
from mobandits.statistics.studentised import Statistic, studentised

# Of fewer trials many resamples repeat one of them, and have a standard error near 0. Quantiles of
# their deviations are ruled by that, and single intervals may be far too wide.
FEWEST_RESAMPLED = 10
# With more trials than this Student's interval has its coverage, whatever the differences.
MOST_RESAMPLED = 2_000
COUNTS = 2_000_000  # numbers in a table of counts, of which there are fewer resamples if needed
MEAN = Statistic(lambda means: means[0], np.ones_like)


class PairedMean(NamedTuple):
    """The mean of paired differences.

    Attributes:
        mean: of the differences.
        low: the lower end of its 95 % interval; NaN with one trial.
        high: the upper end; NaN likewise.
    """

    mean: float
    low: float
    high: float


def paired_mean(differences: Array) -> PairedMean:
    """The mean of paired differences, with a 95 % interval by the studentised bootstrap.

    With fewer than 10 trials, and with more than 2,000, the interval is Student's.

    Args:
        differences: (trials,), finite.

    Reference:
        Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5.

    Example:
        >>> mean, low, high = paired_mean(np.array([1.0, 3.0, 2.0, 4.0, 2.0, 3.0, 2.0, 3.0]))
        >>> mean, low < 2.0 < 3.0 < high
        (2.5, True)
    """
    trials = len(differences)
    mean = float(differences.mean())
    if trials < 2:
        return PairedMean(mean, math.nan, math.nan)

    if FEWEST_RESAMPLED <= trials <= MOST_RESAMPLED:
        resamples = min(RESAMPLES, COUNTS // trials)
        _, interval = studentised(differences[:, None], MEAN, resamples=resamples)
        if interval is not None:
            return PairedMean(mean, *interval)

    # Also where so many differences are equal that resamples have a standard error of 0.
    half_width = interval_factor(trials) * float(differences.std(ddof=1))

    return PairedMean(mean, mean - half_width, mean + half_width)
