"""Always the same arm: what an application does before it has a bandit."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Choice, IntArray, Recipe, Rng, Shape, Traits
from mobandits.policies.baselines.random_choice import Plays
from mobandits.support.checks import integer
from mobandits.support.naming import quoted


@compiled
class SingleArmPolicy(NotesNothing):
    """Play `arm` where it is eligible, else a uniform arm; learns nothing."""

    arm: int

    def init(self) -> Plays:
        """No round yet."""
        return Plays(np.zeros(1))

    def beliefs(self, state: Plays, context: Array, arms: IntArray, rng: Rng) -> Array:
        """(arms,) the probabilities themselves."""
        out = np.full(len(arms), 1.0 / len(arms))
        found = False
        for a in arms:
            found = found or a == self.arm
        if found:
            for i in range(len(arms)):
                out[i] = 1.0 if arms[i] == self.arm else 0.0
        return out

    def draw(self, beliefs: Array, rng: Rng) -> Choice:
        """The arm."""
        for i in range(len(beliefs)):
            if beliefs[i] == 1.0:
                return Choice(i, 0.0)
        return Choice(int(rng.random() * len(beliefs)), 0.0)

    def probabilities(self, beliefs: Array) -> Array:
        """1 for the arm."""
        return beliefs

    def update(
        self, state: Plays, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> Plays:
        """Nothing to learn."""
        return state


@dataclass(frozen=True)
class SingleArm(Recipe):
    """Play one arm, whatever happens.

    Args:
        arm: its id, from 0.

    Example:
        >>> SingleArm(1).bind(Shape(arms=2, features=0, objectives=2))
        SingleArmPolicy(arm=1)
    """

    traits: ClassVar[Traits] = Traits(
        context="none",
        beliefs="definite",
        plays="one arm",
    )

    arm: int = 0

    def __post_init__(self) -> None:
        """Check the parameter."""
        integer("SingleArm.arm", self.arm, at_least=0)

    def bind(self, shape: Shape) -> SingleArmPolicy:
        """Check that there is such an arm."""
        if self.arm >= shape.arms:
            raise ValueError(
                f"SingleArm.arm must be below the number of arms, {shape.arms}, got {quoted(self.arm)}"
            )
        return SingleArmPolicy(self.arm)
