"""Friedman's test of several treatments on several problems, and Nemenyi's critical difference."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from mobandits.contracts.protocols import Array
from mobandits.statistics.signed_rank import midranks


class Friedman(NamedTuple):
    """Friedman's test.

    Attributes:
        ranks: (k,) the average rank of each treatment; 1 is the smallest value.
        statistic: chi-squared, corrected for ties.
        p_value: of no difference between the treatments, from k - 1 degrees of freedom.
        critical_difference: Nemenyi's; treatments whose average ranks differ by more are different,
            with an error rate of 5 % for all pairs together.
    """

    ranks: Array
    statistic: float
    p_value: float
    critical_difference: float


def friedman(values: Array, level: float = 0.95) -> Friedman:
    """Friedman's test of k treatments on n problems.

        statistic  = 12 n / (k (k + 1)) sum_j (R_j - (k + 1) / 2)^2 / (1 - ties)
        ties       = sum (t^3 - t) / (n k (k^2 - 1))   over groups of t equal values of a problem
        critical difference = q sqrt(k (k + 1) / (6 n))

    with R_j the average rank of treatment j, and q the quantile of the studentised range of k
    normals over sqrt(2). The approximation by chi-squared is rough below ten problems; it then
    errs on the side of no difference.

    Args:
        values: (n, k), smaller is better.
        level: of the quantile.

    Reference:
        Friedman, "The use of ranks to avoid the assumption of normality", JASA 32(200), 1937.
        Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006,
        section 3.2.2: both formulas, and Table 5: the quantiles q.

    Example:
        >>> test = friedman(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]))
        >>> test.ranks.round(2).tolist(), round(test.statistic, 3), round(test.critical_difference, 2)
        ([1.0, 2.33, 2.67], 4.667, 1.91)
    """
    problems, treatments = values.shape
    ranks = np.empty((problems, treatments))
    ties = 0.0
    for i in range(problems):
        ranks[i] = midranks(values[i])
        _, sizes = np.unique(values[i], return_counts=True)
        ties += float((sizes**3 - sizes).sum())

    average_ranks: Array = ranks.mean(axis=0)
    squares = float(((average_ranks - (treatments + 1) / 2.0) ** 2).sum())
    without_ties = 12.0 * problems / (treatments * (treatments + 1)) * squares
    correction = 1.0 - ties / (problems * treatments * (treatments**2 - 1))
    # Where all treatments tie in every problem, nothing speaks for a difference.
    statistic = without_ties / correction if correction > 0.0 else 0.0
    p_value = float(chdtrc(treatments - 1, statistic))
    critical_difference = nemenyi_difference(treatments, problems, level)

    return Friedman(average_ranks, statistic, p_value, critical_difference)


def nemenyi_difference(treatments: int, problems: int, level: float = 0.95) -> float:
    """The difference of average ranks above which two of k treatments differ, by Nemenyi's test.

    Args:
        treatments: k.
        problems: n.
        level: 1 less the chance that any pair is taken for different by mistake.

    Example:
        >>> round(nemenyi_difference(4, 14), 2)
        1.25
    """
    # SciPy's statistics take a second to load, and few comparisons have several problems.
    from scipy.stats import studentized_range  # noqa: PLC0415

    quantile = float(studentized_range.ppf(level, treatments, math.inf)) / math.sqrt(2.0)
    return quantile * math.sqrt(treatments * (treatments + 1) / (6.0 * problems))
