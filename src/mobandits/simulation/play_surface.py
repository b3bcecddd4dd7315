"""The loop on a continuum of arms, in plain Python, and compiled once per policy and surface."""

from typing import Any

from mobandits.contracts.continuum import Surface, SurfacePolicy
from mobandits.contracts.protocols import Array, IntArray, Rng


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
