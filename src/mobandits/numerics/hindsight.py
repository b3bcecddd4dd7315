"""The best mean quality for each mean cost, where the outcome of every choice is known.

Symbols: q_{t,a} the quality of arm a in round t, c_{t,a} its cost, p_t a mixture of arms, s a cost
per round.
"""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array


class HindsightCurve(NamedTuple):
    """A rising, concave, piecewise linear function from mean cost to the best mean quality.

    Attributes:
        cost: (points,) s, rising; the first is that of the cheapest arms.
        quality: (points,) the best mean quality there.
    """

    cost: Array
    quality: Array

    def at(self, cost: float) -> float:
        """The best quality for a cost per round; below the first point, that of the first point."""
        return float(np.interp(cost, self.cost, self.quality))


def hindsight_curve(quality: Array, cost: Array) -> HindsightCurve:
    """The curve of a table of outcomes, exact for every cost.

        H(s) = max over p of 1/T sum_{t,a} p_{t,a} q_{t,a}   where  1/T sum_{t,a} p_{t,a} c_{t,a} <= s

    This is the linear relaxation of a multiple-choice knapsack. In each round only arms on the upper
    concave hull of quality over cost are played. From the cheapest arm of each round, money goes to
    the steps along all hulls by the quality that they buy per unit of cost; only the last step is
    taken in part. With a single round of mean outcomes, it is the best fixed mixture of arms.

    Args:
        quality: (rounds, arms) q.
        cost: (rounds, arms) c.

    Reference:
        Sinha and Zoltners, "The multiple-choice knapsack problem", Operations Research 27, 1979.

    Example:
        >>> quality = np.array([[0.5, 0.9], [0.7, 0.8]])
        >>> curve = hindsight_curve(quality, np.array([[0.0, 1.0], [0.0, 1.0]]))
        >>> curve.cost.tolist(), curve.quality.round(6).tolist()
        ([0.0, 0.5, 1.0], [0.6, 0.8, 0.85])
        >>> round(curve.at(0.25), 6)
        0.7
    """
    rounds, arms = quality.shape
    rows = np.arange(rounds)
    # Of equally cheap arms, the best one.
    held = np.lexsort((-quality, cost), axis=1)[:, 0]
    first_cost = cost[rows, held].mean()
    first_quality = quality[rows, held].mean()
    gains = []
    prices = []
    for _ in range(arms - 1):
        gain = quality - quality[rows, held][:, None]
        price = cost - cost[rows, held][:, None]
        is_ahead = (gain > 0.0) & (price > 0.0)
        slope = np.divide(gain, price, out=np.full(gain.shape, -1.0), where=is_ahead)
        following = slope.argmax(axis=1)
        moves = is_ahead[rows, following]
        gains.append(gain[rows, following][moves])
        prices.append(price[rows, following][moves])
        held = np.where(moves, following, held)

    gain = np.concatenate([np.empty(0), *gains])
    price = np.concatenate([np.empty(0), *prices])
    # Slopes fall along each hull, so this order never takes a step before the one it follows.
    order = np.argsort(-gain / price, kind="stable")
    bought = np.cumsum(gain[order]) / rounds
    paid = np.cumsum(price[order]) / rounds

    return HindsightCurve(
        cost=np.concatenate([[first_cost], first_cost + paid]),
        quality=np.concatenate([[first_quality], first_quality + bought]),
    )
