"""Figures 1 and 2 of moslb2024: the orders that it draws, checked against those of the code."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Order, Rng
from mobandits.spec.building import build
from mobandits_papers.described import described, tables_of
from mobandits_papers.experiment import Computed, Experiment, RunOptions
from mobandits_papers.rows import front_of, never, rows_of_counts

TABLES = 500
# The two ways to contradict a drawing, and the front of two arms that does not.
UNDECIDED = "an arrow that did not decide"
DECIDED = "a choice without an arrow"
EXPECTED = {UNDECIDED: [False, True], DECIDED: [True, True]}


def precedence(
    order: Order,
    objectives: int,
    above: Sequence[Sequence[int]],
    beside: Sequence[Sequence[int]],
) -> Computed:
    """A count of contradictions between an order and its drawing, on random tables of means.

    Two arms differ in two objectives only: the second is a little better in one and much worse in
    the other. Where the one precedes the other, the first arm must not be on the front; where no
    arrow leads from one to the other, both must be.

    Args:
        order: of the code.
        objectives: how many the drawing has.
        above: pairs of objectives of which the first precedes the second.
        beside: pairs of which neither precedes the other.
    """
    drawn = {UNDECIDED: above, DECIDED: beside}

    def count(trial: int, options: RunOptions) -> pl.DataFrame:
        rng = np.random.default_rng([options.seed, trial])
        contradictions = dict.fromkeys(drawn, 0)
        for _ in range(TABLES):
            for row, pairs in drawn.items():
                for better, worse in pairs:
                    means = two_arms(objectives, better, worse, rng)
                    front = front_of(means, order)
                    contradictions[row] += front.tolist() != EXPECTED[row]

        return rows_of_counts({(row, "contradictions"): n for row, n in contradictions.items()})

    settings = {"tables": TABLES, "above": above, "beside": beside}
    return Computed("random tables", count, settings=settings)


def two_arms(objectives: int, better: int, worse: int, rng: Rng) -> Array:
    """(2, objectives) means of two arms: the second is a little better here, much worse there."""
    means = np.repeat(rng.random((1, objectives)), 2, axis=0)
    means[1, better] += 1e-3
    # At least 1, more than any mean on [0, 1] could make up for.
    means[1, worse] -= 1.0 + rng.random()

    return means


def drawn(name: str) -> Experiment:
    """The experiment on a drawing of the file."""
    id = f"moslb2024/{name}"  # noqa: A001 - as in Experiment
    (texts,) = tables_of(id, [], {})
    drawing = texts["drawing"]
    order = build("orders", drawing.pop("order"), "order")
    counts = {row: (row, "contradictions") for row in EXPECTED}
    return described(id, [precedence(order, **drawing)], {"precedence": never(counts, TABLES)})


CHAINS_DRAWN = drawn("fig1")
LEVELS_DRAWN = drawn("fig2")
