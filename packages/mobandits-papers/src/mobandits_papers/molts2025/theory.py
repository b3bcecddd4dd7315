"""MOL-TS: the ridge event, how often samples are optimistic, and the effective Pareto regret.

Two corrections. The printed width c1 is too small for d = 1 (for t = 1000, L = 4, delta = 0.01 it
is 4.59 in place of 5.35); `width` is the larger of the printed one and the self-normalised bound.
The appendix asks for M >= ln L / ln(1 / (1 - p)) samples and forgets to add 1.

One doubt. Theorem 2's proof uses a weight and a comparison arm that depend on the samples, while
Lemma 1 is about a fixed arm. The formula is given as stated; nothing here verifies it.

Reference:
    molts2025, section 5 and appendices. Assumptions: ||x|| <= 1, ||theta_l|| <= 1, R-sub-Gaussian
    noise, lambda >= 1; contexts may be adversarial, objectives dependent.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array
from mobandits_papers.moglb2019 import theory as moglb2019

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

    The larger of R sqrt(d ln((1 + count / (lambda d)) L / delta)) + sqrt(lambda), as printed, and
    of R sqrt(d ln(1 + count / (lambda d)) + 2 ln(L / delta)) + sqrt(lambda), the self-normalised
    bound.

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
    rounds = np.asarray(count, np.float64)
    growth = np.log1p(rounds / (penalty * features))  # ln(1 + count / (lambda d))
    # Each objective's ellipsoid fails with probability delta / L: a union over L of them.
    confidence = math.log(objectives / delta)
    printed = features * (growth + confidence)
    self_normalised = features * growth + 2.0 * confidence  # the larger one for d = 1 only
    squared = np.maximum(printed, self_normalised)

    return np.asarray(noise * np.sqrt(squared) + math.sqrt(penalty))


def sample_factor(rounds: int, features: int, objectives: int, draws: int, delta: float) -> float:
    """c2 / c1, how far the samples of a round stray, in units of their radius.

    Given the past, all L M samples of a round lie within c1 times sqrt(2 d ln(2 L M d T / delta))
    of the estimate, in the norm of V, with probability at least 1 - delta / T.

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
    # A union over L M samples of d coordinates in T rounds; a normal coordinate has two tails.
    tails = 2.0 * objectives * draws * features * rounds
    logarithm = math.log(tails / delta)
    squared = 2.0 * features * logarithm
    return math.sqrt(squared)


def holds(theta: Array, estimates: Array, gram: Array, radius: float) -> bool:
    """The event at one time: ||theta_l - estimate_l|| <= radius in the norm of V, for all l.

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
    return moglb2019.holds(theta, estimates, gram, radius**2)


def draws_needed(objectives: int, p: float = OPTIMISM) -> int:
    """M = ceil(1 - ln L / ln(1 - p)), the number of samples per objective.

    Args:
        objectives: L.
        p: lower bound of the probability that one sample is optimistic.

    Reference:
        molts2025, Lemma 1.

    Example:
        >>> [draws_needed(objectives) for objectives in (1, 2, 4, 8)]
        [1, 6, 10, 14]
    """
    # Then (1 - p)^M <= (1 - p) / L, and by Bernoulli's inequality `optimism` is at least p.
    log_objectives = math.log(objectives)
    log_failure = math.log(1.0 - p)
    draws = 1.0 - log_objectives / log_failure
    return math.ceil(draws)


def optimism(objectives: int, draws: int, p: float = OPTIMISM) -> float:
    """A lower bound of the probability that a fixed arm's sample is optimistic in all objectives.

    It is (1 - (1 - p)^M)^L. Optimistic means max_m x . theta_{l,m} >= x . estimate_l +
    c1 ||x||_{V^-1}, which is at least the mean on the event. With M = `draws_needed` it is at least
    p; with M = 1 it is p^L, which vanishes as objectives are added.

    Args:
        objectives: L.
        draws: M.
        p: as above; P(N(0, 1) >= 1) = 0.158655 gives the probability itself.

    Reference:
        molts2025, Lemma 1.

    Example:
        >>> [round(optimism(l, draws_needed(l)), 3) for l in (1, 2, 4, 8)]
        [0.15, 0.388, 0.416, 0.42]
        >>> round(optimism(4, 1), 4)
        0.0005
    """
    all_below = (1.0 - p) ** draws  # no sample of an objective is optimistic
    in_one_objective = 1.0 - all_below
    return float(in_one_objective**objectives)  # samples of the objectives are independent


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
        molts2025, Theorem 2 and Corollary 1 (the paper prints "="; its proof has a doubt, see
        above).

    Example:
        >>> float(regret_bound(10_000, 5, 4, 10, 0.01).round(-3))
        1917000.0
    """
    T = np.asarray(t, np.float64)
    tails = 2.0 * objectives * draws * features * T
    logarithm = np.log(tails / delta)
    factor = np.sqrt(2.0 * features * logarithm)  # c2 / c1, as in `sample_factor`
    c1_T = width(T - 1.0, features, objectives, delta, noise, penalty)
    c_T = c1_T * (1.0 + factor)
    # The elliptical potential: the sum of the widths ||x_t|| in the norm of V_t^-1.
    growth = np.log1p(T / penalty)
    potential = np.sqrt(2.0 * T * features * growth)
    # A round is optimistic with probability p, less delta / T for samples that stray too far.
    rounds_per_optimism = 1.0 + 2.0 / (p - delta / T)
    on_the_events = rounds_per_optimism * c_T * potential
    off_the_events = 2.0 * delta * LARGEST

    return np.asarray(on_the_events + off_the_events)


def ucb_gap_bound(radius: ArrayLike, unscaled: ArrayLike) -> Array:
    """The largest Pareto gap of a round of MOL-UCB on the event: 2 c1_t ||x||_{V^-1}.

    Args:
        radius: `width`.
        unscaled: ||x|| in the norm of V^-1, of the arm that was played.

    Reference:
        Not in the paper: the argument of moglb2019 for ridge regression.

    Example:
        >>> float(ucb_gap_bound(3.0, 0.5))
        3.0
    """
    c1 = np.asarray(radius)
    norm = np.asarray(unscaled)
    return np.asarray(2.0 * c1 * norm)


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
    # The largest radius stands for those of all rounds before.
    c1 = width(T, features, objectives, delta, noise, penalty)
    growth = np.log1p(T / (penalty * features))
    potential = np.sqrt(2.0 * T * features * growth)

    return np.asarray(2.0 * c1 * potential)


def weighted_gap(weights: ArrayLike, means: Array, arm: int) -> float:
    """max_b w . mu_b - w . mu_arm, by how much an arm's weighted mean falls short of the best.

    It is an upper bound of the arm's effective Pareto gap, for any weights on the simplex.

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
    w = np.asarray(weights, np.float64)
    scores = np.asarray(means) @ w
    best = scores.max()
    return float(best - scores[arm])
