"""The radius that the MOL-* recipes share: a constant, or the theory's."""

from typing import Protocol

from mobandits.contracts.protocols import Shape
from mobandits.explorers.radii import Constant, SelfNormalised
from mobandits.support.checks import number


class HasRadius(Protocol):
    """A recipe with the four parameters that decide a radius."""

    @property
    def scale(self) -> float | None:
        """Constant radius, or None for the theory's."""

    @property
    def delta(self) -> float:
        """Failure probability of the theory's."""

    @property
    def noise(self) -> float:
        """Sub-Gaussian constant of the rewards."""

    @property
    def penalty(self) -> float:
        """Ridge penalty."""


def check_radius(recipe: HasRadius) -> None:
    """Refuse parameters of a radius that make no sense, by name."""
    name = type(recipe).__name__
    if recipe.scale is not None:
        number(f"{name}.scale", recipe.scale, above=0.0)
    number(f"{name}.delta", recipe.delta, above=0.0, below=1.0)
    number(f"{name}.noise", recipe.noise, above=0.0)
    number(f"{name}.penalty", recipe.penalty, above=0.0)


def linear_radius(recipe: HasRadius, shape: Shape) -> Constant | SelfNormalised:
    """The recipe's constant, or c1_t(delta) with a union over all models.

    These are as many as objectives, times arms where each arm has a model of its own.
    """
    if recipe.scale is not None:
        return Constant(recipe.scale)
    models = shape.objectives * (shape.arms if shape.shared else 1)
    return SelfNormalised(shape.features, models, recipe.delta, recipe.noise, recipe.penalty)
