"""Weights cut at a bound."""

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.checks import number


def check_clip(name: str, clip: float | None) -> None:
    """Refuse what is neither None nor a positive number.

    Example:
        >>> check_clip("Ips.clip", 0.0)
        Traceback (most recent call last):
        ValueError: Ips.clip must be above 0, got 0.0
    """
    if clip is not None:
        number(name, clip, above=0.0)


def clipped(weights: Array, clip: float | None) -> tuple[Array, Array | None]:
    """The weights, at most `clip`, and what was cut off; None for the second without a bound.

    Example:
        >>> clipped(np.array([1.0, 5.0]), 2.0)
        (array([1., 2.]), array([0., 3.]))
    """
    if clip is None:
        return weights, None
    kept = np.minimum(weights, clip)
    return kept, weights - kept
