"""Holm's correction of several p-values."""

import numpy as np

from mobandits.contracts.protocols import Array


def holm(p_values: Array) -> Array:
    """The p-values that a family of m tests has after Holm's correction, in the same order.

    The i-th smallest becomes the largest of (m - j + 1) p_(j) over j <= i, at most 1. The chance
    that any true hypothesis has 0.05 or less is at most 5 %, however the tests depend on each other.

    Args:
        p_values: (m,).

    Reference:
        Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
        Statistics 6(2), 1979.

    Example:
        >>> holm(np.array([0.04, 0.01, 0.03])).round(3).tolist()
        [0.06, 0.03, 0.06]
    """
    tests = len(p_values)
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(tests, 0, -1)
    multiplied = p_values[order] * factors
    # What is rejected never has a larger p-value than what is not.
    increasing = np.maximum.accumulate(multiplied)
    adjusted = np.empty(tests)
    adjusted[order] = np.minimum(increasing, 1.0)

    return adjusted
