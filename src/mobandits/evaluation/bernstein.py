"""Intervals that hold for any number of rounds, from the range of what is averaged."""

from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.case import ValueEstimator
from mobandits.evaluation.ips import Ips
from mobandits.evaluation.regions import Box
from mobandits.evaluation.spread import Spread
from mobandits.evaluation.terms import TermSums
from mobandits.support.checks import as_float_array, number
from mobandits.support.naming import quoted, wrong_value


def box(
    sums: TermSums,
    spread: Spread,
    estimator: ValueEstimator,
    level: float,
    low: float | Array,
    high: float | Array,
    weight_bound: float | None = None,
) -> Box:
    """The empirical Bernstein box of `Ips`.

    With n rounds, sample variance s^2 of the terms w r, their range b, p objectives and
    d = (1 - level) / (2 p), the value is outside of::

        V +- ( sqrt(2 s^2 ln(2 / d) / n) + 7 b ln(2 / d) / (3 (n - 1)) )

    in any objective with probability at most 1 - level. Weights in [0, W] and rewards in [low,
    high] give b = max(0, W high) - min(0, W low). The value is a mean of rewards, so that the box
    is also cut to [low, high]. Where rewards are missing, n counts those that were observed, which
    must not depend on the reward.

    With `clip`, the box is for E[min(w, clip) r] and not cut; where rewards are not negative, its
    lower end bounds the value too.

    Args:
        sums: of the estimate.
        spread: of the estimate, whose covariance says how much its terms vary.
        estimator: what made them; only `Ips` averages independent terms of known range.
        level: of all objectives at once.
        low: (objectives,) or a number: the least reward that can be.
        high: the largest.
        weight_bound: W; None: the estimator's `clip`.

    Raises:
        ValueError: where the estimator is another, W is not known, or a term is out of its range.

    Reference:
        Maurer and Pontil, Empirical Bernstein bounds and sample variance penalization, COLT 2009,
        Theorem 4.

    Example:
        >>> from mobandits.evaluation.spread import spread_of
        >>> from mobandits.evaluation.terms import Terms, influence, term_sums
        >>> terms = Terms(np.tile([[0.0], [2.0]], (500, 1)), np.ones((1000, 1)))
        >>> spread = spread_of(influence(terms), np.ones(1))
        >>> region = box(term_sums(terms), spread, Ips(), 0.95, 0.0, 3.0, weight_bound=2.0)
        >>> region.low.round(2).tolist(), region.high.round(2).tolist()
        ([0.84], [1.16])
    """
    if not isinstance(estimator, Ips):
        rule = "estimator must be Ips for an empirical Bernstein box"
        raise wrong_value(rule, estimator)

    clip = estimator.clip
    largest_weight = clip if weight_bound is None else weight_bound
    if largest_weight is None:
        raise ValueError("weight_bound must be given where Ips.clip is None, got None")

    number("weight_bound", largest_weight, above=0.0)
    objectives = len(sums.numerator)
    lows, highs = reward_range(low, high, objectives)
    # A weight may also be 0, whatever the reward.
    least = np.minimum(0.0, largest_weight * lows)
    most = np.maximum(0.0, largest_weight * highs)
    _check_range(sums, least, most)
    # Two ends of p intervals share the risk.
    risk = (1.0 - level) / (2.0 * objectives)
    value, half_width = _half_width(sums, spread, risk, most - least)
    below = value - half_width
    above = value + half_width
    if clip is not None and clip <= largest_weight:
        # The mean of clipped terms is no mean of rewards: it may be out of their range.
        return Box(below, above)

    low_end = np.maximum(below, lows)
    high_end = np.minimum(above, highs)

    return Box(low_end, high_end)


def _half_width(sums: TermSums, spread: Spread, risk: float, span: Array) -> tuple[Array, Array]:
    """The means and the half-widths of their intervals, both (objectives,)."""
    count = sums.denominator
    others = count - 1.0
    log_risk = np.log(2.0 / risk)
    # Where nothing was observed there is 0 / 0, which is replaced below.
    with np.errstate(invalid="ignore", divide="ignore"):
        # Influences are (n - 1) / (count - 1) times the deviations of terms from their mean.
        variance = np.diag(spread.covariance) * others * sums.rounds / np.float64(sums.rounds - 1)
        by_variance = np.sqrt(2.0 * variance * log_risk / count)
        by_range = 7.0 * span * log_risk / (3.0 * others)

    known = count > 1.0
    value = np.where(known, sums.value, 0.0)
    half_width = np.where(known, by_variance + by_range, np.inf)

    return value, half_width


def reward_range(low: Any, high: Any, objectives: int) -> tuple[Array, Array]:
    """The least and the largest reward of each objective, both (objectives,)."""
    shape = (objectives,)
    lows = np.broadcast_to(as_float_array("low", low), shape)
    highs = np.broadcast_to(as_float_array("high", high), shape)
    if not (lows < highs).all():
        got_low = quoted(lows.tolist())
        got_high = quoted(highs.tolist())
        got = f"{got_low} and {got_high}"
        raise ValueError(f"low must be below high in every objective, got {got}")

    return lows, highs


def _check_range(sums: TermSums, least: Array, most: Array) -> None:
    slack = 1e-9 * (most - least)  # products of weights and rewards are rounded
    largest, negative_least, _ = sums.largest.value
    is_below = -negative_least < least - slack
    outside = np.flatnonzero(is_below | (largest > most + slack))
    if not len(outside):
        return

    objective = outside[0]
    value = -negative_least[objective] if is_below[objective] else largest[objective]
    interval = f"[{least[objective]:g}, {most[objective]:g}]"
    rule = f"weight times reward must lie in {interval} by `low`, `high` and `weight_bound`"
    raise ValueError(f"{rule}, got {value:g} in objective {objective}")
