"""The radius and the exploration width of moslb2024's policies.

Symbols, of its Algorithms 1 and 3: gamma_t the radius of the ellipsoid of Equation (8), w_t(a) the
half-width gamma_t ||x_a||_{V^-1}, epsilon the half-width that ends exploration. alpha is a
parameter of the authors' code: it multiplies w_t where arms are compared.
"""

from typing import Protocol

from mobandits.contracts.protocols import Shape
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Levelled
from mobandits.policies.linear.linear_radius import estimate_count
from mobandits.support.checks import number


class HasMoslbParameters(Protocol):
    """A recipe with the parameters of moslb2024."""

    @property
    def alpha(self) -> float:
        """Multiplies the intervals, but not the test that ends exploration."""

    @property
    def delta(self) -> float:
        """Failure probability."""

    @property
    def penalty(self) -> float:
        """Ridge penalty."""

    @property
    def noise(self) -> float:
        """Sub-Gaussian constant of the rewards."""


def check_moslb(recipe: HasMoslbParameters, epsilon: float | None = None) -> None:
    """Refuse parameters that make no sense, by name."""
    name = type(recipe).__name__
    for parameter in ("alpha", "penalty", "noise"):
        value = getattr(recipe, parameter)
        number(f"{name}.{parameter}", value, above=0.0)

    number(f"{name}.delta", recipe.delta, above=0.0, below=1.0)
    if epsilon is not None:
        number(f"{name}.epsilon", epsilon, above=0.0)


def moslb_ucb(recipe: HasMoslbParameters, shape: Shape) -> Ucb:
    """The explorer with intervals of half-width alpha gamma_t ||x||_{V^-1}."""
    radius = Levelled(
        features=shape.features,
        models=estimate_count(shape),
        delta=recipe.delta,
        scale=recipe.alpha,
        noise=recipe.noise,
    )
    return Ucb(radius)


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
