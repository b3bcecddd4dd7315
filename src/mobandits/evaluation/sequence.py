"""Intervals that hold at every round at once, however often one looks at a log that grows.

Symbols: r a reward, w its weight, s = (r - low) / (high - low), X = w s and X' = w (1 - s). V is the
sum of the squared errors of guesses of X by earlier rounds, see `SequenceSums`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.bernstein import reward_range
from mobandits.evaluation.case import ValueEstimator
from mobandits.evaluation.ips import Ips
from mobandits.evaluation.regions import Box
from mobandits.evaluation.terms import Largest, Terms, TermSums
from mobandits.logs.objectives import Objective, signs_of
from mobandits.statistics.betting_sequence import SequenceSums, lower_ends
from mobandits.support.naming import wrong_value

SLACK = 1e-9  # of a weight: products of weights and rewards are rounded


class LookSums(NamedTuple):
    """The sums of an interval that `TermSums` lack; those of two parts of a log add up.

    Attributes:
        squares: (2 objectives,) V of X of every objective, then of X'.
        outside: (2 objectives,) the negative number of the first round in which X, or X', is below 0;
            -inf where there is none.
    """

    squares: Array
    outside: Largest


def look_sums(terms: Terms, before: TermSums, ranges: Array) -> LookSums:
    """The sums of some rounds.

    Args:
        terms: of the rounds, by `Ips` without `clip`.
        before: the sums of all earlier rounds, in the order of time.
        ranges: (2, objectives) the least and the largest reward that can be.
    """
    weights: Any = terms.weights
    values = _weighted_shares(terms.numerator, weights, ranges)
    is_missing = terms.denominator == 0.0
    values[np.hstack([is_missing, is_missing])] = np.nan
    is_outside = values < -SLACK * weights
    first = before.rounds + is_outside.argmax(0)
    outside = np.where(is_outside.any(0), -first, -np.inf)
    sequences = _sequences(before, ranges)
    sequences.fold(np.maximum(values, 0.0))

    return LookSums(sequences.squares, Largest(outside))


def box(sums: TermSums, looks: LookSums, level: float, ranges: Array) -> Box:
    """The box of `Ips` whose ends hold the value at all rounds at once.

    With p objectives, the means of X and X' are v and 1 - v, as shares of the range. Both are at least
    0 whatever the weights, so that `lower_ends` of the two at the risk (1 - level) / (2 p) bound v from
    both sides. Rounds are in the order of time, and the logging policy may have learned from earlier
    ones. Where rewards are missing, their rounds are left out; that must not depend on the reward.

    Args:
        sums: of all rounds.
        looks: their other sums.
        level: of all objectives and all rounds at once.
        ranges: (2, objectives) the least and the largest reward that can be.

    Raises:
        ValueError: where a reward is out of its range.

    Reference:
        Waudby-Smith et al., "Anytime-valid off-policy inference for contextual bandits", 2022;
        boxes of several objectives are ours.

    Example:
        >>> from mobandits.evaluation.terms import no_sums, term_sums
        >>> rewards = np.tile([[0.0], [1.0]], (500, 1))
        >>> terms = Terms(rewards, np.ones((1000, 1)), weights=np.ones((1000, 1)))
        >>> ranges = np.array([[0.0], [1.0]])
        >>> looks = look_sums(terms, no_sums(1), ranges)
        >>> region = box(term_sums(terms), looks, 0.95, ranges)
        >>> region.low.round(2).tolist(), region.high.round(2).tolist()
        ([0.44], [0.56])
    """
    lows, highs = ranges
    objectives = len(lows)
    first = -looks.outside.value
    column = int(first.argmin())
    if np.isfinite(first[column]):
        place = f"round {int(first[column])}, objective {column % objectives}"
        raise ValueError(f"rewards must be within low and high, got one outside in {place}")

    sequences = _sequences(sums, ranges)
    sequences.squares = looks.squares
    risk = (1.0 - level) / (2.0 * objectives)
    ends = np.minimum(1.0, lower_ends(sequences, risk))
    spans = highs - lows

    return Box(lows + spans * ends[:objectives], highs - spans * ends[objectives:])


def _sequences(sums: TermSums, ranges: Array) -> SequenceSums:
    """Counts and totals of X of every objective, then of X'."""
    sequences = SequenceSums(ranges.size)
    sequences.count = np.hstack([sums.denominator, sums.denominator])
    sequences.total = _weighted_shares(sums.numerator, sums.weights, ranges)

    return sequences


def _weighted_shares(rewards: Array, weights: Array, ranges: Array) -> Array:
    """(..., 2 objectives) w s and w (1 - s) from w r, (..., objectives), or the sums of them."""
    lows, highs = ranges
    spans = highs - lows
    gained = (rewards - lows * weights) / spans
    lost = (highs * weights - rewards) / spans

    return np.hstack([gained, lost])


def has_sequence(estimator: ValueEstimator) -> bool:
    """Whether an estimate is a mean of weighted rewards, whose mean is the value."""
    return isinstance(estimator, Ips) and estimator.clip is None


def check_estimator(estimator: ValueEstimator) -> None:
    """Refuse an estimator whose estimate is no such mean."""
    if not has_sequence(estimator):
        rule = "estimator must be Ips without clip for intervals at any time"
        raise wrong_value(rule, estimator)


def declared_ranges(objectives: Sequence[Objective]) -> Array:
    """(2, objectives) the least and the largest rewards of a log, where more is better.

    Example:
        >>> cost = Objective("cost", minimise=True, low=0.0, high=2.0)
        >>> declared_ranges([Objective("quality", low=0.0), cost]).tolist()
        [[0.0, -2.0], [inf, 0.0]]
    """
    ends = np.array([each.range for each in objectives]).T
    directed = ends * signs_of(objectives) + 0.0  # and not -0.0
    ranges: Array = np.sort(directed, axis=0)
    return ranges


def ranges_within(low: Any, high: Any, declared: Array) -> Array:
    """(2, objectives) ranges as they are given, and as they were declared where they are not.

    Raises:
        ValueError: where a range is not known.
    """
    lows, highs = declared
    given_low = lows if low is None else low
    given_high = highs if high is None else high
    ranges = np.array(reward_range(given_low, given_high, len(lows)))
    if not np.isfinite(ranges).all():
        rule = "low and high must be given where objectives declare no range"
        raise wrong_value(rule, ranges.tolist())

    return ranges
