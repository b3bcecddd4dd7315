"""Arms in units of the objectives' ranges: what the questions about mixtures are asked in, whatever the scales.

In all of these, values are (arms, objectives).
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Mask
from mobandits.numerics.masks import count

TINY = 1e-300  # an objective with a smaller range is constant


@kernel
def spread(values: Array) -> tuple[Array, Array]:
    """The least value and the range of each objective, (objectives,) each."""
    low = np.empty(values.shape[1])
    size = np.empty(values.shape[1])
    for i in range(len(low)):
        least = math.inf
        most = -math.inf
        for a in range(len(values)):
            least = min(least, values[a, i])
            most = max(most, values[a, i])
        low[i] = least
        size[i] = most - least
    return low, size


@kernel
def all_finite(size: Array) -> bool:
    """Whether every range is a number.

    One is not where an arm is infinitely bad, or where two arms are too far apart for a double.
    """
    finite = True
    for one in size:
        finite &= one < math.inf
    return finite


@kernel
def in_ranges(values: Array, low: Array, size: Array) -> Array:
    """(objectives that vary, arms) the arms as columns, in units of the ranges `size`."""
    rows = 0
    for i in range(len(size)):
        rows += size[i] > TINY
    out = np.empty((rows, len(values)))
    row = 0
    for i in range(len(size)):
        if size[i] > TINY:
            least = low[i]
            scale = 1.0 / size[i]
            for a in range(len(values)):
                out[row, a] = (values[a, i] - least) * scale
            row += 1
    return out


@kernel
def shape_of(values: Array) -> Array:
    """(objectives that vary, arms) the arms as columns, in units of their own ranges.

    No rows where a range is infinite: such arms cannot be mixed.
    """
    low, size = spread(values)
    if not all_finite(size):
        return np.empty((0, len(values)))
    return in_ranges(values, low, size)


@kernel
def rows_of(values: Array, among: Mask) -> Array:
    """(arms of `among`, objectives) some of the rows."""
    out = np.empty((count(among), values.shape[1]))
    row = 0
    for a in range(len(among)):
        if among[a]:
            for i in range(values.shape[1]):
                out[row, i] = values[a, i]
            row += 1
    return out
