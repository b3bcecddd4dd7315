"""The true mean rewards of the chosen arms."""

from dataclasses import dataclass
from typing import ClassVar

from mobandits.contracts.continuum import Scores
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.metric import BaseMetric, Better, of_chosen


@dataclass(frozen=True)
class Reward(BaseMetric):
    """The mean reward of the chosen arm, in every objective: its reward without the noise.

    Example:
        >>> Reward().components(Shape(arms=9, features=0, objectives=5))
        5
    """

    name = "reward"
    # With its type, as subclasses may count what should be small.
    better: ClassVar[Better | None] = "larger"
    meaning = "per objective, the sum over rounds of the mean reward of the arm that was played"
    component = "objective"

    def components(self, shape: Shape) -> int:
        """One per objective."""
        return shape.objectives

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, objectives) true means."""
        return of_chosen(truth.block.means, chosen)

    def on_surface(self, scores: Scores) -> Array:
        """(rounds, objectives) true means."""
        return scores.means
