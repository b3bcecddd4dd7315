"""MOL-eps-Greedy: the Pareto front of ridge estimates, mixed with uniform play.

A comparator of molts2025 without confidence bounds: epsilon alone decides how much is explored.
"""

from dataclasses import dataclass
from typing import ClassVar

from mobandits.contracts.protocols import Order, Recipe, Shape, Traits
from mobandits.estimators import ridge_for
from mobandits.explorers import Greedy
from mobandits.orders import Pareto
from mobandits.orders.validity import check_objectives, require_order
from mobandits.policies.composite import Composite
from mobandits.policies.wrappers.with_floor import FloorPolicy
from mobandits.support.checks import number


@dataclass(frozen=True)
class MolEpsGreedy(Recipe):
    """Play a uniform arm of the ridge estimates' Pareto front; with probability epsilon, of all.

    In the first round all estimates are 0, so all arms are on the front.

    Args:
        epsilon: probability of a uniform round, in [0, 1].
        penalty: ridge penalty lambda.
        order: None for `Pareto()`, as in the paper; another one plays its front of the estimates.

    Reference:
        molts2025, section 6.

    Example:
        >>> MolEpsGreedy().bind(Shape(arms=50, features=5, objectives=4)).epsilon
        0.05
    """

    references: ClassVar[tuple[str, ...]] = ("molts2025",)
    traits: ClassVar[Traits] = Traits(
        context="linear",
        beliefs="definite",
        plays="Pareto front of estimates, sometimes any arm",
        log="exact",
    )

    epsilon: float = 0.05
    penalty: float = 1.0
    order: Order | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        number("MolEpsGreedy.epsilon", self.epsilon, at_least=0.0, at_most=1.0)
        # A penalty of 0 would leave no estimate before every direction was played.
        number("MolEpsGreedy.penalty", self.penalty, above=0.0)
        if self.order is not None:
            require_order("MolEpsGreedy.order", self.order)

    def bind(self, shape: Shape) -> FloorPolicy:
        """The policy, on the regression that fits the shape."""
        order = self.order
        if order is None:
            order = Pareto()

        check_objectives(order, shape.objectives)
        estimator = ridge_for(shape, self.penalty)
        # In the first round all estimates are 0, so that the front is all arms.
        greedy = Composite(estimator, Greedy(), order)
        return FloorPolicy(greedy, self.epsilon)
