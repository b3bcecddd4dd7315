"""Two coordinates in the unit square for points of any dimension: principal components, signed and scaled."""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array


class Projection(NamedTuple):
    """A fitted map.

    Attributes:
        centre: (features,) is subtracted first.
        directions: (components, features) of norm 1.
        low: (components,) what becomes 0.
        size: (components,) the range that becomes [0, 1].
    """

    centre: Array
    directions: Array
    low: Array
    size: Array

    def of(self, points: Array) -> Array:
        """(points, components) coordinates, clipped to [0, 1]."""
        scores = _products(points - self.centre, self.directions)
        return np.clip((scores - self.low) / self.size, 0.0, 1.0)


def principal(points: Array, spread: Array, components: int = 2) -> Projection:
    """The leading principal components of `points`.

    Points are centred and not scaled. The sign of a component makes its largest loading positive; a
    component along which all points agree becomes 0.

    Args:
        points: (points, features), what the components are fitted on.
        spread: (points, features), the points whose range becomes [0, 1].
        components: how many.

    Returns:
        The map; the same bits whatever the number of processors.

    Example:
        >>> points = np.array([[0.0, 0.0], [2.0, 0.1], [4.0, 0.0]])
        >>> principal(points, points, components=1).of(points).round(3).ravel().tolist()
        [0.0, 0.5, 1.0]
    """
    centre = points.mean(axis=0)
    centred = points - centre
    # Element by element: a matrix product may be split over threads, and differ in its last bits.
    scatter = np.array([[(left * right).sum() for right in centred.T] for left in centred.T])
    directions = np.linalg.svd(scatter)[0].T[:components]
    largest = np.abs(directions).argmax(axis=1)
    directions = directions * np.sign(directions[np.arange(len(directions)), largest])[:, None]
    scores = _products(spread - centre, directions)
    low = scores.min(axis=0)
    size = np.ptp(scores, axis=0)
    return Projection(centre, directions, low, np.where(size > 1e-12, size, 1.0))


def _products(points: Array, directions: Array) -> Array:
    out = np.zeros((len(points), len(directions)))
    for feature, loadings in zip(points.T, directions.T, strict=True):
        out += feature[:, None] * loadings
    return out
