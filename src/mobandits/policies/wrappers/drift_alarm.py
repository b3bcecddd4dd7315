"""A recipe for worlds that change at times: an arm whose rewards drift forgets, and no other."""

from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Policy, Recipe, Shape, Traits
from mobandits.estimators import Alarmed, DisjointRidge, Ridge
from mobandits.explorers.radii import Constant
from mobandits.policies.wrappers.around import AroundRecipe, require_radius


@dataclass(frozen=True)
class DriftAlarm(AroundRecipe):
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
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> type(DriftAlarm(MolUcb(scale=0.3)).bind(shape).estimator).__name__
        'Alarmed'
    """

    references: ClassVar[tuple[str, ...]] = ("page1954",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, on what came since an arm's rewards drifted",
        log="as its recipe",
        part="as its recipe",
    )

    recipe: Recipe

    stages = Recipe.stages  # one estimator, which learns from all rounds

    def inner_shape(self, shape: Shape) -> Shape:
        """The problem without the tables that a regression keeps for fixed arms: they cannot fade."""
        return shape.replaced(fixed_arms=None)

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, with an estimator that forgets at an alarm."""
        inner = composite(policy)
        regression: Any = None if inner is None else inner.estimator
        if not isinstance(regression, Ridge | DisjointRidge):
            name = type(self.recipe).__name__
            rule = "DriftAlarm.recipe must rest on ridge regression, without scale='data'"
            raise ValueError(f"{rule}, got {name}")

        require_radius("DriftAlarm.recipe", self.recipe, inner, (Constant,))
        alarmed: Policy = exchanged(policy, estimator=Alarmed(regression))

        return alarmed
