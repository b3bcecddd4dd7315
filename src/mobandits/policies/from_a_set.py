"""Base of policies whose beliefs are the set of arms that they may play."""

from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Choice, Mask, Rng
from mobandits.numerics.masks import pick, uniform


class FromASet(NotesNothing):
    """Base of policies that play a uniform arm of their beliefs, a mask (arms,) with a true entry."""

    def draw(self, beliefs: Mask, rng: Rng) -> Choice:
        """A uniform arm of the set."""
        arm = pick(beliefs, rng)
        return Choice(arm, 0.0)

    def probabilities(self, beliefs: Mask) -> Array:
        """The probability of each arm: uniform on the set."""
        return uniform(beliefs)
