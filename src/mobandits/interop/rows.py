"""Loops over rows of a table, for a policy that learns from decisions of others."""

from typing import Any

from mobandits.contracts.protocols import Array, IntArray, Policy, Rng


def learn_rows(
    policy: Any, state: Any, contexts: Array, arms: IntArray, rewards: Array, rng: Rng
) -> Any:
    """The state after all rows, in their order.

    Args:
        policy: any whose `update` does without the note of the choice, which is None here: others
            cannot be compiled.
        state: its state, which is consumed.
        contexts: (rows, 1, features).
        arms: (rows,) ids of the arms that were played.
        rewards: (rows, objectives), NaN where not observed.
        rng: what `update` may draw from.
    """
    for t in range(len(arms)):
        # No note: the policy did not make this choice.
        state = policy.update(state, contexts[t, 0], arms[t], None, rewards[t], rng)
    return state


def choose_rows(
    policy: Policy, state: Any, contexts: Array, arms: IntArray, rng: Rng, chosen: IntArray
) -> None:
    """Decide for every row in the same state; `chosen` (rows,) out, positions in `arms`."""
    for t in range(len(contexts)):
        beliefs = policy.beliefs(state, contexts[t], arms, rng)
        choice = policy.draw(beliefs, rng)
        chosen[t] = choice.arm


def add_row_probabilities(
    policy: Policy, state: Any, contexts: Array, arms: IntArray, rng: Rng, sums: Array
) -> None:
    """Add each row's probabilities, given beliefs that are drawn once, to `sums` (rows, arms)."""
    for t in range(len(contexts)):
        beliefs = policy.beliefs(state, contexts[t], arms, rng)
        probabilities = policy.probabilities(beliefs)
        for a in range(len(arms)):
            sums[t, a] += probabilities[a]
