"""The cost of a round of MOGLB-UCB, measured: the remark of moglb2019 on algorithms that need the whole history."""

import itertools
import time
from dataclasses import replace

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
STEADY = (
    0.5,
    1.5,
)  # what "the cost does not grow" may mean for a measured time, last third over first
# costs are medians of the times of so many pieces of each of so many parts of the horizon
WINDOWS = 10
PIECES = 10
TIMED = (
    "The paper's argument for online Newton steps: a round costs the same however many came before, where "
    "algorithms such as GLM-UCB fit their estimates to the whole history in every round. Both are timed on the same "
    "problem, with 5 features and five logit objectives, 3,000 rounds, five trials; the rival is MOGLB-UCB with "
    "its estimates replaced by those of maximum likelihood (Newton's method, started at the previous estimate), "
    "both compiled."
)
MACHINE = (
    "Times depend on the machine: this table is not the same in every run. Each value is the median of ten pieces "
    "of a window of a tenth of the rounds. That the last third may take half as long to half as long again as the "
    "first, and still counts as equal, is ours."
)


def costs(trial: int, options: RunOptions) -> pl.DataFrame:
    """Microseconds per round of MOGLB-UCB, and of the same policy with estimates fitted to the whole history."""
    rounds = max(options.rounds or HORIZON, WINDOWS * PIECES)
    place = GeneralizedLinear(features=5, links=("logit",) * 5).problem(
        rounds, stream(options.seed, trial, INSTANCE)
    )
    online = MoglbUcb(scale=0.01).bind(place.shape)
    refitted = Refitted(online.estimator, 1.0, rounds, place.shape.objectives, place.shape.features)
    frames = []
    for row, policy in (
        ("MOGLB-UCB", online),
        ("refitted to the history", replace(online, estimator=refitted)),
    ):
        points, taken = timed(policy, place, rounds, options.seed, trial)
        frames.append(
            pl.DataFrame({"round": points, "value": taken}).with_columns(policy=pl.lit(row))
        )
    return pl.concat(frames).with_columns(
        metric=pl.lit("microseconds_per_round"), component=pl.lit(0)
    )


def timed(
    policy: Policy, place: Problem, rounds: int, seed: int, trial: int
) -> tuple[IntArray, Array]:
    """The last round of every window, and the microseconds per round in it, the median of its pieces."""
    block = place.block(0, rounds, stream(seed, trial, ROUNDS))
    rng = stream(seed, trial, POLICY)
    arms = np.arange(place.shape.arms)
    loop = compile_loop(play, policy)
    borders = np.linspace(0, rounds, WINDOWS * PIECES + 1).astype(np.int64)
    # What compiling takes is nobody's cost: two rounds of a state that is then forgotten.
    loop(
        policy,
        policy.init(),
        block.contexts,
        block.rewards[:2],
        arms,
        rng,
        np.empty(2, np.int64),
        None,
    )
    state = policy.init()
    taken = []
    for first, last in itertools.pairwise(borders.tolist()):
        start = time.perf_counter()
        state = loop(
            policy,
            state,
            block.contexts,
            block.rewards[first:last],
            arms,
            rng,
            np.empty(last - first, np.int64),
            None,
        )
        taken.append((time.perf_counter() - start) / (last - first))
    return borders[PIECES::PIECES], 1e6 * np.median(np.reshape(taken, (WINDOWS, PIECES)), axis=1)


def within_steady(outcome: Outcome) -> list[Part]:
    """The cost per round in the last third of the horizon, over that in the first third."""
    run = outcome.runs()[0]
    points, values = outcome.curves(run, "MOGLB-UCB", "microseconds_per_round")
    thirds = points <= points[-1] / 3, points > points[-1] * 2 / 3
    samples = np.stack([values[:, third].mean(axis=1) for third in thirds], axis=1)
    value, ends = resample(samples, lambda means: means[1] / means[0])
    holds = None if ends is None else STEADY[0] <= ends[0] and ends[1] <= STEADY[1]
    return [Part("MOGLB-UCB, last third over first", value, ends, holds, len(values))]


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
