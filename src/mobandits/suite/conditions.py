"""Conditions that environments of the library lack: arms in another order, and late rewards."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import note_of
from mobandits.contracts.protocols import (
    Array,
    Block,
    Choice,
    Environment,
    IntArray,
    Problem,
    Recipe,
    Rng,
    Shape,
)
from mobandits.policies.wrappers.around import AroundPolicy, AroundRecipe
from mobandits.support.naming import wrong_value


@dataclass(frozen=True)
class Shuffled:
    """An environment whose arms are numbered anew in every trial.

    Where all trials have the same arms, a recipe could know the best ones by their numbers.

    Args:
        environment: with finitely many arms.
    """

    environment: Environment

    @property
    def max_rounds(self) -> int | None:
        """The longest horizon, where there is one."""
        limit: int | None = getattr(self.environment, "max_rounds", None)
        return limit

    def problem(self, rounds: int, rng: Rng) -> "ShuffledProblem":
        """The environment's problem, and an order of its arms."""
        problem = self.environment.problem(rounds, rng)
        order = rng.permutation(problem.shape.arms)
        return ShuffledProblem(problem, order)


class ShuffledProblem(NamedTuple):
    """One trial of `Shuffled`; arm i is arm `order[i]` of the problem."""

    problem: Problem
    order: IntArray

    @property
    def shape(self) -> Shape:
        """The problem's shape, with its fixed arms in the new order."""
        shape = self.problem.shape
        if shape.fixed_arms is None:
            return shape

        return shape.replaced(fixed_arms=shape.fixed_arms[self.order])

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The problem's block, with its arms in the new order."""
        block = self.problem.block(first, rounds, rng)
        contexts = block.contexts
        if contexts.shape[1] > 1:
            contexts = contexts[:, self.order]

        return Block(
            contexts=contexts,
            means=block.means[:, self.order],
            rewards=block.rewards[:, self.order],
            decimals=block.decimals,
        )


class Waiting(NamedTuple):
    """The state of a policy whose rewards are late.

    Attributes:
        inner: its own state.
        first: (places,) by round, modulo the places: the first reward that comes then; -1: none.
        following: (places,) the next reward that comes in the same round; -1: none.
        x: (places, features) of the arms that were played.
        arms: (places,) they themselves.
        notes: (places,) of the decisions.
        rewards: (places, objectives).
        now: (1,) the rounds so far.
    """

    inner: Any
    first: IntArray
    following: IntArray
    x: Array
    arms: IntArray
    notes: Array
    rewards: Array
    now: IntArray


@compiled
class LatePolicy(AroundPolicy):
    """A policy that is told of every reward a geometric number of rounds later.

    The delay of a reward has the law P(D = k) = q (1 - q)^k, with mean (1 - q) / q, and is cut at
    the number of places, which a delay exceeds twice in 10^9 rewards. Each objective is missing
    from a reward, NaN, with a probability of its own.

    Args:
        policy: the inner policy, whose notes are numbers.
        mean: of the delay, in rounds.
        missing: the probability.
        features: of a row of a context.
        objectives: of a reward.
    """

    policy: Any
    mean: float
    missing: float
    features: int
    objectives: int

    def init(self) -> Waiting:
        """The inner policy's first state; no reward waits."""
        places = 20 * (1 + int(self.mean))
        return Waiting(
            self.policy.init(),
            np.full(places, -1),
            np.full(places, -1),
            np.empty((places, self.features)),
            np.zeros(places, np.int64),
            np.zeros(places),
            np.empty((places, self.objectives)),
            np.zeros(1, np.int64),
        )

    def beliefs(self, state: Waiting, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The inner policy's beliefs."""
        return self.policy.beliefs(state.inner, context, arms, rng)

    def draw(self, beliefs: Any, rng: Rng) -> Choice:
        """The inner policy's choice."""
        choice = self.policy.draw(beliefs, rng)
        return Choice(choice.arm, float(choice.note))

    def update(
        self, state: Waiting, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> Waiting:
        """The state after the rewards that come now, of this round or of earlier ones."""
        now = state.now[0]
        places = len(state.first)
        continues = self.mean / (1.0 + self.mean)
        delay = int(math.log(1.0 - rng.random()) / math.log(continues))
        # A place is free again when its turn comes: no reward waits longer than that.
        place = now % places
        state.x[place] = x
        state.arms[place] = arm
        state.notes[place] = note
        for l in range(len(reward)):
            is_missing = rng.random() < self.missing
            state.rewards[place, l] = math.nan if is_missing else reward[l]

        self.append(state, place, (now + min(delay, places - 1)) % places)
        inner = state.inner
        due = state.first[place]
        state.first[place] = -1
        while due >= 0:
            inner = self.policy.update(
                inner, state.x[due], state.arms[due], state.notes[due], state.rewards[due], rng
            )
            due = state.following[due]

        state.now[0] = now + 1

        return Waiting(
            inner,
            state.first,
            state.following,
            state.x,
            state.arms,
            state.notes,
            state.rewards,
            state.now,
        )

    def append(self, state: Waiting, place: int, end: int) -> None:
        """Let the reward at a place come in the round of another place, after earlier ones."""
        state.following[place] = -1
        last = state.first[end]
        if last < 0:
            state.first[end] = place
            return

        while state.following[last] >= 0:
            last = state.following[last]

        state.following[last] = place


@dataclass(frozen=True)
class Late(AroundRecipe):
    """Any recipe, whose policy is told of rewards after geometric delays, and in part.

    Args:
        recipe: whose decisions have plain numbers as notes.
        mean: of the delays, in rounds.
        missing: the probability that an objective is missing from a reward.

    Raises:
        ValueError: on `bind`, where notes are something else, or rewards must be whole.
    """

    recipe: Recipe
    mean: int
    missing: float = 0.0

    def around(self, policy: Any, shape: Shape) -> LatePolicy:
        """The recipe's policy, with rewards that wait."""
        note = note_of(policy)
        if not isinstance(note, float):
            raise wrong_value(
                "rewards can be late only where a decision's note is a number", type(note).__name__
            )

        if self.missing > 0.0 and not self.recipe.accepts_partial:
            name = type(self.recipe).__name__
            raise ValueError(f"{name} must observe all objectives of a reward at once")

        return LatePolicy(policy, float(self.mean), self.missing, shape.features, shape.objectives)
