"""A wrapper that mixes any policy with uniform play."""

from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Choice, IntArray, Rng


@compiled
class EpsilonMixture(NotesNothing):
    """A mixture of uniform play and a policy's: probabilities epsilon/K + (1 - epsilon) p.

    Every arm has a positive probability, so the set that a round is drawn from is all arms; the
    inner policy must not need its note.

    Args:
        policy: the inner policy.
        epsilon: in [0, 1].

    Example:
        >>> import numpy as np
        >>> from mobandits.policies.baselines.random_choice import UniformPolicy
        >>> EpsilonMixture(UniformPolicy(), 0.5).probabilities(np.zeros(4)).tolist()
        [0.25, 0.25, 0.25, 0.25]
    """

    policy: Any
    epsilon: float

    PASSES_BELIEFS: ClassVar[bool] = True

    def init(self) -> Any:
        """The inner policy's first state."""
        return self.policy.init()

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The inner policy's beliefs."""
        # The coin belongs to `draw`: beliefs stay as definite as the inner policy's.
        return self.policy.beliefs(state, context, arms, rng)

    def draw(self, beliefs: Any, rng: Rng) -> Choice:
        """A uniform arm with probability epsilon, else the inner policy's."""
        is_uniform = rng.random() < self.epsilon
        if is_uniform:
            # Beliefs are the inner policy's own type: only it knows how many arms they are about.
            arms = len(self.policy.probabilities(beliefs))
            arm = int(rng.random() * arms)
            return Choice(arm, 0.0)

        choice = self.policy.draw(beliefs, rng)

        return Choice(choice.arm, 0.0)

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

    def update(self, state: Any, x: Array, arm: int, note: float, reward: Array, rng: Rng) -> Any:
        """The state after a reward: the inner policy learns from uniform plays too."""
        # The note is 0 whichever of the two drew the arm: the inner policy must do without it.
        return self.policy.update(state, x, arm, note, reward, rng)
