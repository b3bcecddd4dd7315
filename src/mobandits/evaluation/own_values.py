"""Values of estimates as tables and texts say them: in the objectives' own directions."""

from collections.abc import Sequence

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.regions import Box
from mobandits.logs.objectives import Objective, signs_of


def own_values(
    estimate: Estimate, objectives: Sequence[Objective], level: float
) -> tuple[Array, Array, Array]:
    """The values of an estimate and the ends of its joint box, in the objectives' own directions.

    Args:
        estimate: in which more is better.
        objectives: of its log.
        level: of the box.

    Returns:
        (objectives,) values, lower ends and upper ends.

    Example:
        >>> from mobandits.evaluation import LoggingPolicy, evaluate
        >>> from mobandits.logs import Feedback
        >>> cost = Objective("cost", minimise=True)
        >>> log = Feedback(np.ones((4, 1)), [0] * 4, [[-2.0], [-1.0]] * 2, [1.0] * 4, "a", [cost])
        >>> estimate = evaluate(log, LoggingPolicy(), "snips")
        >>> [ends.round(2).tolist() for ends in own_values(estimate, log.objectives, 0.5)]
        [[1.5], [1.28], [1.72]]
    """
    low, high = own_ends(estimate.box(level), objectives)
    return estimate.value * signs_of(objectives), low, high


def own_ends(box: Box, objectives: Sequence[Objective]) -> tuple[Array, Array]:
    """(objectives,) lower and upper ends of a box, in the objectives' own directions.

    Example:
        >>> cost = Objective("cost", minimise=True)
        >>> [ends.tolist() for ends in own_ends(Box(np.array([-2.0]), np.array([-1.0])), [cost])]
        [[1.0], [2.0]]
    """
    is_minimised = signs_of(objectives) < 0.0
    low = np.where(is_minimised, -box.high, box.low)
    high = np.where(is_minimised, -box.low, box.high)

    return low, high


def own_rows(
    estimate: Estimate, objectives: Sequence[Objective], level: float
) -> list[tuple[str, float, float, float]]:
    """(name, value, lower end, upper end) of each objective; arguments as of `own_values`."""
    # Estimates keep their spread, so that a box costs no pass over the rounds.
    columns = own_values(estimate, objectives, level)
    # Names may be of any type, and a column of a table has one.
    names = [str(each.name) for each in objectives]

    return list(zip(names, *(column.tolist() for column in columns), strict=True))


def values_in_text(estimate: Estimate, objectives: Sequence[Objective], level: float) -> list[str]:
    """The value of each objective with its interval in the joint box, as notebooks show it."""
    rows = own_rows(estimate, objectives, level)
    return [f"{value:.4g} ({low:.4g} to {high:.4g})" for _, value, low, high in rows]
