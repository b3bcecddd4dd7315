"""PCZ: the event on which the estimates of all balls are near the truth, and the Pareto regret.

`zooming_dimension`, beside this file, estimates the packing numbers that the bounds need.

Assumption 1, that means change by no more than the distance D <= 1, fails in the paper's own
experiment, whose steepest slope is 9.06 in terms of D: guarantees hold there for means divided by
9.06. The proof conditions on the set of balls, which depends on the rewards; a union over the
rounds in which balls are created repairs that.

Reference:
    pcz2018, section 5 and appendices A to C.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array

# N_r <= 3.72 r^-2 on the unit square with the Euclidean distance divided by sqrt(2): discs of
# radius r / sqrt(2) about the points of a packing do not overlap.
PACKING = 3.72
# The factor of L T^(3/2) / delta in the union bounds over objectives and balls, of which every
# round creates one at most.
UNION = 2.0 * math.sqrt(2.0)


def confidence_constant(rounds: int, objectives: int, delta: float) -> float:
    """The constant A = 1 + 2 ln(2 sqrt(2) L T^(3/2) / delta) of all confidence intervals.

    Args:
        rounds: T.
        objectives: L, the paper's d_r.
        delta: probability that the estimate of some ball is ever outside of its interval.

    Reference:
        pcz2018, section 4.

    Example:
        >>> round(confidence_constant(100_000, 2, 1e-5), 2)
        62.03
    """
    union = UNION * objectives * rounds**1.5
    logarithm = math.log(union / delta)
    return 1.0 + 2.0 * logarithm


def sample_uncertainty(plays: ArrayLike, rounds: int, objectives: int, delta: float) -> Array:
    """The sample uncertainty u_B = sqrt(2 A / N_B) of a ball, infinite before the first play.

    Args:
        plays: N_B.
        rounds: T.
        objectives: L.
        delta: as in `confidence_constant`.

    Reference:
        pcz2018, section 4.

    Example:
        >>> sample_uncertainty([0, 497], 100_000, 2, 1e-5).round(4).tolist()
        [inf, 0.4996]
    """
    constant = confidence_constant(rounds, objectives, delta)  # A
    counts = np.asarray(plays, np.float64)  # N_B
    # A ball that was never played divides by 0, and its infinite uncertainty is meant.
    with np.errstate(divide="ignore"):
        squares = 2.0 * constant / counts

    return np.asarray(np.sqrt(squares))


def holds(means: Array, estimates: Array, uncertainty: ArrayLike, radii: ArrayLike) -> bool:
    """Whether the event holds at one time: |mu_B - estimate_B| <= u_B + r_B for every ball B.

    It is to hold at all times together, for every ball ever created and every objective, with
    probability at least 1 - delta.

    Args:
        means: (balls, objectives) the true means at the centres.
        estimates: (balls, objectives).
        uncertainty: (balls,) u_B.
        radii: (balls,) r_B.

    Reference:
        pcz2018, Lemma 1 and the union bound after it.

    Example:
        >>> holds(np.array([[0.5]]), np.array([[0.1]]), uncertainty=[0.2], radii=[0.25])
        True
    """
    off = np.asarray(means) - np.asarray(estimates)
    errors = np.abs(off)
    # r_B, because the rewards of a ball come from all of its pairs and not from its centre alone.
    allowed = np.asarray(uncertainty) + np.asarray(radii)
    within = errors <= allowed[:, None]

    return bool(within.all())


def dominance(index: ArrayLike, means: Array) -> float:
    """The amount by which arms dominate the index of the played ball: max_y min_i (mu_y^i - g^i).

    On the event it is at most 0: no arm at the context is better than the index in all objectives.

    Args:
        index: (objectives,) g of the ball that was played, before the round.
        means: (arms, objectives) at the context.

    Reference:
        pcz2018, Lemma 2.

    Example:
        >>> round(dominance([0.6, 0.5], np.array([[0.7, 0.4], [0.5, 0.9]])), 3)
        -0.1
    """
    above = np.asarray(means) - np.asarray(index)
    # An arm dominates by its least lead, because it has to lead in all objectives.
    least = above.min(axis=1)
    return float(least.max())


def gap_bound(radius: ArrayLike) -> Array:
    """The bound on a round's Pareto gap, on the event: 14 times the radius of the ball played.

    Reference:
        pcz2018, Lemma 3.

    Example:
        >>> float(gap_bound(0.25))
        3.5
    """
    size = np.asarray(radius, np.float64)
    return 14.0 * size


def child_gap_bound(radius: ArrayLike) -> Array:
    """The bound on the Pareto gap of a round that creates a ball of this radius: 12 times it.

    So centres are near-optimal pairs, and there are at most N_r balls of radius r.

    Reference:
        pcz2018, Lemma 4.

    Example:
        >>> float(child_gap_bound(0.125))
        1.5
    """
    size = np.asarray(radius, np.float64)
    return 12.0 * size


def ball_regret_bound(
    radius: ArrayLike,
    rounds: int,
    objectives: int,
    delta: float,
    scale: float = 1.0,
) -> Array:
    """The bound on the Pareto regret in one ball, on the event: 14 r (1 + 2 A / r^2) + 12 r.

    Before its uncertainty u is at most its radius r, a ball is played at most 1 + 2 A / r^2 times,
    each with a gap of at most 14 r. The round that created it, whose gap is at most 12 r, counts as
    its own; the later rounds, which create smaller balls, count as theirs.

    Args:
        radius: r.
        rounds: T.
        objectives: L.
        delta: as in `confidence_constant`.
        scale: multiplies u, where the noise is so many times the theory's; A becomes scale^2 A.

    Returns:
        An array of the shape of `radius`, in units of reward.

    Reference:
        pcz2018, proof of Lemma 5 (appendix C).

    Example:
        >>> ball_regret_bound([1.0, 0.5], 1000, 2, 0.1).round().tolist()
        [860.0, 1681.0]
    """
    size = np.asarray(radius, np.float64)
    constant = confidence_constant(rounds, objectives, delta)  # A
    # sqrt(2 A / N) <= r from N = 2 A / r^2 plays on: then the ball creates another in every round.
    plays = 1.0 + 2.0 * scale**2 * constant / size**2
    while_learning = gap_bound(size) * plays
    at_creation = child_gap_bound(size)

    return np.asarray(while_learning + at_creation)


def regret_bound_of_numbers(
    rounds: int, least: float, numbers: Mapping[float, float], objectives: int, delta: float
) -> float:
    """The bound on the Pareto regret, on the event, by packing numbers and a least radius r0.

    28 T r0 + sum over radii r >= r0 of 56 / r N_r ln(2 sqrt(2) L T^(3/2) e / delta).

    Args:
        rounds: T.
        least: r0 in (0, 1].
        numbers: {r: N_r} for r = 1, 1/2, 1/4, ...; those below r0 do not count.
        objectives: L.
        delta: as in `confidence_constant`.

    Reference:
        pcz2018, Lemma 5.

    Example:
        >>> round(regret_bound_of_numbers(1000, 0.5, {1.0: 1, 0.5: 4, 0.25: 90}, 2, 0.1))
        21760
    """
    union = UNION * objectives * rounds**1.5
    logarithm = math.log(union * math.e / delta)
    # Rounds in balls smaller than r0: appendix C rounds r0 up to a power of 1/2, hence 28, not 14.
    small_balls = 28.0 * rounds * least
    large_balls = []
    for radius, number in numbers.items():
        if radius >= least:
            large_balls.append(56.0 / radius * number * logarithm)

    return small_balls + sum(large_balls)


def best_regret_bound_of_numbers(
    rounds: int,
    numbers: Mapping[float, float],
    objectives: int,
    delta: float,
) -> float:
    """The least of the bounds of `regret_bound_of_numbers` over r0, on the event.

    Between two radii the sum stays the same and 28 T r0 grows. The least value is therefore the
    limit towards a radius from above: 28 T r / 2, with the sum over all radii down to r.

    Args:
        rounds: T.
        numbers: {r: N_r} for r = 1, 1/2, 1/4, ... without gaps.
        objectives: L.
        delta: as in `confidence_constant`.

    Reference:
        pcz2018, Lemma 5, which holds for any r0 in (0, 1].

    Example:
        >>> round(best_regret_bound_of_numbers(1000, {1.0: 1, 0.5: 4, 0.25: 90}, 2, 0.1))
        14760
    """
    limits = []
    for radius in numbers:
        at_radius = regret_bound_of_numbers(rounds, radius, numbers, objectives, delta)
        # r0 may fall to half of the radius without another radius coming in: 28 T r / 2 is saved.
        limits.append(at_radius - 14.0 * rounds * radius)

    return min(limits)


def regret_bound(
    t: ArrayLike, constant: float, dimension: float, objectives: int, delta: float
) -> Array:
    """The bound on the Pareto regret, with probability at least 1 - delta.

    (28 + 112 p ln(2 sqrt(2) L T^(3/2) e / delta)) T^((1 + d_p) / (2 + d_p)).

    Args:
        t: horizons T.
        constant: p > 0 with N_r <= p r^-d_p for all r in (0, 1).
        dimension: d_p, the Pareto zooming dimension for that p.
        objectives: L.
        delta: as in `confidence_constant`.

    Reference:
        pcz2018, Theorem 1.

    Example:
        >>> float(regret_bound(1e5, PACKING, 2.0, 2, 1e-5).round(-5))
        74000000.0
    """
    rounds = np.asarray(t, np.float64)
    union = UNION * objectives * rounds**1.5
    logarithm = np.log(union * math.e / delta)
    # Lemma 5 at r0 = T^(-1 / (2 + d_p)), where its two terms grow alike.
    factor = 28.0 + 112.0 * constant * logarithm
    growth = rounds ** rate(dimension)

    return np.asarray(factor * growth)


def expected_regret_bound(
    t: ArrayLike, constant: float, dimension: float, objectives: int, largest_gap: float
) -> Array:
    """The bound on the expected Pareto regret for delta = 1 / T.

    Theorem 1's bound, plus the largest gap there is.

    Args:
        t: horizons T.
        constant: p.
        dimension: d_p.
        objectives: L.
        largest_gap: C_max, the largest Pareto gap of any pair; 1/2 on the paper's surfaces.

    Reference:
        pcz2018, Corollary 1.

    Example:
        >>> bound = expected_regret_bound(1e5, PACKING, 2.0, 2, largest_gap=0.5)
        >>> float((bound - regret_bound(1e5, PACKING, 2.0, 2, 1e-5)).round(3))
        0.5
    """
    rounds = np.asarray(t, np.float64)
    # Theorem 1 with delta = 1 / T: T^(3/2) / delta is T^(5/2).
    union = UNION * objectives * rounds**2.5
    logarithm = np.log(union * math.e)
    factor = 28.0 + 112.0 * constant * logarithm
    growth = rounds ** rate(dimension)
    on_the_event = factor * growth

    # Off the event, T rounds of C_max at most, with probability 1 / T.
    return np.asarray(on_the_event + largest_gap)


def rate(dimension: float) -> float:
    """The power (1 + d_p) / (2 + d_p) of T; the lower bound of section 6 has it too.

    Example:
        >>> rate(2.0)
        0.75
    """
    numerator = 1.0 + dimension
    denominator = 2.0 + dimension
    return numerator / denominator
