"""A wrapper that moves contexts on the border of two cells to either side by a coin."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import Note, note_of, possible_notes
from mobandits.contracts.protocols import Array, Choice, IntArray, Mask, Rng


class Bordered(NamedTuple):
    """The inner policy's beliefs, and the coins of the round.

    Attributes:
        beliefs: the inner policy's.
        sides: (arms or 1,) per context row, bit i is set where coordinate i goes to the lower side.
    """

    beliefs: Any
    sides: IntArray


class BorderNote(NamedTuple):
    """The inner policy's note, and the coins of the arm's context row as in `Bordered`."""

    inner: Note
    sides: int


@compiled
class RandomBorders:
    """Moves a coordinate between two cells into the lower one with probability 1/2.

    The coin is tossed anew in every round.

    The note of a choice holds the coins, so that a late reward teaches the cell for which its arm
    was played.

    Args:
        policy: an `InCells`.
        per_side: m; between two cells lie the multiples of 1/m inside the cube.
        features: d.

    Reference:
        mocmab2018, section IV ("randomly" for contexts on a boundary).

    Example:
        >>> from mobandits.policies import MocMab
        >>> from mobandits.contracts.protocols import Shape
        >>> shape = Shape(arms=4, features=2, objectives=2, rounds=100_000, shared=True)
        >>> MocMab(boundary="random").bind(shape).per_side
        10
    """

    policy: Any
    per_side: int
    features: int

    RANDOM_BELIEFS = True  # the coins

    def note(self) -> BorderNote:
        """A note like those of `draw`."""
        inner = note_of(self.policy)
        return BorderNote(inner, 0)

    def possible_notes(self, state: Any, note: BorderNote) -> Mask:
        """(decisions,) coins for this number of coordinates."""
        sides: IntArray = np.asarray(note.sides)
        # A coin per coordinate; an integer holds 62 of them.
        coins = min(self.features, 62)
        limit = math.ldexp(1.0, coins)
        fits: Mask = (sides >= 0) & (sides < limit)
        inner = possible_notes(self.policy, state, note.inner)

        return fits & inner

    def note_for(self, beliefs: Bordered, arm: int, probability: float, rng: Rng) -> BorderNote:
        """The inner policy's note, and the coins of the arm's row."""
        inner = self.policy.note_for(beliefs.beliefs, arm, probability, rng)
        row = arm if len(beliefs.sides) > 1 else 0
        return BorderNote(inner, beliefs.sides[row])

    def init(self) -> Any:
        """The inner policy's first state."""
        return self.policy.init()

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Bordered:
        """The inner policy's, for the cells that the coins chose."""
        moved = context.copy()
        sides = np.zeros(len(context), np.int64)
        # One coin per row and coordinate: arms with rows of their own have coins of their own.
        for row in range(len(context)):
            bit = 1
            for i in range(self.features):
                # In units of a cell's side, borders inside the cube are 1, ..., m - 1.
                z = context[row, i] * self.per_side
                is_border = z == int(z) and 1.0 <= z <= self.per_side - 1.0
                # A random number is drawn for contexts on a border only.
                if is_border and rng.random() < 0.5:
                    sides[row] += bit
                    # Half a cell down is the middle of the lower one: safe from rounding.
                    moved[row, i] -= 0.5 / self.per_side

                bit *= 2

        inner = self.policy.beliefs(state, moved, arms, rng)

        return Bordered(inner, sides)

    def draw(self, beliefs: Bordered, rng: Rng) -> Choice:
        """The inner policy's choice, with the coins in its note."""
        choice = self.policy.draw(beliefs.beliefs, rng)
        # Arms that share the context share its coins.
        row = choice.arm if len(beliefs.sides) > 1 else 0
        note = BorderNote(choice.note, beliefs.sides[row])

        return Choice(choice.arm, note)

    def probabilities(self, beliefs: Bordered) -> Array:
        """The probability of each arm, given the coins: the inner policy's."""
        probabilities: Array = self.policy.probabilities(beliefs.beliefs)
        return probabilities

    def update(
        self, state: Any, x: Array, arm: int, note: BorderNote, reward: Array, rng: Rng
    ) -> Any:
        """The state after a reward: the cell that the coins chose learns, also from a late one."""
        # Loops hand over a row of the context itself, which must stay what it is.
        moved = x.copy()
        bits = note.sides
        for i in range(self.features):
            if bits % 2 == 1:
                moved[i] -= 0.5 / self.per_side

            bits //= 2

        return self.policy.update(state, moved, arm, note.inner, reward, rng)
