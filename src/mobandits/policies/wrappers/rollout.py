"""Rollout: any policy for a share of the decisions, and a baseline arm for the others.

Symbols: p_a the probability of arm a in the inner policy, s the share, b the baseline.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

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
from mobandits.contracts.terms import ApplicationTerms
from mobandits.policies.wrappers.own_terms import as_recipe, slot_of
from mobandits.policies.wrappers.subsets import position_of
from mobandits.support.checks import number
from mobandits.support.naming import quoted


class RolloutBeliefs(NamedTuple):
    """The inner policy's beliefs, and where the baseline is.

    Attributes:
        beliefs: of the policy inside.
        baseline: the position of the baseline; -1 where it is not eligible.
    """

    beliefs: Any
    baseline: int


@compiled
class RolloutPolicy(PassesNotes):
    """A mixture of a policy and one arm: probabilities s p_a + (1 - s) [a = b].

    Args:
        policy: the inner policy; its notes are those of the mixture.
        baseline: the slot of the arm.
        share: s, in [0, 1].
        notes_probability: whether the inner policy notes the probability of the arm, in whose place
            comes that of the mixture.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies.baselines.single_arm import SingleArmPolicy
        >>> policy = RolloutPolicy(SingleArmPolicy(1), baseline=0, share=0.25)
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.zeros((1, 0)), np.arange(3), rng)
        >>> policy.probabilities(beliefs).tolist()
        [0.75, 0.25, 0.0]
    """

    policy: Any
    baseline: int
    share: float
    notes_probability: bool = False

    def init(self) -> Any:
        """The inner policy's first state."""
        return self.policy.init()

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> RolloutBeliefs:
        """The inner policy's beliefs, and the position of the baseline."""
        # The coin belongs to `draw`: beliefs stay as definite as the inner policy's.
        inner = self.policy.beliefs(state, context, arms, rng)
        baseline = position_of(self.baseline, arms)
        return RolloutBeliefs(inner, baseline)

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

    def draw(self, beliefs: RolloutBeliefs, rng: Rng) -> Choice:
        """The inner policy's arm with probability s, else the baseline, with a note of its own.

        Where the baseline is not eligible, the inner policy draws in every round.
        """
        baseline = beliefs.baseline
        # Without the baseline no coin is tossed: nothing depends on it.
        if baseline >= 0 and rng.random() >= self.share:
            note = self.note_for(beliefs, baseline, self.probability_of(beliefs, baseline), rng)
            return Choice(baseline, note)

        choice = self.policy.draw(beliefs.beliefs, rng)
        if self.notes_probability:
            # Rewards are divided by the probability with which the arm was in fact played.
            probability = self.probability_of(beliefs, choice.arm)
            note = self.note_for(beliefs, choice.arm, probability, rng)
            return Choice(choice.arm, note)

        return Choice(choice.arm, choice.note)

    def note_for(self, beliefs: RolloutBeliefs, arm: int, probability: float, rng: Rng) -> Note:
        """The inner policy's note of this arm."""
        return self.policy.note_for(beliefs.beliefs, arm, probability, rng)

    def probability_of(self, beliefs: RolloutBeliefs, arm: int) -> float:
        """The probability of one arm in the mixture."""
        probabilities = self.probabilities(beliefs)
        probability: float = probabilities[arm]
        return probability

    def probabilities(self, beliefs: RolloutBeliefs) -> Array:
        """The probability of each arm in the mixture, exactly."""
        inner = self.policy.probabilities(beliefs.beliefs)
        probabilities: Array = inner.copy()
        if beliefs.baseline >= 0:
            for a in range(len(inner)):
                probabilities[a] = self.share * inner[a]

            probabilities[beliefs.baseline] += 1.0 - self.share

        return probabilities

    def forced(self, slots: IntArray) -> Array:
        """(arms,) the probabilities of arms that the inner policy would not play."""
        inner = forced_probabilities(self.policy, slots)
        is_baseline = slots == self.baseline
        if not is_baseline.any():
            return inner

        forced: Array = self.share * inner + (1.0 - self.share) * is_baseline
        return forced

    def update(self, state: Any, x: Array, arm: int, note: Note, reward: Array, rng: Rng) -> Any:
        """The state after a reward: the inner policy learns from the baseline's rounds too."""
        return self.policy.update(state, x, arm, note, reward, rng)


@dataclass(frozen=True)
class Rollout(Recipe):
    """Any recipe for a share of the decisions; a baseline arm for the others.

    With p the probabilities of the recipe's policy, arm a is played with

        s p_a + (1 - s) [a = baseline]

    so that a new policy can be introduced step by step: at s = 0.1 it decides for a tenth. It
    learns from all rounds, also from those of the baseline, and every propensity is that of the
    mixture, so that the log values both sides. Where the baseline is not eligible the policy
    decides alone. `Agent.retune` goes on with another share and with what was learned.

    Probabilities are exact where the recipe's are, and estimated where it draws beliefs. Beliefs,
    learning and saved state are those of the recipe. A floor belongs inside or outside as it is
    meant: `Rollout(WithFloor(recipe, 0.05), ...)` explores in the share alone.

    Args:
        recipe: such as `MolUcb(scale=0.3)`, or its class for its defaults.
        baseline: the arm: its name in an agent, which cannot remove it; in simulations its number.
        share: s, of the rounds in which the recipe decides, in [0, 1].

    Raises:
        ValueError: where `recipe` is no recipe, or the share is out of range; on `bind`, where there
            is no such arm, or the policy's notes belong to arms, and it does not say what it would
            note of any arm.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies import MolUcb
        >>> recipe = Rollout(MolUcb(scale=0.3), baseline=0, share=0.25)
        >>> policy = recipe.bind(Shape(arms=2, features=1, objectives=1))
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.array([[0.5], [1.0]]), np.arange(2), rng)
        >>> policy.probabilities(beliefs).tolist()
        [0.75, 0.25]
    """

    references: ClassVar[tuple[str, ...]] = ("mobandits",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe in a share of the rounds, else a baseline",
        log="as its recipe",
        part="as its recipe",
    )
    ARM_FIELDS: ClassVar[tuple[str, ...]] = ("baseline",)

    recipe: Recipe
    baseline: Any
    share: float = 0.1
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe."""
        recipe = as_recipe(self.recipe, "Rollout.recipe")
        number("Rollout.share", self.share, at_least=0.0, at_most=1.0)
        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)

    def bind(self, shape: Shape) -> Policy:
        """The recipe's policy, mixed with the baseline."""
        policy = self.recipe.bind(shape)
        return self._mixture(policy, shape)

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """The recipe's stages, each mixed with the baseline."""
        for stage in self.recipe.stages(shape):
            mixture = self._mixture(stage.policy, shape)
            yield Stage(mixture, stage.rounds)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()

    def _mixture(self, policy: Any, shape: Shape) -> RolloutPolicy:
        baseline = slot_of(self.terms, self.baseline, "Rollout.baseline")
        if baseline >= shape.arms:
            rule = f"Rollout.baseline must be an arm below {shape.arms}"
            raise ValueError(f"{rule}, got {quoted(self.baseline)}")

        # A policy of others may note what belongs to the arm that it drew: only it knows.
        if not hasattr(policy, "note_for"):
            name = type(policy).__name__
            rule = "Rollout.recipe must bind to a policy with note_for(beliefs, arm, probability"
            raise ValueError(f"{rule}, rng), as NotesNothing has it, got {name}")

        notes_probability = declares(policy, "NOTES_PROBABILITY")

        return RolloutPolicy(policy, baseline, float(self.share), notes_probability)
