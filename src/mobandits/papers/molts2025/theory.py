"""MOL-TS: the ridge event, how often samples are optimistic, and the effective Pareto regret.

Two corrections. The printed width c1 is too small for d = 1 (for t = 1000, L = 4, delta = 0.01 it is 4.59 in place of
5.35); `width` is the larger of the printed one and the self-normalised bound. The appendix asks for
M >= ln L / ln(1 / (1 - p)) samples and forgets to add 1.

One doubt. Theorem 2's proof uses a weight and a comparison arm that depend on the samples, while Lemma 1 is about a
fixed arm. The formula is given as stated; nothing here verifies it.

Reference:
    molts2025, section 5 and appendices. Assumptions: ||x|| <= 1, ||theta_l|| <= 1, R-sub-Gaussian noise, lambda >= 1;
    contexts may be adversarial, objectives dependent.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array

OPTIMISM = 0.15  # p, a lower bound of P(N(0, 1) >= 1) = 0.1587
LARGEST = 2.0  # the largest gap there can be where norms are at most 1


def width(
    count: ArrayLike,
    features: int,
    objectives: int,
    delta: float,
    noise: float = 1.0,
    penalty: float = 1.0,
) -> Array:
    """c1_t(delta), the radius of the confidence ellipsoids, after `count` = t - 1 rounds.

    The larger of R sqrt(d ln((1 + count / (lambda d)) L / delta)) + sqrt(lambda), as printed, and of
    R sqrt(d ln(1 + count / (lambda d)) + 2 ln(L / delta)) + sqrt(lambda), the self-normalised bound.

    Args:
        count: rounds played.
        features: d.
        objectives: L.
        delta: probability that an ellipsoid fails, ever.
        noise: R.
        penalty: lambda.

    Reference:
        molts2025, section 5; yadkori2011, Theorem 2.

    Example:
        >>> width([0, 999], 1, 4, 0.01).round(2).tolist()
        [4.46, 5.35]
    """
    growth = np.log1p(np.asarray(count, np.float64) / (penalty * features))
    doubt = math.log(objectives / delta)
    inside = np.maximum(features * (growth + doubt), features * growth + 2.0 * doubt)
    return np.asarray(noise * np.sqrt(inside) + math.sqrt(penalty))


def sample_factor(rounds: int, features: int, objectives: int, draws: int, delta: float) -> float:
    """c2 / c1 = sqrt(2 d ln(2 L M d T / delta)): how far the samples of a round stray, in units of their radius.

    Given the past, all L M samples of a round lie within c1 times this of the estimate, in the norm of V, with
    probability at least 1 - delta / T.

    Args:
        rounds: T.
        features: d.
        objectives: L.
        draws: M.
        delta: as above.

    Reference:
        molts2025, section 5, the event on the samples.

    Example:
        >>> round(sample_factor(10_000, 5, 4, 10, 0.01), 2)
        14.07
    """
    return math.sqrt(
        2.0 * features * math.log(2.0 * objectives * draws * features * rounds / delta)
    )


def holds(theta: Array, estimates: Array, gram: Array, radius: float) -> bool:
    """The event at one time: ||theta_l - estimate_l|| <= radius in the norm of V, for all objectives.

    It is to hold at all times together, with probability at least 1 - delta.

    Args:
        theta: (objectives, features) the truth.
        estimates: (objectives, features).
        gram: (features, features) V.
        radius: `width`.

    Reference:
        molts2025, section 5.

    Example:
        >>> holds(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0]]), 4.0 * np.eye(2), radius=2.0)
        True
    """
    off = np.asarray(theta) - np.asarray(estimates)
    return bool((np.einsum("li,ij,lj->l", off, gram, off) <= radius**2).all())


def draws_needed(objectives: int, p: float = OPTIMISM) -> int:
    """M = ceil(1 - ln L / ln(1 - p)).

    Args:
        objectives: L.
        p: lower bound of the probability that one sample is optimistic.

    Reference:
        molts2025, Lemma 1.

    Example:
        >>> [draws_needed(objectives) for objectives in (1, 2, 4, 8)]
        [1, 6, 10, 14]
    """
    return math.ceil(1.0 - math.log(objectives) / math.log(1.0 - p))


def optimism(objectives: int, draws: int, p: float = OPTIMISM) -> float:
    """(1 - (1 - p)^M)^L, a lower bound of the probability that a fixed arm's sample is optimistic in all objectives.

    Optimistic means max_m x . theta_{l,m} >= x . estimate_l + c1 ||x||_{V^-1}, which is at least the mean on the event.
    With M = `draws_needed` it is at least p; with M = 1 it is p^L, which vanishes as objectives are added.

    Args:
        objectives: L.
        draws: M.
        p: as above; P(N(0, 1) >= 1) = 0.158655 gives the probability itself.

    Reference:
        molts2025, Lemma 1.

    Example:
        >>> [round(optimism(l, draws_needed(l)), 3) for l in (1, 2, 4, 8)], round(optimism(4, 1), 4)
        ([0.15, 0.388, 0.416, 0.42], 0.0005)
    """
    return float((1.0 - (1.0 - p) ** draws) ** objectives)


def regret_bound(
    t: ArrayLike,
    features: int,
    objectives: int,
    draws: int,
    delta: float,
    noise: float = 1.0,
    penalty: float = 1.0,
    p: float = OPTIMISM,
) -> Array:
    """The expected effective Pareto regret, and so the expected Pareto regret, at horizon T.

    (1 + 2 / (p - delta / T)) c_T sqrt(2 T d ln(1 + T / lambda)) + 2 delta Delta_max with
    c_T = c1_T (1 + sqrt(2 d ln(2 L M d T / delta))) and Delta_max = 2.

    Args:
        t: horizons T.
        features: d.
        objectives: L.
        draws: M.
        delta: as above.
        noise: R.
        penalty: lambda.
        p: as above.

    Reference:
        molts2025, Theorem 2 and Corollary 1 (the paper prints "="; its proof has a doubt, see above).

    Example:
        >>> float(regret_bound(10_000, 5, 4, 10, 0.01).round(-3))
        1917000.0
    """
    T = np.asarray(t, np.float64)
    stray = 1.0 + np.sqrt(2.0 * features * np.log(2.0 * objectives * draws * features * T / delta))
    reach = width(T - 1.0, features, objectives, delta, noise, penalty) * stray
    potential = np.sqrt(2.0 * T * features * np.log1p(T / penalty))
    return np.asarray((1.0 + 2.0 / (p - delta / T)) * reach * potential + 2.0 * delta * LARGEST)


def ucb_gap_bound(radius: ArrayLike, unscaled: ArrayLike) -> Array:
    """What the Pareto gap of a round of MOL-UCB cannot exceed on the event: 2 c1_t ||x||_{V^-1}.

    Args:
        radius: `width`.
        unscaled: ||x|| in the norm of V^-1, of the arm that was played.

    Reference:
        Not in the paper: the argument of moglb2019 for ridge regression.

    Example:
        >>> float(ucb_gap_bound(3.0, 0.5))
        3.0
    """
    return np.asarray(2.0 * np.asarray(radius) * np.asarray(unscaled))


def ucb_regret_bound(
    t: ArrayLike,
    features: int,
    objectives: int,
    delta: float,
    noise: float = 1.0,
    penalty: float = 1.0,
) -> Array:
    """The Pareto regret of MOL-UCB on the event: 2 c1_T sqrt(2 T d ln(1 + T / (lambda d))).

    Args:
        t: rounds played.
        features: d.
        objectives: L.
        delta: as above.
        noise: R.
        penalty: lambda, at least 1.

    Reference:
        Not in the paper: the sum of `ucb_gap_bound`, by the elliptical potential.

    Example:
        >>> float(ucb_regret_bound(10_000, 5, 4, 0.01).round())
        16119.0
    """
    T = np.asarray(t, np.float64)
    reach = width(T, features, objectives, delta, noise, penalty)
    return np.asarray(
        2.0 * reach * np.sqrt(2.0 * T * features * np.log1p(T / (penalty * features)))
    )


def weighted_gap(weights: ArrayLike, means: Array, arm: int) -> float:
    """max_b w . mu_b - w . mu_arm, an upper bound of the arm's effective Pareto gap for any weights on the simplex.

    Args:
        weights: (objectives,) not negative, sum 1.
        means: (arms, objectives).
        arm: which.

    Reference:
        molts2025, the first step in the proof of Theorem 2.

    Example:
        >>> weighted_gap([0.5, 0.5], np.array([[1.0, 0.0], [0.0, 0.5]]), arm=1)
        0.25
    """
    scores = np.asarray(means) @ np.asarray(weights, np.float64)
    return float(scores.max() - scores[arm])
