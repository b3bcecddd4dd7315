"""The cost and the memory of MOC-MAB, measured: Remark 2 of mocmab2018."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.policies import MocMab
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.mocmab2018 import theory
from mobandits_papers.moglb2019.cost import COST, PIECES, WINDOWS, timed
from mobandits_papers.numbers import (
    Part,
    at_most,
    curves_of,
    exact_part,
    final_values,
    ratio_of_means,
    resampled_part,
)
from mobandits_papers.outcome import Outcome
from mobandits_papers.rows import rows_of

HORIZON = 10_000
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
        frames.append(rows_of(row, COST, microseconds, points, component=0))
        # The memory does not change with the rounds: it stands at the last one alone.
        frames.append(rows_of(row, NUMBERS, [ratio], points[-1:]))

    return pl.concat(frames)


def count_numbers(state: Sequence[Array]) -> int:
    """How many numbers a state holds.

    Example:
        >>> count_numbers((np.zeros((3, 2)), np.zeros(4)))
        10
    """
    return sum(array.size for array in state)


def mean_times(outcome: Outcome, row: str, windows: slice = slice(None)) -> Array:
    """(trials,) the microseconds per round of a row, means over some of its windows."""
    _, values = curves_of(outcome, row, COST)
    means: Array = values[:, windows].mean(axis=1)
    return means


def ratio_part(name: str, more: Array, less: Array) -> Part:
    """The ratio of two mean times, (trials,) each, which are to be equal or nearly so."""
    samples = np.stack([more, less], axis=1)
    steady = at_most(STEADY)
    return resampled_part(name, samples, ratio_of_means, steady)


def within_order(outcome: Outcome) -> list[Part]:
    """The cost of larger sizes over c d + k K, with c and k from the smallest sizes."""
    smallest = (FEWEST_ARMS, FEWEST_COORDINATES)
    costs_of_smallest = [mean_times(outcome, row) for row in smallest]
    ratios = []
    for row, size in {**ARMS, **COORDINATES}.items():
        if row in smallest:
            continue

        def over_formula(means: Array, size: Size = size) -> Array:
            cost, arms_cost, coordinates_cost = means
            # Each constant takes all of its smallest size's cost, so that the formula is generous.
            per_arm = arms_cost / ARMS[FEWEST_ARMS].arms
            per_coordinate = coordinates_cost / COORDINATES[FEWEST_COORDINATES].features
            formula = theory.computations(1, size.features, size.arms, per_coordinate, per_arm)

            return np.asarray(cost / formula)

        samples = np.stack([mean_times(outcome, row), *costs_of_smallest], axis=1)
        name = f"{row}, cost over c d + k K"
        ratios.append(resampled_part(name, samples, over_formula, at_most(1.0)))

    return ratios


def lasting(outcome: Outcome) -> list[Part]:
    """The cost of a round in the last third of the windows, over that in the first third."""
    ratios = []
    for row in SIZES:
        points, _ = curves_of(outcome, row, COST)
        third = len(points) // 3
        last = mean_times(outcome, row, slice(-third, None))
        first = mean_times(outcome, row, slice(third))
        ratios.append(ratio_part(f"{row}, last third over first", last, first))

    return ratios


def memory_parts(outcome: Outcome) -> list[Part]:
    """The numbers kept over those of the formula: the same for all sizes."""
    # Nothing about the memory is random: all trials have the same number.
    ratios = {row: float(final_values(outcome, row, NUMBERS)[0]) for row in SIZES}
    expected = ratios[FEWEST_ARMS]
    return [
        exact_part(f"{row}, numbers kept over 3 m^d K", ratio, holds=ratio == expected)
        for row, ratio in ratios.items()
    ]


SETTINGS = {"sizes": {row: list(size) for row, size in SIZES.items()}}
RUN = Computed("cost", costs, 5, SETTINGS, measures_time=True, scale={"rounds": HORIZON})
REMARK_2 = described(
    "mocmab2018/cost",
    [RUN],
    {"steps": within_order, "rounds": lasting, "memory": memory_parts},
)
