"""Loops over rows of a table of contexts that all arms share, for a policy that somebody else's data teach."""

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
        state = policy.update(state, contexts[t, 0], arms[t], None, rewards[t], rng)
    return state


def choose_rows(
    policy: Policy, state: Any, contexts: Array, arms: IntArray, rng: Rng, chosen: IntArray
) -> None:
    """A decision per row, all in the same state: `chosen` (rows,) out, positions in `arms`."""
    for t in range(len(contexts)):
        chosen[t] = policy.draw(policy.beliefs(state, contexts[t], arms, rng), rng).arm


def add_laws(
    policy: Policy, state: Any, contexts: Array, arms: IntArray, rng: Rng, law: Array
) -> None:
    """Each row's probabilities, given beliefs that are drawn once, are added to `law` (rows, arms)."""
    for t in range(len(contexts)):
        probabilities = policy.probabilities(policy.beliefs(state, contexts[t], arms, rng))
        for a in range(len(arms)):
            law[t, a] += probabilities[a]
