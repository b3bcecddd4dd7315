"""The metric of a problem's own quantities, beside rewards."""

from dataclasses import dataclass
from typing import ClassVar

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.reward import of_chosen


@dataclass(frozen=True)
class Quantity:
    """One of the problem's quantities, such as dollars, summed over the chosen arms.

    Args:
        name: of the quantity, and of the metric.

    Example:
        >>> Quantity("dollars").name
        'dollars'
    """

    name: str
    cumulative: ClassVar[bool] = True
    needs_fronts: ClassVar[bool] = False

    def components(self, shape: Shape) -> int:
        """One."""
        return 1

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, 1) the quantity of the chosen arm."""
        quantities = truth.quantity(self.name)
        received = of_chosen(quantities, chosen)
        return received[:, None]
