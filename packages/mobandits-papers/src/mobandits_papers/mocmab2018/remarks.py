"""What mocmab2018 says beside its figures: the tolerance, periods, more than two objectives."""

import functools
import math

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.environments import Bumps
from mobandits_papers.described import described
from mobandits_papers.numbers import (
    Part,
    above,
    below,
    curves_of,
    resampled_part,
)
from mobandits_papers.outcome import Outcome

# The growth goes on where the last third has at least this share of the middle third's growth.
LASTING = 0.8
REGRET = "objective_regret"


def late_over_middle(means: Array) -> Array:
    """The growth in the last third over that in the middle third, from both in order of time."""
    middle, late = means
    return np.asarray(late / middle)


def lasting(outcome: Outcome) -> list[Part]:
    """The growth of regrets in the dominant objective, late over before.

    It is the growth in the last third of the rounds, over that in the middle third.
    """
    parts = []
    for row in SIDE_ROWS:
        points, values = curves_of(outcome, row, REGRET, 0)
        thirds = points[-1] * np.array([1 / 3, 2 / 3])
        first, second = np.searchsorted(points, thirds)
        at = [first, second, len(points) - 1]
        # Per round, because the recorded rounds do not cut the horizon in exact thirds.
        growth_per_round = np.diff(values[:, at], axis=1) / np.diff(points[at])
        name = f"{row}, growth in the last third over that in the middle third"
        parts.append(resampled_part(name, growth_per_round, late_over_middle, above(LASTING)))

    return parts


SIDE_ROWS = ("m = 4", "m = 8", "m = 16")
TOLERANCE = described("mocmab2018/tolerance", parts={"never-vanishes": lasting})

WITH = "with the period"


def slope(means: Array, width: float) -> Array:
    """The slope of regrets on logarithmic axes, between two rounds.

    Args:
        means: (2, n) the regrets at both rounds.
        width: the distance of the rounds on the logarithmic axis.

    Example:
        >>> slope(np.array([[3.0], [9.0]]), width=math.log(9.0)).round(6)
        array([0.5])
    """
    start, end = means
    height = np.log(end / start)
    return np.asarray(height / width)


def late_slopes(outcome: Outcome) -> list[Part]:
    """The slope of the regret with the period, over the second half of the rounds, in every run.

    Axes are logarithmic: the slope of a power of T is its exponent.
    """
    slopes = []
    for run in outcome.runs():
        points, values = outcome.curves(run, WITH, REGRET, 0)
        end = points[-1]
        half = int(np.searchsorted(points, end / 2))
        # Early rounds are left out: while every cell tries its arms, regret grows linearly.
        width = math.log(end / points[half])
        samples = values[:, [half, -1]]
        statistic = functools.partial(slope, width=width)
        sublinear = below(1.0)
        slopes.append(resampled_part(f"slope, {run}", samples, statistic, sublinear))

    return slopes


PERIODIC = described("mocmab2018/periodic", parts={"slows-down": late_slopes})

# Centres of bumps, per arm and objective; None never pays. Where arms share a centre they tie: the
# first two in objective 1 of either problem, and in the non-degenerate one in objective 2 as well.
DEGENERATE = (
    ((0.3, 0.5), (0.3, 0.7), (0.5, 0.5)),
    ((0.3, 0.5), (0.3, 0.3), (0.5, 0.5)),
    ((0.7, 0.5), (0.7, 0.5), (0.5, 0.5)),
    (None, (0.7, 0.5), (0.5, 0.2)),
)
NON_DEGENERATE = (
    ((0.3, 0.5), (0.3, 0.7), (0.3, 0.7)),
    ((0.3, 0.5), (0.3, 0.7), (0.3, 0.3)),
    ((0.7, 0.5), (0.7, 0.5), (0.7, 0.5)),
    (None, (0.7, 0.5), (0.7, 0.5)),
)
MORE = described(
    "mocmab2018/more-objectives",
    degenerate=Bumps(centres=DEGENERATE),
    non_degenerate=Bumps(centres=NON_DEGENERATE),
)

REMARKS = (TOLERANCE, PERIODIC, MORE)
