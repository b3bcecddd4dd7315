"""What is asked of the curves of moslb2024: differences, paces at the end, and spreads."""

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.formatting import component_name
from mobandits.papers.claims import Outcome, Reading, final, growth
from mobandits.papers.enough import Question
from mobandits.papers.studentised import Statistic

STEEPEST = 3.0  # all of a regret in the last third of the rounds is three times the mean pace


def mean_pace(points: Array, values: Array) -> Array:
    """What a curve grows by per 1,000 rounds, over all of them.

    Example:
        >>> mean_pace(np.array([500, 2000]), np.array([[30.0, 40.0]])).tolist()
        [20.0]
    """
    return np.asarray(values[:, -1] / float(points[-1]) * 1000.0)


def _difference(means: Array) -> Array:
    return np.asarray(means[1] - means[0])


def _difference_gradient(means: Array) -> Array:
    return np.stack([-np.ones(means.shape[1]), np.ones(means.shape[1])])


def _share(means: Array) -> Array:
    # What never had any regret is flat: a resample may have drawn only such trials.
    shares = np.divide(means[0], means[1], out=np.zeros(means.shape[1]), where=means[1] > 0.0)
    return np.asarray(shares)


def _share_gradient(means: Array) -> Array:
    below = np.where(means[1] > 0.0, means[1], np.inf)
    return np.stack([1.0 / below, -means[0] / below**2])


def _spread(moments: Array) -> Array:
    # From the means of values and of their squares; rounding may make the difference negative.
    return np.asarray(np.sqrt(np.maximum(moments[1] - moments[0] ** 2, 0.0)))


def _spread_gradient(moments: Array) -> Array:
    spread = _spread(moments)
    below = np.where(spread > 0.0, spread, np.inf)
    return np.stack([-moments[0] / below, 0.5 / below])


def _spread_difference(means: Array) -> Array:
    return np.asarray(_spread(means[2:]) - _spread(means[:2]))


def _spread_difference_gradient(means: Array) -> Array:
    return np.concatenate([-_spread_gradient(means[:2]), _spread_gradient(means[2:])])


DIFFERENCE = Statistic(_difference, _difference_gradient)
SHARE = Statistic(_share, _share_gradient, 0.0, STEEPEST)
SPREADS = Statistic(_spread_difference, _spread_difference_gradient)


def lower(low: str, high: str, metric: str, component: int, reading: Reading = final) -> Question:
    """A row is below another one in a digit or level."""

    def read(outcome: Outcome, run: str) -> Array:
        curves = [outcome.curves(run, row, metric, component) for row in (low, high)]
        return np.stack([reading(*one) for one in curves], axis=1)

    return Question(
        f"{high} less {low}, {component_name(metric)} {component + 1}", read, DIFFERENCE
    )


def slower(low: str, high: str, metric: str, component: int) -> Question:
    """A row's regret grows more slowly than another one's in the last third of the rounds."""
    return lower(low, high, metric, component, growth)


def relative_pace(row: str, metric: str, component: int, bar: float, *, above: bool) -> Question:
    """What a row grows by in the last third, over its own mean pace: 1 is linear, 0 is flat."""

    def read(outcome: Outcome, run: str) -> Array:
        curves = outcome.curves(run, row, metric, component)
        return np.stack([growth(*curves), mean_pace(*curves)], axis=1)

    said = f"{row}, last pace over mean pace, {component_name(metric)} {component + 1}"
    return Question(said, read, SHARE, bar, above, plain=False)


def steadier(row: str, other: str, metric: str, component: int) -> Question:
    """A row's regret varies less between problems than another one's."""

    def read(outcome: Outcome, run: str) -> Array:
        one, two = (final(*outcome.curves(run, name, metric, component)) for name in (row, other))
        return np.stack([one, one**2, two, two**2], axis=1)

    said = f"{other} less {row}, standard deviation on {component_name(metric)} {component + 1}"
    return Question(said, read, SPREADS)
