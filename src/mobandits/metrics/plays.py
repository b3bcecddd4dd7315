"""The numbers of plays of arms."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Order, Shape
from mobandits.metrics.metric import BaseMetric
from mobandits.orders import Pareto


@dataclass(frozen=True)
class Plays(BaseMetric):
    """The number of times each arm was chosen; the component is the arm.

    Example:
        >>> Plays().components(Shape(arms=9, features=0, objectives=5))
        9
    """

    name: ClassVar[str] = "plays"
    least = 0.0
    meaning = "how often each arm was played"
    component = "arm"

    def components(self, shape: Shape) -> int:
        """One per arm."""
        return shape.arms

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, arms) 1 for the chosen arm, else 0."""
        arms = truth.block.means.shape[1]
        return one_hot(chosen, arms)


@dataclass(frozen=True)
class FrontPlays(BaseMetric):
    """The number of times each arm of the true front was chosen, where the arms never change.

    The component is the arm. Equal counts mean that optimal arms are treated alike.

    Args:
        order: whose front it is.

    Reference:
        moglb2019, section 4, on fairness.

    Example:
        >>> FrontPlays().name
        'front_plays'
    """

    references = ("moglb2019",)

    order: Order = field(default_factory=Pareto)
    name: ClassVar[str] = "front_plays"
    least = 0.0
    meaning = "how often each arm of the Pareto front was played"
    component = "arm"

    def components(self, shape: Shape) -> int:
        """One per arm, of which those off the front are not recorded."""
        return shape.arms

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, arms) 1 for the chosen arm, 0 for others of the front, NaN off the front.

        Raises:
            ValueError: where the means change over the rounds.
        """
        rows, arms, _ = truth.block.means.shape
        # Means that stay have one row for all rounds; otherwise the front has no arms of its own.
        if rows > 1:
            raise ValueError("FrontPlays needs arms whose means never change, and here they do")

        front = truth.front(self.order)[0]
        played = one_hot(chosen, arms)
        played[:, ~front] = np.nan  # which is not recorded

        return played


def one_hot(chosen: IntArray, arms: int) -> Array:
    """(rounds, arms) 1 for the chosen arm, else 0.

    Example:
        >>> one_hot(np.array([1]), 3)
        array([[0., 1., 0.]])
    """
    numbers = np.arange(arms)
    is_chosen = chosen[:, None] == numbers
    return np.asarray(is_chosen, np.float64)
