"""A recipe for very many columns, mostly zeros: another recipe on a diagonal ridge regression."""

from dataclasses import dataclass
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.estimators import DiagonalRidge, Discounted, Scaled
from mobandits.explorers.radii import Constant, FromData
from mobandits.policies.wrappers.around import AS_ITS_RECIPE, AroundRegressionRecipe


@dataclass(frozen=True)
class Diagonal(AroundRegressionRecipe):
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
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=100_000, objectives=2)
        >>> Diagonal(MolUcb(scale=0.3)).bind(shape).estimator.features
        100000
    """

    references = ("mobandits",)
    traits = AS_ITS_RECIPE._replace(plays="its recipe, on columns that do not vary together")

    LAYERS = (Discounted, Scaled)
    RADII = (Constant, FromData)

    recipe: Recipe

    def estimator_around(self, estimator: Any, regression: Any) -> DiagonalRidge:
        """The diagonal estimator, which forgets as fast as the recipe's."""
        discount = 1.0
        # The estimator does by itself what these two do around a regression.
        while estimator is not regression:
            discount = min(discount, estimator.discount)
            estimator = estimator.model

        return DiagonalRidge(
            features=regression.features,
            objectives=regression.objectives,
            slots=regression.slots,
            penalty=regression.penalty,
            discount=discount,
        )
