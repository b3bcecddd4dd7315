"""The rules that PF-LEX and STLO share: explore what is least known, else follow the lexicographic filter."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, Mask
from mobandits.numerics.masks import everyone
from mobandits.orders.intervals import half_width, largest, linked
from mobandits.orders.lexicographic import priority_gaps
from mobandits.orders.order import BaseOrder, in_words

SLACK = 1e-9  # the ends of intervals are rounded, so that equal widths differ in the last bits


@compiled
class LastLeader(BaseOrder):
    """Keep what overlapping intervals join to the leader, objective by objective; play the leader of the last one.

    Example:
        >>> mean = np.array([[1.0, 0.0], [0.9, 2.0], [0.0, 9.0]])
        >>> LastLeader().front(Beliefs(mean, mean - 0.1, mean + 0.1)).tolist()
        [False, True, False]
    """

    def in_words(self, objectives: Sequence[str]) -> str:
        """The objectives by priority."""
        return f"lexicographic filter: {', then '.join(objectives)}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the largest upper bound in the last objective, among the arms that are left."""
        among = everyone(len(beliefs.high))
        last = beliefs.high.shape[1] - 1
        for objective in range(last):
            among = linked(beliefs.low, beliefs.high, objective, among)
        return largest(beliefs.high, last, among)

    def gap(self, means: Array, arm: int) -> Array:
        """(objectives,) the lexicographic gap."""
        gap: Array = priority_gaps(means, arm, arm + 1, 0.0)[0]
        return gap


@compiled
class FixedWidth(BaseOrder):
    """Replaces the intervals that `order` sees by mean -+ epsilon."""

    order: Any
    epsilon: float

    def in_words(self, objectives: Sequence[str]) -> str:
        """What `order` is."""
        return f"{in_words(self.order, objectives)}, with intervals of ± {self.epsilon:g}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the front of `order`."""
        low = np.empty(beliefs.mean.shape)
        high = np.empty(beliefs.mean.shape)
        for a in range(len(low)):
            for i in range(beliefs.mean.shape[1]):
                low[a, i] = beliefs.mean[a, i] - self.epsilon
                high[a, i] = beliefs.mean[a, i] + self.epsilon
        front: Mask = self.order.front(Beliefs(beliefs.mean, low, high))
        return front

    def gap(self, means: Array, arm: int) -> Array:
        """The gap of `order`."""
        gap: Array = self.order.gap(means, arm)
        return gap


@compiled
class ExploreWidest(BaseOrder):
    """While an interval has a half-width above epsilon, the arms with the widest one are the front; then `order`.

    Example:
        >>> mean, half = np.array([[1.0], [0.0]]), np.array([[0.3], [0.4]])
        >>> ExploreWidest(LastLeader(), 0.2).front(Beliefs(mean, mean - half, mean + half)).tolist()
        [False, True]
    """

    order: Any
    epsilon: float

    def in_words(self, objectives: Sequence[str]) -> str:
        """What decides, and what comes before."""
        return f"{in_words(self.order, objectives)}, after the arm with the widest interval above ± {self.epsilon:g}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms with the widest interval, or the front of `order`."""
        widths = np.zeros(len(beliefs.high))
        widest = 0.0
        for a in range(len(widths)):
            for i in range(beliefs.high.shape[1]):
                widths[a] = max(widths[a], half_width(beliefs.low[a, i], beliefs.high[a, i]))
            widest = max(widest, widths[a])
        if widest > self.epsilon:
            return widths >= widest * (1.0 - SLACK)
        front: Mask = self.order.front(beliefs)
        return front

    def gap(self, means: Array, arm: int) -> Array:
        """The gap of `order`."""
        gap: Array = self.order.gap(means, arm)
        return gap
