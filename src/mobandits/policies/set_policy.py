"""Base of the policies whose beliefs are the set of arms that they play from."""

from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Choice, Mask, Rng
from mobandits.numerics.masks import pick, uniform


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
