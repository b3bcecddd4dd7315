"""Remark 1 of moslb2024: chains and levels that are the Pareto and the lexicographic order."""

import itertools

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Beliefs, Order, Rng
from mobandits.orders import Chains, Levels, Lexicographic, Pareto
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, RunOptions

TABLES = 50
ARMS = 8
OBJECTIVES = (1, 2, 3, 5)
# Means of one decimal have ties, without which an order of priorities is decided by its first
# objective.
DISTRIBUTIONS = ("normal means", "means of one decimal, with ties")
CHAINS = "chains of one objective each"
LEVELS = "levels of one objective each"
MEASURES = ("other front", "other gaps")
ABOUT = (
    "Remark 1 says that priority chains without a chain, where every list has one objective, are "
    "the Pareto order, and that priority levels of one objective each are the lexicographic order. "
    "Both are compared with orders that have code of their own, on random tables: the front, and "
    "the gap of every arm, which for levels is the priority regret of equation 4. Means of one "
    "decimal have ties, without which an order of priorities is decided by its first objective. "
    "The remark is about orders; a policy does not become another one: MOSLB-PC with chains of one "
    "objective plays the arms that may be best in some objective, not a Pareto front."
)


def draw(distribution: str, objectives: int, rng: Rng) -> Array:
    """(arms, objectives) a random table of means."""
    means = rng.standard_normal((ARMS, objectives))
    if distribution == DISTRIBUTIONS[0]:
        return means

    # Halved, so that the values are fewer and ties more.
    halves = means / 2.0

    return np.asarray(np.round(halves, 1))


def differs(order: Order, other: Order, means: Array) -> tuple[bool, bool]:
    """Whether two orders have other fronts, and whether they have other gaps."""
    beliefs = Beliefs(means, means, means)
    other_fronts = order.front(beliefs) != other.front(beliefs)
    # Equal to the last bit: both add and compare the same numbers.
    other_gaps = order.gaps(means) != other.gaps(means)
    front_differs = bool(other_fronts.any())
    gaps_differ = bool(other_gaps.any())

    return front_differs, gaps_differ


def singletons(objectives: int) -> list[list[int]]:
    """Every objective in a list of its own.

    Example:
        >>> singletons(3)
        [[0], [1], [2]]
    """
    return [[i] for i in range(objectives)]


def order_pairs(objectives: int) -> dict[str, tuple[Order, Order]]:
    """The orders that the remark calls the same, {row: (special case, order of its own)}.

    Example:
        >>> list(order_pairs(2))
        ['chains of one objective each', 'levels of one objective each']
    """
    lists = singletons(objectives)
    return {
        CHAINS: (Chains(lists), Pareto()),
        LEVELS: (Levels(lists), Lexicographic()),
    }


def contradictions(trial: int, options: RunOptions) -> pl.DataFrame:
    """The number of tables on which the orders differ, by distribution of the means."""
    rng = np.random.default_rng([options.seed, trial])
    keys = itertools.product(DISTRIBUTIONS, (CHAINS, LEVELS), MEASURES)
    counts = dict.fromkeys(keys, 0)
    for distribution in DISTRIBUTIONS:
        for objectives in OBJECTIVES:
            pairs = order_pairs(objectives)
            for _ in range(TABLES):
                # One table for both pairs.
                means = draw(distribution, objectives, rng)
                for row, (order, other) in pairs.items():
                    different_front, different_gaps = differs(order, other, means)
                    counts[distribution, row, MEASURES[0]] += different_front
                    counts[distribution, row, MEASURES[1]] += different_gaps

    rows = []
    for (distribution, row, measure), count in counts.items():
        name = f"{row}, {distribution}"
        rows.append((name, measure, float(count)))

    table = pl.DataFrame(rows, ["policy", "metric", "value"], orient="row")

    return table.with_columns(round=pl.lit(1), component=pl.lit(0))


def claim(what: str, sentence: str, row: str) -> Claim:
    """One half of the remark."""

    def parts(outcome: Outcome) -> list[Part]:
        run = outcome.runs()[0]
        tables = TABLES * len(OBJECTIVES)
        numbers = []
        for distribution in DISTRIBUTIONS:
            for measure in MEASURES:
                _, values = outcome.curves(run, f"{row}, {distribution}", measure)
                count = float(values[:, -1].sum())
                label = f"tables with {measure}, {distribution}, of {tables}"
                numbers.append(Part(label, count, None, count == 0.0, tables))

        return numbers

    return Claim(
        f"moslb2024/remark1/{what}",
        sentence,
        "a special case",
        "the same front and the same gaps on every table",
        parts,
        kind="check",
    )


REMARK1 = Experiment(
    "moslb2024/remark1",
    "Remark 1: chains and levels of one objective each are the Pareto and the lexicographic order",
    "moslb2024, Remark 1",
    (ABOUT,),
    [
        Computed(
            "random tables",
            contradictions,
            settings={"tables": TABLES, "arms": ARMS, "objectives": list(OBJECTIVES)},
        )
    ],
    [],
    (
        claim("chains", "Priority chains of one objective each are the Pareto order", CHAINS),
        claim(
            "levels", "Priority levels of one objective each are the lexicographic order", LEVELS
        ),
    ),
)
