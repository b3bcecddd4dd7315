"""A policy in rehearsal: bound, played to a few states, and examined there by many checks."""

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask, Policy, Rng
from mobandits.simulation.play import play
from mobandits.testing.arena import (
    ROUNDS,
    Arena,
    arena,
    array_digest,
    check_stream,
    copied,
    in_parts,
    leaves,
)

if TYPE_CHECKING:
    from mobandits.testing.policies import PolicyCase

# Rounds after which the policy is examined: before play starts, in the first rounds, when some arms
# have been played, when all have, and at the end.
MOMENTS = (0, 1, 6, 60, ROUNDS)
BLOCK = ROUNDS // 4


class Moment(NamedTuple):
    """A state that was reached in play, and the round that comes next."""

    round: int
    state: Any
    context: Array

    def __str__(self) -> str:
        """When it was, for messages."""
        return f"after round {self.round}"


class Play(NamedTuple):
    """One decision of a script, and its reward."""

    x: Array
    arm: int
    note: Any
    reward: Array


class Rehearsal:
    """A policy, bound to the case's shape, with states and streams for its checks."""

    def __init__(self, case: "PolicyCase") -> None:
        """Bind the recipe."""
        self.case = case
        self.arena = arena(case.shape, case.rewards, case.seed)
        self.policy = case.recipe.bind(case.shape)
        self.arms = np.arange(case.shape.arms)

    def context(self, t: int) -> Array:
        """The context of round t."""
        contexts = self.arena.contexts
        # A first axis of length 1 serves all rounds; scripts run past the last round.
        row = t % ROUNDS if len(contexts) > 1 else 0
        context: Array = contexts[row]

        return context

    def stream(self, *key: int) -> Rng:
        """A random stream."""
        return check_stream(self.case.seed, *key)

    @functools.cached_property
    def moments(self) -> list[Moment]:
        """States along one play."""
        moments = []
        state = self.policy.init()
        rng = self.stream(0)
        first = 0
        for last in MOMENTS:
            played = play_rounds(
                play,
                self.policy,
                state,
                self.arena,
                first,
                last,
                rng,
            )
            state = played.state
            # Play goes on in the same arrays: what a moment holds must be its own.
            moment = Moment(last, copied(state), self.context(last))
            moments.append(moment)
            first = last

        return moments

    def script(self, moment: Moment, rounds: int) -> Iterator[Play]:
        """Decisions of the policy from a moment on, with their rewards learned at once."""
        state = copied(moment.state)
        rng = self.stream(1, moment.round)
        for t in range(moment.round, moment.round + rounds):
            context = self.context(t)
            beliefs = self.policy.beliefs(state, context, self.arms, rng)
            choice = self.policy.draw(beliefs, rng)
            row = choice.arm if len(context) > 1 else 0
            decision = Play(
                x=context[row],
                arm=int(self.arms[choice.arm]),
                note=choice.note,
                reward=self.arena.rewards[t % ROUNDS, choice.arm],
            )
            yield decision
            state = self.update(state, decision, decision.reward, rng)

    def update(self, state: Any, decision: Play, reward: Array, rng: Rng) -> Any:
        """The state after a reward of that decision."""
        x = decision.x.copy()
        # Copies: a policy that writes into its arguments must not spoil later checks.
        return self.policy.update(state, x, decision.arm, decision.note, reward.copy(), rng)


class PlayedRounds(NamedTuple):
    """The outcome of some rounds: the last state, the arms chosen, and the fronts."""

    state: Any
    chosen: IntArray
    fronts: Mask


def play_rounds(
    loop: Callable[..., Any],
    policy: Policy,
    state: Any,
    rounds: Arena,
    first: int,
    last: int,
    rng: Rng,
) -> PlayedRounds:
    """Rounds `first` to `last` through the loop that simulations use."""
    contexts = rounds.contexts
    if len(contexts) > 1:
        contexts = contexts[first:last]

    # A compiled loop accepts contiguous arrays of one type only.
    rewards = np.ascontiguousarray(rounds.rewards[first:last])
    count = rewards.shape[1]
    arms = np.arange(count)
    chosen = np.empty(last - first, np.int64)
    fronts = np.zeros((last - first, count), np.bool_)
    state = loop(policy, state, contexts, rewards, arms, rng, chosen, fronts)

    return PlayedRounds(state, chosen, fronts)


def trace(case: "PolicyCase", loop: Callable[..., Any]) -> dict[str, Any]:
    """Arms and fingerprints of fronts and states over four blocks.

    The last two have partly observed rewards.
    """
    policy = case.recipe.bind(case.shape)
    rounds = arena(case.shape, case.rewards, case.seed)
    partial = partial_rounds(case, rounds)
    rng = check_stream(case.seed, 2)
    state = policy.init()
    out = dict[str, Any](arms=[])
    for block in range(4):
        source = rounds if block < 2 else partial
        first = block * BLOCK
        last = first + BLOCK
        state, arms, fronts = play_rounds(
            loop,
            policy,
            state,
            source,
            first,
            last,
            rng,
        )
        out["arms"] += arms.tolist()
        out[f"fronts of block {block}"] = array_digest(fronts)
        for i, leaf in enumerate(leaves(state)):
            out[f"state array {i} after block {block}"] = array_digest(leaf)

    return out


def partial_rounds(case: "PolicyCase", rounds: Arena) -> Arena:
    """The same rounds with rewards that are partly missing, if the recipe accepts such."""
    if not case.recipe.accepts_partial:
        return rounds
    return Arena(rounds.contexts, in_parts(rounds.rewards, case.seed))
