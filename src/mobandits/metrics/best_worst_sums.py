"""The largest worst sums of gains in a trial, from the means of its rounds."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask
from mobandits.numerics.worst_sum import largest_worst_sum
from mobandits.orders import Pareto

# Where means change, the best sums are solved for anew only after twice as many rounds: then all
# solutions together pass twice over the rounds, and not a hundred times.
GROWTH = 2
# Entries of the means of a round, up to which arms off its front are kept too: to find the front
# would take longer than they do.
FEW = 256
# Of all rounds together, 0.13 GB: beyond it fronts are found for the sake of memory.
FEW_IN_ALL = 2**24


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
        candidates = candidates_of(truth, gains, self._points)
        if candidates is None and self._points:
            self._history.reserve(self._points[-1] * gains.shape[1])

        points = self._points_in(truth.first, rounds)
        if self._history.is_still(gains, candidates):
            self._history.add(gains, candidates, 0, rounds)
            rate = self._rate()
            for point in points:
                values[point - truth.first - 1] = rate * point

            return values

        done = 0
        for point in points:
            if point in self._wanted:
                end = point - truth.first
                self._history.add(gains, candidates, done, end)
                done = end
                values[end - 1] = self._value()

        self._history.add(gains, candidates, done, rounds)

        return values

    def _rate(self) -> float:
        """What the best worst sum grows by in every round, where all have the same means."""
        if self._per_round is None:
            self._per_round = self._value() / self._history.rounds

        return self._per_round

    def _points_in(self, first: int, rounds: int) -> Sequence[int]:
        begin = bisect_right(self._points, first)
        end = bisect_right(self._points, first + rounds)
        return self._points[begin:end]

    def _value(self) -> float:
        points, starts, counts = self._history.arrays()
        value, self._weights = loop_for(largest_worst_sum)(points, starts, counts, self._weights)

        return float(value)


def candidates_of(truth: GroundTruth, gains: Array, points: Sequence[int]) -> Mask | None:
    """(rounds or 1, arms) the arms that a best choice may need: the front; None: all, where few."""
    rows, arms, objectives = gains.shape
    horizon = points[-1] if points else len(truth.block.rewards)
    entries = arms * objectives
    is_small = entries <= FEW and entries * horizon <= FEW_IN_ALL
    if rows > 1 and is_small:
        return None

    return truth.front(Pareto())


class History:
    """The points that may be needed of all rounds so far; rounds with the same are one group."""

    def __init__(self, objectives: int) -> None:
        self._points = Rows((objectives,), np.float64)
        self._sizes = Rows((), np.int64)
        self._counts = Rows((), np.float64)
        self.rounds = 0

    def is_still(self, gains: Array, candidates: Mask | None) -> bool:
        """Whether the means of a block are those of all rounds before."""
        if len(gains) > 1 or candidates is None or len(self._counts.values()) > 1:
            return False
        return self.rounds == 0 or np.array_equal(self._points.values(), gains[0][candidates[0]])

    def reserve(self, points: int) -> None:
        """Room for so many points, so that they need not be moved when more come."""
        self._points.reserve(points)

    def add(self, gains: Array, candidates: Mask | None, begin: int, end: int) -> None:
        """Rounds of a block, from `begin` up to `end`.

        Args:
            gains: (rounds or 1, arms, objectives) of the block.
            candidates: (rounds or 1, arms) which of them may be needed; None: all.
            begin: the first round, counted from 0.
            end: the one after the last.
        """
        if begin >= end:
            return

        self.rounds += end - begin
        if len(gains) == 1:
            points = gains[0] if candidates is None else gains[0][candidates[0]]
            self._add_alike(points, end - begin)
            return

        of_rounds = gains[begin:end]
        count, arms, objectives = of_rounds.shape
        if candidates is None:
            self._points.extend(of_rounds.reshape(count * arms, objectives))
            self._sizes.extend(np.full(count, arms))
        else:
            needed = candidates[begin:end]
            self._points.extend(of_rounds[needed])
            self._sizes.extend(needed.sum(axis=1))

        self._counts.extend(np.ones(count))

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
        if end > len(self._buffer):
            self.reserve(2 * end)

        self._buffer[self._length : end] = rows
        self._length = end

    def reserve(self, length: int) -> None:
        """Room for so many rows; what is not written takes no memory."""
        if length > len(self._buffer):
            larger = np.empty((length, *self._buffer.shape[1:]), self._buffer.dtype)
            larger[: self._length] = self.values()
            self._buffer = larger

    def values(self) -> Any:
        """The rows so far; what is written into them stays."""
        return self._buffer[: self._length]


def spaced(points: Sequence[int]) -> frozenset[int]:
    """Those of some rounds that are at least twice the one before, the last among them.

    Example:
        >>> sorted(spaced([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]))
        [10, 20, 50, 100]
    """
    kept: list[int] = []
    for point in reversed(points):
        if not kept or point * GROWTH <= kept[-1]:
            kept.append(point)

    return frozenset(kept)
