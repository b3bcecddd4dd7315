"""Arms in units of the objectives' ranges: the form of all questions about mixtures of arms.

So the answers do not depend on the scales of the objectives. In all of these, values are
(arms, objectives).
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Mask
from mobandits.numerics.masks import count

# An objective with a smaller range is constant: its reciprocal would be infinite or nearly so.
TINY = 1e-300


@kernel
def objective_ranges(values: Array) -> tuple[Array, Array]:
    """The least value and the range of each objective, (objectives,) each."""
    objectives = values.shape[1]
    low = np.empty(objectives)
    size = np.empty(objectives)
    for i in range(objectives):
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

    A range is infinite where an arm is infinitely bad, or where two arms are too far apart for a
    double.
    """
    finite = True
    for one in size:
        finite &= one < math.inf
    return finite


@kernel
def columns_in_ranges(values: Array, low: Array, size: Array) -> Array:
    """(objectives that vary, arms) the arms as columns, in units of the ranges `size`."""
    rows = 0
    for i in range(len(size)):
        rows += size[i] > TINY

    arms = len(values)
    out = np.empty((rows, arms))
    row = 0
    for i in range(len(size)):
        if size[i] > TINY:
            least = low[i]
            # One division per objective; its rounding is the same for all arms.
            scale = 1.0 / size[i]
            for a in range(arms):
                out[row, a] = (values[a, i] - least) * scale

            row += 1

    return out


@kernel
def columns_in_own_ranges(values: Array) -> Array:
    """(objectives that vary, arms) the arms as columns, in units of their own ranges.

    No rows where a range is infinite: such arms cannot be mixed.
    """
    low, size = objective_ranges(values)
    if not all_finite(size):
        return np.empty((0, len(values)))
    return columns_in_ranges(values, low, size)


@kernel
def selected_rows(values: Array, among: Mask) -> Array:
    """(arms of `among`, objectives) some of the rows."""
    # A loop, because Numba takes seconds to compile an array that is indexed by a mask.
    objectives = values.shape[1]
    out = np.empty((count(among), objectives))
    row = 0
    for a in range(len(among)):
        if among[a]:
            for i in range(objectives):
                out[row, i] = values[a, i]

            row += 1

    return out
