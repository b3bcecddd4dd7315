"""Intervals that hold for any number of rounds, from the range of what is averaged."""

from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.case import Estimator
from mobandits.evaluation.ips import Ips
from mobandits.evaluation.regions import Box
from mobandits.evaluation.terms import Terms
from mobandits.support.checks import as_float_array, number
from mobandits.support.naming import quoted


def box(
    terms: Terms,
    estimator: Estimator,
    level: float,
    low: Array,
    high: Array,
    weight_bound: float | None = None,
) -> Box:
    """The empirical Bernstein box of `Ips`.

    With n rounds, sample variance s^2 of the terms w r, their range b, p objectives and d = (1 - level) / (2 p), the
    value is outside of::

        V +- ( sqrt(2 s^2 ln(2 / d) / n) + 7 b ln(2 / d) / (3 (n - 1)) )

    in any objective with probability at most 1 - level. Weights in [0, W] and rewards in [low, high] give
    b = max(0, W high) - min(0, W low). The value is a mean of rewards, so that the box is also cut to [low, high].
    Where rewards are missing, n counts those that were observed, which must not depend on the reward.

    With `clip`, the box is for E[min(w, clip) r] and not cut; where rewards are not negative, its lower end bounds the
    value too.

    Args:
        terms: of the estimate.
        estimator: what made them; only `Ips` averages independent terms of known range.
        level: of all objectives at once.
        low: (objectives,) or a number: the least reward that can be.
        high: the largest.
        weight_bound: W; None: the estimator's `clip`.

    Raises:
        ValueError: where the estimator is another, W is not known, or a term is out of its range.

    Reference:
        Maurer and Pontil, Empirical Bernstein bounds and sample variance penalization, COLT 2009, Theorem 4.

    Example:
        >>> terms = Terms(np.tile([[0.0], [2.0]], (500, 1)), np.ones((1000, 1)))
        >>> found = box(terms, Ips(), 0.95, 0.0, 3.0, weight_bound=2.0)
        >>> found.low.round(2).tolist(), found.high.round(2).tolist()
        ([0.84], [1.16])
    """
    if not isinstance(estimator, Ips):
        raise ValueError(
            f"estimator must be Ips for an empirical Bernstein box, got {quoted(estimator)}"
        )
    clip = estimator.clip
    bound = clip if weight_bound is None else weight_bound
    if bound is None:
        raise ValueError("weight_bound must be given where Ips.clip is None, got None")
    number("weight_bound", bound, above=0.0)
    lows, highs = _ends(low, high, terms.numerator.shape[1])
    least = np.minimum(0.0, bound * lows)
    most = np.maximum(0.0, bound * highs)
    _check_range(terms.numerator, least, most)
    value, reach = _reach(terms, (1.0 - level) / (2.0 * len(lows)), most - least)
    if clip is not None and clip <= bound:
        return Box(value - reach, value + reach)
    return Box(np.maximum(value - reach, lows), np.minimum(value + reach, highs))


def _reach(terms: Terms, risk: float, span: Array) -> tuple[Array, Array]:
    seen = terms.denominator
    count = seen.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = terms.numerator.sum(0) / count
        variance = (seen * (terms.numerator - value) ** 2).sum(0) / (count - 1.0)
        doubt = np.log(2.0 / risk)
        reach = np.sqrt(2.0 * variance * doubt / count) + 7.0 * span * doubt / (3.0 * (count - 1.0))
    known = count > 1.0
    return np.where(known, value, 0.0), np.where(known, reach, np.inf)


def _ends(low: Any, high: Any, objectives: int) -> tuple[Array, Array]:
    ends = [
        np.broadcast_to(as_float_array(name, end), (objectives,))
        for name, end in (("low", low), ("high", high))
    ]
    if not (ends[0] < ends[1]).all():
        given = f"{quoted(ends[0].tolist())} and {quoted(ends[1].tolist())}"
        raise ValueError(f"low must be below high in every objective, got {given}")
    return ends[0], ends[1]


def _check_range(values: Array, least: Array, most: Array) -> None:
    slack = 1e-9 * (most - least)
    outside = (values < least - slack) | (values > most + slack)
    if outside.any():
        t, objective = np.argwhere(outside)[0].tolist()
        raise ValueError(
            f"weight times reward must lie in [{least[objective]:g}, {most[objective]:g}] by `low`, `high` and "
            f"`weight_bound`, got {values[t, objective]:g} in round {t}, objective {objective}"
        )
