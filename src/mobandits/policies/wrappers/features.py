"""Features: a linear recipe on phi(x) in place of x, for rewards that are not linear."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import Note
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    Beliefs,
    IntArray,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.states import parts_of
from mobandits.features.feature_map import FeatureMap
from mobandits.policies.wrappers.around import AS_ITS_RECIPE, AroundPolicy, AroundRecipe
from mobandits.support.naming import wrong_value


@compiled
class FeaturesPolicy(AroundPolicy):
    """A policy that sees phi(x) in the place of every context row x.

    Args:
        policy: the inner policy, bound to features of the length of phi(x).
        feature_map: the map, bound to the features of x.

    Example:
        >>> from mobandits.features import Crosses
        >>> from mobandits.policies import MolUcb
        >>> inner = MolUcb(scale=0.3).bind(Shape(arms=2, features=2, objectives=1))
        >>> policy = FeaturesPolicy(inner, Crosses(2).bind(1))
        >>> rng = np.random.default_rng(0)
        >>> state = policy.update(policy.init(), np.array([2.0]), 0, 0.0, np.array([1.0]), rng)
        >>> state.moment.tolist()
        [[[2.0, 4.0]]]
    """

    policy: Any
    feature_map: Any

    PASSES_BELIEFS = True

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The inner policy's beliefs, given phi of every row."""
        return self.policy.beliefs(state, self.mapped(context), arms, rng)

    def bounds(
        self, explorer: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The inner policy's, given phi of every row."""
        bounds: Beliefs = self.policy.bounds(explorer, state, self.mapped(context), arms, rng)
        return bounds

    def eases(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> bool:
        """Whether the inner policy eases a limit, given phi of every row."""
        eases: bool = self.policy.eases(state, self.mapped(context), arms, rng)
        return eases

    def mapped(self, context: Array) -> Array:
        """(rows, size) phi of every row."""
        rows = len(context)
        mapped = np.empty((rows, self.feature_map.size))
        for i in range(rows):
            self.feature_map.apply(context[i], mapped[i])

        return mapped

    def update(self, state: Any, x: Array, arm: int, note: Note, reward: Array, rng: Rng) -> Any:
        """The state after a reward: the inner policy learns it with phi(x)."""
        # Computed again and not kept with the decision: applications keep x, which is shorter, and
        # logs hold what was there.
        mapped = np.empty(self.feature_map.size)
        self.feature_map.apply(x, mapped)

        return self.policy.update(state, mapped, arm, note, reward, rng)


@dataclass(frozen=True)
class Features(AroundRecipe):
    """Any linear recipe on phi(x) in place of x: it learns rewards that are linear in phi(x).

    The regressions are those of phi, with V = penalty I + sum of phi phi' and Z = sum of r phi. So
    rewards in part, forgetting, `scale="data"`, propensities, merging and saving are those of the
    recipe; the state has as many features as phi. Contexts, logs and explanations keep x. Maps
    nest, the outer one first: ``Features(Columns((0, 1)), Features(Crosses(2), recipe))``.

    Other wrappers may be inside or outside, as in ``WithFloor(Features(map, recipe), 0.05)``; only
    `GapWeighted` must be inside.

    Args:
        map: of `mobandits.features`, such as `Fourier(100, length=0.5)`; `mob.features.fit(log,
            kind).map` is fitted to a log.
        recipe: one that rests on ridge regression or online Newton steps, such as
            `MolUcb(scale=0.3)`, or its class for its defaults.

    Raises:
        ValueError: where `map` is no map, or `recipe` no recipe; on `bind`, where the map does not
            fit the contexts, or the recipe does not learn from features.

    Example:
        >>> from mobandits.features import Crosses
        >>> from mobandits.policies import MolUcb
        >>> recipe = Features(Crosses(2), MolUcb(scale=0.3))
        >>> recipe.bind(Shape(arms=3, features=2, objectives=2)).policy.estimator.features
        5
    """

    references = ("mobandits",)
    traits = AS_ITS_RECIPE._replace(plays="its recipe, on features of the context")

    map: FeatureMap
    recipe: Recipe

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe."""
        if not isinstance(self.map, FeatureMap):
            raise wrong_value(
                "Features.map must be a map of mobandits.features such as Crosses(2)", self.map
            )

        self.take_recipe()

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe about rewards."""
        assumptions = self.recipe.assumptions()
        # The others are about phi, while what is checked is x: no statement about it follows.
        about_rewards = [each for each in assumptions if each.about == "rewards"]
        return tuple(about_rewards)

    def inner_shape(self, shape: Shape) -> Shape:
        """The problem as the recipe sees it, with phi of the arms."""
        size = self.map.bind(shape.features).size
        fixed_arms = shape.fixed_arms
        if fixed_arms is not None:
            fixed_arms = self.map(fixed_arms)
        return shape.replaced(features=size, fixed_arms=fixed_arms)

    def around(self, policy: Any, shape: Shape) -> FeaturesPolicy:
        """The recipe's policy, on phi."""
        # Every estimator that learns from features says how large its matrices are. Other policies
        # would ignore phi, or cut it into cells of the unit cube, which it does not lie in.
        learns_from_features = any(hasattr(part, "matrix_entries") for part in parts_of(policy))
        if not learns_from_features:
            name = type(self.recipe).__name__
            rule = "Features.recipe must rest on ridge regression or online Newton steps"
            raise ValueError(f"{rule}, got {name}")

        return FeaturesPolicy(policy, self.map.bind(shape.features))
