"""MOC-MAB, unscaled: on the paper's bumps with their true Lipschitz constant, and on ramps.

In a few thousand rounds of rewards in [0, 1] the confidence never drops below 1, so that no
inequality about single rounds could fail. On the ramps means differ by up to 20 and change little
with the context: there they could.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Environment, IntArray, Rng, Shape
from mobandits.environments import Bumps
from mobandits.metrics import ObjectiveRegret, ParetoRegret
from mobandits.policies import MocMab
from mobandits.support.naming import short_repr
from mobandits_papers.mocmab2018 import theory
from mobandits_papers.protocol.probes import IntervalProbe, probed
from mobandits_papers.protocol.protocol import (
    Finding,
    bound,
    curve_of,
    event,
    expectation,
    held_against,
    inequality,
    on_the_event,
    trial,
)

HEIGHTS = np.array([[10.0, 3.0], [10.0, 8.0], [9.5, 5.0], [5.0, 12.0], [0.0, 20.0]])
SLOPES = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 0.5], [0.0, 1.0], [0.5, -0.5]])

RegretBound = Callable[[Array], Array]  # of a number of visits or rounds


@dataclass(frozen=True)
class Ramps:
    """Five arms whose means are linear in one coordinate of the context; standard noise.

    The slopes are at most 1 in size.
    """

    lipschitz: float = 1.0

    def problem(self, rounds: int, rng: Rng) -> "RampProblem":
        """The ramps."""
        shape = Shape(len(HEIGHTS), 1, 2, rounds, shared=True)
        return RampProblem(shape)


class RampProblem(NamedTuple):
    """One run."""

    shape: Shape

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next rounds."""
        contexts = rng.random((rounds, 1, 1))
        means = HEIGHTS + SLOPES * contexts
        # The same noise for all arms: only one of them is observed.
        noise = rng.standard_normal((rounds, 1, 2))

        return Block(contexts, means, means + noise)


class CheckedProblem(NamedTuple):
    """A problem that the theorems are checked on.

    Attributes:
        name: in words.
        environment: its source.
        lipschitz: L.
        beta: the algorithm's beta.
        largest: C1, C2, the largest differences between an optimal arm and any arm.
    """

    name: str
    environment: Environment
    lipschitz: float
    beta: float
    largest: tuple[float, float]


def checked_problems() -> tuple[CheckedProblem, CheckedProblem]:
    """The bumps and the ramps, with the constants of the theorems."""
    bumps = Bumps()
    ramps = Ramps()
    # Over the unit interval, the slopes move the difference of two means by at most 2.
    dominant, other = np.ptp(HEIGHTS, axis=0) + 2.0

    # A larger beta makes leaders certain within some thousand rounds, so that Lemma 3 has cases.
    return (
        CheckedProblem("bumps", bumps, bumps.lipschitz, 1.0, (1.0, 1.0)),
        CheckedProblem("ramps", ramps, ramps.lipschitz, 8.0, (float(dominant), float(other))),
    )


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """Theorems 1 to 3, and Lemmas 2 to 6, on both problems."""
    findings: list[Finding] = []
    for problem in checked_problems():
        findings += _findings(problem, run, rounds, seed)
    return findings


def _findings(problem: CheckedProblem, run: int, rounds: int, seed: int) -> list[Finding]:
    name = problem.name
    recipe = MocMab(lipschitz=problem.lipschitz, beta=problem.beta)
    now = trial(problem.environment, rounds, seed, run, short_repr(recipe))
    shape = now.problem.shape
    parts = theory.default_parts(rounds, shape.features)
    setting = theory.Setting(
        rounds, shape.arms, shape.features, parts, problem.lipschitz, beta=problem.beta
    )
    probe = IntervalProbe(setting.margin)
    chosen, seen = probed(recipe.bind(shape), probe, 3, now.block, now.rng)
    # The largest |mean - estimate| / (u + v), u of the arm that was played, and of the leader.
    excess, width, leader_width = seen.T
    cells = cells_of(now.block.contexts[:, 0], parts)
    dominant, other = ObjectiveRegret().per_round(now.truth, chosen, None).T
    pareto = ParetoRegret().per_round(now.truth, chosen, None)[:, 0]
    certain = leader_width <= setting.beta * setting.margin  # u <= beta v, of the leader
    uncertain_rounds = np.bincount(cells[~certain], minlength=setting.cells)
    t = np.arange(1, rounds + 1)
    dominant_curve, other_curve = theory.regret_bounds(t, setting, problem.largest)

    def in_a_cell(objective: int) -> RegretBound:
        return lambda visits: theory.cell_regret_bounds(visits, setting, problem.largest)[objective]

    confident = event(
        f"{name}: means within u + v, in all rounds", "Lemma 1", excess, 1.0, 1.0 / rounds
    )
    consequences = [
        # Lemmas 2 to 4 are about single rounds, 5 and 6 about the regret within a cell.
        inequality(
            f"{name}: dominant regret <= 2 u + 2 (beta + 2) v",
            "Lemma 2",
            dominant,
            theory.dominant_gap_bound(width, setting),
        ),
        inequality(
            f"{name}: other regret <= 2 u + 2 v, leader sure",
            "Lemma 3",
            other,
            theory.other_gap_bound(width, setting),
            certain,
        ),
        inequality(
            f"{name}: unsure rounds of a cell",
            "Lemma 4",
            uncertain_rounds,
            theory.uncertain_rounds_bound(setting),
        ),
        cell_bound(f"{name}: dominant regret in a cell", "Lemma 5", cells, dominant, in_a_cell(0)),
        cell_bound(f"{name}: other regret in a cell", "Lemma 6", cells, other, in_a_cell(1)),
        bound(f"{name}: dominant regret", "Theorem 1", dominant, dominant_curve),
        bound(f"{name}: other regret", "Theorem 1", other, other_curve),
        # An arm's Pareto gap is at most its gap in the dominant objective: the same bound.
        bound(f"{name}: Pareto regret", "Theorem 3", pareto, dominant_curve),
    ]
    # Theorem 2 is about the mean of all runs, also of those in which the event fails.
    dominant_limit, other_limit = theory.expected_regret_bounds(setting, problem.largest)

    return [
        *on_the_event(confident, lambda: consequences),
        expectation(f"{name}: expected dominant regret", "Theorem 2", dominant, dominant_limit),
        expectation(f"{name}: expected other regret", "Theorem 2", other, other_limit),
        expectation(f"{name}: expected Pareto regret", "Theorem 3", pareto, dominant_limit),
    ]


def cells_of(contexts: Array, parts: int) -> IntArray:
    """(rounds,) the cell of each context, (rounds, features), in a partition of `parts` per side.

    Example:
        >>> cells_of(np.array([[0.1], [0.2], [0.9], [1.0]]), parts=2).tolist()
        [0, 0, 1, 1]
    """
    cell = np.zeros(len(contexts), np.int64)
    for coordinate in contexts.T:
        part = (coordinate * parts).astype(np.int64)
        part = np.minimum(part, parts - 1)  # the last interval contains its upper end, 1
        cell = cell * parts + part

    return cell


def cell_bound(
    name: str,
    source: str,
    cells: IntArray,
    per_round: Array,
    bound_of: RegretBound,
) -> Finding:
    """The regret within each cell, after every visit, against a bound on it.

    Args:
        name: in words.
        source: lemma.
        cells: (rounds,) the cell that was visited.
        per_round: (rounds,) the regret of each round.
        bound_of: the bound after a number of visits of a cell.

    Returns:
        A finding whose curve is that of the cell with the most visits.
    """
    visits = np.zeros(len(cells))  # of the round's cell so far
    regret = np.zeros(len(cells))  # in the round's cell so far
    for cell in np.unique(cells):
        own = np.flatnonzero(cells == cell)
        visits[own] = np.arange(1, len(own) + 1)
        regret[own] = np.cumsum(per_round[own])

    # One curve stands for all cells: that with the most visits comes closest to large counts.
    busiest = np.bincount(cells).argmax()
    in_busiest = cells == busiest
    busiest_regret = np.cumsum(np.where(in_busiest, per_round, 0.0))
    busiest_visits = np.cumsum(in_busiest)
    curve = curve_of(busiest_regret, bound_of(busiest_visits))

    return held_against("bound", name, source, regret, bound_of(visits), curve)
