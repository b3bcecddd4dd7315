"""An exploration phase for any order: arms with wide intervals are played first."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Beliefs, Mask, Order, Rng
from mobandits.numerics.masks import count, pick
from mobandits.numerics.rounded import rescaled
from mobandits.orders.intervals import half_width
from mobandits.orders.order import AroundOrder, in_words
from mobandits.orders.validity import check_objectives, require_order
from mobandits.support import checks


@compiled
class ExploreWide(AroundOrder):
    """Another order, after a phase in which the arms with wide intervals win.

    The phase lasts while an arm's largest half-width over the objectives exceeds `epsilon`. The gap
    is that of `order`.

    Args:
        order: the order that decides once all intervals are short.
        epsilon: the half-width that is short enough, in the unit of the beliefs. Beliefs that are
            scaled by alpha need alpha times the epsilon that is meant for unscaled widths.

    Raises:
        ValueError: where `epsilon` is not a finite number of at least 0, or `order` is not an
            order.

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

    order: Order
    epsilon: float

    def __post_init__(self) -> None:
        checks.number("ExploreWide.epsilon", self.epsilon, at_least=0.0)
        require_order("ExploreWide.order", self.order)

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
        order = rescaled(self.order, factor)
        return ExploreWide(order, self.epsilon * factor)

    def wide(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms with an interval that is too wide."""
        arms, objectives = beliefs.high.shape
        out = np.empty(arms, np.bool_)
        for a in range(arms):
            wide = False
            for i in range(objectives):
                low = beliefs.low[a, i]
                high = beliefs.high[a, i]
                wide |= half_width(low, high) > self.epsilon

            out[a] = wide

        return out

    def in_words(self, objectives: Sequence[str]) -> str:
        """The order that decides, and the width up to which arms are explored."""
        order = in_words(self.order, objectives)
        return f"{order}, after arms with intervals wider than ± {self.epsilon:g}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the wide arms if there are any, else the front of `order`."""
        wide = self.wide(beliefs)
        # All wide arms, and not the widest: in the paper any of them may be played.
        if count(wide) > 0:
            return wide

        front: Mask = self.order.front(beliefs)

        return front

    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm: uniform on the wide ones if any, else as `order` draws."""
        # Not `pick(self.front(...))`: an order may draw without computing its front.
        wide = self.wide(beliefs)
        if count(wide) > 0:
            return pick(wide, rng)

        arm: int = self.order.draw(beliefs, rng)

        return arm
