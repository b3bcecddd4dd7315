"""Where a vector of values may lie."""

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
        """Whether a point (objectives,) lies in the region, or (points,) which of some (points, objectives) do."""
        table = as_float_array("points", points)
        return np.all((table >= self.low) & (table <= self.high), axis=-1)


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """All v with (v - center)' C^-1 (v - center) <= radius^2.

    Where C is singular the region is flat: it holds nothing outside the subspace in which the estimate varies.

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
        """(objectives,) the lowest value of each objective in the region: together a box that holds the region."""
        return self.center - self._reach

    @property
    def high(self) -> Array:
        """(objectives,) the highest value of each objective in the region."""
        return self.center + self._reach

    @property
    def _reach(self) -> Array:
        if not np.isfinite(self.radius):
            return np.full(len(self.center), np.inf)
        return self.radius * np.sqrt(np.diag(self.covariance))

    def contains(self, points: Any) -> Any:
        """Whether a point (objectives,) lies in the region, or (points,) which of some (points, objectives) do."""
        table = as_float_array("points", points)
        if not np.isfinite(self.radius):
            return np.isfinite(table).all(-1)
        scale, values, axes = self._axes()
        along = ((table - self.center) / scale) @ axes
        flat = values <= FLAT
        off = np.abs(along[..., flat]) > np.sqrt(FLAT)
        squares = along[..., ~flat] ** 2 / values[~flat]
        return (squares.sum(-1) <= self.radius**2) & ~off.any(-1)

    def outline(self, objectives: tuple[int, int] = (0, 1), points: int = 100) -> Array:
        """(points, 2) the border of the region's shadow on two objectives, a closed line.

        Args:
            objectives: which two.
            points: how many; the last is the first.
        """
        pair = np.ix_(objectives, objectives)
        values, axes = np.linalg.eigh(self.covariance[pair])
        angle = np.linspace(0.0, 2.0 * np.pi, points)
        circle = np.stack([np.cos(angle), np.sin(angle)], axis=1) * self.radius
        border: Array = (
            self.center[list(objectives)] + circle * np.sqrt(np.maximum(values, 0.0)) @ axes.T
        )
        return border

    def stretched(self, by: Array) -> "Ellipsoid":
        """The ellipsoid that reaches as far as this one, and further by a vector in its direction.

        In units of C, its axis along the vector is longer by the length of the vector, at the end that the vector
        points to. All other axes keep their length.

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
        along = (by / scale) @ axes[:, shaped]
        square = float((along**2 / values[shaped]).sum())
        if not 0.0 < square < np.inf or not np.isfinite(self.radius):
            return self
        longer = 1.0 + np.sqrt(square) / (2.0 * self.radius)
        covariance = self.covariance + (longer**2 - 1.0) / square * np.outer(by, by)
        return Ellipsoid(self.center + by / 2.0, covariance, self.radius)

    def _axes(self) -> tuple[Array, Array, Array]:
        """Scale per objective, and the eigenvalues and eigenvectors of the correlations."""
        spread = np.sqrt(np.diag(self.covariance))
        size = np.abs(self.center)
        scale = np.where(spread > FLAT * size, spread, np.where(size > 0.0, size, 1.0))
        values, axes = np.linalg.eigh(self.covariance / np.outer(scale, scale))
        return scale, values, axes
