"""The radius and the exploration width of moslb2024's policies.

Symbols, of its Algorithms 1 and 3: gamma_t the radius of the ellipsoid of Equation (8), w_t(a) the
half-width gamma_t ||x_a||_{V^-1}, epsilon the half-width that ends exploration. alpha is a
parameter of the authors' code: it multiplies w_t where arms are compared.
"""

from mobandits.contracts.protocols import Order, Recipe, Shape
from mobandits.estimators import ridge_for
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Levelled
from mobandits.orders import ChainFilter, ExploreWide, Levels
from mobandits.policies.composite import Composite
from mobandits.policies.linear.linear_radius import estimate_count
from mobandits.support.checks import number


class MoslbRecipe(Recipe):
    """Base of the recipes of moslb2024; subclasses give the defaults of its parameters.

    Attributes:
        alpha: multiplies the intervals, but not the test that ends exploration.
        delta: failure probability.
        penalty: ridge penalty.
        noise: sub-Gaussian constant of the rewards.
    """

    alpha: float
    delta: float
    penalty: float
    noise: float

    def check_parameters(self, epsilon: float | None = None) -> None:
        """Refuse parameters that make no sense, by name."""
        name = type(self).__name__
        for parameter in ("alpha", "penalty", "noise"):
            value = getattr(self, parameter)
            number(f"{name}.{parameter}", value, above=0.0)

        number(f"{name}.delta", self.delta, above=0.0, below=1.0)
        if epsilon is not None:
            number(f"{name}.epsilon", epsilon, above=0.0)

    def by_bounds(self, shape: Shape, order: Order) -> Composite:
        """The policy of an order of intervals with half-width alpha gamma_t ||x||_{V^-1}."""
        radius = Levelled(
            features=shape.features,
            models=estimate_count(shape),
            delta=self.delta,
            scale=self.alpha,
            noise=self.noise,
        )
        # All objectives are learned, whichever the order looks at.
        estimator = ridge_for(shape, self.penalty)

        return Composite(estimator, Ucb(radius), order)

    def exploring(
        self, shape: Shape, order: ChainFilter | Levels, epsilon: float | None
    ) -> Composite:
        """The policy that explores while some w_t is above epsilon, and then plays by an order.

        The order is checked against the objectives.
        """
        order.check(shape.objectives)
        name = type(self).__name__
        width = exploration_width(name, epsilon, shape)
        # Line 5 tests w_t > epsilon; the intervals that an order sees are alpha times as wide.
        widest = self.alpha * width
        exploration = ExploreWide(order, widest)

        return self.by_bounds(shape, exploration)


def exploration_width(name: str, epsilon: float | None, shape: Shape) -> float:
    """The half-width that ends exploration: epsilon, or 5 d^(2/3) T^(-1/3) where it is None.

    That is the authors' own choice in their code, for both algorithms.

    Raises:
        ValueError: where neither epsilon nor the horizon is known.

    Example:
        >>> shape = Shape(arms=25, features=5, objectives=5, rounds=3000)
        >>> round(exploration_width("MoslbPl", None, shape), 3)
        1.014
    """
    if epsilon is not None:
        return epsilon
    if shape.rounds is None:
        raise ValueError(
            f"{name}.epsilon must be given where the number of rounds is unknown, got None"
        )

    # The factor 5 is from the authors' code: with the width of the theorems, d^(2/3) T^(-1/3) and
    # smaller, exploration does not end within the 3000 rounds of their figures.
    dimension_factor = 5.0 * shape.features ** (2.0 / 3.0)
    horizon_factor = shape.rounds ** (-1.0 / 3.0)

    return float(dimension_factor * horizon_factor)
