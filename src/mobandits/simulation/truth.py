"""The true side of a block: gaps, fronts and quantities, for all policies that played it."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mobandits.compiling.at_once import at_once, pieces_for
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
    rounds, arms, _ = means.shape
    fronts = np.empty((rounds, arms), np.bool_)
    for t in range(rounds):
        # What is certain is a belief whose interval has no width.
        certain = Beliefs(means[t], means[t], means[t])
        fronts[t] = order.front(certain)

    return fronts


class BlockGroundTruth:
    """The true side of a block, for metrics: the `GroundTruth` of the contracts.

    Where the means never change, answers are kept from block to block: one table of gaps per trial.
    Means that are rounded to `Block.decimals` are compared as integers, so that ties are exact.

    Args:
        block: the rounds that were played.
        quantities: called at most once, for the problem's quantities in these rounds.
        before: the truth of the block before, if any.

    Attributes:
        block: the rounds.
        answers: {(question, order): answer} so far.

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
        self._load_quantities = quantities
        self._quantities: Quantities | None = None
        # By the order's value: metrics that score under equal orders share the work.
        self.answers: dict[tuple[str, Order], Any] = {}
        if before is not None and self._has_means_of(before.block):
            self.answers = before.answers

    def _has_means_of(self, other: Block) -> bool:
        """Whether the means are those of another block, in all rounds."""
        changes = len(self.block.means) > 1
        return not changes and np.array_equal(other.means, self.block.means)

    def gaps(self, order: Order, chosen: IntArray, digits: int) -> Array:
        """(rounds, digits) the regret of the arms `chosen` (rounds,) under an order."""
        exact_order, means, unit = self._in_integers(order)
        if len(means) == 1:
            # Means that do not change have one table, in which every round looks up its arm.
            gaps: Array = self._answer(
                "gaps",
                order,
                lambda: at_once(gap_table, exact_order)(exact_order, means[0]) / unit,
            )
            return gaps[chosen]

        # Else only the gaps of the arms that were played: those of all would take as many times
        # longer as there are arms.
        gaps = np.empty((len(chosen), digits))
        loop = at_once(score, exact_order)
        for piece in pieces_for(loop, len(chosen)):
            loop(exact_order, means[piece], chosen[piece], gaps[piece])

        return gaps / unit

    def front(self, order: Order) -> Mask:
        """(rounds or 1, arms) the arms that are best under an order, given the true means."""
        exact_order, means, _ = self._in_integers(order)
        front: Mask = self._answer(
            "front", order, lambda: at_once(true_fronts, exact_order)(exact_order, means)
        )
        return front

    def quantity(self, name: str) -> Array:
        """(rounds, arms) one of the problem's quantities.

        Raises:
            ValueError: where the problem does not offer it.
        """
        # Late, since most runs ask for none, and some problems look them up in large tables.
        if self._quantities is None:
            self._quantities = self._load_quantities()
        choice("quantity", name, self._quantities)
        return self._quantities[name]

    def _in_integers(self, order: Order) -> tuple[Order, Array, float]:
        """The order and the means in units of the last decimal, and that unit."""
        rounded: tuple[Order, Array, float] = self._answer(
            "integers",
            order,
            lambda: in_last_decimals(order, self.block.means, self.block.decimals),
        )
        return rounded

    def _answer(self, question: str, order: Order, work_out: Callable[[], Any]) -> Any:
        """The answer to a question about an order, worked out when it is first asked."""
        key = (question, order)
        if key not in self.answers:
            self.answers[key] = work_out()
        return self.answers[key]
