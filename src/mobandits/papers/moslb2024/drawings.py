"""Figures 1 and 2 of moslb2024: the orders that it draws, checked against the orders of the code."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Beliefs, Order
from mobandits.orders import Chains, Levels
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, RunOptions

TABLES = 500
CHAINS = Chains([[0, 1, 2], [3], [4, 5]])
LEVELS = Levels([[0, 1], [2, 3, 4]])


def precedence(
    order: Order,
    objectives: int,
    above: Sequence[tuple[int, int]],
    beside: Sequence[tuple[int, int]],
) -> Computed:
    """Whether an order does what its drawing says, on random tables of means.

    Two arms differ in two objectives only: the second is a little better in one and much worse in the other. Where the
    one precedes the other, the first arm must not be on the front; where no arrow leads from one to the other, both
    must be.
    """

    def count(trial: int, options: RunOptions) -> pl.DataFrame:
        rng = np.random.default_rng([options.seed, trial])
        broken = {"an arrow that did not decide": 0, "a choice without an arrow": 0}
        for _ in range(TABLES):
            for pairs, said, wanted in (
                (above, "an arrow that did not decide", [False, True]),
                (beside, "a choice without an arrow", [True, True]),
            ):
                for first, second in pairs:
                    means = np.repeat(rng.random((1, objectives)), 2, axis=0)
                    means[1, first] += 1e-3
                    means[1, second] -= 1.0 + rng.random()
                    front = order.front(Beliefs(means, means, means))
                    broken[said] += front.tolist() != wanted
        values = {"policy": list(broken), "value": [float(number) for number in broken.values()]}
        return pl.DataFrame(values).with_columns(
            metric=pl.lit("contradictions"), round=pl.lit(1), component=pl.lit(0)
        )

    said = {"tables": TABLES, "above": list(map(list, above)), "beside": list(map(list, beside))}
    return Computed("random tables", count, settings=said)


def no_contradiction(outcome: Outcome) -> list[Part]:
    """Every count is 0."""
    run = outcome.runs()[0]
    return [
        Part(row, float(value), None, bool(value == 0.0), TABLES)
        for row in ("an arrow that did not decide", "a choice without an arrow")
        for value in outcome.curves(run, row, "contradictions")[1][:, -1]
    ]


def drawing(name: str, title: str, about: str, computed: Computed) -> Experiment:
    """A figure that draws an order."""
    claim = Claim(
        f"moslb2024/{name}/precedence",
        "Arrows decide, however small the gain and however large the loss; without an arrow both arms stay",
        "as drawn",
        "no contradiction on any table",
        no_contradiction,
        kind="check",
    )
    source = f"moslb2024, Figure {name.removeprefix('fig')}"
    return Experiment(f"moslb2024/{name}", title, source, [about], [computed], [], [claim])


CHAINS_DRAWN = drawing(
    "fig1",
    "Priority chains, as drawn: {1, 2, 3}, {4}, {5, 6}",
    "The figure draws precedence within chains and none between them. Two arms that differ in two objectives tell "
    "whether the order has the arrows of the drawing, and no others.",
    precedence(
        CHAINS,
        6,
        [(0, 1), (0, 2), (1, 2), (4, 5)],
        [(0, 3), (0, 4), (3, 4), (1, 4), (2, 3), (0, 5)],
    ),
)

LEVELS_DRAWN = drawing(
    "fig2",
    "Priority levels, as drawn: {1, 2} before {3, 4, 5}",
    "The figure draws two objectives that precede three others, and none that precedes another within its level.",
    precedence(
        LEVELS, 5, [(i, j) for i in (0, 1) for j in (2, 3, 4)], [(0, 1), (2, 3), (3, 4), (2, 4)]
    ),
)
