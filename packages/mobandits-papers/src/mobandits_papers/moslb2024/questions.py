"""Questions to the curves of moslb2024: differences, paces at the end, and spreads.

Every statistic comes with its gradient in the means, from which the studentised bootstrap computes
standard errors (the delta method).
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.formatting import component_name
from mobandits.statistics.bootstrap import Statistic
from mobandits_papers.described import READINGS
from mobandits_papers.numbers import Reading, difference_of_means, final, growth, read_pair
from mobandits_papers.outcome import Outcome
from mobandits_papers.sequential_stopping import Question

STEEPEST = 3.0  # all of a regret in the last third of the rounds is three times the mean pace


def mean_pace(points: Array, values: Array) -> Array:
    """The growth of a curve per 1,000 rounds, over all of them.

    Example:
        >>> mean_pace(np.array([500, 2000]), np.array([[30.0, 40.0]])).tolist()
        [20.0]
    """
    rounds = float(points[-1])
    last = values[:, -1]
    per_round = last / rounds
    return np.asarray(per_round * 1000.0)


def _difference_gradient(means: Array) -> Array:
    """(2, n) -1 and 1."""
    count = means.shape[1]
    ones = np.ones(count)
    return np.stack([-ones, ones])


def _share(means: Array) -> Array:
    """The first mean over the second, (2, n) to (n,)."""
    # What never had any regret is flat: a resample may have drawn only such trials.
    flat = np.zeros(means.shape[1])
    above, below = means
    shares = np.divide(above, below, out=flat, where=below > 0.0)
    return np.asarray(shares)


def _share_gradient(means: Array) -> Array:
    """(2, n) 1 / b and -a / b^2 of the share a / b; 0 where the share is set to 0."""
    above, below = means
    # Infinity in place of 0 makes both derivatives 0.
    below = np.where(below > 0.0, below, np.inf)
    by_first = 1.0 / below
    by_second = -above / below**2

    return np.stack([by_first, by_second])


def _spread(moments: Array) -> Array:
    """The standard deviations from means of values and of their squares, (2, n) to (n,)."""
    mean, mean_square = moments
    variances = mean_square - mean**2
    # Rounding may make a variance of 0 negative.
    variances = np.maximum(variances, 0.0)

    return np.asarray(np.sqrt(variances))


def _spread_gradient(moments: Array) -> Array:
    """(2, n) -m / s and 1 / (2 s) of the standard deviation s; 0 where it is 0."""
    mean, _ = moments
    spread = _spread(moments)
    # Infinity in place of 0 makes both derivatives 0.
    below = np.where(spread > 0.0, spread, np.inf)
    by_mean = -mean / below
    by_square = 0.5 / below

    return np.stack([by_mean, by_square])


def _spread_difference(means: Array) -> Array:
    """The second standard deviation less the first, (4, n) to (n,)."""
    first = _spread(means[:2])
    second = _spread(means[2:])
    return np.asarray(second - first)


def _spread_difference_gradient(means: Array) -> Array:
    """(4, n) the gradients of both, the first with the opposite sign."""
    first = _spread_gradient(means[:2])
    second = _spread_gradient(means[2:])
    return np.concatenate([-first, second])


DIFFERENCE = Statistic(difference_of_means, _difference_gradient)
# Regret never falls, so that a share is never below 0.
SHARE = Statistic(_share, _share_gradient, 0.0, STEEPEST)
SPREADS = Statistic(_spread_difference, _spread_difference_gradient)


def is_lower(
    low: str, high: str, metric: str, component: int, reading: Reading = final
) -> Question:
    """The question whether a row is below another one in a digit or level, as it is read."""

    def read(outcome: Outcome, run: str) -> Array:
        return read_pair(outcome, run, (low, high), metric, component, reading)

    label = f"{high} less {low}, {component_name(metric)} {component + 1}"
    return Question(label, read, DIFFERENCE)


def relative_pace(row: str, metric: str, component: int, bar: float, *, above: bool) -> Question:
    """The question on a row's last pace over its own mean pace: 1 is linear, 0 is flat."""

    def read(outcome: Outcome, run: str) -> Array:
        points, values = outcome.curves(run, row, metric, component)
        last_pace = growth(points, values)
        overall_pace = mean_pace(points, values)
        return np.stack([last_pace, overall_pace], axis=1)

    label = f"{row}, last pace over mean pace, {component_name(metric)} {component + 1}"
    # Few problems carry most of a lower digit's regret: a plain interval of ten decides nothing.
    return Question(label, read, SHARE, bar, above, plain=False)


def variance_is_lower(row: str, other: str, metric: str, component: int) -> Question:
    """The question whether a row's regret varies less between problems than another's."""

    def read(outcome: Outcome, run: str) -> Array:
        regrets = read_pair(outcome, run, (row, other), metric, component)
        # Values and squares, in whose means the standard deviation is smooth.
        moments = np.stack([regrets, regrets**2], axis=2)
        return moments.reshape(len(regrets), -1)

    label = f"{other} less {row}, standard deviation on {component_name(metric)} {component + 1}"
    return Question(label, read, SPREADS)


ASKED: dict[str, Callable[..., Question]] = {
    each.__name__: each for each in (is_lower, relative_pace, variance_is_lower)
}


def questions_of(
    ask: str,
    rows: Sequence[Sequence[str]],
    metric: str,
    components: Sequence[int],
    **options: Any,
) -> list[Question]:
    """The questions of a table of the file, one for each of some rows and components.

    Args:
        ask: which question, one of `ASKED`.
        rows: those that each question is about.
        metric: that is read.
        components: of the metric.
        options: the other arguments of the question; a reading by its name.
    """
    if "reading" in options:
        options["reading"] = READINGS[options["reading"]]

    pairs = itertools.product(rows, components)
    return [ASKED[ask](*each, metric, i, **options) for each, i in pairs]
