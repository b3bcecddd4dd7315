"""An exploration phase for any order: while some interval is too wide, it is what is played."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, Mask, Rng
from mobandits.numerics.masks import count, pick
from mobandits.numerics.rounded import rescaled
from mobandits.orders.intervals import half_width
from mobandits.orders.order import BaseOrder, in_words
from mobandits.orders.validity import check_objectives, check_order
from mobandits.support import checks


@compiled
class ExploreWide(BaseOrder):
    """While an arm's largest half-width over the objectives exceeds `epsilon`, such arms are the front; then `order`.

    Its gap is that of `order`.

    Args:
        order: the order that decides once all intervals are short.
        epsilon: the half-width that is short enough, in the unit of the beliefs. Beliefs that are scaled by alpha need
            alpha times the epsilon that is meant for unscaled widths.

    Raises:
        ValueError: where `epsilon` is not a finite number of at least 0, or `order` is not an order.

    Reference:
        moslb2024, Algorithms 1 and 3, lines 5 to 7.

    Example:
        >>> import mobandits as mob
        >>> from mobandits.contracts.protocols import Beliefs
        >>> mean, half = np.array([[1.0], [0.0]]), np.array([[0.1], [0.4]])
        >>> order = mob.orders.ExploreWide(mob.orders.Pareto(), epsilon=0.2)
        >>> order.front(Beliefs(mean, mean - half, mean + half))
        array([False,  True])
        >>> order.front(Beliefs(mean, mean - half / 4, mean + half / 4))
        array([ True, False])
    """

    order: Any
    epsilon: float

    def __post_init__(self) -> None:
        checks.number("ExploreWide.epsilon", self.epsilon, at_least=0.0)
        check_order("ExploreWide.order", self.order)

    def check(self, objectives: int) -> None:
        """Refuse a problem that the inner order refuses."""
        check_objectives(self.order, objectives)

    def succeeded_by(self, order: Any) -> "ExploreWide":
        """What is played where `order` is preferred: exploration comes first there too."""
        if isinstance(order, ExploreWide):
            return order
        return ExploreWide(order, self.epsilon)

    def scaled(self, factor: float) -> "ExploreWide":
        """The same order for means that are `factor` times as large."""
        return ExploreWide(rescaled(self.order, factor), self.epsilon * factor)

    def wide(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms with an interval that is too wide."""
        out = np.empty(len(beliefs.high), np.bool_)
        for a in range(len(out)):
            wide = False
            for i in range(beliefs.high.shape[1]):
                wide |= half_width(beliefs.low[a, i], beliefs.high[a, i]) > self.epsilon
            out[a] = wide
        return out

    def in_words(self, objectives: Sequence[str]) -> str:
        """What decides, and what comes before."""
        return f"{in_words(self.order, objectives)}, after arms with intervals wider than ± {self.epsilon:g}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the wide arms if there are any, else the front of `order`."""
        wide = self.wide(beliefs)
        if count(wide) > 0:
            return wide
        front: Mask = self.order.front(beliefs)
        return front

    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm: uniform on the wide ones if there are any, else as `order` draws."""
        wide = self.wide(beliefs)
        if count(wide) > 0:
            return pick(wide, rng)
        arm: int = self.order.draw(beliefs, rng)
        return arm

    def gap(self, means: Array, arm: int) -> Array:
        """(digits,) the gap of one arm under `order`."""
        gap: Array = self.order.gap(means, arm)
        return gap

    def gaps(self, means: Array) -> Array:
        """(arms, digits) the gap of every arm under `order`."""
        gaps: Array = self.order.gaps(means)
        return gaps
