"""MOL-UCB: upper confidence bounds of ridge regressions, and any order of them.

Symbols: theta_l the ridge estimate of objective l, V the regularised Gram matrix of the features
that were played, c the radius, x_a the features of arm a.
"""

from dataclasses import dataclass

from mobandits.contracts.protocols import Order, Shape, Traits
from mobandits.explorers import Ucb
from mobandits.orders import Pareto
from mobandits.orders.validity import check_objectives, require_order
from mobandits.policies.composite import Composite
from mobandits.policies.linear.linear_radius import (
    DATA,
    RadiusRecipe,
    Scale,
    check_radius,
    linear_estimator,
    linear_radius,
)


@dataclass(frozen=True)
class MolUcb(RadiusRecipe):
    """Play a uniform arm from the front of the bounds theta_l . x_a + c ||x_a||_{V^-1}.

    ============= ==================================================
    paper         here
    ============= ==================================================
    c             `scale`, or the theory width c1_t(delta) with "theory"
    lambda        `penalty`
    R             `noise`
    ============= ==================================================

    Where the arms share one context, every arm has a regression of its own (disjoint LinUCB, with
    several objectives).

    Args:
        scale: "data" for one standard deviation of the rewards, estimated as they come (see
            `estimators.Scaled`); a constant radius c > 0; "theory" for the radius of the theory,
            which is so wide that thousands of rounds are played almost at random.
        order: None for `Pareto()`, as in the paper; `EffectivePareto()` plays the effective front.
        penalty: ridge penalty.
        delta: failure probability of the theory's radius, in (0, 1).
        noise: sub-Gaussian constant of the rewards, for the theory's radius.
        check: warn where features have norms above 1, for the theory's radius.

    Reference:
        molts2025, section 6: MOGLB-UCB (moglb2019) with the identity link, through ridge
        regression.

    Example:
        >>> MolUcb(scale=0.3).bind(Shape(arms=50, features=5, objectives=4)).explorer
        Ucb(radius=Constant(value=0.3))
    """

    references = ("molts2025", "moglb2019")
    traits = Traits(
        context="linear",
        beliefs="definite",
        plays="front of bounds under `order`",
        log="exact, with zeros",
    )

    scale: Scale = DATA
    order: Order | None = None
    penalty: float = 1.0
    delta: float = 0.01
    noise: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_radius(self)
        if self.order is not None:
            require_order("MolUcb.order", self.order)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with its radius resolved and its order checked against the objectives."""
        order = self.order
        if order is None:
            order = Pareto()

        check_objectives(order, shape.objectives)
        estimator = linear_estimator(self, shape)
        radius = linear_radius(self, shape)
        # The width is the same in all objectives: one Gram matrix serves them.
        explorer = Ucb(radius)

        return Composite(estimator, explorer, order)
