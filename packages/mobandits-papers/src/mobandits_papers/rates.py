"""Rates of regret bounds: the powers of T that papers print, read from the bounds themselves."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

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
Bound = Callable[[Array], Array]  # of horizons T, (horizons,) both


def bounds(name: str, curves: Mapping[str, Bound]) -> Computed:
    """Bounds over `HORIZONS`, as a part of an experiment: nothing of it is random.

    Args:
        name: of the part.
        curves: {row: a bound}.
    """
    rounds = HORIZONS.astype(np.int64)

    def compute(_trial: int, _options: RunOptions) -> pl.DataFrame:
        tables = []
        for row, bound in curves.items():
            values = bound(HORIZONS)
            tables.append(rows_of(row, "regret_bound", values, rounds, component=0))

        return pl.concat(tables)

    return Computed(name, compute, settings={"horizons": rounds.tolist()})


def by_horizon(bound: Callable[[int], ArrayLike]) -> Bound:
    """A bound of many horizons from that of one, whose parameters depend on the horizon.

    Example:
        >>> by_horizon(lambda T: T + 1)(np.array([10.0, 20.0])).tolist()
        [11.0, 21.0]
    """
    return lambda horizons: np.array([bound(int(T)) for T in horizons], np.float64)


def larger_bound(T: int, features: int) -> float:
    """Theorem 2 of mocmab2018, the larger of both objectives."""
    parts = mocmab2018.default_parts(T, features)
    setting = mocmab2018.Setting(T, 4, features, parts)
    both_objectives = mocmab2018.expected_regret_bounds(setting)
    return max(both_objectives)


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


# Corollary 1 of pcz2018, for some Pareto zooming dimensions.
ZOOMING_BOUNDS = {
    f"d_p = {dimension}": partial(
        pcz2018.expected_regret_bound,
        constant=pcz2018.PACKING,
        dimension=dimension,
        objectives=2,
        largest_gap=0.5,
    )
    for dimension in (1, 2, 3)
}
CELL_BOUNDS = {f"d = {d}": by_horizon(partial(larger_bound, features=d)) for d in (1, 2, 4)}

# The tables compare with orders of other algorithms, which are theirs to prove.
PCZ2018_TABLE1 = described(
    "pcz2018/table1",
    [bounds("Corollary 1", ZOOMING_BOUNDS)],
    {"rate": rates({f"d_p = {d}": pcz2018.rate(d) for d in (1, 2, 3)}, run="Corollary 1")},
)
MOCMAB2018_TABLE1 = described(
    "mocmab2018/table1",
    [bounds("Theorem 2", CELL_BOUNDS)],
    {"rate": rates({f"d = {d}": mocmab2018.rate(d) for d in (1, 2, 4)}, run="Theorem 2")},
)
