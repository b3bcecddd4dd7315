"""Remark 1 of moslb2024: chains and levels that are the Pareto and the lexicographic order."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Beliefs, Order, Rng
from mobandits.orders import Chains, Levels, Lexicographic, Pareto
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, RunOptions

TABLES = 50
ARMS = 8
OBJECTIVES = (1, 2, 3, 5)
LAWS = ("normal means", "means of one decimal, with ties")
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


def draw(law: str, objectives: int, rng: Rng) -> Array:
    """(arms, objectives) a random table of means."""
    means = rng.standard_normal((ARMS, objectives))
    if law == LAWS[0]:
        return means
    return np.asarray(np.round(means / 2.0, 1))


def differs(order: Order, other: Order, means: Array) -> tuple[bool, bool]:
    """Whether two orders have other fronts, and whether they have other gaps."""
    beliefs = Beliefs(means, means, means)
    fronts = order.front(beliefs) != other.front(beliefs)
    gaps = order.gaps(means) != other.gaps(means)
    return bool(fronts.any()), bool(gaps.any())


def singletons(objectives: int) -> list[list[int]]:
    """Every objective in a list of its own.

    Example:
        >>> singletons(3)
        [[0], [1], [2]]
    """
    return [[i] for i in range(objectives)]


def contradictions(trial: int, options: RunOptions) -> pl.DataFrame:
    """On how many tables the orders differ, by law."""
    rng = np.random.default_rng([options.seed, trial])
    counts = {(law, row): [0, 0] for law in LAWS for row in (CHAINS, LEVELS)}
    for law in LAWS:
        for objectives in OBJECTIVES:
            pairs: Sequence[tuple[str, Order, Order]] = (
                (CHAINS, Chains(singletons(objectives)), Pareto()),
                (LEVELS, Levels(singletons(objectives)), Lexicographic()),
            )
            for _ in range(TABLES):
                means = draw(law, objectives, rng)
                for row, order, other in pairs:
                    found = differs(order, other, means)
                    counts[law, row] = [a + b for a, b in zip(counts[law, row], found, strict=True)]
    rows = [
        (f"{row}, {law}", measure, float(count))
        for (law, row), both in counts.items()
        for measure, count in zip(MEASURES, both, strict=True)
    ]
    table = pl.DataFrame(rows, ["policy", "metric", "value"], orient="row")
    return table.with_columns(round=pl.lit(1), component=pl.lit(0))


def claim(what: str, sentence: str, row: str) -> Claim:
    """One half of the remark."""

    def parts(outcome: Outcome) -> list[Part]:
        run = outcome.runs()[0]
        tables = TABLES * len(OBJECTIVES)
        found = []
        for law in LAWS:
            for measure in MEASURES:
                count = float(outcome.curves(run, f"{row}, {law}", measure)[1][:, -1].sum())
                said = f"tables with {measure}, {law}, of {tables}"
                found.append(Part(said, count, None, count == 0.0, tables))
        return found

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
