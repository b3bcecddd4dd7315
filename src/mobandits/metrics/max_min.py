"""The max-min fairness regret: how far the worst objective is behind the best that could be had.

Symbols: T the rounds, mu_{t,a} the mean rewards of arm a in round t, r a reference, u units,
g_{t,a,l} = (mu_{t,a,l} - r_l) / u_l the gains, a_t the arm that was played, beta_t a mixture of the
arms of round t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.reward import of_chosen
from mobandits.numerics.worst_sum import largest_worst_sum
from mobandits.orders import Pareto
from mobandits.support.checks import number
from mobandits.support.naming import quoted

# Where contexts change, the best sums are solved for anew only after a tenth more rounds: then all
# solutions together pass eleven times over the rounds, and not a hundred times.
GROWTH = 1.1


@dataclass(frozen=True)
class MaxMinRegret:
    """The best worst objective that a policy could have reached so far, less the one reached.

        R_T = max over beta_1 ... beta_T of  min_l sum_t sum_a beta_{t,a} g_{t,a,l}
              -  min_l sum_t g_{t,a_t,l}

    The benchmark knows all means and contexts, and may mix arms, in each round others: what one
    objective misses in a round may come in another one. Where means stay it is T times the best
    mixture's worst gain. The regret is never negative. It is computed to a hundred-millionth of
    the sums.

    Objectives are compared with each other here, as in no order: their gains must have a common
    unit. Without parameters the rewards are taken as they are, which suits rewards that are all
    shares or all dollars; else give what each objective has without any effort as `reference`, and
    what counts as much in each as `units`.

    Pareto regret alone tells little. It is no harder than the regret of a single objective: a
    policy that plays one arm of the front for ever has none (Guan and Xu, 2026). Such a policy has
    a max-min regret wherever a mixture serves the worst objective better than that arm.

    Where contexts change, it is recorded at rounds at least a tenth apart, and at the last one. The
    points of each round's Pareto front are kept for it.

    Args:
        reference: (objectives,) r; None: 0.
        units: (objectives,) u, above 0; None: 1.

    Raises:
        ValueError: where a parameter does not fit.

    Reference:
        The definition is ours. Agrawal and Devanur, "Bandits with concave rewards and convex
        knapsacks", 2014, measure regret by a concave function of the sums, of which the minimum is
        one. Why it stands beside the Pareto regret: Guan and Xu, arXiv:2604.07096, 2026.

    Example:
        >>> MaxMinRegret(units=[1, 100]).units
        (1.0, 100.0)
    """

    references: ClassVar[tuple[str, ...]] = ("mobandits", "agrawal2014", "guan2026")

    reference: Sequence[float] | None = None
    units: Sequence[float] | None = None
    name: ClassVar[str] = "max_min_regret"
    cumulative: ClassVar[bool] = True
    needs_fronts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the parameters, and make them tuples, so that metrics compare by value."""
        for field in ("reference", "units"):
            values = getattr(self, field)
            if values is not None:
                checked = _numbers(f"MaxMinRegret.{field}", values, positive=field == "units")
                object.__setattr__(self, field, checked)

    def components(self, shape: Shape) -> int:
        """The gains received, and the benchmark."""
        return shape.objectives + 1

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, objectives + 1) gains of the chosen arm; the benchmark so far, or NaN.

        Raises:
            ValueError: where a parameter has another length than there are objectives.
        """
        gains = self._gains(truth.block.means)
        received = of_chosen(gains, chosen)
        # One for all policies of the trial, since it does not depend on what they play.
        benchmark = truth.memory.get(self)
        if benchmark is None:
            benchmark = Benchmark(gains.shape[2], truth.points)
            truth.memory[self] = benchmark

        best = benchmark.of_block(truth, gains)

        return np.column_stack([received, best[: len(chosen)]])

    def accumulator(self, shape: Shape) -> "WorstSum":
        """The gains before the first round: 0."""
        return WorstSum(shape.objectives)

    def _gains(self, means: Array) -> Array:
        objectives = means.shape[2]
        for field in ("reference", "units"):
            values = getattr(self, field)
            if values is not None and len(values) != objectives:
                raise ValueError(
                    f"MaxMinRegret.{field} must have one entry per objective, {objectives}, "
                    f"got {len(values)}"
                )

        gains = means
        if self.reference is not None:
            gains = gains - np.array(self.reference)
        if self.units is not None:
            gains = gains / np.array(self.units)

        return gains


class Benchmark:
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
        value, self._weights = loop_for(largest_worst_sum)(points, starts, counts, self._weights)

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


class WorstSum:
    """Sums of the gains received, and the benchmark of the last round."""

    def __init__(self, objectives: int) -> None:
        self._sums = np.zeros(objectives)
        self._best = np.nan

    def add(self, values: Array) -> None:
        """More rounds, (rounds, objectives + 1)."""
        self._sums += values[:, :-1].sum(axis=0)
        self._best = float(values[-1, -1])

    def value(self) -> Array:
        """(1,) the regret so far; NaN, which is not recorded, where the benchmark is unknown."""
        worst = float(self._sums.min())
        regret = self._best - worst
        # Below 0 is rounding, or what the benchmark was not solved for.
        return np.array([regret if not regret < 0.0 else 0.0])


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


def _numbers(name: str, values: Any, *, positive: bool) -> tuple[float, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ValueError(f"{name} must be a list with a number per objective, got {quoted(values)}")

    for entry in values:
        number(name, entry, above=0.0 if positive else -np.inf)

    return tuple(float(entry) for entry in values)
