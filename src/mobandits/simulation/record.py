"""What is kept of a run: a grid of rounds, and sums or means at its points."""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from mobandits.contracts.protocols import Accumulator, Array, Metric, Shape
from mobandits.support.checks import integer
from mobandits.support.naming import quoted


def recorded_rounds(record: int | Sequence[int], rounds: int) -> tuple[int, ...]:
    """The rounds (from 1) to record; the last one is always among them.

    Args:
        record: how many rounds, evenly spaced, or which ones.
        rounds: the horizon.

    Raises:
        ValueError: where `record` is neither.

    Example:
        >>> recorded_rounds(4, 10), recorded_rounds([1, 5], 10)
        ((3, 5, 8, 10), (1, 5, 10))
    """
    if isinstance(record, int | np.integer):
        integer("record", record, at_least=1)
        return tuple(sorted({-(-rounds * k // record) for k in range(1, record + 1)}))
    if isinstance(record, str) or not isinstance(record, Sequence | np.ndarray):
        raise ValueError(
            f"record must be a number of rounds or a list of rounds, got {quoted(record)}"
        )
    for point in record:
        integer("record", point, at_least=1)
        if point > rounds:
            raise ValueError(f"record must name rounds from 1 to {rounds}, got {quoted(point)}")
    return tuple(sorted({*map(int, record), rounds}))


class MetricRecorder:
    """One metric of one row: eats blocks of rounds, keeps values at the points of the grid.

    Example:
        >>> sums, means = MetricRecorder((2, 3), cumulative=True), MetricRecorder((2, 3), cumulative=False)
        >>> for recorder in (sums, means):
        ...     recorder.add(np.array([[1.0], [3.0]]))
        ...     recorder.add(np.array([[5.0]]))
        ...     print(recorder.values().ravel())
        [4. 9.]
        [2. 5.]
    """

    def __init__(self, points: Sequence[int], *, cumulative: bool) -> None:
        self._points = tuple(points)
        self._cumulative = cumulative
        self._rounds = self._since = 0
        self._total: Array | float = 0.0
        self._kept: list[Array] = []

    def add(self, values: Array) -> None:
        """The next rounds, (rounds, components)."""
        first = self._rounds
        self._rounds = self._rounds + len(values)
        (self._sums if self._cumulative else self._means)(
            values, points_between(self._points, first, self._rounds)
        )

    def _sums(self, values: Array, ends: list[int]) -> None:
        sums = np.array(values)
        sums[0] += self._total
        np.cumsum(
            sums, axis=0, out=sums
        )  # one after the other, so that block borders leave no trace
        self._total = sums[-1]
        self._kept += [sums[end - 1].copy() for end in ends]

    def _means(self, values: Array, ends: list[int]) -> None:
        start = 0
        for end in ends:
            self._kept.append(
                (self._total + values[start:end].sum(axis=0)) / (self._since + end - start)
            )
            start = end
            self._since = 0
            self._total = 0.0
        self._total = self._total + values[start:].sum(axis=0)
        self._since = self._since + len(values) - start

    def values(self) -> Array:
        """(points, components) so far."""
        return np.array(self._kept)


class AccumulatorRecorder:
    """The same for a metric that is neither a sum nor a mean, but has an accumulator."""

    def __init__(self, points: Sequence[int], accumulator: Accumulator) -> None:
        self._points = tuple(points)
        self._accumulator = accumulator
        self._rounds = 0
        self._kept: list[Array] = []

    def add(self, values: Array) -> None:
        """The next rounds, (rounds, components)."""
        first = self._rounds
        self._rounds = self._rounds + len(values)
        start = 0
        for end in points_between(self._points, first, self._rounds):
            self._accumulator.add(values[start:end])
            self._kept.append(self._accumulator.value())
            start = end
        if start < len(values):
            self._accumulator.add(values[start:])

    def values(self) -> Array:
        """(points, components) so far."""
        return np.array(self._kept)


def recorder(
    metric: Metric, points: Sequence[int], shape: Shape
) -> MetricRecorder | AccumulatorRecorder:
    """What keeps a metric's numbers."""
    if hasattr(metric, "accumulator"):
        return AccumulatorRecorder(points, metric.accumulator(shape))
    return MetricRecorder(points, cumulative=metric.cumulative)


def points_between(points: Sequence[int], first: int, last: int) -> list[int]:
    """The points, in ascending order, in the rounds after `first` up to `last`, counted from `first`.

    Example:
        >>> points_between([3, 5, 8], 4, 8)
        [1, 4]
    """
    return [
        point - first for point in points[bisect_right(points, first) : bisect_right(points, last)]
    ]
