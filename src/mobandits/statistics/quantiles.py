"""Quantiles and tails of Student's t and Fisher's F, from SciPy, which is loaded where they are first asked for."""

from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array


def student_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t with so many degrees of freedom.

    Example:
        >>> round(student_quantile(0.975, 9), 4)
        2.2622
    """
    return float(_scipy().stdtrit(freedom, probability))


def student_tail(values: Array, freedom: int) -> Array:
    """P(T >= value) for Student's t with so many degrees of freedom.

    Example:
        >>> student_tail(np.array([0.0, 2.2622]), 9).round(4).tolist()
        [0.5, 0.025]
    """
    return np.asarray(_scipy().stdtr(freedom, -np.asarray(values, np.float64)))


def hotelling_radius(level: float, dimensions: int, rounds: int) -> float:
    """The squared radius of Hotelling's region for a mean, p (n - 1) / (n - p) F_{p, n - p}(level).

    Args:
        level: the probability that the region holds the mean of a normal law.
        dimensions: p.
        rounds: n; the radius is infinite where n <= p.

    Example:
        >>> round(hotelling_radius(0.95, 1, 10) ** 0.5, 4), hotelling_radius(0.95, 2, 2)
        (2.2622, inf)
    """
    if rounds <= dimensions:
        return float("inf")
    quantile = float(_scipy().fdtri(dimensions, rounds - dimensions, level))
    return dimensions * (rounds - 1) / (rounds - dimensions) * quantile


def _scipy() -> Any:
    from scipy import special  # noqa: PLC0415 - a seventh of a second, and few ask for it

    return special
