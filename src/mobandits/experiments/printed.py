"""What the papers print without running anything: tables of rates, and drawings of orders, checked against the code."""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from mobandits.experiments.claims import Claim, Outcome, Part
from mobandits.experiments.experiment import Ask, Computed, Experiment, Plot
from mobandits.kernel.protocols import Array, Beliefs, Order
from mobandits.orders import Chains, Levels
from mobandits.theory import mocmab2018, pcz2018

HORIZONS = np.logspace(3, 16, 27)
LATE = 1e12  # from here on, the terms of lower order have died out
NEAR = 0.01
TABLES, ARMS = 500, 6
CHAINS, LEVELS = Chains([[0, 1, 2], [3], [4, 5]]), Levels([[0, 1], [2, 3, 4]])


def zooming_bounds(trial: int, ask: Ask) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """Corollary 1 of pcz2018, for some Pareto zooming dimensions."""
    curves = {
        f"d_p = {dimension}": pcz2018.expected_regret_bound(HORIZONS, pcz2018.PACKING, dimension, 2, 0.5)
        for dimension in (1, 2, 3)
    }
    return _rows(curves)


def cell_bounds(trial: int, ask: Ask) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """Theorem 2 of mocmab2018, for some numbers of features: the larger of both objectives."""
    curves = {}
    for features in (1, 2, 4):
        settings = [
            mocmab2018.Setting(int(T), 4, features, mocmab2018.default_parts(int(T), features)) for T in HORIZONS
        ]
        curves[f"d = {features}"] = np.array([max(mocmab2018.expected_regret_bounds(one)) for one in settings])
    return _rows(curves)


def _rows(curves: dict[str, Array]) -> pl.DataFrame:
    rounds = HORIZONS.astype(np.int64)
    return pl.concat(
        pl.DataFrame({"round": rounds, "value": values}).with_columns(
            policy=pl.lit(said), metric=pl.lit("regret_bound"), component=pl.lit(0)
        )
        for said, values in curves.items()
    )


def rates(rows: Sequence[str], powers: Sequence[float]) -> Callable[[Outcome], list[Part]]:
    """The slopes of the bounds on logarithmic axes, the logarithm of T divided out, beside the powers of T."""

    def parts(outcome: Outcome) -> list[Part]:
        found = []
        for row, power in zip(rows, powers, strict=True):
            T, bounds = outcome.curves(outcome.runs()[0], row, "regret_bound")
            late = T >= LATE
            slope = float(np.polyfit(np.log(T[late]), np.log(bounds[0, late] / np.log(T[late])), 1)[0])
            found.append(Part(f"{row}, whose power is {power:.4g}", slope, None, abs(slope - power) <= NEAR, 1))
        return found

    return parts


def precedence(order: Order, above: Sequence[tuple[int, int]], beside: Sequence[tuple[int, int]]) -> Computed:
    """Whether an order does what its drawing says, on random tables of means.

    Two arms differ in two objectives only: the second is a little better in one and much worse in the other. Where the
    one precedes the other, the first arm must not be on the front; where no arrow leads from one to the other, both
    must be.
    """

    def count(trial: int, ask: Ask) -> pl.DataFrame:
        rng = np.random.default_rng([ask.seed, trial])
        broken = {"an arrow that did not decide": 0, "a choice without an arrow": 0}
        for _ in range(TABLES):
            for pairs, said, wanted in (
                (above, "an arrow that did not decide", [False, True]),
                (beside, "a choice without an arrow", [True, True]),
            ):
                for first, second in pairs:
                    means = np.repeat(rng.random((1, ARMS)), 2, axis=0)
                    means[1, first] += 1e-3
                    means[1, second] -= 1.0 + rng.random()
                    front = order.front(Beliefs(means, means, means))
                    broken[said] += front.tolist() != wanted
        values = {"policy": list(broken), "value": [float(number) for number in broken.values()]}
        return pl.DataFrame(values).with_columns(metric=pl.lit("contradictions"), round=pl.lit(1), component=pl.lit(0))

    return Computed("random tables", count)


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
    )
    source = f"moslb2024, Figure {name.removeprefix('fig')}"
    return Experiment(f"moslb2024/{name}", title, source, [about], [computed], [], [claim])


def table(
    paper: str, title: str, about: str, run: Computed, rows: Sequence[str], powers: Sequence[float]
) -> Experiment:
    """A table that compares regret bounds."""
    claim = Claim(
        f"{paper}/table1/rate",
        "The bound grows with the power of T that the table gives, up to logarithms",
        ", ".join(f"{power:.4g}" for power in powers),
        f"each slope from T = {LATE:g} on, a logarithm divided out, is within {NEAR:g} of the power",
        rates(rows, powers),
    )
    plot = Plot("bounds", "regret_bound", "The bounds over the horizon.", vertical="bound on the regret")
    return Experiment(f"{paper}/table1", title, f"{paper}, Table 1", [about], [run], [plot], [claim])


EXPERIMENTS = (
    table(
        "pcz2018",
        "The rate of PCZ's regret bound, which its table compares with the literature",
        "The table lists orders of regret of other algorithms, which are theirs to prove; here is the row of PCZ, "
        "T^((1 + d_p) / (2 + d_p)) with the Pareto zooming dimension d_p, read from Corollary 1.",
        Computed("Corollary 1", zooming_bounds),
        [f"d_p = {dimension}" for dimension in (1, 2, 3)],
        [pcz2018.rate(dimension) for dimension in (1, 2, 3)],
    ),
    table(
        "mocmab2018",
        "The rate of MOC-MAB's regret bound, which its table compares with the literature",
        "The table lists orders of regret of other algorithms, which are theirs to prove; here is the row of MOC-MAB, "
        "T^((2 alpha + d) / (3 alpha + d)) in both objectives, read from Theorem 2 with alpha = 1.",
        Computed("Theorem 2", cell_bounds),
        [f"d = {features}" for features in (1, 2, 4)],
        [mocmab2018.rate(features) for features in (1, 2, 4)],
    ),
    drawing(
        "fig1",
        "Priority chains, as drawn: {1, 2, 3}, {4}, {5, 6}",
        "The figure draws precedence within chains and none between them. Two arms that differ in two objectives tell "
        "whether the order has the arrows of the drawing, and no others.",
        precedence(CHAINS, [(0, 1), (0, 2), (1, 2), (4, 5)], [(0, 3), (0, 4), (3, 4), (1, 4), (2, 3), (0, 5)]),
    ),
    drawing(
        "fig2",
        "Priority levels, as drawn: {1, 2} before {3, 4, 5}",
        "The figure draws two objectives that precede three others, and none that precedes another within its level.",
        precedence(LEVELS, [(i, j) for i in (0, 1) for j in (2, 3, 4)], [(0, 1), (2, 3), (3, 4), (2, 4)]),
    ),
)
