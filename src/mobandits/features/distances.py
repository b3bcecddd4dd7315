"""The median distance between contexts: the length on which rewards are taken to vary."""

from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.checks import matrix

# Rows that are compared, in 130,000 pairs: all pairs of a long log would take hours, and a length
# need not be exact.
COMPARED = 512


def median_distance(contexts: Any) -> float:
    """The median Euclidean distance between two different rows of a table of contexts.

    Of more than 512 rows, 512 are compared that lie evenly over the table, so that the answer
    depends on the table alone. It is the usual length of `Fourier`.

    Args:
        contexts: (rows, features), at least two rows.

    Raises:
        ValueError: where they are no table of finite numbers, or most rows are equal.

    Example:
        >>> median_distance([[0.0, 0.0], [3.0, 4.0]])
        5.0
    """
    rows = matrix("contexts", contexts, ("rows", "features"))
    if len(rows) < 2:
        raise ValueError(f"contexts must have at least 2 rows to be compared, got {len(rows)}")

    if len(rows) > COMPARED:
        places = np.linspace(0, len(rows) - 1, COMPARED).astype(np.int64)
        rows = rows[places]

    distances = _distances_of_pairs(rows)
    median = float(np.median(distances))
    if median <= 0.0:
        raise ValueError("contexts must differ in most pairs of rows to have a length, got 0")

    return median


def _distances_of_pairs(rows: Array) -> Array:
    """(pairs,) of every row and every later one."""
    distances = []
    last = len(rows) - 1
    for i in range(last):
        differences = rows[i + 1 :] - rows[i]
        squares = np.vecdot(differences, differences)
        distances.append(np.sqrt(squares))

    return np.concatenate(distances)
