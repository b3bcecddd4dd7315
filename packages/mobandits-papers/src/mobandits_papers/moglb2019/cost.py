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
from mobandits.policies import MoglbUcb
from mobandits.simulation.play import play
from mobandits.simulation.streams import INSTANCE, POLICY, ROUNDS, stream
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.moglb2019.refitting import Refitted
from mobandits_papers.numbers import (
    Part,
    curves_of,
    inside,
    ratio_of_means,
    resampled_part,
)
from mobandits_papers.outcome import Outcome
from mobandits_papers.rows import rows_of

HORIZON = 3000
COST = "microseconds_per_round"
# What "the cost does not grow" may mean for a measured time, last third over first.
STEADY = (0.5, 1.5)
# Costs are medians of the times of so many pieces of each of so many parts of the horizon.
WINDOWS = 10
PIECES = 10


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
        frames.append(rows_of(row, COST, microseconds, points, component=0))

    return pl.concat(frames)


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


def last_over_first(outcome: Outcome) -> list[Part]:
    """The cost per round in the last third of the horizon, over that in the first third."""
    points, values = curves_of(outcome, "MOGLB-UCB", COST)
    horizon = points[-1]
    last = values[:, points > horizon * 2 / 3].mean(axis=1)
    first = values[:, points <= horizon / 3].mean(axis=1)
    samples = np.stack([last, first], axis=1)
    # The whole interval: a cost that may as well have doubled is not shown to be steady.
    rule = inside(*STEADY)
    return [resampled_part("MOGLB-UCB, last third over first", samples, ratio_of_means, rule)]


SETTINGS = {"features": 5, "links": "logit", "windows": WINDOWS, "pieces": PIECES}
RUN = Computed("cost", costs, 5, SETTINGS, measures_time=True, scale={"rounds": HORIZON})
TIMES = described("moglb2019/cost", [RUN], {"flat": last_over_first})
