"""A recipe for rewards that are not linear: similar rounds correct what a line predicts."""

from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Policy, Recipe, Shape, Traits
from mobandits.estimators import (
    Alarmed,
    Discounted,
    DisjointRidge,
    NearestRounds,
    Ridge,
    Scaled,
)
from mobandits.policies.wrappers.around import AroundRecipe
from mobandits.support.checks import integer


@dataclass(frozen=True)
class Neighbours(AroundRecipe):
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
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> Neighbours(MolUcb(scale=0.3)).bind(shape).estimator.count
        30
    """

    references: ClassVar[tuple[str, ...]] = ("stone1977",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, corrected by the nearest rounds",
        log="as its recipe",
        part="as its recipe",
    )

    recipe: Recipe
    count: int = 30
    memory: int = 500

    stages = Recipe.stages  # one estimator, which learns from all rounds

    def __post_init__(self) -> None:
        """Check the parameters."""
        self.take_recipe()
        integer("Neighbours.count", self.count, at_least=1)
        integer("Neighbours.memory", self.memory, at_least=self.count)

    def inner_shape(self, shape: Shape) -> Shape:
        """The problem without the tables that a regression keeps for fixed arms: they know no other rows."""
        return shape.replaced(fixed_arms=None)

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, with an estimator that knows its nearest rounds."""
        inner = composite(policy)
        estimator: Any = None if inner is None else inner.estimator
        regression = estimator
        while isinstance(regression, Alarmed | Discounted | Scaled):
            regression = regression.model

        if not isinstance(regression, Ridge | DisjointRidge):
            name = type(self.recipe).__name__
            raise ValueError(f"Neighbours.recipe must rest on ridge regression, got {name}")

        near = NearestRounds(
            estimator,
            features=regression.features,
            objectives=regression.objectives,
            slots=regression.slots,
            count=self.count,
            memory=self.memory,
        )
        corrected: Policy = exchanged(policy, estimator=near)

        return corrected
