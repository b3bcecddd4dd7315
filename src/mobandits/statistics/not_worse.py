"""Which of several rows are not significantly worse than the best of them, trial by trial."""

import numpy as np

from mobandits.contracts.protocols import Array, Mask
from mobandits.statistics.holm import holm
from mobandits.statistics.signed_rank import signed_rank, smallest_p_value

LEVEL = 0.05  # of all comparisons with the best together


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
    if trials < 2 or smallest > LEVEL:
        return np.zeros(rows, np.bool_)

    means = values.mean(axis=1)
    best = int(means.argmin() if smaller_is_better else means.argmax())
    others = [i for i in range(rows) if i != best]
    p_values = np.array([signed_rank(values[i] - values[best]).p_value for i in others])
    marked = np.ones(rows, np.bool_)
    for i, p_value in zip(others, holm(p_values), strict=True):
        marked[i] = p_value > LEVEL

    return marked
