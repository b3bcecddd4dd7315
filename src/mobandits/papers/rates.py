"""Tables of regret bounds: the powers of T that papers print, read from the bounds themselves."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.mocmab2018 import theory as mocmab2018
from mobandits.papers.pcz2018 import theory as pcz2018

HORIZONS = np.logspace(3, 16, 27)
LATE = 1e12  # from here on, the terms of lower order have died out
SAID = {"horizons": HORIZONS.astype(np.int64).tolist()}


def zooming_bounds(_trial: int, _options: RunOptions) -> pl.DataFrame:
    """Corollary 1 of pcz2018, for some Pareto zooming dimensions."""
    curves = {}
    for dimension in (1, 2, 3):
        bound = pcz2018.expected_regret_bound(HORIZONS, pcz2018.PACKING, dimension, 2, 0.5)
        curves[f"d_p = {dimension}"] = bound

    return bound_rows(curves)


def cell_bounds(_trial: int, _options: RunOptions) -> pl.DataFrame:
    """Theorem 2 of mocmab2018, for some numbers of features: the larger of both objectives."""
    curves = {}
    for features in (1, 2, 4):
        bounds = []
        for T in HORIZONS:
            parts = mocmab2018.default_parts(int(T), features)
            setting = mocmab2018.Setting(int(T), 4, features, parts)
            both_objectives = mocmab2018.expected_regret_bounds(setting)
            bounds.append(max(both_objectives))

        curves[f"d = {features}"] = np.array(bounds)

    return bound_rows(curves)


def bound_rows(curves: Mapping[str, Array]) -> pl.DataFrame:
    """Bounds over `HORIZONS` as rows of a table, one curve per row's name."""
    rounds = HORIZONS.astype(np.int64)
    metric = pl.lit("regret_bound")
    tables = []
    for name, values in curves.items():
        table = pl.DataFrame({"round": rounds, "value": values})
        tables.append(table.with_columns(policy=pl.lit(name), metric=metric, component=pl.lit(0)))

    return pl.concat(tables)


def rates(
    rows: Sequence[str],
    powers: Sequence[float],
    *,
    run: str = "",
    logarithms: int = 1,
    near: float | None = None,
) -> Callable[[Outcome], list[Part]]:
    """The slopes of bounds on logarithmic axes beside the powers of T.

    Args:
        rows: of the bounds.
        powers: of T, one per row.
        run: that has the bounds; empty: the first.
        logarithms: how many factors ln T are divided out first.
        near: how far from the power a slope may be; None: no rule decides.
    """

    def parts(outcome: Outcome) -> list[Part]:
        place = run or outcome.runs()[0]
        slopes = []
        for row, power in zip(rows, powers, strict=True):
            horizons, bounds = outcome.curves(place, row, "regret_bound")
            is_late = horizons >= LATE
            x = np.log(horizons[is_late])
            # What is left of the bound without its logarithms is the power of T alone.
            y = np.log(bounds[0, is_late]) - logarithms * np.log(x)
            slope = float(np.polyfit(x, y, 1)[0])
            holds = None
            if near is not None:
                holds = abs(slope - power) <= near

            slopes.append(Part(f"{row}, whose power is {power:.4g}", slope, None, holds, 1))

        return slopes

    return parts


def table(
    paper: str, title: str, about: str, run: Computed, rows: Sequence[str], powers: Sequence[float]
) -> Experiment:
    """A table that compares regret bounds."""
    claim = Claim(
        f"{paper}/table1/rate",
        "The bound grows with the power of T that the table gives, up to logarithms",
        ", ".join(f"{power:.4g}" for power in powers),
        f"none: the table compares with the literature; slopes are read from T = {LATE:g} on, a "
        "logarithm divided out",
        rates(rows, powers),
        kind="check",
    )
    plot = Plot(
        "bounds",
        "regret_bound",
        "The bounds over the horizon.",
        vertical="bound on the regret",
        logarithmic=True,
    )
    return Experiment(
        f"{paper}/table1", title, f"{paper}, Table 1", [about], [run], [plot], [claim]
    )


PCZ2018_TABLE1 = table(
    "pcz2018",
    "The rate of PCZ's regret bound, which its table compares with the literature",
    "The table lists orders of regret of other algorithms, which are theirs to prove; here is "
    "the row of PCZ, T^((1 + d_p) / (2 + d_p)) with the Pareto zooming dimension d_p, read from "
    "Corollary 1.",
    Computed("Corollary 1", zooming_bounds, settings=SAID),
    [f"d_p = {dimension}" for dimension in (1, 2, 3)],
    [pcz2018.rate(dimension) for dimension in (1, 2, 3)],
)

MOCMAB2018_TABLE1 = table(
    "mocmab2018",
    "The rate of MOC-MAB's regret bound, which its table compares with the literature",
    "The table lists orders of regret of other algorithms, which are theirs to prove; here is "
    "the row of MOC-MAB, T^((2 alpha + d) / (3 alpha + d)) in both objectives, read from Theorem "
    "2 with alpha = 1.",
    Computed("Theorem 2", cell_bounds, settings=SAID),
    [f"d = {features}" for features in (1, 2, 4)],
    [mocmab2018.rate(features) for features in (1, 2, 4)],
)
