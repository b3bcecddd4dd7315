"""Which of several rows are not significantly worse than the best of them, trial by trial."""

import math

import numpy as np
from scipy.special import stdtr

from mobandits.contracts.protocols import Array, Mask

LEVEL = 0.05  # of all comparisons with the best together


def paired_p_value(differences: Array) -> float:
    """The two-sided p-value of Student's paired t-test that the mean difference is 0.

    Args:
        differences: (trials,) at least two; where all are equal, the answer is certain.

    Example:
        >>> round(paired_p_value(np.array([1.0, 2.0, 3.0])), 4), paired_p_value(np.zeros(3))
        (0.0742, 1.0)
    """
    trials = len(differences)
    mean = float(differences.mean())
    deviation = float(differences.std(ddof=1))
    if deviation == 0.0:
        return 1.0 if mean == 0.0 else 0.0

    statistic = mean / (deviation / math.sqrt(trials))
    return float(2.0 * stdtr(trials - 1, -abs(statistic)))


def holm(p_values: Array) -> Array:
    """p-values that hold for all tests together, by Holm's method.

    Example:
        >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
        [0.03, 0.06, 0.06]
    """
    count = len(p_values)
    adjusted = np.empty(count)
    largest = 0.0
    for rank, i in enumerate(np.argsort(p_values, kind="stable")):
        # The smallest is one of all, the next one of those that are left, and none is below it.
        largest = max(largest, (count - rank) * float(p_values[i]))
        adjusted[i] = min(largest, 1.0)

    return adjusted


def not_worse_than_best(values: Array, *, smaller_is_better: bool) -> Mask:
    """(rows,) the best row by its mean, and those that are not significantly worse.

    Every other row is compared with the best one by a paired t-test over the trials, two-sided
    because the best was chosen among them; Holm's method keeps all of them together at 5 %.

    Args:
        values: (rows, trials), the same trials in all rows. With a single trial nothing can be
            told, and no row is marked.
        smaller_is_better: whether less is better.

    Reference:
        S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
        Statistics 6, 1979.

    Example:
        >>> values = np.array([[1.0, 2.0, 3.0], [1.1, 1.9, 3.1], [9.0, 9.5, 9.9]])
        >>> not_worse_than_best(values, smaller_is_better=True)
        array([ True,  True, False])
    """
    rows, trials = values.shape
    if trials < 2:
        return np.zeros(rows, np.bool_)

    means = values.mean(axis=1)
    best = int(means.argmin() if smaller_is_better else means.argmax())
    others = [i for i in range(rows) if i != best]
    p_values = np.array([paired_p_value(values[i] - values[best]) for i in others])
    marked = np.ones(rows, np.bool_)
    for i, p_value in zip(others, holm(p_values), strict=True):
        marked[i] = p_value > LEVEL

    return marked
