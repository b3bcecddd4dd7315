"""The orders of PF-LEX and STLO: the widest intervals first, then a lexicographic filter.

Symbols: epsilon the half-width that ends exploration, a C_i a' the relation of arms whose intervals
in objective i are joined by overlapping ones (moslb2024, Algorithm 2).
"""

from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Beliefs, Mask, Order
from mobandits.numerics.masks import everyone
from mobandits.orders.intervals import half_width, largest, linked
from mobandits.orders.lexicographic import ScoresByPriority
from mobandits.orders.order import AroundOrder, in_words

# The ends of intervals are rounded, so that equal widths differ in the last bits.
SLACK = 1e-9


@compiled
class LastLeader(ScoresByPriority):
    """The leader of the last objective, among arms that overlapping intervals join to each leader.

    Example:
        >>> mean = np.array([[1.0, 0.0], [0.9, 2.0], [0.0, 9.0]])
        >>> LastLeader().front(Beliefs(mean, mean - 0.1, mean + 0.1)).tolist()
        [False, True, False]
    """

    def in_words(self, objectives: Sequence[str]) -> str:
        """The order in words: the objectives by priority."""
        priorities = ", then ".join(objectives)
        return f"lexicographic filter: {priorities}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the largest upper bound in the last objective, among the arms that are left."""
        low = beliefs.low
        high = beliefs.high
        survivors = everyone(len(high))
        last = high.shape[1] - 1
        # moslb2024, Algorithm 2, lines 2 to 4, for all objectives but the last.
        for objective in range(last):
            survivors = linked(low, high, objective, survivors)

        # PF-LEX plays the last leader, not a random arm of the last set.
        return largest(high, last, survivors)


@compiled
class FixedWidth(AroundOrder):
    """The front of `order` where every interval is mean -+ epsilon."""

    order: Order
    epsilon: float

    def in_words(self, objectives: Sequence[str]) -> str:
        """The order in words, and the width of its intervals."""
        inner = in_words(self.order, objectives)
        width = f"{self.epsilon:g}"
        return f"{inner}, with intervals of ± {width}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the front of `order`."""
        mean = beliefs.mean
        low = np.empty(mean.shape)
        high = np.empty(mean.shape)
        arms, objectives = mean.shape
        for a in range(arms):
            for i in range(objectives):
                estimate = mean[a, i]
                low[a, i] = estimate - self.epsilon
                high[a, i] = estimate + self.epsilon

        intervals = Beliefs(mean, low, high)
        front: Mask = self.order.front(intervals)

        return front


@compiled
class ExploreWidest(AroundOrder):
    """The arms with the widest interval while its half-width is above epsilon; then `order`.

    Example:
        >>> mean = np.array([[1.0], [0.0]])
        >>> half = np.array([[0.3], [0.4]])
        >>> beliefs = Beliefs(mean, mean - half, mean + half)
        >>> ExploreWidest(LastLeader(), 0.2).front(beliefs).tolist()
        [False, True]
    """

    order: Order
    epsilon: float

    def in_words(self, objectives: Sequence[str]) -> str:
        """The order in words, and the exploration that comes before it."""
        inner = in_words(self.order, objectives)
        width = f"{self.epsilon:g}"
        exploration = f"the arm with the widest interval above ± {width}"
        return f"{inner}, after {exploration}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms with the widest interval, or the front of `order`."""
        low = beliefs.low
        high = beliefs.high
        arms, objectives = high.shape
        widths = np.zeros(arms)
        widest = 0.0
        for a in range(arms):
            for i in range(objectives):
                width = half_width(low[a, i], high[a, i])
                widths[a] = max(widths[a], width)

            widest = max(widest, widths[a])

        if widest > self.epsilon:
            threshold = widest * (1.0 - SLACK)
            return widths >= threshold

        front: Mask = self.order.front(beliefs)

        return front
