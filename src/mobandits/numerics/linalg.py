"""Small explicit linear algebra: the same bits compiled and interpreted, and the arms as the innermost loop."""

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
    for a in range(len(out)):
        out[a] = 0.0
    whole = len(weights) - len(weights) % 4
    for j in range(0, whole, 4):  # four rows in one pass over the arms, added in their order
        w = weights[j]
        x = weights[j + 1]
        y = weights[j + 2]
        z = weights[j + 3]
        for a in range(len(out)):
            out[a] = (
                out[a]
                + w * columns[j, a]
                + x * columns[j + 1, a]
                + y * columns[j + 2, a]
                + z * columns[j + 3, a]
            )
    for j in range(whole, len(weights)):
        weight = weights[j]
        for a in range(len(out)):
            out[a] += weight * columns[j, a]


@kernel
def weigh_quadratic(columns: Array, matrix: Array, out: Array) -> None:
    """out[a] = (column a)' M (column a) for a symmetric M: half of the form is computed, and doubled."""
    row = np.empty(len(out))
    for a in range(len(out)):
        out[a] = 0.0
    for i in range(len(matrix)):
        weigh(columns[i:], matrix[i, i:], row)
        for a in range(len(out)):
            out[a] += columns[i, a] * (2.0 * row[a] - matrix[i, i] * columns[i, a])


@kernel
def shrink_inverse(inverse: Array, u: Array, q: float) -> None:
    """Sherman-Morrison in place: the inverse of V + x x', where u = V^-1 x and q = x' u. It stays exactly symmetric."""
    for i in range(len(u)):
        for j in range(i, len(u)):
            inverse[i, j] -= u[i] * u[j] / (1.0 + q)
            inverse[j, i] = inverse[i, j]


@kernel
def cholesky(matrix: Array, root: Array) -> None:
    """Lower triangle of `root` with root root' = matrix (positive definite); the rest of `root` is left alone."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            s = matrix[i, j] - dot(root[i, :j], root[j, :j])
            root[i, j] = math.sqrt(max(s, 0.0)) if i == j else s / root[j, j]


@kernel
def invert(matrix: Array, out: Array) -> None:
    """`out` becomes the inverse of a symmetric positive definite matrix, through its Cholesky factor."""
    d = len(matrix)
    root = np.zeros((d, d))
    half = np.zeros((d, d))
    cholesky(matrix, root)
    for j in range(d):  # half = root^-1, lower triangular
        half[j, j] = 1.0 / root[j, j]
        for i in range(j + 1, d):
            half[i, j] = -dot(root[i, j:i], half[j:i, j]) / root[i, i]
    for i in range(d):
        for j in range(i, d):
            out[i, j] = dot(half[j:, i], half[j:, j])
            out[j, i] = out[i, j]
