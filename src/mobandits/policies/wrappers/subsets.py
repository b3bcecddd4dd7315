"""Some of the eligible arms, and what describes them."""

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray


@kernel
def position_of(arm: int, arms: IntArray) -> int:
    """The position of an arm among the eligible ones; -1 where it is none of them."""
    for a in range(len(arms)):
        if arms[a] == arm:
            return a

    return -1


@kernel
def rows_at(context: Array, places: IntArray) -> Array:
    """The rows of a context at some places; the only row where arms share it."""
    shared = len(context) == 1
    count = 1 if shared else len(places)
    features = context.shape[1]
    out = np.empty((count, features))
    for i in range(count):
        row = 0 if shared else places[i]
        for j in range(features):
            out[i, j] = context[row, j]

    return out


@kernel
def arms_at(arms: IntArray, places: IntArray) -> IntArray:
    """The arms at some places."""
    out = np.empty(len(places), np.int64)
    for i in range(len(places)):
        out[i] = arms[places[i]]

    return out
