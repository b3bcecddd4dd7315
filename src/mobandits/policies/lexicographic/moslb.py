"""What the policies of moslb2024 share: their radius and their width of exploration."""

from typing import Protocol

from mobandits.contracts.protocols import Shape
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Levelled
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
    number(f"{name}.alpha", recipe.alpha, above=0.0)
    number(f"{name}.delta", recipe.delta, above=0.0, below=1.0)
    number(f"{name}.penalty", recipe.penalty, above=0.0)
    number(f"{name}.noise", recipe.noise, above=0.0)
    if epsilon is not None:
        number(f"{name}.epsilon", epsilon, above=0.0)


def moslb_ucb(recipe: HasMoslbParameters, shape: Shape) -> Ucb:
    """Intervals of half-width alpha gamma_t ||x||_{V^-1}."""
    models = shape.objectives * (shape.arms if shape.shared else 1)
    return Ucb(Levelled(shape.features, models, recipe.delta, recipe.alpha, recipe.noise))


def exploration_width(name: str, epsilon: float | None, shape: Shape) -> float:
    """The given epsilon, or 5 d^(2/3) T^(-1/3), the authors' own choice in their code for both algorithms.

    Raises:
        ValueError: where neither epsilon nor the horizon is known.

    Example:
        >>> round(exploration_width("MoslbPl", None, Shape(arms=25, features=5, objectives=5, rounds=3000)), 3)
        1.014
    """
    if epsilon is not None:
        return epsilon
    if shape.rounds is None:
        raise ValueError(
            f"{name}.epsilon must be given where the number of rounds is unknown, got None"
        )
    return float(5.0 * shape.features ** (2.0 / 3.0) * shape.rounds ** (-1.0 / 3.0))
