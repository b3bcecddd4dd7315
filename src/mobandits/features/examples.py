"""Rounds of a log as examples: rows of contexts, and what a model of the rewards is to predict."""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.logs import Feedback


class LoggedExamples(NamedTuple):
    """Examples for a model that predicts several outputs from a row.

    Every pair of an arm and an objective is an output, as every arm has a regression of its own.

    Attributes:
        rows: (rounds, features) the contexts.
        targets: (rounds, outputs) the rewards, NaN where nothing was observed: other arms, and
            rewards that are missing.
    """

    rows: Array
    targets: Array


def as_one_arm(log: Feedback) -> Feedback:
    """A log as the regressions of linear policies see it.

    Where arms share a context, it is the log itself: every arm has a regression. Where every arm
    has a row of its own, one regression serves all arms: it is the log of one arm, whose contexts
    are the rows that were played.

    Example:
        >>> rows = [[[1.0], [2.0]], [[3.0], [4.0]]]
        >>> log = Feedback(rows, [1, 0], [[0.5], [0.7]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> as_one_arm(log).contexts.tolist(), as_one_arm(log).arm_names
        ([[2.0], [3.0]], ('every arm',))
    """
    if log.contexts.ndim == 2:
        return log

    rounds = np.arange(len(log))
    played_rows = log.contexts[rounds, log.arms]
    only_arm = np.zeros(len(log), np.int64)

    return Feedback(
        contexts=played_rows,
        arms=only_arm,
        rewards=log.rewards,
        propensities=log.propensities,
        arm_names=("every arm",),
        objectives=log.objectives,
    )


def examples_of(log: Feedback) -> LoggedExamples:
    """The examples of a log whose arms share contexts.

    Example:
        >>> log = Feedback([[1.0], [2.0]], [0, 1], [[0.5], [0.7]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> examples_of(log).targets.tolist()
        [[0.5, nan], [nan, 0.7]]
    """
    arms = len(log.arm_names)
    objectives = len(log.objective_names)
    rounds = np.arange(len(log))
    by_arm = np.full((len(log), arms, objectives), np.nan)
    by_arm[rounds, log.arms] = log.rewards
    targets = by_arm.reshape(len(log), arms * objectives)

    return LoggedExamples(log.contexts, targets)


def has_constant(rows: Array) -> bool:
    """Whether a column is the same number, other than 0, in all rows."""
    first = rows[0]
    is_constant = (rows == first).all(0) & (first != 0.0)
    return bool(is_constant.any())
