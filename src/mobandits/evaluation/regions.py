"""Regions of vectors of values: boxes and ellipsoids."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.checks import as_float_array

FLAT = 1e-12  # a direction with less than this share of the variance is none: rounding


@dataclass(frozen=True, eq=False)
class Box:
    """All points between two corners.

    Args:
        low: (objectives,) -inf where nothing is known.
        high: (objectives,) inf where nothing is known.

    Example:
        >>> Box(np.zeros(2), np.ones(2)).contains([[0.5, 0.5], [0.5, 1.5]]).tolist()
        [True, False]
    """

    low: Array
    high: Array

    def contains(self, points: Any) -> Any:
        """Whether a point lies in the region, or which of several points do.

        Args:
            points: (objectives,), or (points, objectives), for which there are (points,) answers.
        """
        table = as_float_array("points", points)
        above_low = table >= self.low
        below_high = table <= self.high
        inside = above_low & below_high

        return np.all(inside, axis=-1)


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """All v with (v - center)' C^-1 (v - center) <= radius^2.

    Where C is singular the region is flat: it holds nothing outside the subspace in which the
    estimate varies.

    Args:
        center: (objectives,).
        covariance: C, (objectives, objectives).
        radius: of the ball that it is the image of; infinite where nothing is known.

    Example:
        >>> region = Ellipsoid(np.zeros(2), np.diag([1.0, 4.0]), 1.0)
        >>> region.contains([[0.9, 0.0], [0.0, 1.9], [0.9, 1.9]]).tolist(), region.high.tolist()
        ([True, True, False], [1.0, 2.0])
    """

    center: Array
    covariance: Array
    radius: float

    @property
    def low(self) -> Array:
        """The lowest value of each objective in the region, (objectives,).

        With `high` it is a box that holds the region.
        """
        return self.center - self._reach

    @property
    def high(self) -> Array:
        """The highest value of each objective in the region, (objectives,)."""
        return self.center + self._reach

    @property
    def _reach(self) -> Array:
        if not np.isfinite(self.radius):
            # Also where a variance is 0 or NaN, which times an infinite radius would be NaN.
            return np.full(len(self.center), np.inf)

        variances = np.diag(self.covariance)
        return self.radius * np.sqrt(variances)

    def contains(self, points: Any) -> Any:
        """Whether a point lies in the region, or which of several points do.

        Args:
            points: (objectives,), or (points, objectives), for which there are (points,) answers.
        """
        table = as_float_array("points", points)
        if not np.isfinite(self.radius):
            return np.isfinite(table).all(-1)

        scale, values, axes = self._axes()
        distances = (table - self.center) / scale
        coordinates = distances @ axes
        flat = values <= FLAT
        # Along a flat direction only rounding may separate a point from the center.
        off_plane = np.abs(coordinates[..., flat]) > np.sqrt(FLAT)
        outside_plane = off_plane.any(-1)
        squares = coordinates[..., ~flat] ** 2 / values[~flat]
        within_radius = squares.sum(-1) <= self.radius**2

        return within_radius & ~outside_plane

    def outline(self, objectives: tuple[int, int] = (0, 1), points: int = 100) -> Array:
        """(points, 2) the border of the region's shadow on two objectives, a closed line.

        Args:
            objectives: which two.
            points: how many; the last is the first.
        """
        pair = np.ix_(objectives, objectives)
        values, axes = np.linalg.eigh(self.covariance[pair])
        variances = np.maximum(values, 0.0)  # rounding may make that of a flat axis negative
        half_axes = np.sqrt(variances)
        angle = np.linspace(0.0, 2.0 * np.pi, points)
        cosine = np.cos(angle)
        sine = np.sin(angle)
        circle = np.stack([cosine, sine], axis=1) * self.radius
        center = self.center[list(objectives)]
        turned = circle * half_axes @ axes.T
        border: Array = center + turned

        return border

    def stretched(self, by: Array) -> "Ellipsoid":
        """The ellipsoid that reaches as far as this one, and further by a vector in its direction.

        In units of C, its axis along the vector is longer by the length of the vector, at the end
        that the vector points to. All other axes keep their length.

        Args:
            by: (objectives,) in the subspace in which the estimate varies.

        Example:
            >>> disc = Ellipsoid(np.zeros(2), np.eye(2), 1.0)
            >>> further = disc.stretched(np.array([0.5, 0.0]))
            >>> further.low.tolist(), further.high.tolist()
            ([-1.0, -1.0], [1.5, 1.0])
        """
        scale, values, axes = self._axes()
        shaped = values > FLAT
        coordinates = (by / scale) @ axes[:, shaped]
        squares = coordinates**2 / values[shaped]
        square = float(squares.sum())
        is_length = 0.0 < square < np.inf
        if not is_length or not np.isfinite(self.radius):
            return self

        # One end moves by the vector's length and the other stays: half of it goes to the center.
        longer = 1.0 + np.sqrt(square) / (2.0 * self.radius)
        growth = (longer**2 - 1.0) / square
        covariance = self.covariance + growth * np.outer(by, by)
        center = self.center + by / 2.0

        return Ellipsoid(center, covariance, self.radius)

    def _axes(self) -> tuple[Array, Array, Array]:
        """Scale per objective, and the eigenvalues and eigenvectors of the correlations."""
        deviation = np.sqrt(np.diag(self.covariance))
        size = np.abs(self.center)
        varies = deviation > FLAT * size
        # An objective that does not vary is scaled by its value, so that rounding stays rounding.
        fallback = np.where(size > 0.0, size, 1.0)
        scale = np.where(varies, deviation, fallback)
        units = np.outer(scale, scale)
        # Of correlations, or which direction is flat would depend on the units of rewards.
        correlations = self.covariance / units
        values, axes = np.linalg.eigh(correlations)

        return scale, values, axes
