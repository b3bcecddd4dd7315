"""MOC-MAB, unscaled: on the paper's bumps with their true Lipschitz constant, and on ramps.

In a few thousand rounds of rewards in [0, 1] the confidence never drops below 1, so that no inequality about single
rounds could fail. On the ramps means differ by up to 20 and change little with the context: there they could.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Environment, IntArray, Rng, Shape
from mobandits.environments import Bumps
from mobandits.metrics import ObjectiveRegret, ParetoRegret
from mobandits.papers.mocmab2018 import theory
from mobandits.papers.protocol.protocol import (
    POINTS,
    Curve,
    Finding,
    bound,
    compared,
    event,
    expectation,
    inequality,
    on_the_event,
    trial,
)
from mobandits.papers.protocol.watch import IntervalProbe, watched
from mobandits.policies import MocMab
from mobandits.support.naming import short_repr

HEIGHTS = np.array([[10.0, 3.0], [10.0, 8.0], [9.5, 5.0], [5.0, 12.0], [0.0, 20.0]])
SLOPES = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 0.5], [0.0, 1.0], [0.5, -0.5]])


@dataclass(frozen=True)
class Ramps:
    """Five arms whose means are linear in one coordinate of the context, with slopes of at most 1; standard noise."""

    lipschitz: float = 1.0

    def problem(self, rounds: int, rng: Rng) -> "RampProblem":
        """The ramps."""
        return RampProblem(Shape(len(HEIGHTS), 1, 2, rounds, shared=True))


class RampProblem(NamedTuple):
    """One run."""

    shape: Shape

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next rounds."""
        contexts = rng.random((rounds, 1, 1))
        means = HEIGHTS + SLOPES * contexts
        return Block(contexts, means, means + rng.standard_normal((rounds, 1, 2)))


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """Theorems 1 to 3, and Lemmas 2 to 6, on both problems."""
    largest = np.ptp(HEIGHTS, axis=0) + 2.0
    return [
        *_findings("bumps", Bumps(), Bumps().lipschitz, 1.0, (1.0, 1.0), run, rounds, seed),
        *_findings(
            "ramps",
            Ramps(),
            Ramps().lipschitz,
            8.0,
            (float(largest[0]), float(largest[1])),
            run,
            rounds,
            seed,
        ),
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
    now = trial(environment, rounds, seed, run, short_repr(recipe))
    arms, features = now.problem.shape[:2]
    parts = theory.default_parts(rounds, features)
    setting = theory.Setting(rounds, arms, features, parts, lipschitz, beta=beta)
    chosen, seen = watched(
        recipe.bind(now.problem.shape), IntervalProbe(setting.margin), 3, now.block, now.rng
    )
    off, width, leaders = seen.T
    sure = leaders <= beta * setting.margin
    lost = ObjectiveRegret().per_round(now.truth, chosen, None)
    pareto = ParetoRegret().per_round(now.truth, chosen, None)[:, 0]
    first, second = theory.regret_bounds(np.arange(1, rounds + 1), setting, largest)
    cells = cells_of(now.block.contexts[:, 0], parts)

    def in_cells(objective: int) -> Callable[[Array], Array]:
        return lambda visits: theory.cell_regret_bounds(visits, setting, largest)[objective]

    def consequences() -> list[Finding]:
        dominant = theory.dominant_gap_bound(width, setting)
        other = theory.other_gap_bound(width, setting)
        unsure = np.bincount(cells[~sure], minlength=setting.cells)
        return [
            inequality(
                f"{name}: dominant regret <= 2 u + 2 (beta + 2) v", "Lemma 2", lost[:, 0], dominant
            ),
            inequality(
                f"{name}: other regret <= 2 u + 2 v, leader sure",
                "Lemma 3",
                lost[:, 1],
                other,
                sure,
            ),
            inequality(
                f"{name}: unsure rounds of a cell",
                "Lemma 4",
                unsure,
                theory.uncertain_rounds_bound(setting),
            ),
            cell_bound(
                f"{name}: dominant regret in a cell",
                "Lemma 5",
                cells,
                lost[:, 0],
                in_cells(0),
            ),
            cell_bound(
                f"{name}: other regret in a cell",
                "Lemma 6",
                cells,
                lost[:, 1],
                in_cells(1),
            ),
            bound(f"{name}: dominant regret", "Theorem 1", lost[:, 0], first),
            bound(f"{name}: other regret", "Theorem 1", lost[:, 1], second),
            bound(f"{name}: Pareto regret", "Theorem 3", pareto, first),
        ]

    expected = theory.expected_regret_bounds(setting, largest)
    held = event(f"{name}: means within u + v, in all rounds", "Lemma 1", off, 1.0, 1.0 / rounds)
    return [
        *on_the_event(held, consequences),
        expectation(f"{name}: expected dominant regret", "Theorem 2", lost[:, 0], expected[0]),
        expectation(f"{name}: expected other regret", "Theorem 2", lost[:, 1], expected[1]),
        expectation(f"{name}: expected Pareto regret", "Theorem 3", pareto, expected[0]),
    ]


def cells_of(contexts: Array, parts: int) -> IntArray:
    """(rounds,) the cell of each context, (rounds, features), in a partition of `parts` per side.

    Example:
        >>> cells_of(np.array([[0.1], [0.2], [0.9], [1.0]]), parts=2).tolist()
        [0, 0, 1, 1]
    """
    cell = np.zeros(len(contexts), np.int64)
    for coordinate in contexts.T:
        part = np.minimum((coordinate * parts).astype(np.int64), parts - 1)
        cell = cell * parts + part
    return cell


def cell_bound(
    name: str,
    source: str,
    cells: IntArray,
    per_round: Array,
    bound_of: Callable[[Array], Array],
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
    visits = np.zeros(len(cells))
    regret = np.zeros(len(cells))
    for cell in np.unique(cells):
        own = np.flatnonzero(cells == cell)
        visits[own] = np.arange(1, len(own) + 1)
        regret[own] = np.cumsum(per_round[own])
    broken, closest = compared(regret, bound_of(visits))
    busiest = cells == np.bincount(cells).argmax()
    points = np.unique(np.geomspace(1, len(cells), POINTS).astype(np.int64))
    curve = Curve(
        points,
        np.cumsum(np.where(busiest, per_round, 0.0))[points - 1],
        bound_of(np.cumsum(busiest)[points - 1]),
    )
    return Finding("bound", name, source, broken.size, int(broken.sum()), closest, curve=curve)
