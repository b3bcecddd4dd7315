"""The true side of a block: gaps, fronts and quantities, worked out once for all policies that played it."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.protocols import Array, Beliefs, Block, IntArray, Mask, Order
from mobandits.numerics.rounded import in_last_decimals
from mobandits.simulation.play import score
from mobandits.support.checks import choice

Quantities = Mapping[str, Array]


def gap_table(order: Order, means: Array) -> Array:
    """(arms, digits) the gap of every arm, from `means` (arms, objectives)."""
    return order.gaps(means)


def true_fronts(order: Order, means: Array) -> Mask:
    """(rounds, arms) the front of every round, from `means` (rounds, arms, objectives)."""
    out = np.empty(means.shape[:2], np.bool_)
    for t in range(len(means)):
        out[t] = order.front(Beliefs(means[t], means[t], means[t]))
    return out


class BlockGroundTruth:
    """What metrics may ask about a block.

    Where the means never change, answers are kept from block to block: one table of gaps per trial. Means that are
    rounded to `Block.decimals` are compared as integers, so that ties are exact.

    Args:
        block: the rounds that were played.
        quantities: called at most once, for the problem's quantities in these rounds.
        before: the truth of the block before, if any.

    Raises:
        ValueError: where means are not finite.

    Example:
        >>> from mobandits.orders import Pareto
        >>> means = np.array([[[1.0, 0.0], [0.0, 1.0], [0.25, 0.25], [0.0, 0.0]]])
        >>> truth = BlockGroundTruth(Block(np.zeros((1, 1, 0)), means, np.zeros((4, 4, 2))))
        >>> truth.front(Pareto())
        array([[ True,  True,  True, False]])
        >>> truth.gaps(Pareto(), np.array([2, 0, 3, 1]), digits=1).ravel()
        array([0.  , 0.  , 0.25, 0.  ])
    """

    def __init__(
        self,
        block: Block,
        quantities: Callable[[], Quantities] = dict,
        before: "BlockGroundTruth | None" = None,
    ) -> None:
        if not np.isfinite(block.means).all():
            raise ValueError("Block.means must be finite, got NaN or infinity")
        self.block = block
        self._load = quantities
        self._loaded: Quantities | None = None
        self._known: dict[tuple[str, Order], Any] = {}
        if (
            before is not None
            and len(block.means) == 1
            and np.array_equal(before.block.means, block.means)
        ):
            self._known = before._known

    def gaps(self, order: Order, chosen: IntArray, digits: int) -> Array:
        """(rounds, digits) the regret of the arms `chosen` (rounds,) under an order."""
        exact, means, unit = self._exact(order)
        if len(means) == 1:
            gaps: Array = self._once(
                "gaps", order, lambda: loop_for(gap_table, exact)(exact, means[0]) / unit
            )
            return gaps[chosen]
        gaps = np.empty((len(chosen), digits))
        loop_for(score, exact)(exact, means, chosen, gaps)
        return gaps / unit

    def front(self, order: Order) -> Mask:
        """(rounds or 1, arms) the arms that are best under an order, given the true means."""
        exact, means, _ = self._exact(order)
        front: Mask = self._once("front", order, lambda: loop_for(true_fronts, exact)(exact, means))
        return front

    def quantity(self, name: str) -> Array:
        """(rounds, arms) one of the problem's quantities.

        Raises:
            ValueError: where the problem does not offer it.
        """
        if self._loaded is None:
            self._loaded = self._load()
        choice("quantity", name, self._loaded)
        return self._loaded[name]

    def _exact(self, order: Order) -> tuple[Order, Array, float]:
        found: tuple[Order, Array, float] = self._once(
            "exact", order, lambda: in_last_decimals(order, self.block.means, self.block.decimals)
        )
        return found

    def _once(self, what: str, order: Order, work: Callable[[], Any]) -> Any:
        if (what, order) not in self._known:
            self._known[what, order] = work()
        return self._known[what, order]
