"""The largest worst sums of gains in a trial, from the Pareto fronts of its rounds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask
from mobandits.numerics.worst_sum import largest_worst_sum
from mobandits.orders import Pareto

# Where contexts change, the best sums are solved for anew only after a tenth more rounds: then all
# solutions together pass eleven times over the rounds, and not a hundred times.
GROWTH = 1.1


class BestWorstSums:
    """The largest worst sum of gains in the rounds of one trial so far.

    Args:
        objectives: how many there are.
        points: the rounds that the table records, in ascending order.
    """

    def __init__(self, objectives: int, points: Sequence[int]) -> None:
        self._history = History(objectives)
        self._points = points
        self._wanted = spaced(points)
        self._block: Any = None
        self._of_block = np.empty(0)
        self._per_round: float | None = None
        # Each objective alone: its best sum is what no worst sum exceeds.
        self._weights = np.eye(objectives)

    def of_block(self, truth: GroundTruth, gains: Array) -> Array:
        """(rounds,) the value at the rounds of a block that are recorded; NaN at others."""
        # Every policy asks about the same block.
        if truth.block is not self._block:
            self._block = truth.block
            self._of_block = self._solved(truth, gains)

        return self._of_block

    def _solved(self, truth: GroundTruth, gains: Array) -> Array:
        rounds = len(truth.block.rewards)
        values = np.full(rounds, np.nan)
        fronts = truth.front(Pareto())
        done = 0
        for point in self._points:
            end = point - truth.first
            if 0 < end <= rounds:
                self._history.add(gains, fronts, done, end)
                done = end
                if point in self._wanted or self._history.groups == 1:
                    values[end - 1] = self._value()

        self._history.add(gains, fronts, done, rounds)

        return values

    def _value(self) -> float:
        points, starts, counts = self._history.arrays()
        # Where means stay, every round adds the same: one solution is enough.
        if len(counts) == 1 and self._per_round is not None:
            return self._per_round * float(counts[0])

        value, self._weights = loop_for(largest_worst_sum)(points, starts, counts, self._weights)
        self._per_round = float(value / counts[0]) if len(counts) == 1 else None

        return float(value)


class History:
    """The points of the Pareto fronts of all rounds so far; rounds with the same are one group."""

    def __init__(self, objectives: int) -> None:
        self._points = Rows((objectives,), np.float64)
        self._sizes = Rows((), np.int64)
        self._counts = Rows((), np.float64)

    @property
    def groups(self) -> int:
        """How many groups of rounds there are."""
        return len(self._counts.values())

    def add(self, gains: Array, fronts: Mask, begin: int, end: int) -> None:
        """Rounds of a block, from `begin` up to `end`.

        Args:
            gains: (rounds or 1, arms, objectives) of the block.
            fronts: (rounds or 1, arms) its Pareto fronts.
            begin: the first round, counted from 0.
            end: the one after the last.
        """
        if begin >= end:
            return
        if len(gains) == 1:
            self._add_alike(gains[0][fronts[0]], end - begin)
            return

        on_front = fronts[begin:end]
        points = gains[begin:end][on_front]
        self._points.extend(points)
        self._sizes.extend(on_front.sum(axis=1))
        self._counts.extend(np.ones(end - begin))

    def _add_alike(self, points: Array, rounds: int) -> None:
        counts = self._counts.values()
        # Means that stay are one group in all blocks.
        if len(counts):
            size = self._sizes.values()[-1]
            last = self._points.values()[-size:]
            if np.array_equal(last, points):
                counts[-1] += rounds
                return

        self._points.extend(points)
        self._sizes.extend(np.array([len(points)]))
        self._counts.extend(np.array([float(rounds)]))

    def arrays(self) -> tuple[Array, IntArray, Array]:
        """(points, objectives), (groups + 1,) first points, (groups,) numbers of rounds."""
        ends = np.cumsum(self._sizes.values())
        starts = np.concatenate([np.zeros(1, np.int64), ends])

        return self._points.values(), starts, self._counts.values()


class Rows:
    """An array that grows at its end, in constant time per row.

    Example:
        >>> rows = Rows((), np.float64)
        >>> rows.extend(np.array([1.0, 2.0]))
        >>> rows.values()
        array([1., 2.])
    """

    def __init__(self, shape: tuple[int, ...], kind: Any) -> None:
        self._buffer = np.empty((64, *shape), kind)
        self._length = 0

    def extend(self, rows: Any) -> None:
        """More rows."""
        end = self._length + len(rows)
        while end > len(self._buffer):
            self._buffer = np.concatenate([self._buffer, np.empty_like(self._buffer)])

        self._buffer[self._length : end] = rows
        self._length = end

    def values(self) -> Any:
        """The rows so far; what is written into them stays."""
        return self._buffer[: self._length]


def spaced(points: Sequence[int]) -> frozenset[int]:
    """Those of some rounds that are at least a tenth apart, the last among them.

    Example:
        >>> sorted(spaced([10, 20, 80, 90, 95, 100]))
        [10, 20, 80, 90, 100]
    """
    kept: list[int] = []
    for point in reversed(points):
        if not kept or point * GROWTH <= kept[-1]:
            kept.append(point)

    return frozenset(kept)
