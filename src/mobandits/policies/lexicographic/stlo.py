"""STLO: the lexicographic filter for linear rewards.

Symbols, of xue2025, Algorithm 1: w_a the half-width of arm a's interval, gamma_t its radius,
epsilon the half-width that ends exploration, U the bound of the parameters' norms.
"""

from dataclasses import dataclass

from mobandits.contracts.assumptions import UNIT_BALL
from mobandits.contracts.protocols import Recipe, Shape, Traits
from mobandits.estimators import ridge_for
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Xue
from mobandits.policies.composite import Composite
from mobandits.policies.lexicographic.lexicographic_filter import (
    ExploreWidest,
    FixedWidth,
    LastLeader,
)
from mobandits.policies.linear.linear_radius import estimate_count
from mobandits.support.checks import number


@dataclass(frozen=True)
class Stlo(Recipe):
    """Explore the widest interval while it is above epsilon; else filter the estimates -+ epsilon.

    The half-width is w_a = scale gamma_t ||x_a||_{V^-1}, gamma_t = R sqrt(d ln(2 L t/delta)) + U.
    Once all are short: objective by objective keep the arms joined to the best estimate by
    overlapping intervals estimate -+ epsilon; play the best estimate in the last objective.

    Args:
        epsilon: half-width that ends exploration; None: d^(4/3) (K T)^(-1/3).
        scale: multiplies the half-width of the first stage.
        delta: failure probability, in (0, 1).
        penalty: ridge penalty lambda.
        noise: sub-Gaussian constant R of the rewards.
        bound: U, an upper bound of the norms of the parameters.
        check: warn where features have norms above 1.

    Reference:
        xue2025, Algorithm 1.

    Example:
        >>> policy = Stlo().bind(Shape(arms=8, features=8, objectives=2, rounds=1000))
        >>> round(policy.order.epsilon, 6)
        0.8
    """

    references = ("xue2025",)
    traits = Traits(
        context="linear",
        beliefs="definite",
        plays="wide intervals, then a lexicographic filter",
        log="1 in most rounds",
        horizon="or `epsilon`",
    )
    assumed = (UNIT_BALL,)

    epsilon: float | None = None
    scale: float = 1.0
    delta: float = 0.05
    penalty: float = 1.0
    noise: float = 1.0
    bound: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        for name in ("epsilon", "scale", "penalty", "noise", "bound"):
            value = getattr(self, name)
            if value is not None:
                number(f"Stlo.{name}", value, above=0.0)

        number("Stlo.delta", self.delta, above=0.0, below=1.0)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with epsilon resolved."""
        if self.epsilon is None and shape.rounds is None:
            raise ValueError(
                "Stlo.epsilon must be given where the number of rounds is unknown, got None"
            )

        plays = shape.arms * (shape.rounds or 1)
        dimension_factor = shape.features ** (4.0 / 3.0)
        horizon_factor = plays ** (-1.0 / 3.0)
        epsilon = self.epsilon or dimension_factor * horizon_factor
        radius = Xue(
            features=shape.features,
            models=estimate_count(shape),
            delta=self.delta,
            noise=self.noise,
            bound=self.bound,
            scale=self.scale,
        )
        # Both stages use the same epsilon: what exploration resolved is what the filter can tell.
        exploitation = FixedWidth(LastLeader(), epsilon)
        order = ExploreWidest(exploitation, epsilon)
        estimator = ridge_for(shape, self.penalty)

        return Composite(estimator, Ucb(radius), order)
