"""MOGLB-UCB with the radius of the theory, on the paper's own problem."""

from typing import Any

import numpy as np

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


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """Theorems 1 and 2, Corollary 1, and the inequality of every round."""
    recipe = MoglbUcb(links=ENVIRONMENT.links, delta=DELTA)
    given = theory.constants(ENVIRONMENT.links)
    now = trial(ENVIRONMENT, rounds, seed, run, short_repr(recipe))
    features, objectives = now.problem.shape[1:3]
    problem: Any = now.problem  # of Linear or GeneralizedLinear, which know their parameters
    probe = EllipsoidProbe(problem.theta)
    chosen, seen = watched(recipe.bind(now.problem.shape), probe, 4, now.block, now.rng)
    deviation, width, _, volume = seen.T
    t = np.arange(rounds)
    gamma = theory.squared_radius(t, volume, given, objectives, DELTA)
    gaps = ParetoRegret().per_round(now.truth, chosen, None)[:, 0]
    curve = theory.regret_bound(t + 1, features, given, objectives, DELTA)

    def consequences() -> list[Finding]:
        largest = theory.gap_bound(gamma, width, given)
        return [
            # In the first round all arms may be played, whatever their bounds.
            inequality(
                "Pareto gap <= 2 Lip sqrt(gamma) ||x||", "Theorem 2, proof", gaps[1:], largest[1:]
            ),
            inequality(
                "volume <= d ln(1 + kappa t / (2 lambda d))",
                "Corollary 1",
                volume,
                theory.volume_bound(t, features, given),
            ),
            bound("Pareto regret, from the widths", "Theorem 2, proof", gaps, np.cumsum(largest)),
            bound("Pareto regret", "Theorem 2", gaps, curve),
        ]

    held = event(
        "every theta in its ellipsoid, at all times", "Theorem 1", deviation**2, gamma, DELTA
    )
    return on_the_event(held, consequences)
