"""WithFloor: any policy, with a known least probability for every eligible arm.

Symbols: p_a the probability of arm a in the inner policy, epsilon the share of uniform rounds, K the
eligible arms.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.composition import forced_probabilities
from mobandits.contracts.protocols import (
    Array,
    IntArray,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.policies.wrappers.around import AroundRecipe, MixturePolicy, notes_probability
from mobandits.support.checks import number


@compiled
class FloorPolicy(MixturePolicy):
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

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The inner policy's beliefs."""
        return self.policy.beliefs(state, context, arms, rng)

    def is_other(self, beliefs: Any, rng: Rng) -> bool:
        """Whether this round is uniform, with probability epsilon."""
        is_uniform: bool = rng.random() < self.epsilon
        return is_uniform

    def other_arm(self, beliefs: Any, law: Array, rng: Rng) -> int:
        """A uniform arm."""
        # Beliefs are the inner policy's own type: only it knows how many arms they are about.
        return int(rng.random() * len(law))

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


@dataclass(frozen=True)
class WithFloor(AroundRecipe):
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
        self.take_recipe()
        number("WithFloor.epsilon", self.epsilon, above=0.0, at_most=1.0)

    def around(self, policy: Any, shape: Shape) -> FloorPolicy:
        """The recipe's policy, with the floor."""
        notes = notes_probability(policy, "WithFloor.recipe")
        return FloorPolicy(policy, self.epsilon, notes)
