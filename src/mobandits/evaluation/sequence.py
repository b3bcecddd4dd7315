"""Intervals that hold at every round at once, however often one looks at a log that grows."""

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.bernstein import reward_range
from mobandits.evaluation.case import ValueEstimator
from mobandits.evaluation.ips import Ips
from mobandits.evaluation.regions import Box
from mobandits.evaluation.terms import Terms
from mobandits.statistics.betting_sequence import SequenceSums, lower_ends
from mobandits.support.naming import quoted

SLACK = 1e-9  # of a weight: products of weights and rewards are rounded


def box(
    terms: Terms, estimator: ValueEstimator, level: float, low: float | Array, high: float | Array
) -> Box:
    """The box of `Ips` whose ends hold the value at all rounds at once.

    With a reward as a share of its range, s = (r - low) / (high - low), and p objectives, the means
    of X = w s and X' = w (1 - s) are v and 1 - v. Both are at least 0 whatever the weights, so that
    `lower_ends` of the two at the risk (1 - level) / (2 p) bound v from both sides. Rounds are in the
    order of time, and the logging policy may have learned from earlier ones. Where rewards are
    missing, their rounds are left out; that must not depend on the reward.

    Args:
        terms: of the estimate.
        estimator: what made them; only `Ips` without `clip` has a mean that is the value.
        level: of all objectives and all rounds at once.
        low: (objectives,) or a number: the least reward that can be.
        high: the largest.

    Raises:
        ValueError: where the estimator is another, or a reward is out of its range.

    Reference:
        Waudby-Smith et al., "Anytime-valid off-policy inference for contextual bandits", 2022;
        boxes of several objectives are ours.

    Example:
        >>> rewards = np.tile([[0.0], [1.0]], (500, 1))
        >>> terms = Terms(rewards, np.ones((1000, 1)), weights=np.ones((1000, 1)))
        >>> region = box(terms, Ips(), 0.95, 0.0, 1.0)
        >>> region.low.round(2).tolist(), region.high.round(2).tolist()
        ([0.44], [0.56])
    """
    if not isinstance(estimator, Ips) or estimator.clip is not None or terms.weights is None:
        rule = "estimator must be Ips without clip for intervals at any time"
        raise ValueError(f"{rule}, got {quoted(estimator)}")

    objectives = terms.numerator.shape[1]
    lows, highs = reward_range(low, high, objectives)
    spans = highs - lows
    gained = (terms.numerator - lows * terms.weights) / spans
    lost = (highs * terms.weights - terms.numerator) / spans
    is_missing = terms.denominator == 0.0
    gained[is_missing] = np.nan
    lost[is_missing] = np.nan
    _check_range(np.minimum(gained, lost) + SLACK * terms.weights)
    risk = (1.0 - level) / (2.0 * objectives)
    low_share = _lower_end(gained, risk)
    high_share = 1.0 - _lower_end(lost, risk)

    return Box(lows + spans * low_share, lows + spans * high_share)


def _check_range(least: Array) -> None:
    outside = np.argwhere(least < 0.0)
    if len(outside):
        t, objective = outside[0].tolist()
        rule = "rewards must be within low and high"
        raise ValueError(f"{rule}, got one outside in round {t}, objective {objective}")


def _lower_end(values: Array, risk: float) -> Array:
    """(objectives,) the lower ends of means, at most 1, of values that are at least 0; NaN: not observed."""
    sums = SequenceSums(values.shape[1])
    sums.fold(np.maximum(values, 0.0))
    ends: Array = np.minimum(1.0, lower_ends(sums, risk))

    return ends
