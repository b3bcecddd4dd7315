"""The metric of a problem's own quantities, beside rewards."""

from dataclasses import dataclass

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask
from mobandits.metrics.metric import BaseMetric, of_chosen


@dataclass(frozen=True)
class Quantity(BaseMetric):
    """One of the problem's quantities, such as dollars, summed over the chosen arms.

    Args:
        name: of the quantity, and of the metric.

    Example:
        >>> Quantity("dollars").name
        'dollars'
    """

    name: str

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, 1) the quantity of the chosen arm."""
        quantities = truth.quantity(self.name)
        received = of_chosen(quantities, chosen)
        return received[:, None]
