"""A wrapper for worlds that drift: the same recipe on a regression that forgets."""

from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Assumption, Policy, Recipe, Shape, Traits
from mobandits.estimators import Discounted, DisjointRidge, Ridge
from mobandits.explorers import Greedy
from mobandits.explorers.radii import Constant
from mobandits.support.checks import number
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class Forgetting(Recipe):
    """Any recipe on ridge regression, in which rewards count `discount` times as much for every later one.

    A model remembers about 1 / (1 - discount) rewards: 100 with 0.99. The recipe's radius must be a constant: those of
    the theory hold for worlds that stay as they are.

    Args:
        recipe: such as `MolUcb(scale=0.3)`.
        discount: in (0, 1).

    Raises:
        ValueError: where `recipe` is no recipe; on `bind`, where it does not rest on ridge regression, or its radius is
            not a constant.

    Reference:
        Russac, Vernade, Cappé, "Weighted linear bandits for non-stationary environments", 2019; `Discounted` says what
        differs.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> Forgetting(MolUcb(scale=0.3), discount=0.99).bind(shape).estimator.discount
        0.99
    """

    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, on the recent past",
        part="as its recipe",
    )

    recipe: Recipe
    discount: float

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe."""
        given: Any = self.recipe
        recipe = given() if isinstance(given, type) and issubclass(given, Recipe) else given
        if not isinstance(recipe, Recipe):
            raise ValueError(
                f"Forgetting.recipe must be a recipe such as MolUcb(scale=0.3), got {quoted(recipe)}"
            )
        number("Forgetting.discount", self.discount, above=0.0, below=1.0)
        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)

    def bind(self, shape: Shape) -> Policy:
        """The recipe's policy, with an estimator that forgets."""
        policy = self.recipe.bind(
            shape._replace(fixed_arms=None)
        )  # tables of fixed arms do not forget
        inner = composite(policy)
        name = type(self.recipe).__name__
        if inner is None or not isinstance(inner.estimator, Ridge | DisjointRidge):
            raise ValueError(f"Forgetting.recipe must rest on ridge regression, got {name}")
        explorer = inner.explorer
        while hasattr(explorer, "explorer"):  # one that looks at what another believes
            explorer = explorer.explorer
        if (
            not isinstance(explorer, Greedy)
            and type(getattr(explorer, "radius", None)) is not Constant
        ):
            raise ValueError(
                f"Forgetting.recipe must have a constant radius, such as scale=0.3, got {quoted(self.recipe)}"
            )
        forgetful: Policy = exchanged(policy, estimator=Discounted(inner.estimator, self.discount))
        return forgetful

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()
