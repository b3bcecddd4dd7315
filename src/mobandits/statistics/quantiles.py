"""Quantiles and tails of Student's t and Fisher's F."""

import numpy as np

# Not scipy.stats, which takes a second to load, and asks these functions.
from scipy.special import fdtri, stdtr, stdtrit

from mobandits.contracts.protocols import Array


def student_quantile(probability: float, freedom: float) -> float:
    """The quantile of Student's t with so many degrees of freedom.

    Example:
        >>> round(student_quantile(0.975, 9), 4)
        2.2622
    """
    quantile = stdtrit(freedom, probability)
    return float(quantile)


def student_tail(values: Array, freedom: float) -> Array:
    """P(T >= value) for Student's t with so many degrees of freedom.

    Example:
        >>> student_tail(np.array([0.0, 2.2622]), 9).round(4).tolist()
        [0.5, 0.025]
    """
    # By symmetry: 1 - P(T <= value) would lose the digits of small tails.
    opposite = -np.asarray(values, np.float64)
    tail = stdtr(freedom, opposite)
    return np.asarray(tail)


def hotelling_square(level: float, dimensions: int, joint_freedom: float, freedom: float) -> float:
    """The squared radius of a joint region, p m / (m - p + 1) F_{p, min(f, m - p + 1)}(level).

    Args:
        level: the probability that the region holds the truth.
        dimensions: p.
        joint_freedom: m, degrees of freedom of the covariance; below p the radius is infinite.
        freedom: f, degrees of freedom of the least known standard error; where it is no less than
            m - p + 1, the region is Hotelling's.

    Example:
        >>> round(hotelling_square(0.95, 1, 9, 9) ** 0.5, 4), hotelling_square(0.95, 2, 1, 1)
        (2.2622, inf)
    """
    denominator_freedom = joint_freedom - dimensions + 1.0
    if denominator_freedom <= 0.0:
        return float("inf")

    # The fewer degrees of freedom of the two, which makes the region larger.
    fewer = min(freedom, denominator_freedom)
    quantile = float(fdtri(dimensions, fewer, level))
    scale = dimensions * joint_freedom / denominator_freedom

    return scale * quantile
