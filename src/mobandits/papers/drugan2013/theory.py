"""Pareto-UCB1: the expected Pareto regret without context.

Reference:
    drugan2013; taken from papers that quote it. Rewards in [0, 1].
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array


def regret_bound(t: ArrayLike, means: Array) -> Array:
    """The sum over arms off the front of 8 ln(n (L |A*|)^(1/4)) / Delta_a + (1 + pi^2 / 3) Delta_a, after n plays.

    Delta_a is the arm's Pareto gap; the bound is infinite where an arm off the front has none.

    Args:
        t: numbers of plays n.
        means: (arms, objectives) the true means.

    Reference:
        drugan2013, Theorem 1.

    Example:
        >>> float(regret_bound(1000, np.array([[0.6, 0.5], [0.5, 0.6], [0.4, 0.4]])).round(1))
        580.8
    """
    table = np.asarray(means, np.float64)
    plays = np.asarray(t, np.float64)
    ahead = (table[None, :] - table[:, None]).min(axis=2).max(axis=1)  # (arms,) the gaps
    at_least = (table[:, None] >= table[None, :]).all(axis=2)
    beaten = (at_least & ~at_least.T).any(axis=0)
    gaps = ahead[beaten]
    best = int((~beaten).sum())
    if (gaps <= 0.0).any():
        return np.full(plays.shape, math.inf)
    log = np.log(plays) + 0.25 * math.log(table.shape[1] * best)
    return np.asarray(8.0 * log * (1.0 / gaps).sum() + (1.0 + math.pi**2 / 3.0) * gaps.sum())
