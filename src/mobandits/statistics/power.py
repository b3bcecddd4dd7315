"""How many trials a paired difference needs to be found."""

import math

from scipy.special import ndtri

from mobandits.statistics.signed_rank import LEAST_TRIALS

POWER = 0.8
SIGNIFICANCE = 0.05
# The signed-rank test needs pi / 3 times as many normal differences as Student's t, which is 5 %
# more (Lehmann, Nonparametrics, 1975, section 4.3).
RELATIVE_TRIALS = math.pi / 3.0


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
