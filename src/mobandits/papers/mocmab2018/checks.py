"""MOC-MAB, unscaled: on the paper's bumps with their true Lipschitz constant, and on ramps.

In a few thousand rounds of rewards in [0, 1] the confidence never drops below 1, so that no inequality about single
rounds could fail. On the ramps means differ by up to 20 and change little with the context: there they could.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Environment, Mask, Rng, Shape
from mobandits.environments import Bumps
from mobandits.metrics import ObjectiveRegret, ParetoRegret
from mobandits.papers.mocmab2018 import theory
from mobandits.papers.protocol.protocol import (
    Finding,
    bound,
    event,
    inequality,
    on_the_event,
    trial,
)
from mobandits.papers.protocol.watch import IntervalProbe, watched
from mobandits.policies import MocMab
from mobandits.support.naming import concise

HEIGHTS = np.array([[10.0, 3.0], [10.0, 8.0], [9.5, 5.0], [5.0, 12.0], [0.0, 20.0]])
SLOPES = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 0.5], [0.0, 1.0], [0.5, -0.5]])


@dataclass(frozen=True)
class Ramps:
    """Five arms whose means are linear in one coordinate of the context, with slopes of at most 1; standard noise."""

    lipschitz: float = 1.0

    def problem(self, rounds: int, rng: Rng) -> "RampProblem":  # noqa: ARG002 - every run has the same ramps
        """The ramps."""
        return RampProblem(Shape(len(HEIGHTS), 1, 2, rounds, shared=True))


class RampProblem(NamedTuple):
    """One run."""

    shape: Shape

    def block(self, first: int, rounds: int, rng: Rng) -> Block:  # noqa: ARG002 - nothing depends on the time
        """The next rounds."""
        contexts = rng.random((rounds, 1, 1))
        means = HEIGHTS + SLOPES * contexts
        return Block(contexts, means, means + rng.standard_normal((rounds, 1, 2)))


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """Theorems 1 and 3, and Lemmas 2 to 4, on both problems."""
    largest = np.ptp(HEIGHTS, axis=0) + 2.0
    return [
        *_findings("bumps", Bumps(), Bumps().lipschitz, 1.0, (1.0, 1.0), run, rounds, seed),
        *_findings("ramps", Ramps(), Ramps().lipschitz, 8.0, (float(largest[0]), float(largest[1])), run, rounds, seed),
    ]


def _findings(
    name: str,
    environment: Environment,
    lipschitz: float,
    beta: float,
    largest: tuple[float, float],
    run: int,
    rounds: int,
    seed: int,
) -> list[Finding]:
    recipe = MocMab(lipschitz=lipschitz, beta=beta)
    now = trial(environment, rounds, seed, run, concise(recipe))
    arms, features = now.problem.shape[:2]
    parts = theory.default_parts(rounds, features)
    setting = theory.Setting(rounds, arms, features, parts, lipschitz, beta=beta)
    chosen, seen = watched(recipe.bind(now.problem.shape), IntervalProbe(setting.margin), 3, now.block, now.rng)
    off, width, leaders = seen.T
    sure = leaders <= beta * setting.margin
    lost = ObjectiveRegret().per_round(now.truth, chosen, None)
    pareto = ParetoRegret().per_round(now.truth, chosen, None)[:, 0]
    first, second = theory.regret_bounds(np.arange(1, rounds + 1), setting, largest)

    def consequences() -> list[Finding]:
        dominant, other = theory.dominant_gap_bound(width, setting), theory.other_gap_bound(width, setting)
        unsure = unsure_rounds(now.block.contexts[:, 0], sure, parts)
        return [
            inequality(f"{name}: dominant regret <= 2 u + 2 (beta + 2) v", "Lemma 2", lost[:, 0], dominant),
            inequality(f"{name}: other regret <= 2 u + 2 v, leader sure", "Lemma 3", lost[:, 1], other, sure),
            inequality(f"{name}: unsure rounds of a cell", "Lemma 4", unsure, theory.uncertain_rounds_bound(setting)),
            bound(f"{name}: dominant regret", "Theorem 1", lost[:, 0], first),
            bound(f"{name}: other regret", "Theorem 1", lost[:, 1], second),
            bound(f"{name}: Pareto regret", "Theorem 3", pareto, first),
        ]

    held = event(f"{name}: means within u + v, in all rounds", "Lemma 1", off, 1.0, 1.0 / rounds)
    return on_the_event(held, consequences)


def unsure_rounds(contexts: Array, sure: Mask, parts: int) -> Array:
    """(cells,) how often each cell had an unsure leader; `contexts` is (rounds, features), `sure` (rounds,).

    Example:
        >>> unsure_rounds(np.array([[0.1], [0.2], [0.9]]), np.array([False, False, True]), parts=2).tolist()
        [2.0, 0.0]
    """
    cell = np.zeros(len(contexts), np.int64)
    for coordinate in contexts.T:
        cell = cell * parts + np.minimum((coordinate * parts).astype(np.int64), parts - 1)
    return np.bincount(cell[~sure], minlength=parts ** contexts.shape[1]).astype(np.float64)
