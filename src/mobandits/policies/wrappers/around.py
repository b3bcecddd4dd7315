"""The bases of wrappers: recipes around another recipe, and policies around another policy."""

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.notes import Note, PassesNotes
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    Beliefs,
    Choice,
    IntArray,
    Policy,
    Recipe,
    Rng,
    Shape,
    Stage,
    Traits,
)
from mobandits.contracts.states import declares
from mobandits.estimators import DisjointRidge, Priced, Ridge, Scaled
from mobandits.explorers import Greedy
from mobandits.explorers.radii import FromData
from mobandits.support.naming import quoted, wrong_value

AS_ITS_RECIPE = Traits(
    context="as its recipe",
    beliefs="as its recipe",
    plays="its recipe",
    log="as its recipe",
    part="as its recipe",
)


class AroundRecipe(Recipe):
    """Base of recipes that put something around the policy of another one, their `recipe`.

    One that binds to another policy than its recipe's defines `around`, and `inner_shape` where its
    recipe sees another problem. Every stage of the recipe is wrapped.
    """

    recipe: Recipe

    def __post_init__(self) -> None:
        """Check the recipe."""
        self.take_recipe()

    def take_recipe(self) -> None:
        """Check the recipe, whose limits become those of this one; a class becomes a recipe.

        Raises:
            ValueError: where it is none.
        """
        recipe: Any = self.recipe
        if isinstance(recipe, type) and issubclass(recipe, Recipe):
            recipe = recipe()
        if not isinstance(recipe, Recipe):
            raise wrong_value(
                f"{type(self).__name__}.recipe must be a recipe such as MolUcb(scale=0.3)", recipe
            )

        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, wrapped; `shape` is the problem of this stage."""
        raise NotImplementedError

    def inner_shape(self, shape: Shape) -> Shape:
        """The problem as the recipe sees it."""
        return shape

    def bind(self, shape: Shape) -> Policy:
        """The recipe's policy, wrapped."""
        policy = self.recipe.bind(self.inner_shape(shape))
        return self.around(policy, shape)

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """The recipe's stages, each wrapped by itself: it starts from scratch."""
        for stage in self.recipe.stages(self.inner_shape(shape)):
            rounds = shape.rounds if stage.rounds is None else stage.rounds
            policy = self.around(stage.policy, shape.replaced(rounds=rounds))
            yield Stage(policy, stage.rounds)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()


class AroundRegressionRecipe(AroundRecipe):
    """Base of recipes that put another estimator in place of the ridge regression of their recipe.

    Attributes:
        LAYERS: the estimators that may be around the regression.
        RADII: the radii that the explorer may have; none: any.
        RULE: what the recipe must do, for messages.
    """

    LAYERS: ClassVar[tuple[Any, ...]] = ()
    RADII: ClassVar[tuple[type, ...]] = ()
    RULE: ClassVar[str] = "rest on ridge regression"

    stages = Recipe.stages  # one estimator, which learns from all rounds

    def inner_shape(self, shape: Shape) -> Shape:
        """The problem without the tables that a regression keeps for fixed arms.

        They know no other rows, and nothing in them can be forgotten.
        """
        return shape.replaced(fixed_arms=None)

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, with the other estimator."""
        inner = composite(policy)
        estimator: Any = None if inner is None else inner.estimator
        regression = estimator
        while isinstance(regression, self.LAYERS):
            regression = regression.model

        where = f"{type(self).__name__}.recipe"
        if not isinstance(regression, Ridge | DisjointRidge):
            name = type(self.recipe).__name__
            raise ValueError(f"{where} must {self.RULE}, got {name}")
        if self.RADII:
            require_radius(where, self.recipe, inner, self.RADII)

        other = self.estimator_around(estimator, regression)
        changed: Policy = exchanged(policy, estimator=other)

        return changed

    def estimator_around(self, estimator: Any, regression: Any) -> Any:
        """The other estimator, given that of the recipe and the regression inside of it."""
        raise NotImplementedError


class AroundPolicy(PassesNotes):
    """Base of policies around another one: what they do not define themselves is that policy's."""

    policy: Any

    def inner_state(self, state: Any) -> Any:
        """The inner policy's state: all of theirs, where nothing else is said."""
        return state

    def init(self) -> Any:
        """The inner policy's first state."""
        return self.policy.init()

    def bounds(
        self, explorer: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The inner policy's."""
        inner = self.inner_state(state)
        bounds: Beliefs = self.policy.bounds(explorer, inner, context, arms, rng)
        return bounds

    def eases(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> bool:
        """Whether the inner policy eases a limit."""
        eases: bool = self.policy.eases(self.inner_state(state), context, arms, rng)
        return eases

    def draw(self, beliefs: Any, rng: Rng) -> Choice:
        """The inner policy's choice."""
        choice: Choice = self.policy.draw(beliefs, rng)
        return choice

    def probabilities(self, beliefs: Any) -> Array:
        """The probability of each arm: the inner policy's."""
        probabilities: Array = self.policy.probabilities(beliefs)
        return probabilities

    def update(self, state: Any, x: Array, arm: int, note: Note, reward: Array, rng: Rng) -> Any:
        """The inner policy's state after a reward, whatever it was that played the arm."""
        return self.policy.update(state, x, arm, note, reward, rng)


class MixturePolicy(AroundPolicy):
    """Base of mixtures of a policy and other plays, whose notes are the inner policy's.

    The coin belongs to `draw`: beliefs stay as definite as the inner policy's. Where the inner
    policy notes the probability of the arm, `notes_probability` is True, and that of the mixture
    comes in its place: rewards are divided by the probability with which an arm was in fact played.
    """

    notes_probability: bool

    def inner_beliefs(self, beliefs: Any) -> Any:
        """The inner policy's beliefs among those of the mixture."""
        return beliefs

    def is_other(self, beliefs: Any, rng: Rng) -> bool:
        """Whether this round is not the inner policy's, by a coin."""
        raise NotImplementedError

    def other_arm(self, beliefs: Any, law: Array, rng: Rng) -> int:
        """The arm of a round that is not the inner policy's; `law` is that of the mixture."""
        raise NotImplementedError

    def draw(self, beliefs: Any, rng: Rng) -> Choice:
        """The inner policy's choice or another arm, with the note that fits its probability."""
        if self.is_other(beliefs, rng):
            law = self.probabilities(beliefs)
            arm = self.other_arm(beliefs, law, rng)
            note = self.note_for(beliefs, arm, law[arm], rng)
            return Choice(arm, note)

        choice = self.policy.draw(self.inner_beliefs(beliefs), rng)
        if self.notes_probability:
            law = self.probabilities(beliefs)
            note = self.note_for(beliefs, choice.arm, law[choice.arm], rng)
            return Choice(choice.arm, note)

        return Choice(choice.arm, choice.note)

    def note_for(self, beliefs: Any, arm: int, probability: float, rng: Rng) -> Note:
        """The inner policy's note of this arm."""
        return self.policy.note_for(self.inner_beliefs(beliefs), arm, probability, rng)


def notes_probability(policy: Any, where: str) -> bool:
    """Whether a policy notes the probability of the arm, which a mixture must put right.

    Args:
        policy: that is to be mixed with other plays.
        where: the recipe's parameter, for messages.

    Raises:
        ValueError: where the policy does not say what it would note of any arm.
    """
    # A policy of others may note what belongs to the arm that it drew: only it knows.
    if not hasattr(policy, "note_for"):
        name = type(policy).__name__
        rule = f"{where} must bind to a policy with note_for(beliefs, arm, probability"
        raise ValueError(f"{rule}, rng), as NotesNothing has it, got {name}")

    return declares(policy, "NOTES_PROBABILITY")


def regressions_of(policy: Any, where: str) -> int:
    """How many regressions a policy has, 1 or one per arm.

    Raises:
        ValueError: where it does not rest on ridge regression, whose means of sums are sums of
            means.
    """
    inner = composite(policy)
    estimator: Any = None if inner is None else inner.estimator
    while isinstance(estimator, Scaled | Priced):
        estimator = estimator.model

    if isinstance(estimator, DisjointRidge):
        return estimator.slots
    if isinstance(estimator, Ridge):
        return 1

    name = type(policy).__name__
    rule = f"{where} must rest on ridge regression that forgets nothing, as MolUcb does"
    raise ValueError(f"{rule}, got {name}")


def require_own_beliefs(policy: Any, where: str) -> None:
    """Refuse a policy that acts on something else than the beliefs of its explorer.

    Args:
        policy: one with a `composite`.
        where: the recipe's parameter, for messages.

    Raises:
        ValueError: naming the policy.
    """
    inner = composite(policy)
    layer = policy
    while layer is not inner:
        if not getattr(layer, "PASSES_BELIEFS", False):
            rule = f"{where} must act on the beliefs of its explorer, as MolUcb does"
            raise ValueError(f"{rule}, got {type(layer).__name__}")

        layer = layer.policy


def interval_explorer(policy: Any, where: str) -> Any:
    """The explorer of intervals of mean rewards, objective by objective, that a policy rests on.

    Args:
        policy: an estimator, an explorer and an order, or wrappers around them.
        where: the recipe's parameter, for messages.

    Raises:
        ValueError: where a part of the policy keeps no intervals, or those of linear predictors.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolTs
        >>> policy = MolTs(scale=0.3).bind(Shape(arms=3, features=2, objectives=2))
        >>> interval_explorer(policy, "Within.recipe")
        Ucb(radius=Constant(value=0.3))
    """
    inner = composite(policy)
    layer = policy
    while inner is not None and layer is not inner:
        # A wrapper whose state is more than that of its policy must say how to get there.
        if not hasattr(layer, "bounds"):
            inner = None
            break

        layer = layer.policy

    if inner is None:
        name = type(policy).__name__
        rule = f"{where} must have estimates of every arm and objective, as MolUcb and MolTs have"
        raise ValueError(f"{rule}, got {name}")

    explorer = inner.explorer
    # What turns all objectives into one number rests on beliefs about several.
    while getattr(explorer, "ONE_COLUMN", False):
        explorer = explorer.explorer

    if hasattr(inner.estimator, "links") and not declares(explorer, "MEAN_REWARDS"):
        rule = f"{where} must believe in mean rewards, and not in linear predictors"
        raise ValueError(f"{rule}, got {quoted(type(policy).__name__)} with links")

    intervals = getattr(explorer, "intervals", None)

    return explorer if intervals is None else intervals()


def innermost_explorer(explorer: Any) -> Any:
    """The explorer that others work on the beliefs of."""
    while hasattr(explorer, "explorer"):
        explorer = explorer.explorer

    return explorer


def require_radius(where: str, recipe: Recipe, inner: Any, radii: tuple[type, ...]) -> None:
    """Refuse a recipe whose explorer has another radius than these; a greedy one has none.

    Args:
        where: the parameter that is the recipe, for messages.
        recipe: as given.
        inner: the `Composition` in its policy.
        radii: `Constant`, or this and `FromData`.

    Raises:
        ValueError: where it has another one.
    """
    # The radius is that of the innermost explorer: others work on its beliefs.
    explorer = innermost_explorer(inner.explorer)
    radius = getattr(explorer, "radius", None)
    if isinstance(explorer, Greedy) or isinstance(radius, radii):
        return

    rule = f"{where} must have a constant radius"
    if FromData in radii:
        rule += ", or scale='data'"
    raise wrong_value(rule, recipe)


@kernel
def position_of(arm: int, arms: IntArray) -> int:
    """The position of an arm among the eligible ones; -1 where it is none of them."""
    for a in range(len(arms)):
        if arms[a] == arm:
            return a

    return -1


@kernel
def count_observed(observed: Array, reward: Array) -> None:
    """Count a reward (objectives,), NaN where it was not observed, by objective and in place."""
    for l in range(len(reward)):
        if not math.isnan(reward[l]):
            observed[l] += 1.0


@kernel
def present_round(observed: Array) -> float:
    """The number of the present round, from 1, by the (objectives,) rewards observed so far.

    It counts rewards, not decisions: late or partial rewards end in the same state in any order.
    """
    most: float = observed.max()
    return 1.0 + most


@kernel
def rows_at(context: Array, places: IntArray) -> Array:
    """The rows of a context at some places; the only row where arms share it."""
    shared = len(context) == 1
    count = 1 if shared else len(places)
    features = context.shape[1]
    out = np.empty((count, features))
    for i in range(count):
        row = 0 if shared else places[i]
        for j in range(features):
            out[i, j] = context[row, j]

    return out


@kernel
def arms_at(arms: IntArray, places: IntArray) -> IntArray:
    """The arms at some places."""
    out = np.empty(len(places), np.int64)
    for i in range(len(places)):
        out[i] = arms[places[i]]

    return out


@kernel
def least_places(values: Array) -> IntArray:
    """The positions of the least of some numbers, of which there is one at least."""
    least = math.inf
    for value in values:
        least = min(least, value)

    count = 0
    for value in values:
        count += value == least

    places = np.empty(count, np.int64)
    filled = 0
    for i in range(len(values)):
        if values[i] == least:
            places[filled] = i
            filled += 1

    return places
