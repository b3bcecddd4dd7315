"""Similarity information: distances between points, each of which is a context and an arm in one vector."""

import math
from typing import Any, Protocol

from mobandits.compiling.compiled import compiled, is_compiled
from mobandits.contracts.protocols import Array
from mobandits.support.naming import quoted


class Similarity(Protocol):
    """A distance D that is symmetric and at most 1; mean rewards differ by no more than it.

    Implementations are `compiled` classes. Points stand in columns, so that they are the innermost loop.
    """

    def distances(self, points: Array, centres: Array, b: int, out: Array) -> None:
        """out[j] = D(points[:, j], centres[:, b]); both are (dimensions, any)."""


def check_similarity(name: str, similarity: Any) -> None:
    """Refuse what compiled code could not call; None stands for the default.

    Example:
        >>> check_similarity("Pcz.similarity", "euclidean")
        Traceback (most recent call last):
        ValueError: Pcz.similarity must be None or a @compiled distance with distances, got 'euclidean'
    """
    fits = is_compiled(similarity) and callable(getattr(similarity, "distances", None))
    if similarity is not None and not fits:
        raise ValueError(
            f"{name} must be None or a @compiled distance with distances, got {quoted(similarity)}"
        )


@compiled
class ScaledEuclidean:
    """D(z, w) = ||z - w|| / sqrt(dimensions), which is at most 1 on the unit cube.

    Reference:
        pcz2018, appendix D.

    Example:
        >>> import numpy as np
        >>> points, out = np.array([[0.0, 1.0], [0.0, 1.0]]), np.empty(2)
        >>> ScaledEuclidean().distances(points, points, 0, out)
        >>> out.round(6)
        array([0., 1.])
    """

    def distances(self, points: Array, centres: Array, b: int, out: Array) -> None:
        """out[j] = ||points[:, j] - centres[:, b]|| / sqrt(dimensions)."""
        share = 1.0 / len(points)  # a division for each point would be dear
        for j in range(len(out)):
            out[j] = 0.0
        for i in range(len(points)):
            value = centres[i, b]
            for j in range(len(out)):
                out[j] += (points[i, j] - value) * (points[i, j] - value)
        for j in range(len(out)):
            out[j] = math.sqrt(share * out[j])
