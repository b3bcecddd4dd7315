"""Tables of regret bounds: the powers of T that papers print, read from the bounds themselves."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.mocmab2018 import theory as mocmab2018
from mobandits_papers.numbers import Part, Parts
from mobandits_papers.outcome import Outcome
from mobandits_papers.pcz2018 import theory as pcz2018
from mobandits_papers.rows import rows_of

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
    tables = []
    for name, values in curves.items():
        tables.append(rows_of(name, "regret_bound", values, rounds, component=0))

    return pl.concat(tables)


def rates(
    powers: Mapping[str, float], *, run: str, logarithms: int = 1, near: float | None = None
) -> Parts:
    """The slopes of bounds on logarithmic axes beside the powers of T.

    Args:
        powers: {row of a bound: its power of T}.
        run: that has the bounds.
        logarithms: how many factors ln T are divided out first.
        near: how far from the power a slope may be; None: no rule decides.
    """

    def parts(outcome: Outcome) -> list[Part]:
        slopes = []
        for row, power in powers.items():
            horizons, bounds = outcome.curves(run, row, "regret_bound")
            is_late = horizons >= LATE
            x = np.log(horizons[is_late])
            # What is left of the bound without its logarithms is the power of T alone.
            y = np.log(bounds[0, is_late]) - logarithms * np.log(x)
            slope = float(np.polyfit(x, y, 1)[0])
            holds = None if near is None else abs(slope - power) <= near
            slopes.append(Part(f"{row}, whose power is {power:.4g}", slope, None, holds, 1))

        return slopes

    return parts


# The tables compare with orders of other algorithms, which are theirs to prove.
PCZ2018_TABLE1 = described(
    "pcz2018/table1",
    [Computed("Corollary 1", zooming_bounds, settings=SAID)],
    {"rate": rates({f"d_p = {d}": pcz2018.rate(d) for d in (1, 2, 3)}, run="Corollary 1")},
)
MOCMAB2018_TABLE1 = described(
    "mocmab2018/table1",
    [Computed("Theorem 2", cell_bounds, settings=SAID)],
    {"rate": rates({f"d = {d}": mocmab2018.rate(d) for d in (1, 2, 4)}, run="Theorem 2")},
)
