"""The true mean rewards of the chosen arms."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.contracts.continuum import Scores
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape


def of_chosen(table: Array, chosen: IntArray) -> Array:
    """The rows of `table` (rounds or 1, arms, ...) for the arms `chosen` (rounds,).

    Either may have length 1 in place of rounds, for a table or an arm that stays.

    Example:
        >>> of_chosen(np.arange(6.0).reshape(2, 3), np.array([2, 0]))
        array([2., 3.])
    """
    rounds, arms, *rest = table.shape
    # One index into flat rows: an index for each axis would take ten times longer.
    rows = table.reshape(rounds * arms, *rest)
    first_rows = np.arange(0, rounds * arms, arms)
    indices = first_rows + chosen

    return rows.take(indices, axis=0)


@dataclass(frozen=True)
class Reward:
    """The mean reward of the chosen arm, in every objective: its reward without the noise.

    Example:
        >>> Reward().components(Shape(arms=9, features=0, objectives=5))
        5
    """

    name: ClassVar[str] = "reward"
    cumulative: ClassVar[bool] = True
    needs_fronts: ClassVar[bool] = False

    def components(self, shape: Shape) -> int:
        """One per objective."""
        return shape.objectives

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, objectives) true means."""
        return of_chosen(truth.block.means, chosen)

    def on_surface(self, scores: Scores) -> Array:
        """(rounds, objectives) true means."""
        return scores.means
