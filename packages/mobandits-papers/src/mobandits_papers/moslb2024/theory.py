"""MOSLB-PC and MOSLB-PL: the ridge event, the length of exploration, and the regret.

Doubts. With two or more chains the statement for digits after the first does not follow from the
paper's definition of the gap; for one chain it does. The overlap filter of MOSLB-PC can lose the
best arm from the second objective on. For levels after the first, arms that are truly best in the
levels before may be missing from what the filter keeps. So only first digits are sound, and all
digits of a single chain. Powers of the infinite unit are misprinted in the paper.

Reference:
    moslb2024, section 4. Assumptions: ||x|| <= 1, ||theta_i|| <= 1, R-sub-Gaussian noise,
    penalty 1.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array


def radius(t: ArrayLike, features: int, objectives: int, delta: float, noise: float = 1.0) -> Array:
    """The radius gamma_t = R sqrt(d ln(L (1 + t) / delta)) + 1 of the ellipsoids in round t.

    Rounds are counted from 1. The radius is too small for d = 1, as in molts2025.

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
    rounds = np.asarray(t, np.float64)
    # The union over L objectives; 1 + t bounds the determinant's growth per feature.
    logarithm = np.log(objectives * (1.0 + rounds) / delta)
    from_noise = noise * np.sqrt(features * logarithm)

    # The last 1 is ||theta|| times the root of the penalty: the bias of ridge regression.
    return np.asarray(from_noise + 1.0)


def chain_width(features: int, arms: int, rounds: int) -> float:
    """The width epsilon = d^(2/3) (K T)^(-1/3) that balances the terms of `chain_regret_bound`.

    With it, the bound is of the order (d K T)^(2/3).

    Reference:
        moslb2024, Theorem 1 and its remark.

    Example:
        >>> round(chain_width(5, 25, 3000), 4)
        0.0693
    """
    # The terms are of the orders d^2 / epsilon^2, by gamma^2, and K T epsilon.
    growth = features ** (2.0 / 3.0)
    decay = (arms * rounds) ** (-1.0 / 3.0)
    return float(growth * decay)


def level_width(features: int, rounds: int) -> float:
    """The width epsilon = d^(2/3) T^(-1/3) that balances the terms of `level_regret_bound`.

    With it, the bound is of the order (d T)^(2/3).

    Reference:
        moslb2024, Theorem 2 and its remark.

    Example:
        >>> round(level_width(5, 3000), 4)
        0.2027
    """
    # The terms are of the orders d^2 / epsilon^2, by gamma^2, and T epsilon.
    growth = features ** (2.0 / 3.0)
    decay = rounds ** (-1.0 / 3.0)
    return float(growth * decay)


def exploration_rounds_bound(
    rounds: int, features: int, objectives: int, delta: float, epsilon: float, noise: float = 1.0
) -> float:
    """The bound on the number of rounds with an interval wider than epsilon.

    2 d gamma_T^2 / epsilon^2 ln(1 + T / d).

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
    # Each such round has ||x||^2 > (epsilon / gamma)^2 in the norm of V^-1, and the sum of these
    # squares over all rounds, at most 1 each, is at most 2 d ln(1 + T / d).
    most_per_logarithm = 2.0 * features * gamma**2 / epsilon**2
    logarithm = math.log1p(rounds / features)

    return most_per_logarithm * logarithm


def chain_regret_bound(
    t: ArrayLike,
    arms: int,
    features: int,
    objectives: int,
    delta: float,
    epsilon: float,
    noise: float = 1.0,
) -> Array:
    """The bound on every digit of MOSLB-PC's regret, as the paper states it.

    100 d gamma_T^2 ln T / epsilon^2 + 2 T K epsilon.

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
    exploring = _exploration_regret_bound(T, features, objectives, delta, epsilon, noise)
    # 2 K epsilon per round: intervals of K arms may be linked in a row, each 2 epsilon long.
    exploiting = 2.0 * T * arms * epsilon

    return exploring + exploiting


def level_regret_bound(
    t: ArrayLike, features: int, objectives: int, delta: float, epsilon: float, noise: float = 1.0
) -> Array:
    """The bound on every digit of MOSLB-PL's regret, as the paper states it.

    100 d gamma_T^2 ln T / epsilon^2 + 2 T epsilon.

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
    exploring = _exploration_regret_bound(T, features, objectives, delta, epsilon, noise)
    # Levels compare upper bounds arm by arm, so that there is no factor K.
    exploiting = 2.0 * T * epsilon

    return exploring + exploiting


def chain_gap_bound(arms: int, epsilon: float) -> float:
    """The bound on the first digit of a chain, on the event, after exploration: 2 K epsilon.

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
    """The bound on the Pareto gap in the first level, after exploration: 2 epsilon.

    On the event, and for alpha = 1.

    Reference:
        moslb2024, proof of Theorem 2.

    Example:
        >>> level_gap_bound(0.125)
        0.25
    """
    return 2.0 * epsilon


def _exploration_regret_bound(
    T: Array, features: int, objectives: int, delta: float, epsilon: float, noise: float
) -> Array:
    """The first term of both theorems: 100 d gamma_T^2 ln T / epsilon^2."""
    gamma = radius(T, features, objectives, delta, noise)
    # Larger than `exploration_rounds_bound` needs; the paper's constant is kept.
    logarithm = np.log(T)
    rounds = 100.0 * features * gamma**2 * logarithm

    return np.asarray(rounds / epsilon**2)
