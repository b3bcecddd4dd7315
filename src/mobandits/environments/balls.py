"""Distributions of random points in balls and on spheres, for contexts, arms and parameters.

The last axis of `shape` is the dimension; all points are independent.
"""

from collections.abc import Callable

import numpy as np

from mobandits.contracts.protocols import Array, Rng
from mobandits.numerics.normals import normals

Distribution = Callable[[Rng, tuple[int, ...]], Array]


def sphere(rng: Rng, shape: tuple[int, ...]) -> Array:
    """Points uniform on the unit sphere: z / ||z|| with z standard normal.

    Example:
        >>> points = sphere(np.random.default_rng(0), (7, 3))
        >>> points.shape, bool(np.allclose(np.linalg.norm(points, axis=1), 1.0))
        ((7, 3), True)
    """
    z = normals(rng, shape)
    z /= _norms(z)
    return z


def ball(rng: Rng, shape: tuple[int, ...]) -> Array:
    """Points uniform in the unit ball of dimension d: U^(1/d) z / ||z||.

    U is uniform on [0, 1) and z standard normal. The absolute value of such a point is uniform in
    the positive part of the ball, a multiple of it in a ball of another radius.

    Example:
        >>> points = ball(np.random.default_rng(0), (7, 3))
        >>> points.shape, bool(np.all(np.linalg.norm(points, axis=1) < 1.0))
        ((7, 3), True)
    """
    *points, dimension = shape
    z = normals(rng, shape)
    uniforms = rng.random((*points, 1))
    # The volume within radius r is r^d: the d-th root of a uniform number is a radius of the ball.
    radii = uniforms ** (1.0 / dimension)
    z *= radii / _norms(z)

    return z


def clipped_gauss(rng: Rng, shape: tuple[int, ...]) -> Array:
    """Normal points with variance 1/d per coordinate, scaled back to norm 1 where longer.

    Example:
        >>> points = clipped_gauss(np.random.default_rng(0), (7, 3))
        >>> points.shape, bool(np.all(np.linalg.norm(points, axis=1) < 1.0 + 1e-12))
        ((7, 3), True)
    """
    z = normals(rng, shape)
    # One division by max(||z||, sqrt(d)) scales to the variance and clips the norm.
    divisors = np.maximum(_norms(z), np.sqrt(shape[-1]))
    z /= divisors

    return z


def _norms(points: Array) -> Array:
    # Four times faster than np.linalg.norm along a short axis.
    squares = np.vecdot(points, points)
    norms: Array = np.sqrt(squares)
    return norms[..., None]


DISTRIBUTIONS: dict[str, Distribution] = {
    "ball": ball,
    "gauss_clipped": clipped_gauss,
    "sphere": sphere,
}
