"""Experiments on pcz2018 beside its figures: identical objectives, and finitely many arms."""

import numpy as np
import polars as pl

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array
from mobandits.environments.two_ridges import ridges
from mobandits.orders import Pareto
from mobandits.policies import Pcz
from mobandits.simulation.play import play_surface
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.pcz2018.variants import CopiedRidge, UnlikeArms
from mobandits_papers.rows import rows_of_counts

ROUNDS = 100_000  # appendix D
# Of the grid on which gaps are compared.
CONTEXTS = 11
POINTS = 101


def twins_play(trial: int, options: RunOptions) -> pl.DataFrame:
    """A comparison of PCZ with two copies of an objective and 2 delta, and with one and delta.

    Both play from the same random numbers.
    """
    # With two copies delta is 2 / T, which has to stay below 1.
    rounds = max(options.rounds or ROUNDS, 3)
    one = played_points(1, rounds, options.seed, trial)
    two = played_points(2, rounds, options.seed, trial)
    same = float((one == two).mean())
    gaps, regrets = copied_gaps()
    difference = float(np.abs(gaps - regrets).max())
    row = "two copies against one"

    return rows_of_counts({(row, "same_points"): same, (row, "gap_difference"): difference}, rounds)


def played_points(copies: int, rounds: int, seed: int, trial: int) -> Array:
    """(rounds, 1) the arms that PCZ plays with so many copies of an objective.

    Its delta is so many times 1 / T, which keeps L / delta, and hence all widths, the same.
    """
    environment = CopiedRidge(copies)
    # The problem draws nothing; rounds and choices have streams that do not depend on the copies.
    problem = environment.problem(rounds, np.random.default_rng(0))
    surface = problem.surface
    of_rounds = np.random.default_rng([seed, trial, 0])
    of_policy = np.random.default_rng([seed, trial, 1])
    policy = Pcz(delta=copies / rounds).bind(problem.shape)
    block = problem.block(0, rounds, of_rounds)
    contexts = np.ascontiguousarray(block.contexts)
    uniforms = np.ascontiguousarray(block.uniforms)
    chosen = np.empty((rounds, 1))
    loop = compile_loop(play_surface, policy, surface)
    loop(policy, policy.init(), surface, contexts, uniforms, of_policy, chosen)

    return chosen


def copied_gaps() -> tuple[Array, Array]:
    """The Pareto gaps of two copies of the first ridge, and its own gaps; (contexts, arms) each."""
    order = Pareto()
    arms = np.linspace(0.0, 1.0, POINTS)
    pareto_gaps = []
    own_gaps = []
    for x in np.linspace(0.0, 1.0, CONTEXTS):
        contexts = np.full(len(arms), x)
        first = ridges(contexts, arms)[:, 0]
        copies = np.stack([first, first], axis=1)
        gaps = order.gaps(copies)
        pareto_gaps.append(gaps[:, 0])
        best = first.max()
        own_gaps.append(best - first)

    return np.stack(pareto_gaps), np.stack(own_gaps)


ONE_BY_ONE = Computed(
    "one by one",
    twins_play,
    trials=5,
    settings={"horizon": ROUNDS, "contexts": CONTEXTS, "arms": POINTS},
    scale={"rounds": ROUNDS},
)
IDENTICAL = described(
    "pcz2018/identical-objectives",
    one_by_one=ONE_BY_ONE,
    copied_once=CopiedRidge(1),
    copied_twice=CopiedRidge(2),
)
FOUR_ARMS = described("pcz2018/finite-arms", similarity=UnlikeArms())
