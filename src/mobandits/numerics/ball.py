"""The projection onto a ball in the norm of a positive definite matrix."""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array
from mobandits.numerics.linalg import cholesky, dot, quadratic

# Newton's iteration needs about five steps. More are taken only where rounding keeps it away from
# the sphere, and then the point is rescaled in the end.
STEPS = 50
# A norm within this fraction above the bound is on the sphere: a thousand roundings, far below any
# norm that a policy could tell from the bound.
CLOSE = 1e-13


@kernel
def project_onto_ball(matrix: Array, x: Array, bound: float) -> None:
    """`x` becomes the point y of the ball ||y|| <= bound that is nearest in the norm of `matrix`.

    That is the y that minimises (y - x)' P (y - x). Outside the ball y = (P + nu I)^-1 P x for the
    one nu > 0 with ||y|| = bound. Newton's iteration on 1/||y(nu)|| = 1/bound, from nu = 0,
    converges from one side; it needs (P + nu I)^-1 only as a Cholesky factor. Mere rescaling of x
    is another point, unless P is a multiple of the identity.

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
    quadratic(matrix, x, image)  # image = P x, before x is overwritten
    for _ in range(STEPS):
        for i in range(d):
            shifted[i, i] = matrix[i, i] + nu

        cholesky(shifted, root)
        solve_lower(root, image, half)
        solve_upper(root, half, x)
        length = math.sqrt(dot(x, x))
        if length <= bound * (1.0 + CLOSE):
            break

        # The slope of ||y|| is -y' (P + nu I)^-1 y / ||y||, and one triangular solution gives it:
        # with root half = y, the form is half . half.
        solve_lower(root, x, half)
        form = dot(half, half)
        nu += (length / bound - 1.0) * length * length / form

    # The iteration comes from outside: without this, rounding could leave x beyond the bound.
    if length > bound:
        for i in range(d):
            x[i] *= bound / length


@kernel
def solve_lower(root: Array, x: Array, out: Array) -> None:
    """`out` becomes the solution of root out = x for a lower triangular `root`."""
    for i in range(len(x)):
        partial = dot(root[i, :i], out[:i])
        rest = x[i] - partial
        out[i] = rest / root[i, i]


@kernel
def solve_upper(root: Array, x: Array, out: Array) -> None:
    """`out` becomes the solution of root' out = x for a lower triangular `root`."""
    last = len(x) - 1
    for i in range(last, -1, -1):
        partial = dot(root[i + 1 :, i], out[i + 1 :])
        rest = x[i] - partial
        out[i] = rest / root[i, i]
