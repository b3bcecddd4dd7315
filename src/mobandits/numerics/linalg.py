"""Small explicit linear algebra: the same bits compiled and interpreted.

Arms are in the innermost loop, which so becomes vector instructions. Every sum is from the left.
Compiled `@` and `np.linalg` call BLAS and LAPACK, whose sums are in an order of their own: they
would give other bits than an interpreted run.
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array

# Arms whose features are columns at a time: a block of some twenty features stays in the processor's
# first cache, where a pass over all of very many arms would come from memory. It is long enough that
# tables of usual size are one block.
BLOCK = 256


@kernel
def dot(x: Array, y: Array) -> float:
    """X . y, summed from the left."""
    out = 0.0
    for i in range(len(x)):
        out += x[i] * y[i]
    return out


@kernel
def copy_into(out: Array, values: Array) -> None:
    """``out[:] = values``, which itself takes seconds to compile."""
    for i in range(len(values)):
        out[i] = values[i]


@kernel
def quadratic(matrix: Array, x: Array, out: Array) -> float:
    """X' M x; `out` (features,) becomes M x."""
    for i in range(len(x)):
        out[i] = dot(matrix[i], x)
    return dot(x, out)


@kernel
def fill_columns(rows: Array, columns: Array) -> None:
    """Column a of `columns` (features, at least as many arms) becomes row a of `rows`."""
    arms, features = rows.shape
    in_fours = features - features % 4
    # Four features in one pass over the arms: a row is half as long as a line of the cache, or
    # longer, and read from there once for all four.
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
def weigh(columns: Array, weights: Array, out: Array) -> None:
    """out[a] = weights . (column a) of `columns` (features, at least as many arms as `out`)."""
    arms = len(out)
    features = len(weights)
    in_fours = features - features % 4
    for a in range(arms):
        out[a] = 0.0

    # Four rows in one pass over the arms: `out` is loaded and stored a fourth as often. They are
    # added one by one in their order, which gives the bits of a pass per row.
    for j in range(0, in_fours, 4):
        first = weights[j]
        second = weights[j + 1]
        third = weights[j + 2]
        fourth = weights[j + 3]
        for a in range(arms):
            total = out[a] + first * columns[j, a]
            total = total + second * columns[j + 1, a]
            total = total + third * columns[j + 2, a]
            out[a] = total + fourth * columns[j + 3, a]

    for j in range(in_fours, features):
        weight = weights[j]
        for a in range(arms):
            out[a] += weight * columns[j, a]


@kernel
def four_of(row: Array, first: int) -> tuple[float, float, float, float]:
    """Four entries of a row."""
    return row[first], row[first + 1], row[first + 2], row[first + 3]


@kernel
def weigh_four(columns: Array, weights: Array, rows: Array) -> None:
    """rows[k, a] += weights[k] . (column a), for four rows of weights (4, features) at once.

    Each of the four gets the bits that `weigh` gives it where it starts from 0.
    """
    arms = rows.shape[1]
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
            rows[0, a] = (((rows[0, a] + a0 * x0) + a1 * x1) + a2 * x2) + a3 * x3
            rows[1, a] = (((rows[1, a] + b0 * x0) + b1 * x1) + b2 * x2) + b3 * x3
            rows[2, a] = (((rows[2, a] + c0 * x0) + c1 * x1) + c2 * x2) + c3 * x3
            rows[3, a] = (((rows[3, a] + d0 * x0) + d1 * x1) + d2 * x2) + d3 * x3

    for j in range(in_fours, features):
        first = weights[0, j]
        second = weights[1, j]
        third = weights[2, j]
        fourth = weights[3, j]
        for a in range(arms):
            x = columns[j, a]
            rows[0, a] += first * x
            rows[1, a] += second * x
            rows[2, a] += third * x
            rows[3, a] += fourth * x


@kernel
def weigh_quadratic(columns: Array, matrix: Array, out: Array) -> None:
    """out[a] = (column a)' M (column a) for a symmetric M."""
    arms = len(out)
    features = len(matrix)
    in_fours = features - features % 4
    rows = np.empty((4, arms))
    for a in range(arms):
        out[a] = 0.0

    # x' M x = sum_i x_i (2 sum_(j >= i) M_ij x_j - M_ii x_i): the upper half is weighed, and
    # doubled.
    for i in range(0, in_fours, 4):
        add_four_terms(columns[i:], matrix[i : i + 4, i:], rows, out)

    row = rows[0]
    for i in range(in_fours, features):
        diagonal = matrix[i, i]
        weigh(columns[i:], matrix[i, i:], row)
        for a in range(arms):
            x = columns[i, a]
            out[a] += x * (2.0 * row[a] - diagonal * x)


@kernel
def add_four_terms(columns: Array, upper: Array, rows: Array, out: Array) -> None:
    """Add four terms of `weigh_quadratic`.

    Args:
        columns: from the first of the four features on.
        upper: (4, features) four rows of the matrix, from the diagonal on.
        rows: (4, arms) work space.
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
        rows[0, a] = (((0.0 + a0 * x0) + a1 * x1) + a2 * x2) + a3 * x3
        rows[1, a] = ((0.0 + b1 * x1) + b2 * x2) + b3 * x3
        rows[2, a] = (0.0 + c2 * x2) + c3 * x3
        rows[3, a] = 0.0 + d3 * x3

    weigh_four(columns[4:], upper[:, 4:], rows)
    for a in range(arms):
        x0 = columns[0, a]
        x1 = columns[1, a]
        x2 = columns[2, a]
        x3 = columns[3, a]
        total = out[a] + x0 * (2.0 * rows[0, a] - a0 * x0)
        total = total + x1 * (2.0 * rows[1, a] - b1 * x1)
        total = total + x2 * (2.0 * rows[2, a] - c2 * x2)
        out[a] = total + x3 * (2.0 * rows[3, a] - d3 * x3)


@kernel
def shrink_inverse(inverse: Array, u: Array, q: float) -> None:
    """Sherman-Morrison in place: the inverse of V + x x', where u = V^-1 x and q = x' u."""
    # One half is computed and copied: it stays exactly symmetric, which `weigh_quadratic` rests on.
    features = len(u)
    for i in range(features):
        for j in range(i, features):
            change = u[i] * u[j] / (1.0 + q)
            entry = inverse[i, j] - change
            inverse[i, j] = entry
            inverse[j, i] = entry


@kernel
def cholesky(matrix: Array, root: Array) -> None:
    """The lower triangle of `root` becomes the Cholesky factor, root root' = matrix."""
    for i in range(len(matrix)):
        for j in range(i):
            partial = dot(root[i, :j], root[j, :j])
            rest = matrix[i, j] - partial
            root[i, j] = rest / root[j, j]

        partial = dot(root[i, :i], root[i, :i])
        # Of a matrix that is nearly singular, rounding can leave a tiny negative number.
        rest = max(matrix[i, i] - partial, 0.0)
        root[i, i] = math.sqrt(rest)


@kernel
def invert(matrix: Array, out: Array) -> None:
    """`out` becomes the inverse of a symmetric positive definite matrix, by its Cholesky factor."""
    d = len(matrix)
    root = np.zeros((d, d))
    half = np.zeros((d, d))
    cholesky(matrix, root)
    # half = root^-1, lower triangular, column by column
    for j in range(d):
        half[j, j] = 1.0 / root[j, j]
        for i in range(j + 1, d):
            partial = dot(root[i, j:i], half[j:i, j])
            half[i, j] = -partial / root[i, i]

    # The inverse is half' half. One half of it is computed, so that it is exactly symmetric.
    for i in range(d):
        for j in range(i, d):
            entry = dot(half[j:, i], half[j:, j])
            out[i, j] = entry
            out[j, i] = entry
