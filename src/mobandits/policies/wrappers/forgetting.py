"""A recipe for worlds that drift: another recipe on a regression that forgets."""

from dataclasses import dataclass
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.estimators import Discounted, Scaled
from mobandits.explorers.radii import Constant, FromData
from mobandits.policies.wrappers.around import AS_ITS_RECIPE, AroundRegressionRecipe
from mobandits.support.checks import number


@dataclass(frozen=True)
class Forgetting(AroundRegressionRecipe):
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
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> Forgetting(MolUcb(scale=0.3), discount=0.99).bind(shape).estimator.discount
        0.99
    """

    references = ("russac2019",)
    traits = AS_ITS_RECIPE._replace(plays="its recipe, on the recent past")

    # Other estimators have no Gram matrix whose old terms could be discounted.
    LAYERS = (Scaled,)
    RADII = (Constant, FromData)

    recipe: Recipe
    discount: float

    def __post_init__(self) -> None:
        """Check the parameters."""
        self.take_recipe()
        number("Forgetting.discount", self.discount, above=0.0, below=1.0)

    def estimator_around(self, estimator: Any, regression: Any) -> Any:
        """The regression that forgets."""
        forgetful = Discounted(regression, self.discount)
        if estimator is regression:
            return forgetful

        # Squares are forgotten as fast as the moments that they are compared with.
        return Scaled(forgetful, regression.penalty, self.discount)
