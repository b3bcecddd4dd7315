"""Uniform play: the lowest score that a comparison should show."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.continuum import Aim, SurfaceShape
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Choice, IntArray, Recipe, Rng, Shape, Traits
from mobandits.contracts.states import counts, state_fields


@state_fields(seen=counts("one"))
class RewardCount(NamedTuple):
    """The number of rewards seen, (1,): a state must hold an array."""

    seen: Array

    def merged(self, other: "RewardCount", first: "RewardCount") -> "RewardCount":
        """All rewards."""
        return RewardCount(self.seen + other.seen)


@compiled
class UniformPolicy(NotesNothing):
    """A policy that plays every eligible arm with the same probability and learns nothing."""

    def init(self) -> RewardCount:
        """The state before the first round."""
        seen = np.zeros(1)
        return RewardCount(seen)

    def beliefs(self, state: RewardCount, context: Array, arms: IntArray, rng: Rng) -> Array:
        """(arms,) zeros: there are no estimates."""
        count = len(arms)
        return np.zeros(count)

    def draw(self, beliefs: Array, rng: Rng) -> Choice:
        """A uniform arm."""
        arms = len(beliefs)
        # One number of the stream in every round, whatever the number of arms.
        arm = int(rng.random() * arms)
        return Choice(arm, 0.0)

    def probabilities(self, beliefs: Array) -> Array:
        """The probability of each arm: 1 / arms."""
        arms = len(beliefs)
        share = 1.0 / arms
        return np.full(arms, share)

    def update(
        self, state: RewardCount, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> RewardCount:
        """Nothing to learn."""
        return state


@compiled
class UniformPoint(NotesNothing):
    """A policy that plays uniform points of a cube of arms and learns nothing."""

    dimensions: int

    def init(self) -> RewardCount:
        """The state before the first round."""
        seen = np.zeros(1)
        return RewardCount(seen)

    def beliefs(self, state: RewardCount, x: Array, rng: Rng) -> Array:
        """(dimensions,) zeros: there are no estimates."""
        return np.zeros(self.dimensions)

    def draw(self, beliefs: Array, rng: Rng) -> Aim:
        """A uniform point."""
        point = np.empty(len(beliefs))
        for i in range(len(point)):
            point[i] = rng.random()
        return Aim(point, 0.0)

    def update(
        self, state: RewardCount, x: Array, point: Array, note: float, reward: Array, rng: Rng
    ) -> RewardCount:
        """Nothing to learn."""
        return state


@dataclass(frozen=True)
class RandomChoice(Recipe):
    """A uniformly random arm in every round, of finitely many or of a continuum.

    Example:
        >>> RandomChoice().bind(Shape(arms=2, features=0, objectives=2))
        UniformPolicy()
    """

    references = ("mobandits",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="any arm",
        log="exact",
    )

    continuum = True

    def bind(self, shape: Shape | SurfaceShape) -> Any:
        """The policy: the same one for any number of arms, another for a continuum."""
        if isinstance(shape, SurfaceShape):
            return UniformPoint(shape.dimensions)
        return UniformPolicy()
