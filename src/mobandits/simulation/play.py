"""The loop: plain Python, and compiled from the same source once per policy type. It never grows features."""

from typing import Any

from mobandits.contracts.protocols import Array, IntArray, Mask, Order, Policy, Rng


def play(
    policy: Policy,
    state: Any,
    contexts: Array,
    rewards: Array,
    arms: IntArray,
    rng: Rng,
    chosen: IntArray,
    fronts: Mask | None,
) -> Any:
    """One block of rounds.

    Args:
        policy: any policy.
        state: its state, which is consumed.
        contexts: (rounds or 1, arms or 1, features).
        rewards: (rounds, arms, objectives).
        arms: (arms,) ids of the eligible arms.
        rng: the policy's own stream.
        chosen: (rounds,) out: the arm of each round.
        fronts: (rounds, arms) out: the set that each round's arm was drawn from; None where nobody asks, and then
            `probabilities` is not even compiled.

    Returns:
        The state after the block.
    """
    for t in range(len(rewards)):
        context = contexts[t if len(contexts) > 1 else 0]
        beliefs = policy.beliefs(state, context, arms, rng)
        choice = policy.draw(beliefs, rng)
        if not 0 <= choice.arm < len(arms):
            raise IndexError(
                "draw must return the position of an eligible arm, from 0 to their number less 1"
            )
        arm = arms[choice.arm]
        if fronts is not None:
            fronts[t] = policy.probabilities(beliefs) > 0.0
        x = context[choice.arm if len(context) > 1 else 0]
        state = policy.update(state, x, arm, choice.note, rewards[t, arm], rng)
        chosen[t] = arm
    return state


def score(order: Order, means: Array, chosen: IntArray, gaps: Array) -> None:
    """The regret of a block: `gaps` (rounds, digits) out.

    `means` is (rounds or 1, arms, objectives), `chosen` (rounds,) the arms.
    """
    for t in range(len(chosen)):
        gaps[t] = order.gap(means[t if len(means) > 1 else 0], chosen[t])
