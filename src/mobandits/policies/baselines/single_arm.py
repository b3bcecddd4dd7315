"""One arm in every round: the behaviour of an application before it has a bandit."""

from dataclasses import dataclass

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Choice, IntArray, Recipe, Rng, Shape, Traits
from mobandits.policies.baselines.random_choice import RewardCount
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value


@compiled
class SingleArmPolicy(NotesNothing):
    """A policy that plays `arm` where it is eligible, else a uniform arm; it learns nothing."""

    arm: int

    def init(self) -> RewardCount:
        """The state before the first round."""
        seen = np.zeros(1)
        return RewardCount(seen)

    def beliefs(self, state: RewardCount, context: Array, arms: IntArray, rng: Rng) -> Array:
        """(arms,) the probabilities themselves."""
        count = len(arms)
        probabilities = np.full(count, 1.0 / count)
        is_eligible = False
        for arm in arms:
            is_eligible = is_eligible or arm == self.arm

        # An application may not offer the arm in this round: all the others are as good then.
        if is_eligible:
            for a in range(count):
                probabilities[a] = 1.0 if arms[a] == self.arm else 0.0

        return probabilities

    def draw(self, beliefs: Array, rng: Rng) -> Choice:
        """The arm where it is eligible, else a uniform one."""
        arms = len(beliefs)
        for a in range(arms):
            # A certain arm draws no random number: only rounds without it use the stream.
            if beliefs[a] == 1.0:
                return Choice(a, 0.0)

        arm = int(rng.random() * arms)

        return Choice(arm, 0.0)

    def probabilities(self, beliefs: Array) -> Array:
        """The probability of each arm."""
        return beliefs

    def update(
        self, state: RewardCount, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> RewardCount:
        """Nothing to learn."""
        return state


@dataclass(frozen=True)
class SingleArm(Recipe):
    """Play one arm in every round.

    Args:
        arm: its id, from 0.

    Example:
        >>> SingleArm(1).bind(Shape(arms=2, features=0, objectives=2))
        SingleArmPolicy(arm=1)
    """

    references = ("mobandits",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="one arm",
        log="1 in most rounds",
    )

    arm: int = 0

    def __post_init__(self) -> None:
        """Check the parameter."""
        integer("SingleArm.arm", self.arm, at_least=0)

    def bind(self, shape: Shape) -> SingleArmPolicy:
        """The policy, if there is such an arm."""
        if self.arm >= shape.arms:
            raise wrong_value(
                f"SingleArm.arm must be below the number of arms, {shape.arms}", self.arm
            )
        return SingleArmPolicy(self.arm)
