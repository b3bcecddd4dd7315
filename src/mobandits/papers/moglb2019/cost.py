"""The cost of a round of MOGLB-UCB, measured.

The remark of moglb2019 on algorithms that need the whole history.
"""

import itertools
import time
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array, IntArray, Policy, Problem
from mobandits.environments import GeneralizedLinear
from mobandits.papers.claims import Claim, Outcome, Part, growth, level, ordering, resample
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.moglb2019.refitting import Refitted
from mobandits.policies import MoglbUcb
from mobandits.simulation.play import play
from mobandits.simulation.streams import INSTANCE, POLICY, ROUNDS, stream

HORIZON = 3000
# What "the cost does not grow" may mean for a measured time, last third over first.
STEADY = (0.5, 1.5)
# Costs are medians of the times of so many pieces of each of so many parts of the horizon.
WINDOWS = 10
PIECES = 10
TIMED = (
    "The paper's argument for online Newton steps: a round costs the same however many came "
    "before, where algorithms such as GLM-UCB fit their estimates to the whole history in every "
    "round. Both are timed on the same problem, with 5 features and five logit objectives, 3,000 "
    "rounds, five trials; the rival is MOGLB-UCB with its estimates replaced by those of maximum "
    "likelihood (Newton's method, started at the previous estimate), both compiled."
)
MACHINE = (
    "Times depend on the machine: this table is not the same in every run. Each value is the "
    "median of ten pieces of a window of a tenth of the rounds. That the last third may take half "
    "as long to half as long again as the first, and still counts as equal, is ours."
)


def costs(trial: int, options: RunOptions) -> pl.DataFrame:
    """Microseconds per round of MOGLB-UCB, and of its twin that is fitted to the whole history."""
    rounds = max(options.rounds or HORIZON, WINDOWS * PIECES)
    environment = GeneralizedLinear(features=5, links=("logit",) * 5)
    problem = environment.problem(rounds, stream(options.seed, trial, INSTANCE))
    shape = problem.shape
    online = MoglbUcb(scale=0.01).bind(shape)
    refitted = Refitted(online.estimator, 1.0, rounds, shape.objectives, shape.features)
    policies = {
        "MOGLB-UCB": online,
        "refitted to the history": replace(online, estimator=refitted),
    }
    frames = []
    for row, policy in policies.items():
        points, microseconds = timed(policy, problem, rounds, options.seed, trial)
        times = pl.DataFrame({"round": points, "value": microseconds})
        frames.append(times.with_columns(policy=pl.lit(row)))

    return pl.concat(frames).with_columns(
        metric=pl.lit("microseconds_per_round"), component=pl.lit(0)
    )


def timed(
    policy: Policy, problem: Problem, rounds: int, seed: int, trial: int
) -> tuple[IntArray, Array]:
    """The last round of every window, and the microseconds per round in it.

    The median of the window's pieces, which something else on the machine disturbs less than a
    mean.
    """
    block = problem.block(0, rounds, stream(seed, trial, ROUNDS))
    rng = stream(seed, trial, POLICY)
    arms = np.arange(problem.shape.arms)
    loop = compile_loop(play, policy)

    def play_rounds(state: Any, first: int, last: int) -> Any:
        rewards = block.rewards[first:last]
        count = last - first
        chosen = np.empty(count, np.int64)

        # Every piece has the contexts of the first rounds, which cost what all others cost.
        return loop(
            policy,
            state,
            block.contexts,
            rewards,
            arms,
            rng,
            chosen,
            None,
        )

    # Compiling is no cost of a round: two rounds of a state that is then forgotten.
    play_rounds(policy.init(), 0, 2)
    borders = np.linspace(0, rounds, WINDOWS * PIECES + 1).astype(np.int64)
    state = policy.init()
    seconds = []
    for first, last in itertools.pairwise(borders.tolist()):
        start = time.perf_counter()
        state = play_rounds(state, first, last)
        elapsed = time.perf_counter() - start
        seconds.append(elapsed / (last - first))

    by_window = np.reshape(seconds, (WINDOWS, PIECES))
    microseconds = 1e6 * np.median(by_window, axis=1)
    window_ends = borders[PIECES::PIECES]

    return window_ends, microseconds


def within_steady(outcome: Outcome) -> list[Part]:
    """The cost per round in the last third of the horizon, over that in the first third."""
    run = outcome.runs()[0]
    points, values = outcome.curves(run, "MOGLB-UCB", "microseconds_per_round")
    horizon = points[-1]
    in_first = points <= horizon / 3
    in_last = points > horizon * 2 / 3
    first = values[:, in_first].mean(axis=1)
    last = values[:, in_last].mean(axis=1)
    samples = np.stack([first, last], axis=1)
    value, interval = resample(samples, lambda means: means[1] / means[0])
    holds = None
    if interval is not None:
        low, high = interval
        # The whole interval: a cost that may as well have doubled is not shown to be steady.
        holds = STEADY[0] <= low and high <= STEADY[1]

    return [Part("MOGLB-UCB, last third over first", value, interval, holds, len(values))]


COST = Experiment(
    "moglb2019/cost",
    "The cost of a round, against an estimator that is fitted to the whole history",
    "moglb2019, section 2.2 and Algorithm 1",
    (TIMED, MACHINE),
    [
        Computed(
            "cost",
            costs,
            5,
            {"features": 5, "links": "logit", "windows": WINDOWS, "pieces": PIECES},
            measures_time=True,
            scale={"rounds": HORIZON},
        )
    ],
    [
        Plot(
            "cost",
            "microseconds_per_round",
            "Microseconds per round: means over five trials, 95 % bands.",
            vertical="microseconds per round",
        )
    ],
    (
        Claim(
            "moglb2019/cost/flat",
            "The cost of a round of MOGLB-UCB does not grow",
            f"it does not grow with t (here: between {STEADY[0]:g} and {STEADY[1]:g})",
            f"the 95 % bootstrap interval lies in [{STEADY[0]:g}, {STEADY[1]:g}]",
            within_steady,
            "Times were measured on a machine that did other things as well.",
        ),
        ordering(
            "moglb2019/cost/below-refitting",
            "A fit to the whole history costs more",
            "microseconds_per_round",
            ("MOGLB-UCB",),
            ("refitted to the history",),
            target="inefficient: its cost grows at least linearly with t",
        ),
        ordering(
            "moglb2019/cost/refitting-grows",
            "The cost of a fit to the whole history grows faster, by the last third of the rounds",
            "microseconds_per_round",
            ("MOGLB-UCB",),
            ("refitted to the history",),
            target="it grows at least linearly with t",
            reading=growth,
        ),
        level(
            "moglb2019/cost/microseconds",
            "Microseconds per round at the end",
            "microseconds_per_round",
            ("MOGLB-UCB", "refitted to the history"),
            target="not in the paper",
            kind="ours",
        ),
    ),
)
