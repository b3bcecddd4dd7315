"""Loops over a log, also compiled: a policy learns, gives probabilities, or is replayed.

In all of them `contexts` is (rounds, arms or 1, features), `eligible` (rounds or 1, arms), one row
where all rounds have the same arms, and `rounds` names the rows that are visited, in order.
"""

from typing import Any

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.compiling.notes import numbers_of
from mobandits.contracts.notes import Note
from mobandits.contracts.protocols import Array, IntArray, Mask, Policy, Rng

# Whether draws carry notes: a draw costs as much as a decision, so that after the first rounds only
# some are tried.
FIRST = 256
EVERY = 64


@kernel
def round_of_log(t: int, contexts: Array, eligible: Mask) -> tuple[Array, IntArray]:
    """The context of round t, (arms or 1, features), and the ids of its eligible arms."""
    row = t if len(eligible) > 1 else 0
    arms = np.flatnonzero(eligible[row])
    context = contexts[t]
    # Policies take the rows of eligible arms alone; a shared row stands for any of them.
    if len(context) > 1 and len(arms) < len(context):
        return context[arms], arms

    return context, arms


def learn_logged(
    policy: Policy,
    state: Any,
    rounds: IntArray,
    before: int,
    contexts: Array,
    played: IntArray,
    rewards: Array,
    eligible: Mask,
    matching: bool,
    blank: Note,
    rng: Rng,
    learned: IntArray,
) -> Any:
    """Teach a policy the rounds that another one played.

    Some policies attach a note to a draw, which `update` must have back: only the rounds in which
    they draw the arm that was played can teach them. Where `matching` is False, a note with a
    number that is not 0 ends the loop.

    Args:
        policy: any policy.
        state: its state, which is consumed.
        rounds: which rows to learn from.
        before: the number of rounds that it has visited in earlier calls.
        contexts: see above.
        played: (all rounds,) arms.
        rewards: (all rounds, objectives).
        eligible: see above.
        matching: learn only where the policy draws the arm that was played.
        blank: a note of the policy, for rounds in which it draws nothing.
        rng: of the policy.
        learned: (1,) out: the number of rounds that taught something; -1 where a note was met.

    Returns:
        The state after these rounds.
    """
    for i in range(len(rounds)):
        t = rounds[i]
        context, arms = round_of_log(t, contexts, eligible)
        # Positions are among the eligible arms, as a policy counts them.
        position = np.searchsorted(arms, played[t])
        note = blank
        visited = before + i
        if matching or visited < FIRST or visited % EVERY == 0:
            beliefs = policy.beliefs(state, context, arms, rng)
            choice = policy.draw(beliefs, rng)
            if matching and choice.arm != position:
                continue

            note = choice.note
            if not matching:
                for number in numbers_of(note):
                    if number != 0.0:
                        learned[0] = -1
                        return state

        x = context[position if len(context) > 1 else 0]
        state = policy.update(state, x, played[t], note, rewards[t], rng)
        learned[0] += 1

    return state


def add_probabilities_of(
    policy: Policy,
    state: Any,
    rounds: IntArray,
    contexts: Array,
    eligible: Mask,
    rng: Rng,
    table: Array,
) -> None:
    """Add a frozen policy's probabilities to the rows `rounds` of a table, (all rounds, arms)."""
    for i in range(len(rounds)):
        t = rounds[i]
        context, arms = round_of_log(t, contexts, eligible)
        beliefs = policy.beliefs(state, context, arms, rng)
        probabilities = policy.probabilities(beliefs)
        for a in range(len(arms)):
            table[t, arms[a]] += probabilities[a]


def replay_logged(
    policy: Policy,
    state: Any,
    rounds: IntArray,
    contexts: Array,
    played: IntArray,
    rewards: Array,
    eligible: Mask,
    partial: bool,
    limit: int,
    rng: Rng,
    matched: Mask,
    visited: IntArray,
) -> Any:
    """Play a log: where the policy draws the arm that was played, the round counts and teaches.

    Args:
        policy: any policy.
        state: its state, which is consumed.
        rounds: which rows to visit.
        contexts: see above.
        played: (all rounds,) arms.
        rewards: (all rounds, objectives).
        eligible: see above.
        partial: whether the policy learns from rewards that are missing in part.
        limit: stop after so many rounds that count.
        rng: of the policy.
        matched: (all rounds,) out: True where a round counts.
        visited: (1,) out: how many of `rounds` were visited.

    Returns:
        The state after these rounds.
    """
    count = 0
    for i in range(len(rounds)):
        if count == limit:
            return state

        visited[0] += 1
        t = rounds[i]
        context, arms = round_of_log(t, contexts, eligible)
        beliefs = policy.beliefs(state, context, arms, rng)
        choice = policy.draw(beliefs, rng)
        if arms[choice.arm] != played[t]:
            continue

        # It counts also where nothing can be learned: whether rewards are missing must not choose.
        matched[t] = True
        count += 1
        if partial or not np.isnan(rewards[t]).any():
            x = context[choice.arm if len(context) > 1 else 0]
            state = policy.update(state, x, played[t], choice.note, rewards[t], rng)

    return state
