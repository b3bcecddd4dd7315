"""Pareto-UCB1: the expected Pareto regret without context.

Reference:
    drugan2013; taken from papers that quote it. Rewards in [0, 1].
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array


def regret_bound(t: ArrayLike, means: Array) -> Array:
    """The expected Pareto regret after n plays.

    It is the sum of 8 ln(n (L |A*|)^(1/4)) / Delta_a + (1 + pi^2 / 3) Delta_a over the arms a that
    are not on the front A*. Delta_a is the arm's Pareto gap; the bound is infinite where an arm off
    the front has none.

    Args:
        t: numbers of plays n.
        means: (arms, objectives) the true means.

    Reference:
        drugan2013, Theorem 1.

    Example:
        >>> float(regret_bound(1000, np.array([[0.6, 0.5], [0.5, 0.6], [0.4, 0.4]])).round(1))
        580.8
    """
    mu = np.asarray(means, np.float64)
    n = np.asarray(t, np.float64)
    arms, L = mu.shape

    # Delta_a = max_b min_l (mu_b - mu_a); an arm is 0 ahead of itself, so that no gap is negative.
    ahead = mu[None, :] - mu[:, None]  # (arms a, arms b, objectives)
    gaps = ahead.min(axis=2).max(axis=1)

    # Dominance, and not a positive gap, says which arms are off the front: an arm that another
    # one beats in one objective alone, and equals in the rest, is dominated at gap 0.
    at_least = (mu[:, None] >= mu[None, :]).all(axis=2)
    dominates = at_least & ~at_least.T
    dominated = dominates.any(axis=0)
    off_front = gaps[dominated]  # Delta_a of the arms off the front
    if (off_front <= 0.0).any():
        return np.full(n.shape, math.inf)

    front_size = arms - int(dominated.sum())  # |A*|
    logarithm = np.log(n) + 0.25 * math.log(L * front_size)  # ln(n (L |A*|)^(1/4))
    exploration = 8.0 * logarithm * (1.0 / off_front).sum()
    # One first play of each arm, and pi^2 / 3 in expectation because an interval fails.
    mistakes = (1.0 + math.pi**2 / 3.0) * off_front.sum()

    return np.asarray(exploration + mistakes)
