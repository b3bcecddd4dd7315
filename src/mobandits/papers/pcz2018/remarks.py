"""Experiments on pcz2018 beside its figures: identical objectives, and finitely many arms."""

import numpy as np
import polars as pl

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array
from mobandits.environments import Bumps
from mobandits.environments.two_ridges import ridges
from mobandits.orders import Pareto
from mobandits.papers.claims import level, ordering, percentage
from mobandits.papers.experiment import Computed, Experiment, Plot, Run, RunOptions
from mobandits.papers.pcz2018.regret import OWN_WIDTH, ROUNDS, ROWS, TRIALS
from mobandits.papers.pcz2018.variants import CopiedRidge, UnlikeArms
from mobandits.policies import ContextualZooming, MocMab, Pcz, RandomChoice
from mobandits.simulation.play_surface import play_surface

TWO_COPIES = CopiedRidge(2)
ONE_OBJECTIVE = CopiedRidge(1)
# Of the grid on which gaps are compared.
CONTEXTS = 11
POINTS = 101
REMARK = (
    "The paper's lower bound looks at objectives that are equal in their means and in their noise. "
    "It says that then the zooming dimensions of all objectives are equal to the Pareto zooming "
    "dimension, and that the case is equivalent to a contextual bandit with one objective. That is "
    "a statement on problems. Here the objective is the first ridge, twice."
)
CHECKED = (
    "Two parts of it are checked exactly: the Pareto gap is the gap of the objective; and PCZ, "
    "whose widths depend only on the number of objectives over delta, plays the same arms with two "
    "copies and 2 delta as with one and delta. Contextual Zooming with PCZ's width is close to "
    "that, but not the same algorithm: it draws one of several best balls before it draws the arm, "
    "and it looks at the counts after the round. How far apart the two are is reported."
)
ABOUT_ARMS = (
    "Four arms on a square of contexts. Pairs of one arm are as similar as their contexts, by the "
    "Euclidean distance divided by sqrt(2); those of different arms are 1 apart. The means change "
    "by up to 1.57 times that distance, where 1 is allowed. MOC-MAB has its defaults, which are "
    "not tuned here."
)


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

    return pl.DataFrame(
        {
            "policy": ["two copies against one", "two copies against one"],
            "round": [rounds, rounds],
            "metric": ["same_points", "gap_difference"],
            "component": [0, 0],
            "value": [same, difference],
        }
    )


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


IDENTICAL = Experiment(
    "pcz2018/identical-objectives",
    "With identical objectives, PCZ is zooming in one objective",
    "pcz2018, section 6",
    (REMARK, CHECKED),
    [
        Computed(
            "one by one",
            twins_play,
            trials=5,
            settings={"horizon": ROUNDS, "contexts": CONTEXTS, "arms": POINTS},
            scale={"rounds": ROUNDS},
        ),
        Run(
            "two copies",
            TWO_COPIES,
            {**ROWS, OWN_WIDTH: ContextualZooming(width="pcz")},
            ROUNDS,
            TRIALS,
            ("pareto_regret",),
        ),
        Run("one objective", ONE_OBJECTIVE, {"PCZ": Pcz()}, ROUNDS, TRIALS, ("pareto_regret",)),
    ],
    [
        Plot(
            "regret",
            "pareto_regret",
            "Regret with two copies of an objective.",
            runs=("two copies",),
        )
    ],
    (
        level(
            "pcz2018/identical-objectives/same-points",
            "PCZ plays the same points with two copies of an objective, and 2 delta, as with one",
            "same_points",
            ("two copies against one",),
            target="equivalent to a single objective, as a problem; the paper plays nothing",
            runs=("one by one",),
            # Exact: both play from the same numbers, with the same widths to the last bit.
            within=(1.0, 1.0),
            note="PCZ's widths depend on d_r / delta alone, so that this follows from its "
            "definition.",
            kind="check",
        ),
        level(
            "pcz2018/identical-objectives/same-gap",
            "The Pareto gap of identical objectives is the gap of one, so that the zooming "
            "dimensions are equal",
            "gap_difference",
            ("two copies against one",),
            target="equal",
            runs=("one by one",),
            within=(0.0, 0.0),
            kind="check",
        ),
        percentage(
            "pcz2018/identical-objectives/against-zooming",
            "PCZ with two copies against Contextual Zooming with the same width for one objective",
            "pareto_regret",
            "PCZ",
            OWN_WIDTH,
            0.0,
            run="two copies",
            rule="none: the paper's equivalence is one of problems, and it compares no algorithms",
            differs="The paper's equivalence is one of problems; the two algorithms break ties and "
            "count differently, and two objectives have slightly wider intervals at the same "
            "delta.",
            kind="ours",
        ),
        level(
            "pcz2018/identical-objectives/regret",
            "The regret at the last round",
            "pareto_regret",
            ("PCZ",),
            target="not in the paper",
            runs=("two copies", "one objective"),
            kind="ours",
        ),
    ),
)

FOUR_ARMS = Experiment(
    "pcz2018/finite-arms",
    "PCZ with finitely many arms that have nothing in common",
    "ours; the problem of mocmab2018, experiment 1",
    (ABOUT_ARMS,),
    [
        Run(
            "four arms",
            Bumps(),
            {
                # Any four positions will do: `UnlikeArms` only asks whether two are equal.
                "PCZ": Pcz(positions=tuple((i / 3.0,) for i in range(4)), similarity=UnlikeArms()),
                "MOC-MAB": MocMab(),
                "Random": RandomChoice(),
            },
            ROUNDS,
            20,
            ("pareto_regret",),
        )
    ],
    [Plot("regret", "pareto_regret", "Pareto regret on four arms.")],
    (
        level(
            "pcz2018/finite-arms/regret",
            "The regret at the last round",
            "pareto_regret",
            ("PCZ", "MOC-MAB", "Random"),
            target="not in the paper",
            kind="ours",
        ),
        ordering(
            "pcz2018/finite-arms/below-random",
            "PCZ has less regret than random selection",
            "pareto_regret",
            ("PCZ",),
            ("Random",),
            target="not in the paper",
            kind="ours",
        ),
    ),
)
