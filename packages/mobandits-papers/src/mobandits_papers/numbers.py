"""Numbers of claims: statistics of means over trials, their intervals, and what these must keep to.

An interval is a 95 % bootstrap interval over trials: the trials are drawn again with replacement,
10,000 times, all rows of a trial together, and the quantiles of the recomputed statistic are its
ends.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.formatting import component_name
from mobandits.statistics.bootstrap import counts
from mobandits_papers.outcome import Outcome

LEAST = 5  # so many trials an interval needs: two of them agree on a sign half of the time
Interval: TypeAlias = tuple[float, float]


class Part(NamedTuple):
    """One number of a claim.

    Attributes:
        said: what it is.
        measured: its value; NaN where it could not be read.
        interval: its 95 % interval, or None where there is none.
        holds: whether it is as claimed; None where no rule decides.
        trials: that it rests on.
    """

    said: str
    measured: float
    interval: Interval | None
    holds: bool | None
    trials: int


Parts: TypeAlias = Callable[[Outcome], Sequence[Part]]
Statistic: TypeAlias = Callable[[Array], Array]  # from means (k, n) to (n,)
Rule: TypeAlias = Callable[[Interval], bool]
# One number per trial (trials,) from the recorded rounds (points,) and the curves (trials, points).
Reading: TypeAlias = Callable[[Array, Array], Array]


def resample(
    samples: Array, statistic: Statistic, confidence: float = 0.95
) -> tuple[float, Interval | None]:
    """A statistic of means over trials, and its bootstrap interval.

    There is no interval with fewer than `LEAST` trials, and neither interval nor value (NaN) where
    a sample could not be read.

    Intervals of few trials are too short. Of 3,000 drawings, those of 95 % contained the mean of a
    normal law in 85, 90 and 93 % with 5, 10 and 20 trials, and that of an exponential law in 78, 87
    and 90 %. Where a few trials in a hundred carry most of the sum, as with the paces of moslb2024,
    ten trials contain the truth in 77, 49 and 42 % of drawings: `studentised` with 100 trials or
    more is for those.

    Args:
        samples: (trials, k), what was read in each trial.
        statistic: from means (k, n) to (n,), one value per column.
        confidence: of the interval.

    Example:
        >>> value, (low, high) = resample(np.arange(5.0)[:, None], lambda means: means[0])
        >>> value, low < 2.0 < high
        (2.0, True)
    """
    trials = len(samples)
    if not np.isfinite(samples).all():
        return math.nan, None

    # Ratios to a mean of 0 are not finite; `readable` takes them for numbers that are missing.
    with np.errstate(divide="ignore", invalid="ignore"):
        means = samples.mean(axis=0)[:, None]
        # The mean itself, not that of the resamples, which chance has moved.
        value = float(statistic(means)[0])
        if trials < LEAST:
            return value, None

        drawn_means = counts(trials) @ samples / trials
        drawn = statistic(drawn_means.T)
        tail = (1.0 - confidence) / 2.0
        low, high = np.quantile(drawn, (tail, (1.0 + confidence) / 2.0))

    return value, (float(low), float(high))


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
    # Too few trials have no interval, and without one no rule decides.
    holds = rule(interval) if rule is not None and interval is not None else None

    return Part(name, value, interval, holds, len(samples))


def mean_part(name: str, values: Array, rule: Rule | None = None) -> Part:
    """The mean of what was read in each trial, (trials,), as a number of a claim.

    Example:
        >>> mean_part("a", np.array([1.0, 2.0, 3.0, 2.0, 2.0]), above(0.0)).measured
        2.0
    """
    samples = values[:, None]
    return resampled_part(name, samples, only_mean, rule)


def by_value(part: Part, *, holds: bool) -> Part:
    """The part, decided by its value and not by its interval.

    The papers print no spread to compare it with. Without an interval there are too few trials, and
    nothing decides.

    Example:
        >>> by_value(Part("a", 9.5, None, None, 3), holds=True).holds
    """
    return part if part.interval is None else part._replace(holds=holds)


def near(part: Part, target: float, tolerance: float) -> Part:
    """The part, which is as claimed where its value is within a tolerance of a target.

    Example:
        >>> near(Part("a", 9.5, (9.0, 10.0), None, 10), 10.0, 1.0).holds
        True
    """
    return by_value(part, holds=abs(part.measured - target) <= tolerance)


def exact_part(name: str, value: float, *, holds: bool, trials: int = 1) -> Part:
    """A number that is counted or computed, and not estimated: it has no interval."""
    return Part(name, value, None, holds, trials)


def above(limit: float) -> Rule:
    """The rule that the whole interval lies above a limit.

    Example:
        >>> above(0.0)((0.5, 1.0)), above(0.0)((0.0, 1.0))
        (True, False)
    """
    return lambda interval: interval[0] > limit


def below(limit: float) -> Rule:
    """The rule that the whole interval lies below a limit.

    Example:
        >>> below(1.0)((0.5, 0.9)), below(1.0)((0.5, 1.0))
        (True, False)
    """
    return lambda interval: interval[1] < limit


def at_most(limit: float) -> Rule:
    """The rule that the interval reaches up to a limit and not beyond.

    Example:
        >>> at_most(1.0)((0.5, 1.0)), at_most(1.0)((0.5, 1.1))
        (True, False)
    """
    return lambda interval: interval[1] <= limit


def inside(least: float, most: float) -> Rule:
    """The rule that the whole interval lies between two limits, or on them.

    Example:
        >>> inside(0.0, 1.0)((0.5, 1.0)), inside(0.0, 1.0)((0.5, 1.1))
        (True, False)
    """

    def rule(interval: Interval) -> bool:
        low, high = interval
        return least <= low and high <= most

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
    ratio = ratio_of_means(means)
    return np.asarray(100.0 * (ratio - 1.0))


def final(points: Array, values: Array) -> Array:  # noqa: ARG001 - one signature for all readings
    """The value at the last round."""
    return values[:, -1]


def growth(points: Array, values: Array) -> Array:
    """The growth in the last third of the rounds, per 1,000 rounds.

    NaN where only the end was recorded.
    """
    end = points[-1]
    start = int(np.searchsorted(points, end * 2 / 3))
    if start == len(points) - 1:
        return np.full(len(values), np.nan)

    last = values[:, -1]
    grown = last - values[:, start]
    rounds = float(end - points[start])
    per_thousand = grown / rounds * 1000.0

    return np.asarray(per_thousand)


def first_half(points: Array, values: Array) -> Array:
    """The mean over the first half of the rounds.

    Example:
        >>> first_half(np.array([10, 20, 30, 40]), np.array([[1.0, 2.0, 9.0, 9.0]])).tolist()
        [1.5]
    """
    is_early = points <= points[-1] / 2
    early = values[:, is_early]
    means: Array = early.mean(axis=1)
    return means


def whole_mean(points: Array, values: Array) -> Array:  # noqa: ARG001 - one signature
    """The mean over all recorded rounds."""
    means: Array = values.mean(axis=1)
    return means


def percent_unpaid(points: Array, values: Array) -> Array:
    """The per cent of all rounds that paid nothing, where every other one pays 1.

    Example:
        >>> percent_unpaid(np.array([50, 100]), np.array([[10.0, 25.0]])).tolist()
        [75.0]
    """
    share = final(points, values) / points[-1]
    return np.asarray(100.0 * (1.0 - share))


def late_mean(points: Array, values: Array) -> Array:
    """The mean over the second half of the rounds."""
    is_late = points > points[-1] / 2
    late = values[:, is_late]
    means: Array = late.mean(axis=1)
    return means


def read_pair(
    outcome: Outcome,
    run: str,
    rows: tuple[str, str],
    metric: str,
    component: int = 0,
    reading: Reading = final,
) -> Array:
    """(trials, 2) what is read of two rows of a run.

    A trial of one row is the trial of the other: both met the same problem, and are drawn together.
    """
    readings = []
    for row in rows:
        points, values = outcome.curves(run, row, metric, component)
        readings.append(reading(points, values))

    return np.stack(readings, axis=1)


def difference(
    outcome: Outcome,
    run: str,
    metric: str,
    low: str,
    high: str,
    component: int = 0,
    reading: Reading = final,
) -> Part:
    """The row `high` less the row `low`, claimed to be above 0."""
    samples = read_pair(outcome, run, (low, high), metric, component, reading)
    end = where(outcome, run, low, metric, component)
    name = f"{high} less {low}{end}"
    positive = above(0.0)

    return resampled_part(name, samples, difference_of_means, positive)


def where(outcome: Outcome, run: str, row: str, metric: str, component: int) -> str:
    """The end of a number's name that says its component; empty where there is one alone."""
    if len(outcome.components(run, row, metric)) < 2:
        return ""
    return f", {component_name(metric)} {component + 1}"


def curves_of(outcome: Outcome, row: str, metric: str, component: int = 0) -> tuple[Array, Array]:
    """The recorded rounds and the values (trials, points) of a row in the first run."""
    run = outcome.runs()[0]
    return outcome.curves(run, row, metric, component)


def final_values(
    outcome: Outcome,
    row: str,
    metric: str,
    component: int = 0,
    run: str | None = None,
    reading: Reading = final,
) -> Array:
    """(trials,) the values of a row in a run, at its end or by another reading; None: the first."""
    name = outcome.runs()[0] if run is None else run
    points, values = outcome.curves(name, row, metric, component)
    return reading(points, values)


def final_pair(outcome: Outcome, row: str, other: str, metric: str, component: int = 0) -> Array:
    """(trials, 2) the values of two rows at the end of the first run."""
    run = outcome.runs()[0]
    return read_pair(outcome, run, (row, other), metric, component)
