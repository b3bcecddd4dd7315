"""MOGLB-UCB: the confidence ellipsoid of the online Newton step, and the Pareto regret.

The published formulas are damaged; they are restored here from the structure of the proof. The
printed factor 16 is kept where the proof gives 4, and the union over objectives inside the
logarithm is m / delta, where 2 m / delta could have been meant: negligible.

Reference: moglb2019, section 3.4. Assumptions: ||theta_i|| <= D, ||x|| <= 1, every link is
    Lipschitz and increases with slope at least kappa on [-D, D], where it is at most U in absolute
    value; |y| <= R; lambda >= max(1, kappa / 2).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array
from mobandits.numerics.links import LINKS

SLOPES = {"identity": 1.0, "logit": 0.25, "probit": 1.0 / math.sqrt(2.0 * math.pi)}  # the largest


class Constants(NamedTuple):
    """What the theorems assume.

    Attributes:
        curvature: kappa, the least slope of a link.
        lipschitz: the largest slope.
        ceiling: U.
        noise: R.
        bound: D.
        penalty: lambda.
    """

    curvature: float
    lipschitz: float
    ceiling: float
    noise: float = 1.0
    bound: float = 1.0
    penalty: float = 1.0


def constants(links: Sequence[str], bound: float = 1.0, noise: float = 1.0) -> Constants:
    """The constants of named links on [-D, D], with the least penalty that is allowed.

    Args:
        links: each "identity", "logit" or "probit".
        bound: D.
        noise: R.

    Example:
        >>> found = constants(["probit", "probit", "logit", "logit", "logit"])
        >>> [round(value, 6) for value in found]
        [0.196612, 0.398942, 0.841345, 1.0, 1.0, 1.0]
    """
    each = [LINKS[link] for link in links]
    curvature = min(link.least_slope(bound) for link in each)  # type: ignore[attr-defined]
    ceiling = max(abs(link.mean(z)) for link in each for z in (-bound, bound))  # type: ignore[attr-defined]
    steepest = max(SLOPES[link] for link in links)
    return Constants(curvature, steepest, ceiling, noise, bound, max(1.0, curvature / 2.0))


def squared_radius(
    t: ArrayLike, volume: ArrayLike, given: Constants, objectives: int, delta: float
) -> Array:
    """gamma_{t+1}, the squared radius of the ellipsoids after t rounds.

    gamma = s (16 ln((m / delta) sqrt(1 + 4 D^2 t)) + 2 volume) + lambda D^2 + kappa / 2 with s = (R
    + U)^2 / kappa.

    Args:
        t: rounds played.
        volume: ln det Z_{t+1} - ln det Z_1.
        given: the constants.
        objectives: m.
        delta: probability that an ellipsoid fails, ever.

    Returns:
        Of the shape of `t` and `volume`.

    Reference:
        moglb2019, Theorem 1.

    Example:
        >>> given = constants(["probit", "logit"])
        >>> float(squared_radius(3000, volume_bound(3000, 5, given), given, 5, 0.01).round(1))
        3717.7
    """
    rounds = np.asarray(t, np.float64)
    scale = (given.noise + given.ceiling) ** 2 / given.curvature
    doubt = math.log(objectives / delta) + 0.5 * np.log1p(4.0 * given.bound**2 * rounds)
    fixed = given.penalty * given.bound**2 + given.curvature / 2.0
    return np.asarray(16.0 * scale * doubt + 2.0 * scale * np.asarray(volume) + fixed)


def volume_bound(t: ArrayLike, features: int, given: Constants) -> Array:
    """At most d ln(1 + kappa t / (2 lambda d)) is ln det Z_{t+1} - ln det Z_1.

    Args:
        t: rounds played.
        features: d.
        given: the constants.

    Reference:
        moglb2019, Corollary 1.

    Example:
        >>> float(volume_bound(3000, 5, constants(["logit"])).round(3))
        20.47
    """
    growth = given.curvature * np.asarray(t, np.float64) / (2.0 * given.penalty * features)
    return np.asarray(features * np.log1p(growth))


def regret_bound(
    t: ArrayLike, features: int, given: Constants, objectives: int, delta: float
) -> Array:
    """The Pareto regret after t rounds, 4 Lip sqrt(d gamma_{t+1} t / kappa ln(1 + kappa t / (2 lambda d))).

    gamma is taken at its largest, by `volume_bound`.

    Args:
        t: rounds played.
        features: d.
        given: the constants.
        objectives: m.
        delta: probability that it is exceeded, ever.

    Reference:
        moglb2019, Theorem 2.

    Example:
        >>> float(regret_bound(3000, 5, constants(["probit", "logit"]), 5, 0.01).round())
        54378.0
    """
    volume = volume_bound(t, features, given)
    return regret_bound_of_volume(
        t, squared_radius(t, volume, given, objectives, delta), volume, given
    )


def regret_bound_of_volume(
    t: ArrayLike, gamma: ArrayLike, volume: ArrayLike, given: Constants
) -> Array:
    """The same from a run's own volume: 4 Lip sqrt(gamma_{t+1} t volume / kappa).

    Args:
        t: rounds played.
        gamma: `squared_radius` after them.
        volume: ln det Z_{t+1} - ln det Z_1.
        given: the constants.

    Reference:
        moglb2019, proof of Theorem 2, equations (14) to (16).

    Example:
        >>> float(regret_bound_of_volume(4, 1.0, 1.0, Constants(1.0, 1.0, 1.0)))
        8.0
    """
    product = np.asarray(gamma) * np.asarray(t, np.float64) * np.asarray(volume) / given.curvature
    return np.asarray(4.0 * given.lipschitz * np.sqrt(product))


def gap_bound(gamma: ArrayLike, width: ArrayLike, given: Constants) -> Array:
    """What the Pareto gap of a round's arm cannot exceed on the event: 2 Lip sqrt(gamma_t) ||x_t||_{Z_t^-1}.

    Its sum over the rounds bounds the Pareto regret more tightly than Theorem 2.

    Args:
        gamma: `squared_radius` before the round.
        width: ||x_t|| in the norm of Z_t^-1.
        given: the constants.

    Reference:
        moglb2019, proof of Theorem 2, equation (14).

    Example:
        >>> float(gap_bound(4.0, 0.5, Constants(1.0, 1.0, 1.0)))
        2.0
    """
    return np.asarray(2.0 * given.lipschitz * np.sqrt(np.asarray(gamma)) * np.asarray(width))


def holds(theta: Array, estimates: Array, gram: Array, gamma: float) -> bool:
    """The event of Theorem 1 at one time: every theta lies in its ellipsoid.

    (theta_i - estimate_i)' Z (theta_i - estimate_i) <= gamma for all objectives i. It is to hold at
    all times together, with probability at least 1 - delta.

    Args:
        theta: (objectives, features) the truth.
        estimates: (objectives, features).
        gram: (features, features) Z.
        gamma: `squared_radius`.

    Reference:
        moglb2019, Theorem 1, formula (7).

    Example:
        >>> holds(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0]]), 2.0 * np.eye(2), gamma=2.0)
        True
    """
    off = np.asarray(theta) - np.asarray(estimates)
    return bool((np.einsum("li,ij,lj->l", off, gram, off) <= gamma).all())
