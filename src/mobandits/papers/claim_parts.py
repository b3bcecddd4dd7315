"""Numbers of claims: statistics of means over trials, and limits that their intervals must keep."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.papers.claims import Interval, Outcome, Part, final, resample

Parts: TypeAlias = Callable[[Outcome], list[Part]]
Statistic: TypeAlias = Callable[[Array], Array]  # from means (k, n) to (n,)
Rule: TypeAlias = Callable[[Interval], bool]


def resampled_part(
    name: str,
    samples: Array,
    statistic: Statistic,
    rule: Rule | None = None,
    *,
    confidence: float = 0.95,
) -> Part:
    """A statistic of means over trials, its bootstrap interval, and whether it is as claimed.

    Args:
        name: of the number.
        samples: (trials, k) what was read in each trial.
        statistic: as in `resample`.
        rule: decides by the interval; None: the number is only reported.
        confidence: of the interval.

    Example:
        >>> samples = np.array([[1.0], [2.0], [3.0], [2.0], [2.0]])
        >>> resampled_part("a", samples, only_mean, above(0.0)).holds
        True
    """
    value, interval = resample(samples, statistic, confidence)
    holds = None
    # Too few trials have no interval, and without one no rule decides.
    if rule is not None and interval is not None:
        holds = rule(interval)

    return Part(name, value, interval, holds, len(samples))


def mean_part(name: str, values: Array, rule: Rule | None = None) -> Part:
    """The mean of what was read in each trial, as a number of a claim.

    Args:
        name: of the number.
        values: (trials,).
        rule: as of `resampled_part`.

    Example:
        >>> mean_part("a", np.array([1.0, 2.0, 3.0, 2.0, 2.0]), above(0.0)).measured
        2.0
    """
    return resampled_part(name, values[:, None], only_mean, rule)


def above(limit: float) -> Rule:
    """The rule that the whole interval lies above a limit.

    Example:
        >>> above(0.0)((0.5, 1.0)), above(0.0)((0.0, 1.0))
        (True, False)
    """

    def rule(interval: Interval) -> bool:
        low, _ = interval
        return low > limit

    return rule


def below(limit: float) -> Rule:
    """The rule that the whole interval lies below a limit.

    Example:
        >>> below(1.0)((0.5, 0.9)), below(1.0)((0.5, 1.0))
        (True, False)
    """

    def rule(interval: Interval) -> bool:
        _, high = interval
        return high < limit

    return rule


def at_most(limit: float) -> Rule:
    """The rule that the interval reaches up to a limit and not beyond.

    Example:
        >>> at_most(1.0)((0.5, 1.0)), at_most(1.0)((0.5, 1.1))
        (True, False)
    """

    def rule(interval: Interval) -> bool:
        _, high = interval
        return high <= limit

    return rule


def only_mean(means: Array) -> Array:
    """The one mean that there is.

    Example:
        >>> only_mean(np.array([[3.0]]))
        array([3.])
    """
    mean: Array = means[0]
    return mean


def ratio_of_means(means: Array) -> Array:
    """The first of two means over the second.

    Example:
        >>> ratio_of_means(np.array([[3.0], [2.0]]))
        array([1.5])
    """
    first, second = means
    return np.asarray(first / second)


def difference_of_means(means: Array) -> Array:
    """The second of two means less the first.

    Example:
        >>> difference_of_means(np.array([[3.0], [2.0]]))
        array([-1.])
    """
    first, second = means
    return np.asarray(second - first)


def percent_above(means: Array) -> Array:
    """By how many per cent the first of two means is above the second.

    Example:
        >>> percent_above(np.array([[3.0], [2.0]]))
        array([50.])
    """
    first, second = means
    ratio = first / second
    return np.asarray(100.0 * (ratio - 1.0))


def curves_of(outcome: Outcome, row: str, metric: str, component: int = 0) -> tuple[Array, Array]:
    """The recorded rounds and the values (trials, points) of a row in the first run."""
    run = outcome.runs()[0]
    return outcome.curves(run, row, metric, component)


def final_values(
    outcome: Outcome, row: str, metric: str, component: int = 0, run: str | None = None
) -> Array:
    """(trials,) the values of a row at the end of a run; None: of the first one."""
    name = outcome.runs()[0] if run is None else run
    points, values = outcome.curves(name, row, metric, component)
    return final(points, values)


def final_pair(outcome: Outcome, row: str, other: str, metric: str, component: int = 0) -> Array:
    """(trials, 2) the values of two rows at the end of the first run.

    A trial of one row is the trial of the other: both met the same problem.
    """
    values = final_values(outcome, row, metric, component)
    other_values = final_values(outcome, other, metric, component)
    return np.stack([values, other_values], axis=1)
