"""The regret in every objective, against the optimum of an order."""

from dataclasses import dataclass, field

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Order, Shape
from mobandits.metrics.metric import BaseMetric, of_chosen
from mobandits.orders import Lexicographic


@dataclass(frozen=True)
class ObjectiveRegret(BaseMetric):
    """The regret in each objective against an optimal arm, negative where the chosen arm has more.

    Per round and objective i, mu*_i - mu_{a,i}, with mu* the means of the first arm in the front of
    `order`. Under the lexicographic order all optimal arms have the same means.

    Args:
        order: what optimal means.

    Reference:
        mocmab2018, section III-B, the 2D regret.

    Example:
        >>> ObjectiveRegret().components(Shape(arms=9, features=0, objectives=5))
        5
    """

    references = ("mocmab2018",)

    order: Order = field(default_factory=Lexicographic)
    name = "objective_regret"
    better = "smaller"
    meaning = (
        "per objective, the sum of what the best arm has more than the one that was played; "
        "negative where it has less"
    )
    component = "objective"

    def components(self, shape: Shape) -> int:
        """One per objective."""
        return shape.objectives

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, objectives) signed differences."""
        means = truth.block.means
        fronts = truth.front(self.order)
        # The first arm of the front: argmax of a mask is the place of its first True.
        optimal_arm = np.argmax(fronts, axis=1)
        optimal = of_chosen(means, optimal_arm)
        received = of_chosen(means, chosen)

        return optimal - received
