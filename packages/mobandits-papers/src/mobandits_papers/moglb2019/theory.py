"""MOGLB-UCB: the confidence ellipsoid of the online Newton step, and the Pareto regret.

The published formulas are damaged; they are restored here from the structure of the proof. The
printed factor 16 is kept where the proof gives 4, and the union over objectives inside the
logarithm is m / delta, where 2 m / delta could have been meant: negligible.

Reference:
    moglb2019, section 3.4. Assumptions: ||theta_i|| <= D, ||x|| <= 1, every link is Lipschitz and
    increases with slope at least kappa on [-D, D], where it is at most U in absolute value;
    |y| <= R; lambda >= max(1, kappa / 2).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array
from mobandits.numerics.links import LINKS

# The largest slope of every link, which it has at 0, so that it is the same on any [-D, D].
SLOPES = {"identity": 1.0, "logit": 0.25, "probit": 1.0 / math.sqrt(2.0 * math.pi)}


class Constants(NamedTuple):
    """The constants of the theorems' assumptions.

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
        >>> logit_and_probit = constants(["probit", "probit", "logit", "logit", "logit"])
        >>> [round(value, 6) for value in logit_and_probit]
        [0.196612, 0.398942, 0.841345, 1.0, 1.0, 1.0]
    """
    least_slopes = []
    heights = []
    for name in links:
        link = LINKS[name]
        least_slopes.append(link.least_slope(bound))  # type: ignore[attr-defined]
        # Links increase, so that they are largest in absolute value at one end of [-D, D].
        lowest = link.mean(-bound)  # type: ignore[attr-defined]
        highest = link.mean(bound)  # type: ignore[attr-defined]
        heights.append(max(abs(lowest), abs(highest)))

    curvature = min(least_slopes)  # kappa
    steepest = max(SLOPES[name] for name in links)
    ceiling = max(heights)  # U
    # The least lambda of Algorithm 1.
    penalty = max(1.0, curvature / 2.0)

    return Constants(curvature, steepest, ceiling, noise, bound, penalty)


def squared_radius(
    t: ArrayLike, volume: ArrayLike, assumed: Constants, objectives: int, delta: float
) -> Array:
    """The squared radius gamma_{t+1} of the ellipsoids after t rounds.

    gamma = s (16 ln((m / delta) sqrt(1 + 4 D^2 t)) + 2 volume) + lambda D^2 + kappa / 2 with
    s = (R + U)^2 / kappa.

    Args:
        t: rounds played.
        volume: ln det Z_{t+1} - ln det Z_1.
        assumed: the constants.
        objectives: m.
        delta: probability that an ellipsoid fails, ever.

    Returns:
        Of the shape of `t` and `volume`.

    Reference:
        moglb2019, Theorem 1.

    Example:
        >>> assumed = constants(["probit", "logit"])
        >>> float(squared_radius(3000, volume_bound(3000, 5, assumed), assumed, 5, 0.01).round(1))
        3717.7
    """
    rounds = np.asarray(t, np.float64)
    # A residual is at most R + U: a reward is at most R, and its estimated mean at most U.
    residual = assumed.noise + assumed.ceiling
    scale = residual**2 / assumed.curvature  # s
    # ln((m / delta) sqrt(1 + 4 D^2 t)): the union over objectives, and the martingale's own size.
    union = math.log(objectives / delta)
    growth = np.log1p(4.0 * assumed.bound**2 * rounds)
    logarithm = union + 0.5 * growth
    # The first estimate is 0, which is off by D at most.
    start = assumed.penalty * assumed.bound**2
    fixed = start + assumed.curvature / 2.0
    from_noise = 16.0 * scale * logarithm
    from_steps = 2.0 * scale * np.asarray(volume)
    gamma = from_noise + from_steps + fixed

    return np.asarray(gamma)


def volume_bound(t: ArrayLike, features: int, assumed: Constants) -> Array:
    """The bound d ln(1 + kappa t / (2 lambda d)) on the volume ln det Z_{t+1} - ln det Z_1.

    Args:
        t: rounds played.
        features: d.
        assumed: the constants.

    Reference:
        moglb2019, Corollary 1.

    Example:
        >>> float(volume_bound(3000, 5, constants(["logit"])).round(3))
        20.47
    """
    rounds = np.asarray(t, np.float64)
    # Every round adds kappa / 2 x x' to Z (Algorithm 1, step 5): a trace of at most kappa / 2.
    added = assumed.curvature * rounds
    start = 2.0 * assumed.penalty * features
    growth = added / start
    volume = features * np.log1p(growth)

    return np.asarray(volume)


def regret_bound(
    t: ArrayLike, features: int, assumed: Constants, objectives: int, delta: float
) -> Array:
    """The bound on the Pareto regret after t rounds, with probability at least 1 - delta.

    4 Lip sqrt(d gamma_{t+1} t / kappa ln(1 + kappa t / (2 lambda d))), where gamma is taken at its
    largest, by `volume_bound`.

    Args:
        t: rounds played.
        features: d.
        assumed: the constants.
        objectives: m.
        delta: probability that it is exceeded, ever.

    Reference:
        moglb2019, Theorem 2.

    Example:
        >>> float(regret_bound(3000, 5, constants(["probit", "logit"]), 5, 0.01).round())
        54378.0
    """
    # (16) with Corollary 1, which bounds every run's volume.
    volume = volume_bound(t, features, assumed)
    gamma = squared_radius(t, volume, assumed, objectives, delta)
    return regret_bound_of_volume(t, gamma, volume, assumed)


def regret_bound_of_volume(
    t: ArrayLike, gamma: ArrayLike, volume: ArrayLike, assumed: Constants
) -> Array:
    """The bound on the Pareto regret by a run's volume: 4 Lip sqrt(gamma_{t+1} t volume / kappa).

    Args:
        t: rounds played.
        gamma: `squared_radius` after them.
        volume: ln det Z_{t+1} - ln det Z_1.
        assumed: the constants.

    Reference:
        moglb2019, proof of Theorem 2, equations (14) to (16).

    Example:
        >>> float(regret_bound_of_volume(4, 1.0, 1.0, Constants(1.0, 1.0, 1.0)))
        8.0
    """
    rounds = np.asarray(t, np.float64)
    # (15): the sum of t widths is at most sqrt(t) times the root of the sum of their squares,
    # which (16) bounds by 4 volume / kappa.
    product = np.asarray(gamma) * rounds * np.asarray(volume)
    square = product / assumed.curvature
    regret = 4.0 * assumed.lipschitz * np.sqrt(square)

    return np.asarray(regret)


def gap_bound(gamma: ArrayLike, width: ArrayLike, assumed: Constants) -> Array:
    """The bound on a round's Pareto gap, on the event: 2 Lip sqrt(gamma_t) ||x_t||_{Z_t^-1}.

    Its sum over the rounds bounds the Pareto regret more tightly than Theorem 2.

    Args:
        gamma: `squared_radius` before the round.
        width: ||x_t|| in the norm of Z_t^-1.
        assumed: the constants.

    Reference:
        moglb2019, proof of Theorem 2, equation (14).

    Example:
        >>> float(gap_bound(4.0, 0.5, Constants(1.0, 1.0, 1.0)))
        2.0
    """
    radius = np.sqrt(np.asarray(gamma))
    # Twice the radius: the optimistic and the true parameter may be at opposite ends.
    slack = 2.0 * assumed.lipschitz * radius
    gap = slack * np.asarray(width)

    return np.asarray(gap)


def holds(theta: Array, estimates: Array, gram: Array, gamma: float) -> bool:
    """Whether the event of Theorem 1 holds at one time: every theta lies in its ellipsoid.

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
    errors = np.asarray(theta) - np.asarray(estimates)
    # (7): the squared norm of every objective's error, in the norm of Z.
    squares = np.einsum("li,ij,lj->l", errors, gram, errors)
    within = squares <= gamma

    return bool(within.all())
