"""Rounds of a log as examples: rows of contexts, and what a model of the rewards is to predict."""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.logs import Feedback


class Examples(NamedTuple):
    """Examples for a model that predicts several outputs from a row.

    Where arms share a context, every pair of an arm and an objective is an output of its own, as
    every arm has a regression of its own; where arms have rows of their own, every objective is.

    Attributes:
        rows: (rounds, features) the context, or the row of the arm that was played.
        targets: (rounds, outputs) the rewards, NaN where nothing was observed: other arms, and
            rewards that are missing.
    """

    rows: Array
    targets: Array


def examples_of(log: Feedback) -> Examples:
    """The examples of a log.

    Example:
        >>> log = Feedback([[1.0], [2.0]], [0, 1], [[0.5], [0.7]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> examples_of(log).targets.tolist()
        [[0.5, nan], [nan, 0.7]]
    """
    rounds = np.arange(len(log))
    if log.contexts.ndim == 3:
        rows = log.contexts[rounds, log.arms]
        return Examples(rows, log.rewards)

    arms = len(log.arm_names)
    objectives = len(log.objective_names)
    by_arm = np.full((len(log), arms, objectives), np.nan)
    by_arm[rounds, log.arms] = log.rewards
    targets = by_arm.reshape(len(log), arms * objectives)

    return Examples(log.contexts, targets)


def has_constant(rows: Array) -> bool:
    """Whether a column is the same number, other than 0, in all rows."""
    first = rows[0]
    is_constant = (rows == first).all(0) & (first != 0.0)
    return bool(is_constant.any())
