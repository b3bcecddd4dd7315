"""Bounds on the differences of arms that hold at all times, and the Pareto set that follows.

Symbols, of kone2023: M(i, j) = max_l (mu_{i,l} - mu_{j,l}), how much arm j must gain in every
objective to dominate arm i; N the rewards seen; sigma the sub-Gaussian scale of an objective; K the
arms, L the objectives. An arm is outside where another one surely dominates it, inside where no arm
that may be on the front dominates it.
"""

import math
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Mask
from mobandits.support.checks import number


class Comparison(NamedTuple):
    """Bounds of M between arms.

    Attributes:
        low: (arms, arms) lower bounds of M(i, j), infinite where i = j.
        high: (arms,) the least upper bound of M(i, j) over the arms j other than i.
        plays: (arms,) the rewards of each arm in its rarest objective.
    """

    low: Array
    high: Array
    plays: Array


@compiled
class ParetoBounds:
    """Intervals for all M(i, j) that hold at all times together, with probability 1 - delta.

    Args:
        threshold: C(ln(K1 / delta) / 2), see `pareto_bounds`.
        epsilon: arms inside are not dominated by more than this in every objective.
        sigma: the sub-Gaussian scale of all rewards.
    """

    threshold: float
    epsilon: float
    sigma: float

    def compare(self, mean: Array, seen: Array) -> Comparison:
        """Bounds of M from means and counts of rewards, each (arms, objectives).

        Rewards may come in part, as long as what is missing does not depend on them. A pair of arms
        has one width, with 1 / N of the rarest objective and ln N of the most frequent one: that of
        no single objective is larger.
        """
        arms, objectives = mean.shape
        plays = np.full(arms, math.inf)
        excess = np.ones(arms)
        share = np.full(arms, math.inf)
        for i in range(arms):
            most = 0.0
            for l in range(objectives):
                plays[i] = min(plays[i], seen[i, l])
                most = max(most, seen[i, l])

            if plays[i] > 0.0:
                excess[i] = 0.5 * self.threshold + math.log(4.0 + math.log(most))
                share[i] = 1.0 / plays[i]

        low = np.full((arms, arms), math.inf)
        high = np.full(arms, math.inf)
        for i in range(arms):
            for j in range(i):
                # M(i, j) and M(j, i): the width is that of both, and of all objectives.
                lead = -math.inf
                other_lead = -math.inf
                for l in range(objectives):
                    difference = mean[i, l] - mean[j, l]
                    lead = max(lead, difference)
                    other_lead = max(other_lead, -difference)

                variance = (excess[i] + excess[j]) * (share[i] + share[j])
                width = 2.0 * self.sigma * math.sqrt(variance)
                low[i, j] = lead - width
                low[j, i] = other_lead - width
                high[i] = min(high[i], lead + width)
                high[j] = min(high[j], other_lead + width)

        return Comparison(low, high, plays)

    def outside(self, comparison: Comparison) -> Mask:
        """(arms,) those that another arm surely dominates."""
        return comparison.high < 0.0

    def inside(self, comparison: Comparison) -> Mask:
        """(arms,) those that no arm which may be on the front dominates by more than epsilon."""
        arms = len(comparison.high)
        inside = np.empty(arms, np.bool_)
        for i in range(arms):
            inside[i] = comparison.high[i] >= 0.0
            for j in range(arms):
                # Where an arm that is outside dominates arm i, so does one of the front, which is
                # outside of nothing: arms that are outside need not be looked at.
                may_be_best = comparison.high[j] >= 0.0
                may_dominate = comparison.low[i, j] + self.epsilon <= 0.0
                inside[i] &= not (may_be_best & may_dominate)

        return inside


def pareto_bounds(
    arms: int, objectives: int, delta: float, epsilon: float, sigma: float
) -> ParetoBounds:
    """The bounds for a problem.

    The half width of M(i, j) is, with K1 = K (K - 1) L / 2 for all pairs and objectives::

        2 sigma sqrt((C(ln(K1 / delta) / 2) + ln(4 + ln N_i) + ln(4 + ln N_j)) (1 / N_i + 1 / N_j))

    Args:
        arms: their number K.
        objectives: their number L.
        delta: the probability of a mistake, at most.
        epsilon: see `ParetoBounds`.
        sigma: see `ParetoBounds`.

    Reference:
        kaufmann2021, the threshold of Gaussian rewards; kone2023, the sets. What is done about
        rewards in part is ours.

    Example:
        >>> bounds = pareto_bounds(arms=2, objectives=1, delta=0.05, epsilon=0.0, sigma=0.5)
        >>> comparison = bounds.compare(np.array([[0.2], [0.8]]), np.full((2, 1), 90.0))
        >>> bounds.outside(comparison).tolist(), bounds.inside(comparison).tolist()
        ([True, False], [False, True])
    """
    pairs = arms * (arms - 1) // 2
    # A single arm has nobody to be compared with.
    statements = max(1, pairs * objectives)
    # The quotient itself is infinite for the least numbers.
    log_term = math.log(statements) - math.log(delta)
    threshold = exploration_threshold(0.5 * log_term)

    return ParetoBounds(threshold, epsilon, sigma)


def check_risk(prefix: str, delta: float, epsilon: float, sigma: float) -> None:
    """Refuse parameters of bounds that are out of range; `prefix` begins their names.

    Example:
        >>> check_risk("Ape.", 1.5, 0.0, 0.5)
        Traceback (most recent call last):
        ValueError: Ape.delta must be below 1, got 1.5
    """
    number(f"{prefix}delta", delta, above=0.0, below=1.0)
    number(f"{prefix}epsilon", epsilon, at_least=0.0)
    number(f"{prefix}sigma", sigma, above=0.0)


def exploration_threshold(x: float) -> float:
    """The threshold C(x) = min over 1/2 < s < 1 of (g(s) + x) / s.

    It is about x + ln x. Here g(s) = 2 s - 2 s ln(4 s) + ln zeta(2 s) - ln(1 - s) / 2.

    Reference:
        kaufmann2021.

    Example:
        >>> round(exploration_threshold(5.0), 3)
        6.757
    """
    # Late, since most programs need neither.
    from scipy.optimize import minimize_scalar  # noqa: PLC0415
    from scipy.special import zeta  # noqa: PLC0415

    def bound(s: float) -> float:
        g = 2.0 * s - 2.0 * s * math.log(4.0 * s) + math.log(zeta(2.0 * s))
        g -= 0.5 * math.log(1.0 - s)
        return (g + x) / s

    # Every s gives a threshold that holds, so that the minimum need not be exact.
    found = minimize_scalar(bound, bounds=(0.5, 1.0), method="bounded")

    return float(found.fun)
