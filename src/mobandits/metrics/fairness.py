"""Fairness: how evenly the arms of the true front were played, where arms never change.

Each measure is a function of the counts, and a metric of the same meaning that is recorded over the
rounds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Order, Shape
from mobandits.metrics.metric import BaseMetric, Sums
from mobandits.metrics.plays import FrontPlays
from mobandits.orders import Pareto

Counts = Sequence[float] | Array
Measure = Callable[[Counts], float]


def max_min_ratio(counts: Counts) -> float:
    """The largest count over the smallest: 1 is even, infinity leaves an arm out.

    NaN before the first play.

    Args:
        counts: (arms,) how often each was played.

    Example:
        >>> max_min_ratio([2, 1]), max_min_ratio([2, 0])
        (2.0, inf)
    """
    n = np.asarray(counts, np.float64)
    if not n.any():
        return math.nan

    smallest = n.min()
    if smallest > 0.0:
        return float(n.max() / smallest)

    return math.inf


def normalised_entropy(counts: Counts) -> float:
    """The entropy - sum p ln p / ln(arms) of the shares p: 1 is even, 0 is one arm only.

    NaN before the first play. A single arm is treated evenly: 1.

    Args:
        counts: (arms,) how often each was played.

    Example:
        >>> normalised_entropy([3, 3]), normalised_entropy([5, 0])
        (1.0, 0.0)
    """
    n = np.asarray(counts, np.float64)
    if not n.any():
        return math.nan
    if len(n) == 1:
        return 1.0

    shares = n[n > 0.0] / n.sum()
    entropy = -(shares * np.log(shares)).sum()
    normalised = float(entropy / math.log(len(n)))

    return normalised + 0.0  # -0.0, of one arm only, becomes 0.0


def jain_index(counts: Counts) -> float:
    """Jain's index (sum n)^2 / (arms sum n^2): 1 is even, 1 / arms is one arm only.

    NaN before the first play.

    Args:
        counts: (arms,) how often each was played.

    Example:
        >>> jain_index([1, 1]), jain_index([4, 0])
        (1.0, 0.5)
    """
    n = np.asarray(counts, np.float64)
    if not n.any():
        return math.nan

    total = n.sum()
    squares = (n * n).sum()

    return float(total**2 / (len(n) * squares))


def unfairness(counts: Counts) -> float:
    """The variance of the counts, the mean of (n - mean n)^2: 0 is even.

    Args:
        counts: (arms,) how often each was played.

    Reference:
        drugan2013.

    Example:
        >>> unfairness([3, 1])
        1.0
    """
    n = np.asarray(counts, np.float64)
    return float(np.var(n))


def front_recall(counts: Counts) -> float:
    """The share of the arms that were played at least once.

    Args:
        counts: (arms,) how often each was played.

    Example:
        >>> front_recall([3, 0, 1, 0])
        0.5
    """
    played = np.asarray(counts) > 0.0
    return float(played.mean())


@dataclass(frozen=True)
class OfFrontPlays(FrontPlays):
    """A measure of how often each arm of the true front was chosen; subclasses name it."""

    name: ClassVar[str]
    cumulative = False
    measure: ClassVar[Measure]

    def accumulator(self, shape: Shape) -> Sums:
        """The counts before the first play: 0."""
        return Sums(shape.arms, self._measured)

    def _measured(self, counts: Array, _rounds: int) -> Array:
        """(1,) the measure of the counts of the front's arms; those off it are NaN."""
        on_front = ~np.isnan(counts)
        measure = type(self).measure  # through an instance it would become a method
        return np.array([measure(counts[on_front])])


@dataclass(frozen=True)
class PlayRatio(OfFrontPlays):
    """The largest number of plays of an arm of the true front over the smallest, so far.

    Args:
        order: whose front it is.

    Reference:
        moglb2019, section 4, on fairness; the measure is `max_min_ratio`.

    Example:
        >>> PlayRatio().name
        'play_ratio'
    """

    name: ClassVar[str] = "play_ratio"
    better = "smaller"
    least = 1.0
    meaning = (
        "the plays of the most played arm of the Pareto front over those of the least played one"
    )
    measure: ClassVar[Measure] = max_min_ratio


@dataclass(frozen=True)
class PlayEntropy(OfFrontPlays):
    """The entropy of the plays of the arms of the true front, so far, from 0 to 1.

    Args:
        order: whose front it is.

    Reference:
        moglb2019, section 4, on fairness; the measure is `normalised_entropy`.

    Example:
        >>> PlayEntropy().name
        'play_entropy'
    """

    name: ClassVar[str] = "play_entropy"
    better = "larger"
    least = 0.0
    most = 1.0
    meaning = (
        "how evenly the arms of the Pareto front were played, from 0, one arm only, to 1, evenly"
    )
    measure: ClassVar[Measure] = normalised_entropy


@dataclass(frozen=True)
class JainIndex(OfFrontPlays):
    """Jain's index of the plays of the arms of the true front, so far, up to 1.

    Args:
        order: whose front it is.

    Reference:
        moglb2019, section 4, on fairness; the measure is `jain_index`.

    Example:
        >>> JainIndex().name
        'jain_index'
    """

    name: ClassVar[str] = "jain_index"
    better = "larger"
    least = 0.0
    most = 1.0
    meaning = "how evenly the arms of the Pareto front were played: 1 is evenly"
    measure: ClassVar[Measure] = jain_index


@dataclass(frozen=True)
class Unfairness(OfFrontPlays):
    """The variance of the plays of the arms of the true front, so far.

    Args:
        order: whose front it is.

    Reference:
        drugan2013; the measure is `unfairness`.

    Example:
        >>> Unfairness().name
        'unfairness'
    """

    references = ("drugan2013",)
    name: ClassVar[str] = "unfairness"
    better = "smaller"
    least = 0.0
    meaning = "the variance of the plays of the arms of the Pareto front"
    measure: ClassVar[Measure] = unfairness


@dataclass(frozen=True)
class FrontRecall(BaseMetric):
    """The share of the arms of the true front that were played at least once, so far.

    It needs arms whose means never change: otherwise every round has a front of its own.

    Args:
        order: whose front it is.

    Example:
        >>> FrontRecall().name
        'front_recall'
    """

    order: Order = field(default_factory=Pareto)
    name: ClassVar[str] = "front_recall"
    better = "larger"
    least = 0.0
    most = 1.0
    meaning = "the share of the arms of the Pareto front that were played at least once"
    cumulative = False

    def components(self, shape: Shape) -> int:
        """The arm, and the number of arms of the front."""
        return 2

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, 2) the chosen arm, -1 where it is off the front; the size of the front.

        Raises:
            ValueError: where the means change over the rounds.
        """
        # Not the table of `FrontPlays`, with a column per arm: this metric is a default, and arms
        # may be very many.
        if len(truth.block.means) > 1:
            raise ValueError("FrontRecall needs arms whose means never change, and here they do")

        front = truth.front(self.order)[0]
        values = np.empty((len(chosen), 2))
        values[:, 0] = np.where(front[chosen], chosen, -1)
        values[:, 1] = front.sum()

        return values

    def accumulator(self, shape: Shape) -> "Found":
        """No arm."""
        return Found(shape.arms)


class Found:
    """The arms of the front that were played at least once."""

    def __init__(self, arms: int) -> None:
        self._played = np.zeros(arms, np.bool_)
        self._size = math.nan

    def add(self, values: Array) -> None:
        """The next rounds of `FrontRecall`, (rounds, 2)."""
        on_front = values[values[:, 0] >= 0.0, 0]
        self._played[on_front.astype(np.int64)] = True
        self._size = float(values[-1, 1])

    def add_block(self, values: Array, ends: Sequence[int]) -> list[Array]:
        """The rounds of a block; the shares after the first `ends` of them, (1,) each."""
        before = int(self._played.sum())
        on_front = np.flatnonzero(values[:, 0] >= 0.0)
        arms = values[on_front, 0].astype(np.int64)
        found, first = np.unique(arms, return_index=True)
        is_new = ~self._played[found]
        # The rounds in which an arm was played that never was before, in ascending order.
        rounds = np.sort(on_front[first[is_new]])
        self._played[found] = True
        self._size = float(values[-1, 1])
        counts = before + np.searchsorted(rounds, ends)

        return list((counts / self._size)[:, None])

    def value(self) -> Array:
        """(1,) the share so far."""
        share = self._played.sum() / self._size
        return np.array([share])
