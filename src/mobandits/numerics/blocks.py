"""Scores of very many arms, in blocks of them: the bits of linalg.py, in less than half the time.

`linalg.weigh` passes over all arms for every four features, and a pass over a hundred thousand arms
comes from memory. Here the features of a block become columns that stay in the processor's first
cache until all is done with them, and what is loaded of a column serves four sums at once. Every
arm's own sums are in the order of linalg.py, whatever its block: so no bit differs. Few arms are
faster there.
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array
from mobandits.numerics.linalg import weigh

# Arms in a block: columns of twenty features, and four rows of sums, fill the first cache. A table
# of up to so many arms is one block, and linalg.py's.
BLOCK = 256


@kernel
def scores_of_many(rows: Array, thetas: Array) -> Array:
    """(arms, models) theta_m . x_a for rows (arms, features) and thetas (models, features)."""
    arms, features = rows.shape
    models = len(thetas)
    out = np.empty((arms, models))
    columns = np.empty((features, BLOCK))
    scores = np.empty(BLOCK)
    for first in range(0, arms, BLOCK):
        last = min(first + BLOCK, arms)
        block = out[first:last]
        row = scores[: last - first]
        fill_columns(rows[first:last], columns)
        for m in range(models):
            weigh(columns, thetas[m], row)
            for a in range(len(row)):
                block[a, m] = row[a]

    return out


@kernel
def norms_of_many(rows: Array, matrices: Array) -> Array:
    """(arms, matrices) sqrt(x_a' M x_a) for symmetric matrices (matrices, features, features)."""
    arms, features = rows.shape
    count = len(matrices)
    out = np.empty((arms, count))
    columns = np.empty((features, BLOCK))
    for first in range(0, arms, BLOCK):
        last = min(first + BLOCK, arms)
        block = out[first:last]
        squares = np.empty(last - first)
        sums = np.empty((4, last - first))
        fill_columns(rows[first:last], columns)
        for m in range(count):
            weigh_quadratic_by_fours(columns, matrices[m], sums, squares)
            for a in range(len(squares)):
                # Rounding can leave a tiny negative number in a direction that was seen often.
                square = max(squares[a], 0.0)
                block[a, m] = math.sqrt(square)

    return out


@kernel
def largest_of_many(rows: Array, thetas: Array) -> Array:
    """(arms, models) max_k theta_mk . x_a for thetas (models, samples, features)."""
    arms, features = rows.shape
    models, samples, _ = thetas.shape
    in_fours = samples - samples % 4
    out = np.empty((arms, models))
    columns = np.empty((features, BLOCK))
    for first in range(0, arms, BLOCK):
        last = min(first + BLOCK, arms)
        block = out[first:last]
        best = np.empty(last - first)
        sums = np.empty((4, last - first))
        row = sums[0]
        fill_columns(rows[first:last], columns)
        for m in range(models):
            for a in range(len(best)):
                best[a] = -math.inf

            for k in range(0, in_fours, 4):
                raise_to_four(columns, thetas[m, k : k + 4], sums, best)

            for k in range(in_fours, samples):
                weigh(columns, thetas[m, k], row)
                for a in range(len(best)):
                    best[a] = max(best[a], row[a])

            for a in range(len(best)):
                block[a, m] = best[a]

    return out


@kernel
def fill_columns(rows: Array, columns: Array) -> None:
    """Column a of `columns` (features, at least as many arms) becomes row a of `rows`."""
    arms, features = rows.shape
    in_fours = features - features % 4
    # Four features in one pass over the arms: they lie side by side, and a line of the cache that
    # was read for one of them serves all.
    for j in range(0, in_fours, 4):
        for a in range(arms):
            columns[j, a] = rows[a, j]
            columns[j + 1, a] = rows[a, j + 1]
            columns[j + 2, a] = rows[a, j + 2]
            columns[j + 3, a] = rows[a, j + 3]

    for j in range(in_fours, features):
        for a in range(arms):
            columns[j, a] = rows[a, j]


@kernel
def raise_to_four(columns: Array, thetas: Array, sums: Array, best: Array) -> None:
    """Raise the `best` of every arm to its largest score under four parameters (4, features).

    `sums` (4, arms) is work space.
    """
    arms = len(best)
    for k in range(4):
        for a in range(arms):
            sums[k, a] = 0.0

    weigh_four(columns, thetas, sums)
    for a in range(arms):
        largest = max(best[a], sums[0, a])
        largest = max(largest, sums[1, a])
        largest = max(largest, sums[2, a])
        best[a] = max(largest, sums[3, a])


@kernel
def weigh_quadratic_by_fours(columns: Array, matrix: Array, sums: Array, out: Array) -> None:
    """out[a] = (column a)' M (column a) for a symmetric M; `sums` (4, arms) is work space.

    As `linalg.weigh_quadratic`, which says why the upper half is enough, with four rows at once.
    """
    arms = len(out)
    features = len(matrix)
    in_fours = features - features % 4
    for a in range(arms):
        out[a] = 0.0

    for i in range(0, in_fours, 4):
        add_four_terms(columns[i:], matrix[i : i + 4, i:], sums, out)

    row = sums[0]
    for i in range(in_fours, features):
        diagonal = matrix[i, i]
        weigh(columns[i:], matrix[i, i:], row)
        for a in range(arms):
            x = columns[i, a]
            out[a] += x * (2.0 * row[a] - diagonal * x)


@kernel
def add_four_terms(columns: Array, upper: Array, sums: Array, out: Array) -> None:
    """Add four terms of `weigh_quadratic_by_fours`.

    Args:
        columns: from the first of the four features on.
        upper: (4, features) four rows of the matrix, from the diagonal on.
        sums: (4, arms) work space.
        out: (arms,) one after the other, the terms are added to it.
    """
    arms = len(out)
    # Entries left of the diagonal are not needed: the matrix is symmetric.
    a0, a1, a2, a3 = four_of(upper[0], 0)
    _, b1, b2, b3 = four_of(upper[1], 0)
    _, _, c2, c3 = four_of(upper[2], 0)
    _, _, _, d3 = four_of(upper[3], 0)
    # The corner on the diagonal is a triangle; the rest of the four rows is a rectangle.
    for a in range(arms):
        x0 = columns[0, a]
        x1 = columns[1, a]
        x2 = columns[2, a]
        x3 = columns[3, a]
        # Sums start from 0.0, as those of `weigh`: -0.0 would stay what it is otherwise.
        sums[0, a] = (((0.0 + a0 * x0) + a1 * x1) + a2 * x2) + a3 * x3
        sums[1, a] = ((0.0 + b1 * x1) + b2 * x2) + b3 * x3
        sums[2, a] = (0.0 + c2 * x2) + c3 * x3
        sums[3, a] = 0.0 + d3 * x3

    weigh_four(columns[4:], upper[:, 4:], sums)
    for a in range(arms):
        x0 = columns[0, a]
        x1 = columns[1, a]
        x2 = columns[2, a]
        x3 = columns[3, a]
        total = out[a] + x0 * (2.0 * sums[0, a] - a0 * x0)
        total = total + x1 * (2.0 * sums[1, a] - b1 * x1)
        total = total + x2 * (2.0 * sums[2, a] - c2 * x2)
        out[a] = total + x3 * (2.0 * sums[3, a] - d3 * x3)


@kernel
def four_of(row: Array, first: int) -> tuple[float, float, float, float]:
    """Four entries of a row."""
    return row[first], row[first + 1], row[first + 2], row[first + 3]


@kernel
def weigh_four(columns: Array, weights: Array, sums: Array) -> None:
    """sums[k, a] += weights[k] . (column a), for four rows of weights (4, features) at once.

    Each of the four gets the bits that `weigh` gives it where it starts from 0.
    """
    arms = sums.shape[1]
    features = weights.shape[1]
    in_fours = features - features % 4
    # As in `weigh`; and what was loaded of a column serves four sums.
    for j in range(0, in_fours, 4):
        a0, a1, a2, a3 = four_of(weights[0], j)
        b0, b1, b2, b3 = four_of(weights[1], j)
        c0, c1, c2, c3 = four_of(weights[2], j)
        d0, d1, d2, d3 = four_of(weights[3], j)
        for a in range(arms):
            x0 = columns[j, a]
            x1 = columns[j + 1, a]
            x2 = columns[j + 2, a]
            x3 = columns[j + 3, a]
            sums[0, a] = (((sums[0, a] + a0 * x0) + a1 * x1) + a2 * x2) + a3 * x3
            sums[1, a] = (((sums[1, a] + b0 * x0) + b1 * x1) + b2 * x2) + b3 * x3
            sums[2, a] = (((sums[2, a] + c0 * x0) + c1 * x1) + c2 * x2) + c3 * x3
            sums[3, a] = (((sums[3, a] + d0 * x0) + d1 * x1) + d2 * x2) + d3 * x3

    for j in range(in_fours, features):
        first = weights[0, j]
        second = weights[1, j]
        third = weights[2, j]
        fourth = weights[3, j]
        for a in range(arms):
            x = columns[j, a]
            sums[0, a] += first * x
            sums[1, a] += second * x
            sums[2, a] += third * x
            sums[3, a] += fourth * x
