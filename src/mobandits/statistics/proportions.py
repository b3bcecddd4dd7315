"""Intervals for the mean of numbers between 0 and 1."""

import math

from scipy.special import ndtri


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
