"""Bases of policies: how they play from a set or from a front, and what they learn."""

from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Beliefs, Choice, Mask, Rng
from mobandits.estimators.sample_mean import MeanState, SampleMean
from mobandits.numerics.masks import pick, uniform
from mobandits.orders import Pareto


class SetPolicy(NotesNothing):
    """Base of policies that play a uniform arm of a set; subclasses say which set, and learn."""

    def draw(self, beliefs: Mask, rng: Rng) -> Choice:
        """A uniform arm of the set."""
        arm = pick(beliefs, rng)
        # Updates need nothing of the decision: the note is 0.
        return Choice(arm, 0.0)

    def probabilities(self, beliefs: Mask) -> Array:
        """The probability of each arm: uniform on the set."""
        return uniform(beliefs)


class FrontPolicy(NotesNothing):
    """Base of policies that play a uniform arm of the front of their beliefs."""

    order: Pareto

    def draw(self, beliefs: Beliefs, rng: Rng) -> Choice:
        """A uniform arm of the front."""
        arm = self.order.draw(beliefs, rng)
        # Updates need nothing of the decision: the note is 0.
        return Choice(arm, 0.0)

    def probabilities(self, beliefs: Beliefs) -> Array:
        """The probability of each arm: uniform on the front."""
        front = self.order.front(beliefs)
        return uniform(front)


class MeanPolicy(NotesNothing):
    """Base of policies whose state is one mean per arm and objective."""

    means: SampleMean

    def init(self) -> MeanState:
        """The state before the first round."""
        return self.means.init()

    def update(
        self, state: MeanState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> MeanState:
        """The state after a reward: the means learn."""
        return self.means.update(state, x, arm, reward)
