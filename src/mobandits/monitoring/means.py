"""Means of some numbers with intervals, as JSON can hold them."""

import math

from mobandits.contracts.protocols import Array
from mobandits.statistics.bands import interval_factor


def finite(value: float) -> float | None:
    """A number, None where it is none: JSON has no NaN."""
    return float(value) if math.isfinite(value) else None


def half_width_of_mean(values: Array) -> float | None:
    """Half the 95 % interval of a mean, by Student's t; None for fewer than two numbers.

    Example:
        >>> import numpy as np
        >>> round(half_width_of_mean(np.array([1.0, 3.0])), 2), half_width_of_mean(np.array([1.0]))
        (12.71, None)
    """
    if len(values) < 2:
        return None
    return finite(interval_factor(len(values)) * values.std(ddof=1))
