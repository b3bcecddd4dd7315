"""Contexts on the border of cells go to either side by a coin."""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import Note, note_of, possible_notes, unpacked_note
from mobandits.contracts.protocols import Array, Choice, IntArray, Mask, Rng


class Bordered(NamedTuple):
    """What the inner policy believes, and what the coins said.

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
    """Moves a coordinate that lies between two cells into the lower one with probability 1/2, anew in every round.

    The note of a choice holds the coins, so that a late reward teaches the cell for which its arm was played.

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

    RANDOM_BELIEFS: ClassVar[bool] = True  # the coins

    def note(self) -> BorderNote:
        """A note like those of `draw`."""
        return BorderNote(note_of(self.policy), 0)

    def possible_notes(self, state: Any, note: BorderNote) -> Mask:
        """(decisions,) coins for this number of coordinates."""
        sides: IntArray = np.asarray(note.sides)
        most = math.ldexp(1.0, min(self.features, 62))
        fits: Mask = (sides >= 0) & (sides < most)
        return fits & possible_notes(self.policy, state, note.inner)

    def unpacked_note(self, packed: float) -> Note:
        """The note of which older files have n 2^features + sides, n the number of the inner note."""
        inner, sides = divmod(packed, math.ldexp(1.0, self.features))
        return BorderNote(unpacked_note(self.policy, inner), sides)  # type: ignore[arg-type]

    def init(self) -> Any:
        """The inner policy's first state."""
        return self.policy.init()

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Bordered:
        """The inner policy's, for the cells that the coins chose."""
        moved = context.copy()
        sides = np.zeros(len(context), np.int64)
        for row in range(len(context)):
            bit = 1
            for i in range(self.features):
                z = context[row, i] * self.per_side
                if z == int(z) and 1.0 <= z <= self.per_side - 1.0 and rng.random() < 0.5:
                    sides[row] += bit
                    moved[row, i] -= 0.5 / self.per_side
                bit *= 2
        return Bordered(self.policy.beliefs(state, moved, arms, rng), sides)

    def draw(self, beliefs: Bordered, rng: Rng) -> Choice:
        """The inner policy's choice, with the coins in its note."""
        choice = self.policy.draw(beliefs.beliefs, rng)
        side = beliefs.sides[choice.arm if len(beliefs.sides) > 1 else 0]
        return Choice(choice.arm, BorderNote(choice.note, side))

    def probabilities(self, beliefs: Bordered) -> Array:
        """The inner policy's law, given the coins."""
        law: Array = self.policy.probabilities(beliefs.beliefs)
        return law

    def update(
        self, state: Any, x: Array, arm: int, note: BorderNote, reward: Array, rng: Rng
    ) -> Any:
        """Teach the cell that the coins chose."""
        moved = x.copy()
        bits = note.sides
        for i in range(self.features):
            if bits % 2 == 1:
                moved[i] -= 0.5 / self.per_side
            bits //= 2
        return self.policy.update(state, moved, arm, note.inner, reward, rng)
