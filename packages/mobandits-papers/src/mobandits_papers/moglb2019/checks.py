"""MOGLB-UCB with the radius of the theory, on the paper's own problem."""

import numpy as np

from mobandits.environments import GeneralizedLinear
from mobandits.metrics import ParetoRegret
from mobandits.policies import MoglbUcb
from mobandits_papers.moglb2019 import theory
from mobandits_papers.protocol.probes import linear_play
from mobandits_papers.protocol.protocol import (
    DELTA,
    Finding,
    bound,
    event,
    inequality,
    on_the_event,
)

ENVIRONMENT = GeneralizedLinear(features=5)


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """The findings of one run: Theorems 1 and 2, Corollary 1, the inequality of every round."""
    recipe = MoglbUcb(links=ENVIRONMENT.links, scale="theory", delta=DELTA)
    play = linear_play(ENVIRONMENT, recipe, run, rounds, seed)
    features = play.shape.features
    objectives = play.shape.objectives
    assumed = theory.constants(ENVIRONMENT.links)
    before = play.t - 1  # rounds played before each
    gamma = theory.squared_radius(before, play.volume, assumed, objectives, DELTA)
    largest = theory.gap_bound(gamma, play.width, assumed)  # (14)
    curve = theory.regret_bound(play.t, features, assumed, objectives, DELTA)
    volume_bound = theory.volume_bound(before, features, assumed)
    gaps = play.regret(ParetoRegret())[:, 0]
    in_ellipsoids = event(
        "every theta in its ellipsoid, at all times", "Theorem 1", play.deviation**2, gamma, DELTA
    )

    return on_the_event(
        in_ellipsoids,
        lambda: [
            # In the first round all arms may be played, whatever their bounds.
            inequality(
                "Pareto gap <= 2 Lip sqrt(gamma) ||x||", "Theorem 2, proof", gaps[1:], largest[1:]
            ),
            inequality(
                "volume <= d ln(1 + kappa t / (2 lambda d))",
                "Corollary 1",
                play.volume,
                volume_bound,
            ),
            # Before the Cauchy-Schwarz inequality (15), the bound is tighter.
            bound("Pareto regret, from the widths", "Theorem 2, proof", gaps, np.cumsum(largest)),
            bound("Pareto regret", "Theorem 2", gaps, curve),
        ],
    )
