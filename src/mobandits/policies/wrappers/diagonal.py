"""A recipe for very many columns, mostly zeros: another recipe on a diagonal ridge regression."""

from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Policy, Recipe, Shape, Traits
from mobandits.estimators import DiagonalRidge, Discounted, DisjointRidge, Ridge, Scaled
from mobandits.explorers.radii import Constant, FromData
from mobandits.policies.wrappers.around import AroundRecipe, require_radius


@dataclass(frozen=True)
class Diagonal(AroundRecipe):
    """Any recipe on ridge regression, with a Gram matrix V of which only the diagonal is kept.

    For contexts with tens of thousands of columns, of which few are not 0 in any row, such as
    hashed words and identifiers: memory grows with their number d, not with d^2, and what a
    reward teaches takes time in proportion to the columns that are not 0. Rows are dense all the
    same: they are read, and logged, whole. It is a heuristic, without a regret bound;
    `estimators.DiagonalRidge` says what is lost. Up to some hundred columns, play the recipe alone.

    Args:
        recipe: such as `MolUcb()`, or `Forgetting(MolUcb(), discount=0.99)`, where a column
            remembers about 1 / (1 - discount) of its own rewards.

    Raises:
        ValueError: where `recipe` is no recipe; on `bind`, where it does not rest on ridge
            regression, or its radius is the theory's.

    Reference:
        Ours.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=100_000, objectives=2)
        >>> Diagonal(MolUcb(scale=0.3)).bind(shape).estimator.features
        100000
    """

    references: ClassVar[tuple[str, ...]] = ("mobandits",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, on columns that do not vary together",
        log="as its recipe",
        part="as its recipe",
    )

    recipe: Recipe

    stages = Recipe.stages  # one estimator, which learns from all rounds

    def inner_shape(self, shape: Shape) -> Shape:
        """The problem without the tables that a regression keeps for fixed arms."""
        return shape.replaced(fixed_arms=None)

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, with a diagonal estimator."""
        inner = composite(policy)
        regression: Any = None if inner is None else inner.estimator
        discount = 1.0
        # The estimator does by itself what these two do around a regression.
        while isinstance(regression, Discounted | Scaled):
            discount = min(discount, regression.discount)
            regression = regression.model

        if not isinstance(regression, Ridge | DisjointRidge):
            name = type(self.recipe).__name__
            raise ValueError(f"Diagonal.recipe must rest on ridge regression, got {name}")

        require_radius("Diagonal.recipe", self.recipe, inner, (Constant, FromData))
        estimator = DiagonalRidge(
            features=regression.features,
            objectives=regression.objectives,
            slots=regression.slots,
            penalty=regression.penalty,
            discount=discount,
        )
        diagonal: Policy = exchanged(policy, estimator=estimator)

        return diagonal
