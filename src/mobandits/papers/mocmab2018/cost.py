"""The cost and the memory of MOC-MAB, measured: Remark 2 of mocmab2018."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.papers.claim_parts import (
    Parts,
    at_most,
    curves_of,
    final_values,
    ratio_of_means,
    resampled_part,
)
from mobandits.papers.claims import Claim, Outcome, Part, level
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.mocmab2018 import theory
from mobandits.papers.moglb2019.cost import PIECES, WINDOWS, timed
from mobandits.policies import MocMab

HORIZON = 10_000
COST = "microseconds_per_round"
NUMBERS = "numbers_over_formula"
STEADY = 1.5  # what "no more" may mean for a measured time
OBJECTIVES = 2


class Size(NamedTuple):
    """One size of the problem: arms K, features d, and m parts per side."""

    arms: int
    features: int
    parts: int


# Doubled from size to size in one number alone, so that a ratio of times shows the order in it.
ARMS = {f"K = {K}": Size(K, 2, 4) for K in (16, 32, 64, 128)}
# One part per side: with two, so many coordinates would have more cells than any memory holds.
COORDINATES = {f"d = {d}": Size(2, d, 1) for d in (64, 128, 256, 512)}
CELLS = {f"m = {m}": Size(8, 2, m) for m in (2, 4, 8, 16)}
SIZES = {**ARMS, **COORDINATES, **CELLS}
FEWEST_ARMS = next(iter(ARMS))
FEWEST_COORDINATES = next(iter(COORDINATES))

REMARK = (
    "The remark counts steps: a round finds the cell of its context in O(d), and the leader, the "
    "candidates and the best of them in O(K), so that T rounds take O(d T) + O(K T), and O(m^d K) "
    "counters and means are kept. Here rounds are timed for 16 to 128 arms (d = 2, m = 4), for 64 "
    "to 512 coordinates (K = 2, m = 1) and for 4 to 256 cells (d = 2, K = 8), on uniform contexts "
    "and rewards. An order of cost is an upper bound: to cost less agrees with it."
)
MACHINE = (
    "Times depend on the machine: this table is not the same in every run. Each value is the "
    f"median of {PIECES} pieces of a window of a tenth of the rounds. That {STEADY:g} times as "
    "long still counts as equal is ours."
)
OTHERS = "Times were measured on a machine that did other things as well."


class UniformProblem(NamedTuple):
    """Contexts and rewards that are uniform on [0, 1]."""

    shape: Shape

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next rounds."""
        shape = self.shape
        contexts = rng.random((rounds, 1, shape.features))
        rewards = rng.random((rounds, shape.arms, shape.objectives))
        means = np.full_like(rewards[:1], 0.5)  # the same in all rounds

        return Block(contexts, means, rewards)


def costs(trial: int, options: RunOptions) -> pl.DataFrame:
    """The microseconds per round and the numbers kept, for every size."""
    rounds = options.rounds or HORIZON
    rounds = max(rounds, WINDOWS * PIECES)  # every timed piece has a round at least
    frames = []
    for row, size in SIZES.items():
        shape = Shape(size.arms, size.features, OBJECTIVES, rounds, shared=True)
        policy = MocMab(per_side=size.parts).bind(shape)
        problem = UniformProblem(shape)
        # Rewards have no structure, because the order of cost must not depend on what is learned.
        points, microseconds = timed(policy, problem, rounds, options.seed, trial)

        setting = theory.Setting(rounds, size.arms, size.features, size.parts)
        kept = count_numbers(policy.init())
        ratio = kept / theory.memory(setting, OBJECTIVES)

        times_table = pl.DataFrame({"round": points, "value": microseconds})
        times_table = times_table.with_columns(metric=pl.lit(COST))
        # The memory does not change with the rounds: it stands at the last one alone.
        memory_table = pl.DataFrame({"round": points[-1:], "value": [ratio]})
        memory_table = memory_table.with_columns(metric=pl.lit(NUMBERS))
        both = pl.concat([times_table, memory_table])
        frames.append(both.with_columns(policy=pl.lit(row)))

    return pl.concat(frames).with_columns(component=pl.lit(0))


def count_numbers(state: Sequence[Array]) -> int:
    """How many numbers a state holds.

    Example:
        >>> count_numbers((np.zeros((3, 2)), np.zeros(4)))
        10
    """
    return sum(array.size for array in state)


def times(outcome: Outcome, row: str) -> Array:
    """(trials, windows) the microseconds per round of a row."""
    _, values = curves_of(outcome, row, COST)
    return values


def ratio_part(name: str, more: Array, less: Array) -> Part:
    """The ratio of two mean times, (trials,) each, which are to be equal or nearly so."""
    samples = np.stack([more, less], axis=1)
    steady = at_most(STEADY)
    return resampled_part(name, samples, ratio_of_means, steady)


def within_order(outcome: Outcome) -> list[Part]:
    """The cost of larger sizes over c d + k K, with c and k from the smallest sizes."""
    smallest_arms = SIZES[FEWEST_ARMS].arms
    smallest_features = SIZES[FEWEST_COORDINATES].features
    cost_of_arms = times(outcome, FEWEST_ARMS).mean(axis=1)
    cost_of_coordinates = times(outcome, FEWEST_COORDINATES).mean(axis=1)
    larger = {**ARMS, **COORDINATES}
    del larger[FEWEST_ARMS]
    del larger[FEWEST_COORDINATES]
    ratios = []
    for row, size in larger.items():

        def over_formula(means: Array, size: Size = size) -> Array:
            cost, arms_cost, coordinates_cost = means
            # Each constant takes all of its smallest size's cost, so that the formula is generous.
            per_arm = arms_cost / smallest_arms
            per_coordinate = coordinates_cost / smallest_features
            formula = theory.computations(1, size.features, size.arms, per_coordinate, per_arm)

            return np.asarray(cost / formula)

        cost = times(outcome, row).mean(axis=1)
        samples = np.stack([cost, cost_of_arms, cost_of_coordinates], axis=1)
        name = f"{row}, cost over c d + k K"
        ratios.append(resampled_part(name, samples, over_formula, at_most(1.0)))

    return ratios


def among_cells(outcome: Outcome) -> list[Part]:
    """The cost with every number of cells, over that with a quarter of them."""
    ratios = []
    for fewer, more in itertools.pairwise(CELLS):
        cost_of_fewer = times(outcome, fewer).mean(axis=1)
        cost_of_more = times(outcome, more).mean(axis=1)
        ratios.append(ratio_part(f"{more} over {fewer}", cost_of_more, cost_of_fewer))

    return ratios


def lasting(outcome: Outcome) -> list[Part]:
    """The cost of a round in the last third of the windows, over that in the first third."""
    ratios = []
    for row in SIZES:
        values = times(outcome, row)
        third = values.shape[1] // 3
        last = values[:, -third:].mean(axis=1)
        first = values[:, :third].mean(axis=1)
        ratios.append(ratio_part(f"{row}, last third over first", last, first))

    return ratios


def memory_parts(outcome: Outcome) -> list[Part]:
    """The numbers kept over those of the formula: the same for all sizes."""

    def ratio_of(row: str) -> float:
        # Nothing about the memory is random: all trials have the same number.
        ratios = final_values(outcome, row, NUMBERS)
        return float(ratios[0])

    expected = ratio_of(FEWEST_ARMS)
    parts = []
    for row in SIZES:
        ratio = ratio_of(row)
        name = f"{row}, numbers kept over 3 m^d K"
        parts.append(Part(name, ratio, None, ratio == expected, 1))

    return parts


def cost_claim(
    name: str,
    claim: str,
    target: str,
    parts: Parts,
    at_most: float,
) -> Claim:
    """A check of an order of cost by measured times."""
    return Claim(
        f"mocmab2018/cost/{name}",
        claim,
        target,
        f"each: the 95 % bootstrap interval of the ratio lies below {at_most:g}",
        parts,
        OTHERS,
        "The order follows from the algorithm's lines; what is measured is this program.",
        kind="check",
    )


REMARK_2 = Experiment(
    "mocmab2018/cost",
    "The cost of a round, and the numbers that are kept",
    "mocmab2018, Remark 2",
    (REMARK, MACHINE),
    [
        Computed(
            "cost",
            costs,
            5,
            {"sizes": {row: list(size) for row, size in SIZES.items()}},
            measures_time=True,
            scale={"rounds": HORIZON},
        )
    ],
    [
        Plot(
            "cost",
            COST,
            "Microseconds per round: means over five trials, 95 % bands.",
            vertical="microseconds per round",
            logarithmic=True,
        )
    ],
    (
        cost_claim(
            "steps",
            "A round costs at most c d + k K, with c and k of the smallest sizes",
            "O(d T) + O(K T) computations in T rounds",
            within_order,
            1.0,
        ),
        cost_claim(
            "cells",
            "Four times as many cells cost no more",
            "the number of cells is not in the order of cost",
            among_cells,
            STEADY,
        ),
        cost_claim(
            "rounds",
            "Later rounds cost no more than earlier ones",
            "an order of T",
            lasting,
            STEADY,
        ),
        Claim(
            "mocmab2018/cost/memory",
            "The numbers that are kept are a multiple of m^d K, whatever the horizon",
            "O(m^d K)",
            "each: the same multiple for all sizes",
            memory_parts,
            note=(
                "The paper's tables have 3 m^d K numbers, a counter and two means. Here every "
                "objective has a counter of its own, because rewards may come in part: 4 m^d K."
            ),
            kind="check",
        ),
        level(
            "mocmab2018/cost/microseconds",
            "Microseconds per round at the end",
            COST,
            tuple(SIZES),
            target="not in the paper",
            kind="ours",
        ),
    ),
)
