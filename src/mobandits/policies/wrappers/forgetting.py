"""A recipe for worlds that drift: another recipe on a regression that forgets."""

from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Policy, Recipe, Shape, Traits
from mobandits.estimators import Discounted, DisjointRidge, Ridge, Scaled
from mobandits.explorers.radii import Constant, FromData
from mobandits.policies.wrappers.around import AroundRecipe, require_radius
from mobandits.support.checks import number


@dataclass(frozen=True)
class Forgetting(AroundRecipe):
    """Any recipe on ridge regression, where every new reward discounts all earlier ones.

    A model remembers about 1 / (1 - discount) rewards: 100 with 0.99. The recipe's radius must be a
    constant, or the data's (`scale="data"`): those of the theory hold for worlds that stay as they
    are.

    Args:
        recipe: such as `MolUcb(scale=0.3)`.
        discount: in (0, 1).

    Raises:
        ValueError: where `recipe` is no recipe; on `bind`, where it does not rest on ridge
            regression, or its radius is not a constant.

    Reference:
        Russac, Vernade, Cappé, "Weighted linear bandits for non-stationary environments", 2019; the
        docstring of `Discounted` lists the differences.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> Forgetting(MolUcb(scale=0.3), discount=0.99).bind(shape).estimator.discount
        0.99
    """

    references: ClassVar[tuple[str, ...]] = ("russac2019",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, on the recent past",
        log="as its recipe",
        part="as its recipe",
    )

    recipe: Recipe
    discount: float

    stages = Recipe.stages  # one estimator, which learns from all rounds

    def __post_init__(self) -> None:
        """Check the parameters."""
        self.take_recipe()
        number("Forgetting.discount", self.discount, above=0.0, below=1.0)

    def inner_shape(self, shape: Shape) -> Shape:
        """The problem without the tables that a regression keeps for fixed arms: no discount there."""
        return shape.replaced(fixed_arms=None)

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, with an estimator that forgets."""
        inner = composite(policy)
        # Other estimators have no Gram matrix whose old terms could be discounted.
        name = type(self.recipe).__name__
        regression: Any = None if inner is None else inner.estimator
        is_scaled = isinstance(regression, Scaled)
        if is_scaled:
            regression = regression.model
        if not isinstance(regression, Ridge | DisjointRidge):
            raise ValueError(f"Forgetting.recipe must rest on ridge regression, got {name}")

        require_radius("Forgetting.recipe", self.recipe, inner, (Constant, FromData))
        estimator: Any = Discounted(regression, self.discount)
        if is_scaled:
            # Squares are forgotten as fast as the moments that they are compared with.
            estimator = Scaled(estimator, regression.penalty, self.discount)

        forgetful: Policy = exchanged(policy, estimator=estimator)

        return forgetful
