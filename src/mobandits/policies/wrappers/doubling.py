"""The doubling trick: any recipe that needs the horizon, without knowing it."""

import dataclasses
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mobandits.contracts.protocols import Policy, Recipe, Shape, Stage
from mobandits.policies.wrappers.around import AS_ITS_RECIPE, AroundRecipe
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value


@dataclass(frozen=True)
class Doubling(AroundRecipe):
    """Play a recipe for a horizon of T_0 rounds, then from scratch for 2 T_0, for 4 T_0, and so on.

    Stage k has T_0 2^k rounds, which its policy is bound to as its horizon. Earlier stages are
    forgotten; beliefs and front are those of the current stage. A regret bound of order T^a stays
    one, with a larger constant. `bind` gives the policy of the first stage: loops that play more
    rounds take `stages`.

    Args:
        recipe: the recipe, or its class for its defaults.
        first: T_0.
        joint: divide the recipe's parameter delta by (k + 1)(k + 2) in stage k, so that all stages
            together fail with probability delta at most.

    Raises:
        ValueError: where `recipe` is no recipe, or `joint` and it has no delta.

    Example:
        >>> from mobandits.policies import Exp3P
        >>> stages = Doubling(Exp3P, first=100).stages(Shape(arms=4, features=0, objectives=2))
        >>> [next(stages).rounds for _ in range(3)]
        [100, 200, 400]
    """

    references = ("mobandits",)
    traits = AS_ITS_RECIPE._replace(plays="its recipe, from scratch for ever longer stages")

    recipe: Recipe
    first: int = 1024
    joint: bool = False

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe, whose limits become those of this one."""
        integer("Doubling.first", self.first, at_least=1)
        recipe: Any = self.recipe
        if isinstance(recipe, type) and issubclass(recipe, Recipe):
            recipe = recipe()
        # Stages of stages would double twice, and none of them would end where it should.
        if not isinstance(recipe, Recipe) or isinstance(recipe, Doubling):
            raise wrong_value("Doubling.recipe must be a recipe such as MocMab()", recipe)

        delta = getattr(recipe, "delta", None)
        if self.joint and not isinstance(delta, float):
            raise wrong_value(
                "Doubling.joint must be False for a recipe without a number delta", recipe
            )

        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)
        object.__setattr__(self, "continuum", recipe.continuum)

    def bind(self, shape: Shape) -> Policy:
        """The policy of the first stage."""
        first = next(self.stages(shape))
        return first.policy

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """One policy per stage, bound to its length."""
        for k in itertools.count():
            recipe: Any = self.recipe
            rounds = self.first * 2**k
            if self.joint:
                # Equal shares would add up without end; the sum of 1 / ((k + 1)(k + 2)) is 1.
                share = (k + 1) * (k + 2)
                recipe = dataclasses.replace(recipe, delta=recipe.delta / share)

            stage_shape = shape.replaced(rounds=rounds)
            yield Stage(recipe.bind(stage_shape), rounds)
