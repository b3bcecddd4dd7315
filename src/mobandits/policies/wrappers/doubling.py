"""The doubling trick: any recipe that needs the horizon, without knowing it."""

import dataclasses
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.contracts.protocols import Assumption, Policy, Recipe, Shape, Stage, Traits
from mobandits.support.checks import integer
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class Doubling(Recipe):
    """Play a recipe for T_0 rounds as if the horizon were T_0, then from scratch for 2 T_0, for 4 T_0, and so on.

    Stage k has T_0 2^k rounds, and so its policy is bound. Whatever it learned before is forgotten, and what is asked
    of the policy (beliefs, front) is asked of the current stage's. A regret bound of order T^a stays one, with a larger
    constant. `bind` gives the policy of the first stage: whoever plays more rounds takes `stages`.

    Args:
        recipe: the recipe, or its class for its defaults.
        first: T_0.
        joint: divide the recipe's parameter delta by (k + 1)(k + 2) in stage k, so that all stages together fail with
            probability delta at most.

    Raises:
        ValueError: where `recipe` is no recipe, or `joint` and it has no delta.

    Example:
        >>> from mobandits.policies import Exp3P
        >>> stages = Doubling(Exp3P, first=100).stages(Shape(arms=4, features=0, objectives=2))
        >>> [next(stages).rounds for _ in range(3)]
        [100, 200, 400]
    """

    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, from scratch for ever longer stages",
        part="as its recipe",
    )

    recipe: Recipe
    first: int = 1024
    joint: bool = False

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe, and what that cannot learn or play this cannot."""
        integer("Doubling.first", self.first, at_least=1)
        given: Any = self.recipe
        recipe = given() if isinstance(given, type) and issubclass(given, Recipe) else given
        if not isinstance(recipe, Recipe) or isinstance(recipe, Doubling):
            raise ValueError(
                f"Doubling.recipe must be a recipe such as MocMab(), got {quoted(recipe)}"
            )
        if self.joint and not isinstance(getattr(recipe, "delta", None), float):
            raise ValueError(
                f"Doubling.joint must be False for a recipe without a number delta, got {quoted(recipe)}"
            )
        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)
        object.__setattr__(self, "continuum", recipe.continuum)

    def bind(self, shape: Shape) -> Policy:
        """The policy of the first stage."""
        return next(self.stages(shape)).policy

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """One policy per stage, bound to its length."""
        for k in itertools.count():
            recipe: Any = self.recipe
            rounds = self.first * 2**k
            if self.joint:
                recipe = dataclasses.replace(recipe, delta=recipe.delta / ((k + 1) * (k + 2)))
            yield Stage(recipe.bind(shape._replace(rounds=rounds)), rounds)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()
