"""Figures 1 and 2 of moslb2024: the orders that it draws, checked against those of the code."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Order, Rng
from mobandits.orders import Chains, Levels
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.rows import front_of, never, rows_of_counts

TABLES = 500
# The orders as the figures draw them, with objectives counted from 0.
CHAINS = Chains([[0, 1, 2], [3], [4, 5]])
LEVELS = Levels([[0, 1], [2, 3, 4]])
# The two ways to contradict a drawing, and the front of two arms that does not.
UNDECIDED = "an arrow that did not decide"
DECIDED = "a choice without an arrow"
EXPECTED = {UNDECIDED: [False, True], DECIDED: [True, True]}


def precedence(
    order: Order,
    objectives: int,
    above: Sequence[tuple[int, int]],
    beside: Sequence[tuple[int, int]],
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

    settings = {
        "tables": TABLES,
        "above": [list(pair) for pair in above],
        "beside": [list(pair) for pair in beside],
    }

    return Computed("random tables", count, settings=settings)


def two_arms(objectives: int, better: int, worse: int, rng: Rng) -> Array:
    """(2, objectives) means of two arms: the second is a little better here, much worse there."""
    means = np.repeat(rng.random((1, objectives)), 2, axis=0)
    means[1, better] += 1e-3
    # At least 1, more than any mean on [0, 1] could make up for.
    means[1, worse] -= 1.0 + rng.random()

    return means


NO_CONTRADICTION = {
    "precedence": never({row: (row, "contradictions") for row in EXPECTED}, TABLES),
}
# Above: the arrows within the two longer chains. Beside: objectives of two chains.
CHAINS_DRAWN = described(
    "moslb2024/fig1",
    [
        precedence(
            CHAINS,
            6,
            [(0, 1), (0, 2), (1, 2), (4, 5)],
            [(0, 3), (0, 4), (3, 4), (1, 4), (2, 3), (0, 5)],
        )
    ],
    NO_CONTRADICTION,
)

# Above: every objective of the first level with every one of the second. Beside: within a level.
LEVELS_DRAWN = described(
    "moslb2024/fig2",
    [
        precedence(
            LEVELS, 5, [(i, j) for i in (0, 1) for j in (2, 3, 4)], [(0, 1), (2, 3), (3, 4), (2, 4)]
        )
    ],
    NO_CONTRADICTION,
)
