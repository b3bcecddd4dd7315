"""Distances of a similarity space, whose points are a context and an arm in one vector."""

import math
from typing import Any, Protocol

from mobandits.compiling.compiled import compiled, is_compiled
from mobandits.contracts.protocols import Array
from mobandits.support.naming import wrong_value


class Similarity(Protocol):
    """A distance D that is symmetric and at most 1; mean rewards differ by no more than it.

    Implementations are `compiled` classes. Points stand in columns, so that they are the innermost
    loop.
    """

    def distances(self, points: Array, centres: Array, b: int, out: Array) -> None:
        """The distances out[j] = D(points[:, j], centres[:, b]); both are (dimensions, any)."""


def check_similarity(name: str, similarity: Any) -> None:
    """Refuse what compiled code could not call; None stands for the default.

    Example:
        >>> check_similarity("Pcz.similarity", "flat")
        Traceback (most recent call last):
        ValueError: Pcz.similarity must be None or a @compiled distance with distances, got 'flat'
    """
    distances = getattr(similarity, "distances", None)
    fits = is_compiled(similarity) and callable(distances)
    if similarity is not None and not fits:
        raise wrong_value(f"{name} must be None or a @compiled distance with distances", similarity)


@compiled
class ScaledEuclidean:
    """D(z, w) = ||z - w|| / sqrt(dimensions), which is at most 1 on the unit cube.

    Reference:
        pcz2018, appendix D.

    Example:
        >>> import numpy as np
        >>> points = np.array([[0.0, 1.0], [0.0, 1.0]])
        >>> out = np.empty(2)
        >>> ScaledEuclidean().distances(points, points, 0, out)
        >>> out.round(6)
        array([0., 1.])
    """

    def distances(self, points: Array, centres: Array, b: int, out: Array) -> None:
        """The distances out[j] = ||points[:, j] - centres[:, b]|| / sqrt(dimensions)."""
        count = len(out)
        # One division for all: a division takes as long as the rest of a point's work.
        scale = 1.0 / len(points)
        for j in range(count):
            out[j] = 0.0

        for i in range(len(points)):
            coordinate = centres[i, b]
            for j in range(count):
                difference = points[i, j] - coordinate
                out[j] += difference * difference

        for j in range(count):
            out[j] = math.sqrt(scale * out[j])
