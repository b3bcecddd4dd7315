"""Bootstrap intervals: for functions of means, and for the mean of paired differences."""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.statistics.bands import interval_factor

RESAMPLES = 10_000
ROUNDING = 1e-12
# Of fewer trials many resamples repeat one of them, and have a standard error near 0. Quantiles of
# their deviations are ruled by that, and single intervals may be far too wide.
FEWEST_RESAMPLED = 10
# With more trials than this Student's interval has its coverage, whatever the differences.
MOST_RESAMPLED = 2_000
COUNTS = 2_000_000  # numbers in a table of counts, of which there are fewer resamples if needed


@functools.lru_cache(maxsize=8)
def counts(trials: int, resamples: int = RESAMPLES) -> Array:
    """(resamples, trials) how often a resample has drawn a trial; always the same numbers.

    Args:
        trials: drawn from, and drawn in each resample.
        resamples: how many.

    Example:
        >>> counts(5, resamples=3).sum(axis=1).tolist()
        [5.0, 5.0, 5.0]
    """
    # One seed for all that is resampled, so that a number is judged alike whatever was before it.
    rng = np.random.default_rng(0)
    shares = np.full(trials, 1.0 / trials)
    drawn = rng.multinomial(trials, shares, resamples)
    return drawn.astype(np.float64)


class Statistic(NamedTuple):
    """A smooth function of means.

    Attributes:
        value: from means (k, n) to (n,), one value per column.
        gradient: from means (k, n) to its derivatives (k, n).
        least: the smallest value that is possible.
        most: the largest one.
    """

    value: Callable[[Array], Array]
    gradient: Callable[[Array], Array]
    least: float = -math.inf
    most: float = math.inf


MEAN = Statistic(lambda means: means[0], np.ones_like)


def studentised(
    samples: Array,
    statistic: Statistic,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[float, tuple[float, float] | None]:
    """A statistic of means over trials, and its studentised bootstrap interval (bootstrap-t).

    Trials are drawn again with replacement. Of every drawing, (value - the sample's value) is
    divided by the standard error that the drawing itself suggests, by the delta method; the
    interval is value - quantiles of that times the sample's own standard error, cut at what is
    possible. A drawing without the rare trials that matter has a small standard error too, so
    that such drawings widen the interval, where plain resampling makes it too short.

    Args:
        samples: (trials, k), at least two trials.
        statistic: of the means.
        confidence: of the interval.
        resamples: how many drawings.

    Returns:
        The value and the interval; None where an end is not finite, and NaN and None where a
        sample could not be read.

    Reference:
        Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5.

    Example:
        >>> mean = Statistic(lambda means: means[0], np.ones_like)
        >>> value, (low, high) = studentised(np.arange(5.0)[:, None], mean)
        >>> value, low < 0.5 < 3.5 < high
        (2.0, True)
    """
    if not np.isfinite(samples).all():
        return math.nan, None

    trials = len(samples)
    centre = samples.mean(axis=0)[:, None]
    moments = _moments(samples - centre.T)
    own_means = moments.mean(axis=0)[:, None]
    # One product for all moments, because the table of counts is large.
    drawn_means = (counts(trials, resamples) @ moments / trials).T
    with np.errstate(divide="ignore", invalid="ignore"):
        own_values, own_errors = _value_and_error(own_means, centre, trials, statistic)
        value = float(own_values[0])
        error = float(own_errors[0])
        values, errors = _value_and_error(drawn_means, centre, trials, statistic)
        off = values - value
        # What differs by rounding only is no deviation, whatever the error of such a drawing.
        size = max(abs(value), float(np.abs(centre).max()))
        is_still = np.abs(off) <= ROUNDING * size
        deviations = np.where(is_still, 0.0, off / errors)

    if np.isnan(deviations).any():
        return value, None
    if error == 0.0:
        return value, (value, value)

    # Nearest, because an interpolation next to an infinite deviation is not a number.
    tail = (1.0 - confidence) / 2.0
    shares = (tail, (1.0 + confidence) / 2.0)
    below, above = np.quantile(deviations, shares, method="nearest")
    # A drawing far above the sample's value is evidence for a lower one: the quantiles change
    # sides.
    low = max(float(value - above * error), statistic.least)
    high = min(float(value - below * error), statistic.most)
    if not (math.isfinite(low) and math.isfinite(high)):
        return value, None

    return value, (low, high)


def _moments(samples: Array) -> Array:
    """(trials, k + k k) the samples and all their products."""
    trials = len(samples)
    products = samples[:, :, None] * samples[:, None, :]
    flat_products = products.reshape(trials, -1)
    return np.concatenate([samples, flat_products], axis=1)


def _value_and_error(
    moments: Array,
    centre: Array,
    trials: int,
    statistic: Statistic,
) -> tuple[Array, Array]:
    """The statistic and its standard error by the delta method, (n,) each.

    Args:
        moments: (k + k k, n) means of `_moments` of samples less their centre, which keeps digits.
        centre: (k, 1).
        trials: that they are means of.
        statistic: of the first k, with the centre.
    """
    size = len(centre)
    off = moments[:size]
    means = centre + off
    products = moments[size:].reshape(size, size, -1)
    covariances = products - off[:, None] * off[None, :]
    gradient = statistic.gradient(means)
    variances = np.einsum("in,ijn,jn->n", gradient, covariances, gradient)
    # Rounding may make a variance of 0 negative.
    safe_variances = np.maximum(variances, 0.0)
    errors = np.sqrt(safe_variances / (trials - 1))

    return statistic.value(means), np.asarray(errors)


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
