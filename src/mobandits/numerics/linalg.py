"""Small explicit linear algebra: the same bits compiled and interpreted.

Arms are in the innermost loop, which so becomes vector instructions. Every sum is from the left.
Compiled `@` and `np.linalg` call BLAS and LAPACK, whose sums are in an order of their own: they
would give other bits than an interpreted run.
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array


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
def weigh(columns: Array, weights: Array, out: Array) -> None:
    """out[a] = weights . (column a) of `columns` (features, arms)."""
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
def weigh_quadratic(columns: Array, matrix: Array, out: Array) -> None:
    """out[a] = (column a)' M (column a) for a symmetric M."""
    arms = len(out)
    row = np.empty(arms)
    for a in range(arms):
        out[a] = 0.0

    # x' M x = sum_i x_i (2 sum_(j >= i) M_ij x_j - M_ii x_i): the upper half is weighed, and
    # doubled.
    for i in range(len(matrix)):
        diagonal = matrix[i, i]
        weigh(columns[i:], matrix[i, i:], row)
        for a in range(arms):
            x = columns[i, a]
            out[a] += x * (2.0 * row[a] - diagonal * x)


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
