"""WithFloor: any policy, with a known least probability for every eligible arm.

Symbols: p_a the probability of arm a in the inner policy, epsilon the share of uniform rounds, K the
eligible arms.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.composition import forced_probabilities
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
from mobandits.policies.wrappers.own_terms import as_recipe
from mobandits.support.checks import number


@compiled
class FloorPolicy(PassesNotes):
    """A mixture of uniform play and a policy's: probabilities epsilon / K + (1 - epsilon) p_a.

    Args:
        policy: the inner policy; its notes are those of the mixture.
        epsilon: in [0, 1].
        notes_probability: whether the inner policy notes the probability of the arm, in whose place
            comes that of the mixture.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies.baselines.single_arm import SingleArmPolicy
        >>> policy = FloorPolicy(SingleArmPolicy(1), 0.5)
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.zeros((1, 0)), np.arange(4), rng)
        >>> policy.probabilities(beliefs).tolist()
        [0.125, 0.625, 0.125, 0.125]
    """

    policy: Any
    epsilon: float
    notes_probability: bool = False

    PASSES_BELIEFS: ClassVar[bool] = True

    def init(self) -> Any:
        """The inner policy's first state."""
        return self.policy.init()

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The inner policy's beliefs."""
        # The coin belongs to `draw`: beliefs stay as definite as the inner policy's.
        return self.policy.beliefs(state, context, arms, rng)

    def bounds(
        self, explorer: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The inner policy's."""
        bounds: Beliefs = self.policy.bounds(explorer, state, context, arms, rng)
        return bounds

    def eases(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> bool:
        """Whether the inner policy eases a limit."""
        eases: bool = self.policy.eases(state, context, arms, rng)
        return eases

    def draw(self, beliefs: Any, rng: Rng) -> Choice:
        """A uniform arm with probability epsilon, else the inner policy's, with a note of its own.

        The note of a uniform arm is the one that the inner policy would have given it.
        """
        is_uniform = rng.random() < self.epsilon
        if is_uniform:
            # Beliefs are the inner policy's own type: only it knows how many arms they are about.
            probabilities = self.probabilities(beliefs)
            arms = len(probabilities)
            arm = int(rng.random() * arms)
            note = self.policy.note_for(beliefs, arm, probabilities[arm], rng)
            return Choice(arm, note)

        choice = self.policy.draw(beliefs, rng)
        if self.notes_probability:
            # Rewards are divided by the probability with which the arm was in fact played.
            probabilities = self.probabilities(beliefs)
            probability = probabilities[choice.arm]
            note = self.policy.note_for(beliefs, choice.arm, probability, rng)
            return Choice(choice.arm, note)

        return Choice(choice.arm, choice.note)

    def probabilities(self, beliefs: Any) -> Array:
        """The probability of each arm in the mixture, exactly."""
        inner = self.policy.probabilities(beliefs)
        arms = len(inner)
        probabilities = np.empty(arms)
        uniform_part = self.epsilon / arms
        inner_share = 1.0 - self.epsilon
        for a in range(arms):
            probabilities[a] = uniform_part + inner_share * inner[a]

        return probabilities

    def forced(self, slots: IntArray) -> Array:
        """(arms,) the probabilities of arms that the inner policy would not play."""
        inner = forced_probabilities(self.policy, slots)
        forced: Array = self.epsilon / len(slots) + (1.0 - self.epsilon) * inner
        return forced

    def update(self, state: Any, x: Array, arm: int, note: Note, reward: Array, rng: Rng) -> Any:
        """The state after a reward: the inner policy learns from uniform plays too."""
        return self.policy.update(state, x, arm, note, reward, rng)


@dataclass(frozen=True)
class WithFloor(Recipe):
    """Any recipe, mixed with uniform play: no eligible arm has a probability below epsilon / K.

    With p the probabilities of the recipe's policy and K the eligible arms, arm a is played with

        (1 - epsilon) p_a + epsilon / K

    so that a log can value any other policy, with weights of at most K / epsilon. The price is
    epsilon of the rounds. Probabilities are exact where the recipe's are, which is where its beliefs
    are definite, and are estimated where it draws beliefs: such an estimate is at least epsilon / K
    too. Beliefs, scores, learning and saved state are those of the recipe; wrappers nest in any
    order, as in `Forgetting(WithFloor(MolUcb(scale=0.3)), 0.99)`.

    Args:
        recipe: such as `MolUcb(scale=0.3)`, or its class for its defaults.
        epsilon: the share of uniform rounds, in (0, 1].

    Raises:
        ValueError: where `recipe` is no recipe, or epsilon is out of range; on `bind`, where the
            policy's notes belong to arms, and it does not say what it would note of any arm.

    Reference:
        The mixture is that of epsilon-greedy, and of Langford and Zhang, "The epoch-greedy algorithm
        for contextual multi-armed bandits", 2007.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies import MolUcb
        >>> policy = WithFloor(MolUcb(scale=0.3), 0.2).bind(Shape(arms=2, features=1, objectives=1))
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.array([[1.0], [0.5]]), np.arange(2), rng)
        >>> policy.probabilities(beliefs).tolist()
        [0.9, 0.1]
    """

    references: ClassVar[tuple[str, ...]] = ("langford2007",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, sometimes any arm",
        log="as its recipe, without zeros",
        part="as its recipe",
    )

    recipe: Recipe
    epsilon: float = 0.05

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe."""
        recipe = as_recipe(self.recipe, "WithFloor.recipe")
        number("WithFloor.epsilon", self.epsilon, above=0.0, at_most=1.0)
        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)

    def bind(self, shape: Shape) -> Policy:
        """The recipe's policy, with the floor."""
        policy = self.recipe.bind(shape)
        return self._mixture(policy)

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """The recipe's stages, each with the floor."""
        for stage in self.recipe.stages(shape):
            mixture = self._mixture(stage.policy)
            yield Stage(mixture, stage.rounds)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()

    def _mixture(self, policy: Any) -> FloorPolicy:
        # A policy of others may note what belongs to the arm that it drew: only it knows.
        if not hasattr(policy, "note_for"):
            name = type(policy).__name__
            rule = "WithFloor.recipe must bind to a policy with note_for(beliefs, arm, probability"
            raise ValueError(f"{rule}, rng), as NotesNothing has it, got {name}")

        notes_probability = declares(policy, "NOTES_PROBABILITY")

        return FloorPolicy(policy, self.epsilon, notes_probability)
