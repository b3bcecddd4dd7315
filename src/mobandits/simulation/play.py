"""The loops of rounds, in plain Python, and compiled from the same source once per policy type.

`play` is for finitely many arms, `play_surface` for a continuum of them.
"""

from typing import Any, NamedTuple, Protocol

from mobandits.contracts.continuum import Surface, SurfacePolicy
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Mask, Order, Policy, Rng


class Probe(Protocol):
    """A part that looks at every round of a policy and writes down what it sees.

    It is a `compiled` class, so that loops with it are compiled too.
    """

    def look(
        self, state: Any, beliefs: Beliefs, context: Array, means: Array, arm: int, seen: Array
    ) -> None:
        """Fill `seen` for the round in which `arm` is played, before the policy learns from it.

        Args:
            state: of the policy, to be left as it is.
            beliefs: that the arm was drawn from.
            context: (arms or 1, features).
            means: (arms, objectives) the true ones.
            arm: the arm that is played.
            seen: out.
        """


class Watch(NamedTuple):
    """A probe, and what it is given in a block.

    Attributes:
        probe: what looks at the rounds.
        means: (rounds or 1, arms, objectives) the true ones.
        seen: (rounds, ...) out: a row per round, which `probe` fills.
    """

    probe: Probe
    means: Array
    seen: Array


def play(
    policy: Policy,
    state: Any,
    contexts: Array,
    rewards: Array,
    arms: IntArray,
    rng: Rng,
    chosen: IntArray,
    fronts: Mask | None,
    watch: Watch | None = None,
) -> Any:
    """The state of a policy after one block of rounds.

    Args:
        policy: any policy.
        state: its state, which is consumed.
        contexts: (rounds or 1, arms or 1, features).
        rewards: (rounds, arms, objectives).
        arms: (arms,) ids of the eligible arms.
        rng: the policy's own stream.
        chosen: (rounds,) out: the arm of each round.
        fronts: (rounds, arms) out: the set that each round's arm was drawn from; None where it is
            not needed.
        watch: who looks at the rounds, if anyone.
    """
    # Everything that a caller may want besides the arms is a probe's, so that this loop stays as
    # it is. Numba removes the branches of arguments that are None before it compiles: a loop
    # without fronts does not even compile `probabilities`.
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
        if watch is not None:
            means = watch.means[t if len(watch.means) > 1 else 0]
            watch.probe.look(state, beliefs, context, means, arm, watch.seen[t])

        x = context[choice.arm if len(context) > 1 else 0]
        state = policy.update(state, x, arm, choice.note, rewards[t, arm], rng)
        chosen[t] = arm

    return state


def score(order: Order, means: Array, chosen: IntArray, gaps: Array) -> None:
    """The regret of a block: `gaps` (rounds, digits) out.

    `means` is (rounds or 1, arms, objectives), `chosen` (rounds,) the arms.
    """
    for t in range(len(chosen)):
        round_means = means[t if len(means) > 1 else 0]
        gaps[t] = order.gap(round_means, chosen[t])


def play_surface(
    policy: SurfacePolicy,
    state: Any,
    surface: Surface,
    contexts: Array,
    uniforms: Array,
    rng: Rng,
    chosen: Array,
) -> Any:
    """The state of a policy after one block of rounds.

    Args:
        policy: any policy.
        state: its state, which is consumed.
        surface: the rewards.
        contexts: (rounds, features).
        uniforms: (rounds, any) what rewards are made from.
        rng: the policy's own stream.
        chosen: (rounds, dimensions) out: the point of each round.
    """
    # Rewards are made here, since there are none of the points that are not played. They are made
    # from numbers that were drawn before, so that all policies have the same luck.
    for t in range(len(contexts)):
        context = contexts[t]
        beliefs = policy.beliefs(state, context, rng)
        aim = policy.draw(beliefs, rng)
        reward = surface.reward(context, aim.point, uniforms[t])
        state = policy.update(state, context, aim.point, aim.note, reward, rng)
        for i in range(len(aim.point)):
            chosen[t, i] = aim.point[i]

    return state


def score_surface(
    surface: Surface,
    contexts: Array,
    chosen: Array,
    means: Array,
    gaps: Array,
    effective_gaps: Array,
    bins: IntArray,
) -> None:
    """The truth about the points of a block; the last four arguments are out, as in `Scores`."""
    for t in range(len(contexts)):
        context = contexts[t]
        point = chosen[t]
        mean = surface.mean(context, point)
        for l in range(len(mean)):
            means[t, l] = mean[l]

        gaps[t] = surface.gap(context, point)
        effective_gaps[t] = surface.effective_gap(context, point)
        bins[t] = surface.bin(context, point)
