"""A policy in rehearsal: bound, played to a few states, and asked the same things again and again."""

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask, Policy, Recipe, Rng, Shape
from mobandits.simulation.play import play
from mobandits.testing.arena import ROUNDS, Arena, arena, copied, digest, in_parts, leaves, stream

MOMENTS = (
    0,
    1,
    6,
    60,
    ROUNDS,
)  # rounds after which the policy is examined; before play starts is one of them
BLOCK = ROUNDS // 4


class Subject(Protocol):
    """What a rehearsal needs to know of its case."""

    @property
    def recipe(self) -> Recipe:
        """The recipe."""

    @property
    def shape(self) -> Shape:
        """The problem's shape."""

    @property
    def rewards(self) -> str:
        """The kind of rewards."""

    @property
    def seed(self) -> int:
        """The seed of everything."""


class Moment(NamedTuple):
    """A state that was reached in play, and the round that comes next."""

    round: int
    state: Any
    context: Array

    def __str__(self) -> str:
        """When it was, for messages."""
        return f"after round {self.round}"


class Play(NamedTuple):
    """One decision of a script, and what came of it."""

    x: Array
    arm: int
    note: Any
    reward: Array


class Rehearsal:
    """A policy, bound to the case's shape, and what the checks ask again and again."""

    def __init__(self, case: Subject) -> None:
        """Bind the recipe."""
        self.case = case
        self.arena = arena(case.shape, case.rewards, case.seed)
        self.policy = case.recipe.bind(case.shape)
        self.arms = np.arange(case.shape.arms)

    def context(self, t: int) -> Array:
        """The context of round t."""
        contexts = self.arena.contexts
        context: Array = contexts[t % ROUNDS if len(contexts) > 1 else 0]
        return context

    def stream(self, *key: int) -> Rng:
        """A random stream."""
        return stream(self.case.seed, *key)

    @functools.cached_property
    def moments(self) -> list[Moment]:
        """States along one play."""
        out = []
        state = self.policy.init()
        rng = self.stream(0)
        for first, last in zip((0, *MOMENTS), MOMENTS, strict=False):
            state = run(play, self.policy, state, self.arena, first, last, rng).state
            out.append(Moment(last, copied(state), self.context(last)))
        return out

    def script(self, moment: Moment, rounds: int) -> Iterator[Play]:
        """Decisions of the policy from a moment on, learning everything at once."""
        state = copied(moment.state)
        rng = self.stream(1, moment.round)
        for t in range(moment.round, moment.round + rounds):
            context = self.context(t)
            reward = self.arena.rewards[t % ROUNDS]
            decision = self.policy.draw(self.policy.beliefs(state, context, self.arms, rng), rng)
            one = Play(
                context[decision.arm if len(context) > 1 else 0],
                int(self.arms[decision.arm]),
                decision.note,
                reward[decision.arm],
            )
            yield one
            state = self.update(state, one, one.reward, rng)

    def update(self, state: Any, one: Play, reward: Array, rng: Rng) -> Any:
        """The state after a reward of that decision."""
        return self.policy.update(state, one.x.copy(), one.arm, one.note, reward.copy(), rng)


class Run(NamedTuple):
    """What a stretch of play left."""

    state: Any
    chosen: IntArray
    fronts: Mask


def run(
    loop: Callable[..., Any],
    policy: Policy,
    state: Any,
    rounds: Arena,
    first: int,
    last: int,
    rng: Rng,
) -> Run:
    """Rounds `first` to `last` through the loop that simulations use."""
    contexts = rounds.contexts
    rewards = np.ascontiguousarray(rounds.rewards[first:last])
    arms = np.arange(rewards.shape[1])
    chosen = np.empty(last - first, np.int64)
    fronts = np.zeros((last - first, rewards.shape[1]), np.bool_)
    state = loop(
        policy,
        state,
        contexts[first:last] if len(contexts) > 1 else contexts,
        rewards,
        arms,
        rng,
        chosen,
        fronts,
    )
    return Run(state, chosen, fronts)


def trace(case: Subject, loop: Callable[..., Any]) -> dict[str, Any]:
    """Arms and fingerprints of fronts and states over four blocks, the last two with partly observed rewards."""
    policy = case.recipe.bind(case.shape)
    rounds = arena(case.shape, case.rewards, case.seed)
    rng = stream(case.seed, 2)
    partial = partial_rounds(case, rounds)
    state = policy.init()
    out = dict[str, Any](arms=[])
    for block in range(4):
        state, arms, fronts = run(
            loop,
            policy,
            state,
            rounds if block < 2 else partial,
            block * BLOCK,
            (block + 1) * BLOCK,
            rng,
        )
        out["arms"] += arms.tolist()
        out[f"fronts of block {block}"] = digest(fronts)
        out |= {
            f"state array {i} after block {block}": digest(leaf)
            for i, leaf in enumerate(leaves(state))
        }
    return out


def partial_rounds(case: Subject, rounds: Arena) -> Arena:
    """The same rounds with rewards that are partly missing, if the recipe accepts such."""
    if case.recipe.accepts_partial:
        return Arena(rounds.contexts, in_parts(rounds.rewards, case.seed))
    return rounds
