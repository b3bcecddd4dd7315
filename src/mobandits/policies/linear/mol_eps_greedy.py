"""MOL-eps-Greedy: the Pareto front of ridge estimates, mixed with uniform play.

A comparator of molts2025 without confidence bounds: epsilon alone decides how much is explored.
"""

from dataclasses import dataclass, replace

from mobandits.contracts.protocols import Order, Policy, Recipe, Shape, Traits
from mobandits.estimators import ridge_for
from mobandits.explorers import Greedy
from mobandits.features.intercept import MOST_WEIGHT, Intercept
from mobandits.orders import Pareto
from mobandits.orders.validity import check_objectives, require_order
from mobandits.policies.composite import Composite
from mobandits.policies.wrappers.features import Features
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
        intercept: the weight of a constant before the features, such as 30, so that a large penalty
            does not draw the mean of an arm with few rewards towards 0; see `features.Intercept`.
            None: no constant, as in the paper.

    Reference:
        molts2025, section 6.

    Example:
        >>> MolEpsGreedy().bind(Shape(arms=50, features=5, objectives=4)).epsilon
        0.05
    """

    references = ("molts2025",)
    traits = Traits(
        context="linear",
        beliefs="definite",
        plays="Pareto front of estimates, sometimes any arm",
        log="exact",
    )

    epsilon: float = 0.05
    penalty: float = 1.0
    order: Order | None = None
    intercept: float | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        number("MolEpsGreedy.epsilon", self.epsilon, at_least=0.0, at_most=1.0)
        # A penalty of 0 would leave no estimate before every direction was played.
        number("MolEpsGreedy.penalty", self.penalty, above=0.0)
        if self.intercept is not None:
            number("MolEpsGreedy.intercept", self.intercept, above=0.0, at_most=MOST_WEIGHT)
        if self.order is not None:
            require_order("MolEpsGreedy.order", self.order)

    def bind(self, shape: Shape) -> Policy:
        """The policy, on the regression that fits the shape."""
        if self.intercept is not None:
            shrunk = replace(self, intercept=None)
            return Features(Intercept(self.intercept), shrunk).bind(shape)

        order = self.order
        if order is None:
            order = Pareto()

        check_objectives(order, shape.objectives)
        estimator = ridge_for(shape, self.penalty)
        # In the first round all estimates are 0, so that the front is all arms.
        greedy = Composite(estimator, Greedy(), order)
        return FloorPolicy(greedy, self.epsilon)
