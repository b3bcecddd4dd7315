"""The confidence radius of policies with linear rewards: a constant, the data's, or the theory's.

Symbols: c1_t(delta) the theory's radius, N the number of estimates that must hold together.
"""

from typing import Any, Final, Literal

from mobandits.contracts.assumptions import UNIT_BALL
from mobandits.contracts.protocols import Assumption, Recipe, Shape
from mobandits.estimators import Scaled, ridge_for
from mobandits.explorers.radii import Constant, FromData, SelfNormalised
from mobandits.support.checks import number
from mobandits.support.naming import wrong_value

DATA: Final = "data"
THEORY: Final = "theory"
# Standard deviations that the radius has with scale="data".
MULTIPLE = 1.0
Scale = float | Literal["data", "theory"]


class RadiusRecipe(Recipe):
    """Base of recipes with the four parameters that decide a radius; subclasses give their defaults.

    Attributes:
        scale: constant radius, "data" for one in units of the rewards, or "theory" for the
            theory's.
        delta: failure probability of the theory's.
        noise: sub-Gaussian constant of the rewards.
        penalty: ridge penalty.
    """

    assumed = (UNIT_BALL,)

    REWARD_UNIT_FIELDS = ("scale",)

    scale: Scale
    delta: float
    noise: float
    penalty: float

    def assumptions(self) -> tuple[Assumption, ...]:
        """Norms of at most 1, for the theory's radius."""
        return super().assumptions() if self.scale == THEORY else ()


def check_radius(recipe: RadiusRecipe) -> None:
    """Refuse parameters of a radius that make no sense, by name."""
    name = type(recipe).__name__
    check_scale(f"{name}.scale", recipe.scale, (DATA, THEORY))

    number(f"{name}.delta", recipe.delta, above=0.0, below=1.0)
    for parameter in ("noise", "penalty"):
        value = getattr(recipe, parameter)
        number(f"{name}.{parameter}", value, above=0.0)


def check_scale(name: str, scale: Any, words: tuple[str, ...]) -> None:
    """Refuse a scale that is neither a positive number nor one of some words.

    Example:
        >>> check_scale("MolUcb.scale", None, ("data", "theory"))
        Traceback (most recent call last):
        ValueError: MolUcb.scale must be a number, "data" or "theory", got None
    """
    if scale in words:
        return
    if scale is None or isinstance(scale, str):
        *others, last = (f'"{word}"' for word in words)
        raise wrong_value(f"{name} must be {', '.join(['a number', *others])} or {last}", scale)

    number(name, scale, above=0.0)


def estimate_count(shape: Shape) -> int:
    """The number of estimates N in the union bound of a linear policy.

    Example:
        >>> estimate_count(Shape(arms=3, features=2, objectives=4))
        4
        >>> estimate_count(Shape(arms=3, features=2, objectives=4, shared=True))
        12
    """
    regressions = 1
    # Where arms share the context, each has a regression of its own that may fail.
    if shape.shared:
        regressions = shape.arms

    return shape.objectives * regressions


def linear_estimator(recipe: RadiusRecipe, shape: Shape) -> Any:
    """The regression that fits the shape; where the radius is the data's, with their deviation.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=1)
        >>> linear_estimator(MolUcb(scale=0.3), shape)
        Ridge(features=2, objectives=1, penalty=1.0, slots=1)
        >>> type(linear_estimator(MolUcb(scale="data"), shape)).__name__
        'Scaled'
    """
    regression = ridge_for(shape, recipe.penalty)
    # Sums of squares are a state of their own: other radii do not pay for them.
    if recipe.scale == DATA:
        return Scaled(regression, recipe.penalty)
    return regression


def linear_radius(recipe: RadiusRecipe, shape: Shape) -> Constant | FromData | SelfNormalised:
    """The recipe's constant radius, the data's, or c1_t(delta) with a union over all estimates.

    These are as many as objectives, times arms where each arm has a model of its own.
    """
    if recipe.scale == DATA:
        return FromData(MULTIPLE, recipe.penalty)
    if recipe.scale != THEORY:
        return Constant(float(recipe.scale))

    return SelfNormalised(
        features=shape.features,
        models=estimate_count(shape),
        delta=recipe.delta,
        noise=recipe.noise,
        penalty=recipe.penalty,
    )
