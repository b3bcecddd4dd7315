"""Contexts on the border of cells go to either side by a coin."""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Choice, IntArray, Rng


class Bordered(NamedTuple):
    """What the inner policy believes, and what the coins said.

    Attributes:
        beliefs: the inner policy's.
        sides: (arms or 1,) per context row, bit i is set where coordinate i goes to the lower side.
    """

    beliefs: Any
    sides: Array


@compiled
class RandomBorders:
    """Moves a coordinate that lies between two cells into the lower one with probability 1/2, anew in every round.

    The note of a choice carries the coins after the inner policy's note n: n 2^d + bits.

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

    def init(self) -> Any:
        """The inner policy's first state."""
        return self.policy.init()

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Bordered:
        """The inner policy's, for the cells that the coins chose."""
        moved = context.copy()
        sides = np.zeros(len(context))
        for row in range(len(context)):
            bit = 1.0
            for i in range(self.features):
                z = context[row, i] * self.per_side
                if z == int(z) and 1.0 <= z <= self.per_side - 1.0 and rng.random() < 0.5:
                    sides[row] += bit
                    moved[row, i] -= 0.5 / self.per_side
                bit *= 2.0
        return Bordered(self.policy.beliefs(state, moved, arms, rng), sides)

    def draw(self, beliefs: Bordered, rng: Rng) -> Choice:
        """The inner policy's choice, with the coins in its note."""
        choice = self.policy.draw(beliefs.beliefs, rng)
        side = beliefs.sides[choice.arm if len(beliefs.sides) > 1 else 0]
        return Choice(choice.arm, choice.note * self.radix() + side)

    def probabilities(self, beliefs: Bordered) -> Array:
        """The inner policy's law, given the coins."""
        law: Array = self.policy.probabilities(beliefs.beliefs)
        return law

    def update(self, state: Any, x: Array, arm: int, note: float, reward: Array, rng: Rng) -> Any:
        """Teach the cell that the coins chose."""
        radix = self.radix()
        moved = x.copy()
        inner = float(int(note / radix))
        bits = int(note - inner * radix)
        for i in range(self.features):
            if bits % 2 == 1:
                moved[i] -= 0.5 / self.per_side
            bits //= 2
        return self.policy.update(state, moved, arm, inner, reward, rng)

    def radix(self) -> float:
        """2^d."""
        out = 1.0
        for _ in range(self.features):
            out *= 2.0
        return out
