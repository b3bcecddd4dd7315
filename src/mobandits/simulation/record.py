"""The record of a run: recorded rounds, and sums or means at them."""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from mobandits.contracts.protocols import Accumulator, Array, Metric, Shape
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value


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
        # -(-a // b) rounds up, so that the last point is the last round.
        points = {-(-rounds * k // record) for k in range(1, record + 1)}
        return tuple(sorted(points))

    if isinstance(record, str) or not isinstance(record, Sequence | np.ndarray):
        raise wrong_value("record must be a number of rounds or a list of rounds", record)

    for point in record:
        integer("record", point, at_least=1)
        if point > rounds:
            raise wrong_value(f"record must name rounds from 1 to {rounds}", point)

    return tuple(sorted({*map(int, record), rounds}))


class Recorder:
    """What is recorded of one metric of one row.

    Args:
        points: the rounds to record, in ascending order.
    """

    def __init__(self, points: Sequence[int]) -> None:
        self._points = tuple(points)
        self._rounds = 0
        self._recorded: list[Array] = []

    def add(self, values: Array) -> None:
        """The next rounds, (rounds, components)."""
        first = self._rounds
        self._rounds += len(values)
        self._add(values, points_between(self._points, first, self._rounds))

    def _add(self, values: Array, ends: list[int]) -> None:
        """The same, with the rounds of these values after which there is something to record."""
        raise NotImplementedError

    def values(self) -> Array:
        """(points, components) so far."""
        return np.array(self._recorded)


class MetricRecorder(Recorder):
    """Sums or means of one metric of one row, at recorded rounds.

    Example:
        >>> sums = MetricRecorder((2, 3), cumulative=True)
        >>> means = MetricRecorder((2, 3), cumulative=False)
        >>> for recorder in (sums, means):
        ...     recorder.add(np.array([[1.0], [3.0]]))
        ...     recorder.add(np.array([[5.0]]))
        ...     print(recorder.values().ravel())
        [4. 9.]
        [2. 5.]
    """

    def __init__(self, points: Sequence[int], *, cumulative: bool) -> None:
        super().__init__(points)
        self._cumulative = cumulative
        self._rounds_since_point = 0  # means only
        self._total: Array | float = 0.0

    def _add(self, values: Array, ends: list[int]) -> None:
        if self._cumulative:
            self._add_sums(values, ends)
        else:
            self._add_means(values, ends)

    def _add_sums(self, values: Array, ends: list[int]) -> None:
        # One round after the other, from the total so far: then where a block ends leaves no trace
        # in the last bits.
        sums = np.array(values)
        sums[0] += self._total
        np.cumsum(sums, axis=0, out=sums)
        self._total = sums[-1]
        for end in ends:
            self._recorded.append(sums[end - 1].copy())

    def _add_means(self, values: Array, ends: list[int]) -> None:
        # Means since the point before, and not since the beginning: what changes shows.
        start = 0
        for end in ends:
            total = self._total + values[start:end].sum(axis=0)
            rounds = self._rounds_since_point + end - start
            self._recorded.append(total / rounds)
            self._total = 0.0
            self._rounds_since_point = 0
            start = end

        self._total = self._total + values[start:].sum(axis=0)
        self._rounds_since_point += len(values) - start


class AccumulatorRecorder(Recorder):
    """The same for a metric that is neither a sum nor a mean, but has an accumulator."""

    def __init__(self, points: Sequence[int], accumulator: Accumulator) -> None:
        super().__init__(points)
        self._accumulator = accumulator

    def _add(self, values: Array, ends: list[int]) -> None:
        # All recorded rounds of a block at once, where the accumulator can: hundreds of small steps
        # take longer than short runs do.
        whole_block = getattr(self._accumulator, "add_block", None)
        if whole_block is not None:
            self._recorded += whole_block(values, ends)
            return

        start = 0
        for end in ends:
            self._accumulator.add(values[start:end])
            self._recorded.append(self._accumulator.value())
            start = end

        if start < len(values):
            self._accumulator.add(values[start:])


def recorder(metric: Metric, points: Sequence[int], shape: Shape) -> Recorder:
    """The recorder for a metric."""
    if hasattr(metric, "accumulator"):
        return AccumulatorRecorder(points, metric.accumulator(shape))
    return MetricRecorder(points, cumulative=metric.cumulative)


def points_between(points: Sequence[int], first: int, last: int) -> list[int]:
    """The points in the rounds after `first` up to `last`, counted from `first`.

    Args:
        points: in ascending order.
        first: a round.
        last: a later round.

    Example:
        >>> points_between([3, 5, 8], 4, 8)
        [1, 4]
    """
    # By bisection: there may be as many points as rounds, and this is asked for every block.
    begin = bisect_right(points, first)
    end = bisect_right(points, last)
    inside = points[begin:end]
    return [point - first for point in inside]
