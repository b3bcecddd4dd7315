"""Any policy, mixed with uniform play."""

from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Choice, IntArray, Rng


@compiled
class EpsilonMixture(NotesNothing):
    """With probability epsilon a uniform arm, else the inner policy's: probabilities epsilon/K + (1 - epsilon) p.

    Every arm has a positive probability, so the set that a round is drawn from is all arms; the inner policy must
    not need its note.

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
        return self.policy.beliefs(state, context, arms, rng)

    def draw(self, beliefs: Any, rng: Rng) -> Choice:
        """A uniform arm with probability epsilon, else the inner policy's."""
        if rng.random() < self.epsilon:
            return Choice(int(rng.random() * len(self.policy.probabilities(beliefs))), 0.0)
        return Choice(self.policy.draw(beliefs, rng).arm, 0.0)

    def probabilities(self, beliefs: Any) -> Array:
        """The mixture, exactly."""
        inner = self.policy.probabilities(beliefs)
        out = np.empty(len(inner))
        for a in range(len(inner)):
            out[a] = self.epsilon / len(inner) + (1.0 - self.epsilon) * inner[a]
        return out

    def update(self, state: Any, x: Array, arm: int, note: float, reward: Array, rng: Rng) -> Any:
        """Teach the inner policy: it learns from uniform plays too."""
        return self.policy.update(state, x, arm, note, reward, rng)
