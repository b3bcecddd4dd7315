"""Random points in balls and on spheres: the laws that the papers draw contexts, arms and parameters from.

The last axis of `shape` is the dimension; all points are independent.
"""

from collections.abc import Callable

import numpy as np

from mobandits.contracts.protocols import Array, Rng
from mobandits.numerics.normals import normals

Law = Callable[[Rng, tuple[int, ...]], Array]


def sphere(rng: Rng, shape: tuple[int, ...]) -> Array:
    """Uniform on the unit sphere: z / ||z|| with z standard normal.

    Example:
        >>> points = sphere(np.random.default_rng(0), (7, 3))
        >>> points.shape, bool(np.allclose(np.linalg.norm(points, axis=1), 1.0))
        ((7, 3), True)
    """
    z = normals(rng, shape)
    z /= _norms(z)
    return z


def ball(rng: Rng, shape: tuple[int, ...]) -> Array:
    """Uniform in the unit ball of dimension d: U^(1/d) z / ||z||, with U uniform on [0, 1) and z standard normal.

    Its positive part is the absolute value of such a point, a ball of another radius a multiple of
    it.

    Example:
        >>> points = ball(np.random.default_rng(0), (7, 3))
        >>> points.shape, bool(np.all(np.linalg.norm(points, axis=1) < 1.0))
        ((7, 3), True)
    """
    z = normals(rng, shape)
    z *= rng.random((*shape[:-1], 1)) ** (1.0 / shape[-1]) / _norms(z)
    return z


def clipped_gauss(rng: Rng, shape: tuple[int, ...]) -> Array:
    """Normal with variance 1/d per coordinate, and divided by its norm where that exceeds 1.

    Example:
        >>> points = clipped_gauss(np.random.default_rng(0), (7, 3))
        >>> points.shape, bool(np.all(np.linalg.norm(points, axis=1) < 1.0 + 1e-12))
        ((7, 3), True)
    """
    z = normals(rng, shape)
    z /= np.maximum(_norms(z), np.sqrt(shape[-1]))
    return z


def _norms(points: Array) -> Array:
    # Four times faster than np.linalg.norm along a short axis.
    norms: Array = np.sqrt(np.vecdot(points, points))[..., None]
    return norms


LAWS: dict[str, Law] = {"ball": ball, "gauss_clipped": clipped_gauss, "sphere": sphere}
