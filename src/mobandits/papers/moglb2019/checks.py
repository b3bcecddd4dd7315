"""MOGLB-UCB with the radius of the theory, on the paper's own problem."""

from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.environments import GeneralizedLinear
from mobandits.metrics import ParetoRegret
from mobandits.papers.moglb2019 import theory
from mobandits.papers.protocol.protocol import (
    DELTA,
    Finding,
    bound,
    event,
    inequality,
    on_the_event,
    trial,
)
from mobandits.papers.protocol.watch import EllipsoidProbe, watched
from mobandits.policies import MoglbUcb
from mobandits.support.naming import short_repr

ENVIRONMENT = GeneralizedLinear(features=5)


class WatchedPlay(NamedTuple):
    """The record of one run of MOGLB-UCB, round by round.

    Attributes:
        features: d.
        objectives: m.
        t: (rounds,) rounds played before each.
        gaps: (rounds,) Pareto gaps of the arms that were played.
        deviation: (rounds,) the largest ||theta - estimate|| in the norm of Z_t.
        width: (rounds,) ||x_t|| in the norm of Z_t^-1.
        volume: (rounds,) ln det Z_t - ln det Z_1.
    """

    features: int
    objectives: int
    t: IntArray
    gaps: Array
    deviation: Array
    width: Array
    volume: Array


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """The findings of one run: Theorems 1 and 2, Corollary 1, the inequality of every round."""
    play = watched_play(run, rounds, seed)
    assumed = theory.constants(ENVIRONMENT.links)
    gamma = theory.squared_radius(play.t, play.volume, assumed, play.objectives, DELTA)

    def consequences() -> list[Finding]:
        return _consequences(play, assumed, gamma)

    held = event(
        "every theta in its ellipsoid, at all times",
        "Theorem 1",
        play.deviation**2,
        gamma,
        DELTA,
    )

    return on_the_event(held, consequences)


def _consequences(play: WatchedPlay, assumed: theory.Constants, gamma: Array) -> list[Finding]:
    """The findings on what follows from the event."""
    largest = theory.gap_bound(gamma, play.width, assumed)  # (14)
    curve = theory.regret_bound(play.t + 1, play.features, assumed, play.objectives, DELTA)
    # In the first round all arms may be played, whatever their bounds.
    gap = inequality(
        "Pareto gap <= 2 Lip sqrt(gamma) ||x||",
        "Theorem 2, proof",
        play.gaps[1:],
        largest[1:],
    )
    volume = inequality(
        "volume <= d ln(1 + kappa t / (2 lambda d))",
        "Corollary 1",
        play.volume,
        theory.volume_bound(play.t, play.features, assumed),
    )
    # Before the Cauchy-Schwarz inequality (15), the bound is tighter.
    from_widths = np.cumsum(largest)
    regret_from_widths = bound(
        "Pareto regret, from the widths",
        "Theorem 2, proof",
        play.gaps,
        from_widths,
    )
    regret = bound("Pareto regret", "Theorem 2", play.gaps, curve)

    return [gap, volume, regret_from_widths, regret]


def watched_play(run: int, rounds: int, seed: int) -> WatchedPlay:
    """One run of MOGLB-UCB with the theory's radius, and what was seen before every round."""
    recipe = MoglbUcb(links=ENVIRONMENT.links, scale="theory", delta=DELTA)
    now = trial(ENVIRONMENT, rounds, seed, run, short_repr(recipe))
    shape = now.problem.shape
    problem: Any = now.problem  # of Linear or GeneralizedLinear, which know their parameters
    probe = EllipsoidProbe(problem.theta)
    chosen, seen = watched(recipe.bind(shape), probe, 4, now.block, now.rng)
    deviation, width, _, volume = seen.T
    per_round = ParetoRegret().per_round(now.truth, chosen, None)

    return WatchedPlay(
        features=shape.features,
        objectives=shape.objectives,
        t=np.arange(rounds),
        gaps=per_round[:, 0],
        deviation=deviation,
        width=width,
        volume=volume,
    )
