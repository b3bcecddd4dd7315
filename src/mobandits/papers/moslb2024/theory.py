"""MOSLB-PC and MOSLB-PL: the ridge event, the length of exploration, and the regret under chains and levels.

Doubts. With two or more chains the statement for digits after the first does not follow from the
paper's definition of the gap; for one chain it does. The overlap filter of MOSLB-PC can lose the
best arm from the second objective on. For levels after the first, arms that are truly best in the
levels before may be missing from what the filter keeps. So only first digits are sound, and all
digits of a single chain. Powers of the infinite unit are misprinted in the paper.

Reference: moslb2024, section 4. Assumptions: ||x|| <= 1, ||theta_i|| <= 1, R-sub-Gaussian noise,
    penalty 1.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array


def radius(t: ArrayLike, features: int, objectives: int, delta: float, noise: float = 1.0) -> Array:
    """gamma_t = R sqrt(d ln(L (1 + t) / delta)) + 1 in round t, counted from 1. Too small for d = 1, as in molts2025.

    Args:
        t: rounds.
        features: d.
        objectives: L.
        delta: probability that an ellipsoid fails, ever.
        noise: R.

    Reference:
        moslb2024, Algorithms 1 and 3.

    Example:
        >>> radius([1, 3000], 5, 5, 0.05).round(3).tolist()
        [6.147, 8.941]
    """
    inside = features * np.log(objectives * (1.0 + np.asarray(t, np.float64)) / delta)
    return np.asarray(noise * np.sqrt(inside) + 1.0)


def chain_width(features: int, arms: int, rounds: int) -> float:
    """The width epsilon = d^(2/3) (K T)^(-1/3), for which `chain_regret_bound` is of the order (d K T)^(2/3).

    Reference:
        moslb2024, Theorem 1.

    Example:
        >>> round(chain_width(5, 25, 3000), 4)
        0.0693
    """
    return float(features ** (2.0 / 3.0) * (arms * rounds) ** (-1.0 / 3.0))


def level_width(features: int, rounds: int) -> float:
    """The width epsilon = d^(2/3) T^(-1/3), for which `level_regret_bound` is of the order (d T)^(2/3).

    Reference:
        moslb2024, Theorem 2.

    Example:
        >>> round(level_width(5, 3000), 4)
        0.2027
    """
    return float(features ** (2.0 / 3.0) * rounds ** (-1.0 / 3.0))


def exploration_rounds_bound(
    rounds: int, features: int, objectives: int, delta: float, epsilon: float, noise: float = 1.0
) -> float:
    """How many rounds can have an interval wider than epsilon: 2 d gamma_T^2 / epsilon^2 ln(1 + T / d) at most.

    Args:
        rounds: T.
        features: d.
        objectives: L.
        delta: as in `radius`.
        epsilon: the width that ends exploration, at most gamma.
        noise: R.

    Reference:
        The elliptical potential; moslb2024 has a larger constant.

    Example:
        >>> round(exploration_rounds_bound(3000, 5, 5, 0.05, epsilon=1.0))
        5115
    """
    gamma = float(radius(rounds, features, objectives, delta, noise))
    return 2.0 * features * gamma**2 / epsilon**2 * math.log1p(rounds / features)


def chain_regret_bound(
    t: ArrayLike,
    arms: int,
    features: int,
    objectives: int,
    delta: float,
    epsilon: float,
    noise: float = 1.0,
) -> Array:
    """Every digit of MOSLB-PC's regret, as stated: 100 d gamma_T^2 ln T / epsilon^2 + 2 T K epsilon.

    Args:
        t: rounds T.
        arms: K.
        features: d.
        objectives: L.
        delta: as in `radius`.
        epsilon: the width that ends exploration.
        noise: R.

    Reference:
        moslb2024, Theorem 1; see the doubts above.

    Example:
        >>> float(chain_regret_bound(3000, 25, 5, 5, 0.05, epsilon=1.0).round())
        470020.0
    """
    T = np.asarray(t, np.float64)
    return _exploring(T, features, objectives, delta, epsilon, noise) + 2.0 * T * arms * epsilon


def level_regret_bound(
    t: ArrayLike, features: int, objectives: int, delta: float, epsilon: float, noise: float = 1.0
) -> Array:
    """Every digit of MOSLB-PL's regret, as stated: 100 d gamma_T^2 ln T / epsilon^2 + 2 T epsilon.

    Args:
        t: rounds T.
        features: d.
        objectives: L.
        delta: as in `radius`.
        epsilon: the width that ends exploration.
        noise: R.

    Reference:
        moslb2024, Theorem 2; see the doubts above.

    Example:
        >>> float(level_regret_bound(3000, 5, 5, 0.05, epsilon=1.0).round())
        326020.0
    """
    T = np.asarray(t, np.float64)
    return _exploring(T, features, objectives, delta, epsilon, noise) + 2.0 * T * epsilon


def chain_gap_bound(arms: int, epsilon: float) -> float:
    """What the first digit of a chain cannot exceed on the event, once exploration has ended: 2 K epsilon.

    The arm was kept by that chain's filter; the bound is on its distance to the best arm in the
    chain's first objective. With a single chain it holds for every digit. For alpha = 1.

    Reference:
        moslb2024, proof of Theorem 1.

    Example:
        >>> chain_gap_bound(25, 0.125)
        6.25
    """
    return 2.0 * arms * epsilon


def level_gap_bound(epsilon: float) -> float:
    """What the Pareto gap in the first level cannot exceed on the event, once exploration has ended: 2 epsilon.

    For alpha = 1.

    Reference:
        moslb2024, proof of Theorem 2.

    Example:
        >>> level_gap_bound(0.125)
        0.25
    """
    return 2.0 * epsilon


def _exploring(
    T: Array, features: int, objectives: int, delta: float, epsilon: float, noise: float
) -> Array:
    gamma = radius(T, features, objectives, delta, noise)
    return np.asarray(100.0 * features * gamma**2 * np.log(T) / epsilon**2)
