"""A recipe for rewards that are not linear: similar rounds correct what a line predicts."""

from dataclasses import dataclass
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.estimators import (
    Alarmed,
    Discounted,
    NearestRounds,
    Scaled,
)
from mobandits.policies.wrappers.around import AS_ITS_RECIPE, AroundRegressionRecipe
from mobandits.support.checks import integer


@dataclass(frozen=True)
class Neighbours(AroundRegressionRecipe):
    """Any recipe on ridge regression, corrected by the rounds with the nearest contexts.

    An arm's predictions are those of its line plus the mean residual of its `count` nearest rounds;
    `estimators.NearestRounds` has the formula. So a reward that is not linear is learned, and a line
    that was fitted where an arm is played does no harm elsewhere. Features must be of comparable
    scale. A decision takes time in proportion to `memory`, features and arms: about 30 us for three
    arms and 27 features.

    With a large penalty and an intercept, `Neighbours(MolEpsGreedy(penalty=1e9, intercept=1000))`,
    it is the nearest-neighbour baseline of routing.

    Args:
        recipe: such as `MolEpsGreedy(epsilon=0, penalty=10, intercept=30)`.
        count: of neighbours, at most.
        memory: rounds per arm that are kept, the newest ones; at least `count`.

    Raises:
        ValueError: where `recipe` is no recipe, or a number does not fit; on `bind`, where the
            recipe does not rest on ridge regression.

    Reference:
        Ours, on nearest neighbours (Stone, "Consistent nonparametric regression", 1977).

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> Neighbours(MolUcb(scale=0.3)).bind(shape).estimator.count
        30
    """

    references = ("stone1977",)
    traits = AS_ITS_RECIPE._replace(plays="its recipe, corrected by the nearest rounds")

    LAYERS = (Alarmed, Discounted, Scaled)

    recipe: Recipe
    count: int = 30
    memory: int = 500

    def __post_init__(self) -> None:
        """Check the parameters."""
        self.take_recipe()
        integer("Neighbours.count", self.count, at_least=1)
        integer("Neighbours.memory", self.memory, at_least=self.count)

    def estimator_around(self, estimator: Any, regression: Any) -> NearestRounds:
        """The recipe's estimator, corrected by its nearest rounds."""
        return NearestRounds(
            estimator,
            features=regression.features,
            objectives=regression.objectives,
            slots=regression.slots,
            count=self.count,
            memory=self.memory,
        )
