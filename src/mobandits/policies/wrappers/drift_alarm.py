"""A recipe for worlds that change at times: an arm whose rewards drift forgets, and no other."""

from dataclasses import dataclass
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.estimators import Alarmed
from mobandits.explorers.radii import Constant
from mobandits.policies.wrappers.around import AS_ITS_RECIPE, AroundRegressionRecipe


@dataclass(frozen=True)
class DriftAlarm(AroundRegressionRecipe):
    """Any recipe on ridge regression, where an arm forgets when its rewards drift.

    `estimators.Alarmed` says when: a shift by 1.5 standard deviations is noticed after some 12
    rewards of the arm. The arm then keeps 5 rewards' worth of what it knows. Unlike `Forgetting` it
    costs nothing where the world stays as it is, and what is slow is not noticed. An arm that has
    got worse is played less, so that its recovery is noticed late.

    Args:
        recipe: such as `MolEpsGreedy(epsilon=0, penalty=10, intercept=30)`, or one with a constant
            radius.

    Raises:
        ValueError: where `recipe` is no recipe; on `bind`, where it does not rest on ridge
            regression, or has a radius that is not constant.

    Reference:
        Ours, on the sums of Page, "Continuous inspection schemes", Biometrika 41, 1954.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> type(DriftAlarm(MolUcb(scale=0.3)).bind(shape).estimator).__name__
        'Alarmed'
    """

    references = ("page1954",)
    traits = AS_ITS_RECIPE._replace(plays="its recipe, on what came since an arm's rewards drifted")

    RADII = (Constant,)
    RULE = "rest on ridge regression, without scale='data'"

    recipe: Recipe

    def estimator_around(self, estimator: Any, regression: Any) -> Alarmed:
        """The regression that forgets at an alarm."""
        return Alarmed(regression)
