"""Principal components with fixed signs, scaled to [0, 1]: few coordinates for long rows."""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array


class Projection(NamedTuple):
    """A fitted map from features to coordinates in [0, 1].

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
        centred = points - self.centre
        scores = _products(centred, self.directions)
        coordinates = (scores - self.low) / self.size
        return np.clip(coordinates, 0.0, 1.0)


def principal(points: Array, spread: Array, components: int = 2) -> Projection:
    """The map to the leading principal components of `points`.

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
    scatter = _scatter(points - centre)
    left, _, _ = np.linalg.svd(scatter)
    directions = left.T[:components]
    # A singular vector's sign is arbitrary, and differs between versions of LAPACK: fix it.
    rows = np.arange(len(directions))
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[rows, largest])
    directions = directions * signs[:, None]
    scores = _products(spread - centre, directions)
    low = scores.min(axis=0)
    ranges = np.ptp(scores, axis=0)
    # A range of rounding errors would blow them up to [0, 1].
    size = np.where(ranges > 1e-12, ranges, 1.0)

    return Projection(
        centre=centre,
        directions=directions,
        low=low,
        size=size,
    )


def _scatter(centred: Array) -> Array:
    """(features, features) the scatter matrix of centred points."""
    # Element by element: a matrix product may be split over threads, and differ in its last bits.
    rows = []
    for first in centred.T:
        row = [(first * second).sum() for second in centred.T]
        rows.append(row)

    return np.array(rows)


def _products(points: Array, directions: Array) -> Array:
    """(points, components) the scalar products, summed feature by feature for the same reason."""
    out = np.zeros((len(points), len(directions)))
    for feature, loadings in zip(points.T, directions.T, strict=True):
        column = feature[:, None]
        out += column * loadings

    return out
