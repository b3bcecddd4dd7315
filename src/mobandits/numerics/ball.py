"""The projection onto a ball in the norm of a positive definite matrix."""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array
from mobandits.numerics.linalg import cholesky, dot, quadratic

STEPS = 50
CLOSE = 1e-13


@kernel
def project_onto_ball(matrix: Array, x: Array, bound: float) -> None:
    """`x` becomes the y with ||y|| <= bound that is nearest in the norm of `matrix`, min (y - x)' P (y - x).

    Outside the ball y = (P + nu I)^-1 P x for the one nu > 0 with ||y|| = bound. Newton's iteration on
    1/||y(nu)|| = 1/bound, from nu = 0, converges from one side; it needs (P + nu I)^-1 only as a Cholesky factor.
    Mere rescaling of x is another point, unless P is a multiple of the identity.

    Args:
        matrix: (features, features) P, symmetric and positive definite.
        x: (features,), in and out.
        bound: radius of the ball, positive.

    Example:
        >>> x = np.array([2.0, 2.0])
        >>> project_onto_ball(np.diag([1.0, 3.0]), x, 1.0)
        >>> x.round(3).tolist()
        [0.43, 0.903]
    """
    length = math.sqrt(dot(x, x))
    if length <= bound:
        return
    d = len(x)
    nu = 0.0
    shifted = matrix.copy()
    root = np.zeros((d, d))
    image = np.empty(d)
    half = np.empty(d)
    quadratic(matrix, x, image)
    for _ in range(STEPS):
        for i in range(d):
            shifted[i, i] = matrix[i, i] + nu
        cholesky(shifted, root)
        solve_lower(root, image, half)
        solve_upper(root, half, x)
        length = math.sqrt(dot(x, x))
        if length <= bound * (1.0 + CLOSE):
            break
        solve_lower(root, x, half)  # the slope of ||y||: half . half = y' (P + nu I)^-1 y
        nu += (length / bound - 1.0) * length * length / dot(half, half)
    if length > bound:
        for i in range(d):
            x[i] *= bound / length


@kernel
def solve_lower(root: Array, x: Array, out: Array) -> None:
    """`out` becomes the solution of root out = x for a lower triangular `root`."""
    for i in range(len(x)):
        out[i] = (x[i] - dot(root[i, :i], out[:i])) / root[i, i]


@kernel
def solve_upper(root: Array, x: Array, out: Array) -> None:
    """`out` becomes the solution of root' out = x for a lower triangular `root`."""
    for i in range(len(x) - 1, -1, -1):
        out[i] = (x[i] - dot(root[i + 1 :, i], out[i + 1 :])) / root[i, i]
