"""pcz2018: what its two surfaces look like, and how large the set of near-optimal pairs is."""

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.environments.two_ridges import ridges
from mobandits.papers.claims import Claim, Outcome, Part, final
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.pcz2018.theory import PACKING
from mobandits.papers.pcz2018.zooming_dimension import (
    growth,
    zooming_dimension,
    zooming_numbers,
)

CELLS = 100  # of a heat map, along each side
# of the grid for packing numbers
SIDE = 129
RADII = tuple(2.0**-k for k in range(1, 7))
ABOUT_FIG1 = (
    "Two ridges across the square of contexts and arms. The first falls off alike on both sides; the second falls "
    "off steeply below and gently above. The Pareto optimal arms of a context lie between the two ridges."
)
HOW = (
    "N_r is the packing number of the pairs whose Pareto gap is at most 12 r. The exact number is hard to compute. A "
    f"packing that is found greedily on a grid of {SIDE} x {SIDE} pairs is at most as large, and one for half the "
    "radius at least as large as any packing of that grid. The same is done for the gap in the first objective "
    "alone, which is what the dimension of Contextual Zooming is about."
)
WHY = (
    f"The constant {PACKING} and the dimension 2 are derived here, from packing discs, and hold for every problem on "
    "this square; the paper computes no dimension. The front of the two ridges is a band whose area does not vanish, "
    "so that no smaller dimension will do when r goes to 0. The best arms of one objective are a line, whose "
    "dimension is 1."
)


def surface(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is drawn, and nothing is played
    """The means in the middle of every cell: a column per context, a round per arm, a component per objective."""
    middle = (np.arange(CELLS) + 0.5) / CELLS
    frames = []
    for i, x in enumerate(middle):
        means = ridges(np.full(CELLS, x), middle)
        frames += [
            pl.DataFrame({"round": np.arange(1, CELLS + 1), "value": means[:, l]}).with_columns(
                policy=pl.lit(column(i)), metric=pl.lit("mean"), component=pl.lit(l)
            )
            for l in range(2)
        ]
    return pl.concat(frames)


def column(i: int) -> str:
    """The name of a column of cells.

    Example:
        >>> column(0)
        'x = 0.005'
    """
    return f"x = {(i + 0.5) / CELLS:.3f}"


def maps(outcome: Outcome) -> Array:
    """(objectives, contexts, arms) the surfaces as the table has them."""
    run = outcome.runs()[0]
    return np.array(
        [[outcome.curves(run, column(i), "mean", l)[1][0] for i in range(CELLS)] for l in range(2)]
    )


def ridge_parts(outcome: Outcome) -> list[Part]:
    """How far the best arm of every context is from the line that the paper gives, at most a cell."""
    tables = maps(outcome)
    middle = (np.arange(CELLS) + 0.5) / CELLS
    found = []
    for l, (table, line) in enumerate(
        zip(tables, (0.8 - 0.8 * middle, 1.0 - 0.8 * middle), strict=True)
    ):
        far = float(np.abs(middle[table.argmax(axis=1)] - line).max())
        said = (
            f"best arm of objective {l + 1}, largest distance from the line 8x + 10y = {(8, 10)[l]}"
        )
        found.append(Part(said, far, None, far <= 1.0 / CELLS + 1e-9, 1))
    return found


def slopes(table: Array) -> tuple[float, float]:
    """The steepest rise below the ridge, and the steepest fall above it, per unit of the arm.

    The cells next to the ridge, between which it lies, count for neither.

    Args:
        table: (contexts, arms) a surface.
    """
    steps = np.diff(table, axis=1) * CELLS
    top = table.argmax(axis=1)[:, None]
    at = np.arange(CELLS - 1)
    return float(steps[at < top - 1].max()), float(-steps[at > top].min())


def steepness_parts(outcome: Outcome) -> list[Part]:
    """The lower side of the second ridge against its upper side."""
    rise, fall = slopes(maps(outcome)[1])
    return [
        Part("slope below the second ridge less slope above it", rise - fall, None, rise > fall, 1)
    ]


def slope_parts(outcome: Outcome) -> list[Part]:
    """All four slopes."""
    found = []
    for l, table in enumerate(maps(outcome)):
        rise, fall = slopes(table)
        found += [
            Part(f"objective {l + 1}, below the ridge", rise, None, None, 1),
            Part(f"objective {l + 1}, above the ridge", fall, None, None, 1),
        ]
    return found


def packings(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is drawn, and nothing is played
    """Bounds on N_r for both objectives together and for the first alone, a component per radius."""
    x, y = np.meshgrid(np.linspace(0.0, 1.0, SIDE), np.linspace(0.0, 1.0, SIDE), indexing="ij")
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    means = ridges(*points.T)
    gaps = {
        "Pareto": np.maximum(0.0, 0.5 * (1.0 - means.sum(axis=1))),
        "objective 1": 1.0 - means[:, 0],
    }
    found: list[tuple[str, int, str, float]] = []
    for row, gap in gaps.items():
        for k, (r, number) in enumerate(zooming_numbers(points, gap, RADII).items()):
            found += [(row, k, "packing_low", number.low), (row, k, "packing_high", number.high)]
            found += [(row, k, "packing_times_r_squared", number.low * r * r)]
    columns = {"policy": pl.String, "component": pl.Int64, "metric": pl.String, "value": pl.Float64}
    return pl.DataFrame(found, columns, orient="row", strict=False).with_columns(round=pl.lit(1))


def numbers_of(outcome: Outcome, row: str, metric: str) -> dict[float, float]:
    """{r: a bound on N_r}."""
    run = outcome.runs()[0]
    return {r: float(final(*outcome.curves(run, row, metric, k))[0]) for k, r in enumerate(RADII)}


def bound_parts(outcome: Outcome) -> list[Part]:
    """N_r r^2 of the packings that were found, against the constant of the bound."""
    numbers = numbers_of(outcome, "Pareto", "packing_low")
    return [
        Part(f"N_r times r squared, r = {said(r)}", n * r * r, None, n * r * r <= PACKING, 1)
        for r, n in numbers.items()
    ]


def dimension_parts(outcome: Outcome) -> list[Part]:
    """The slope of ln N_r at the three smallest radii, and the dimension for the constant of the bound."""
    found = []
    fine = RADII[-3:]
    for row in ("Pareto", "objective 1"):
        low = numbers_of(outcome, row, "packing_low")
        slope = f"{row}, slope of ln N_r over ln 1/r, r = {said(fine[0])} to {said(fine[-1])}"
        found += [
            Part(slope, growth({r: low[r] for r in fine}), None, None, 1),
            Part(
                f"{row}, dimension for the constant {PACKING}",
                zooming_dimension(low, PACKING),
                None,
                None,
                1,
            ),
        ]
    return found


def smaller_parts(outcome: Outcome) -> list[Part]:
    """N_r of both objectives less that of the first, by one method."""
    both, one = (numbers_of(outcome, row, "packing_low") for row in ("Pareto", "objective 1"))
    return [
        Part(
            f"N_r, Pareto less objective 1, r = {said(r)}",
            both[r] - one[r],
            None,
            both[r] >= one[r],
            1,
        )
        for r in RADII
    ]


def said(radius: float) -> str:
    """A radius as a fraction.

    Example:
        >>> said(0.125)
        '1/8'
    """
    return f"1/{round(1.0 / radius)}"


BY_DEFINITION = "The paper gives the surfaces by formulas; this checks the program that has them."

FIG1 = Experiment(
    "pcz2018/fig1",
    "The expected rewards of the two objectives",
    "pcz2018, Figure 1",
    (ABOUT_FIG1,),
    [Computed("surface", surface, settings={"cells": CELLS})],
    [
        Plot(
            "surfaces",
            "mean",
            "Expected rewards of context-arm pairs: yellow is 1, dark blue is 0.",
            kind="heat",
            parts=("objective 1", "objective 2"),
            vertical="context / arm",
        )
    ],
    (
        Claim(
            "pcz2018/fig1/ridges",
            "The best arms are on the lines 8x + 10y = 8 and 8x + 10y = 10",
            "the two lines",
            f"the largest distance is at most a cell, 1/{CELLS}",
            ridge_parts,
            note=BY_DEFINITION,
            kind="check",
        ),
        Claim(
            "pcz2018/fig1/steep-below",
            "The second ridge is steeper below than above",
            "5 per unit of the arm below, 1/4 above",
            "the difference of the slopes is above 0",
            steepness_parts,
            note=BY_DEFINITION,
            kind="check",
        ),
        Claim(
            "pcz2018/fig1/slopes",
            "The steepest slopes on both sides of both ridges, per unit of the arm",
            "5 and 5; 5 and 0.25",
            "none: reported",
            slope_parts,
            note=BY_DEFINITION,
            kind="check",
        ),
    ),
)

PACKINGS = Experiment(
    "pcz2018/packing",
    "Packing numbers of the near-optimal pairs, and the Pareto zooming dimension",
    "pcz2018, Definition 3",
    (HOW, WHY),
    [Computed("packing numbers", packings, settings={"grid": SIDE, "radii": list(RADII)})],
    [
        Plot(
            "packing",
            "packing_times_r_squared",
            "The packings that were found, times r squared: level where the dimension is 2, halved at every step where "
            "it is 1.",
            kind="bars",
            parts=tuple(f"r = {said(r)}" for r in RADII),
            vertical="N_r times r squared",
        )
    ],
    (
        Claim(
            "pcz2018/packing/bound",
            f"N_r is at most {PACKING} r^-2",
            f"{PACKING}, derived here",
            f"each packing that is found has at most {PACKING} r^-2 points; a larger one would refute the bound, none "
            "proves it",
            bound_parts,
            kind="check",
        ),
        Claim(
            "pcz2018/packing/dimensions",
            "The dimensions at the scale of the radii",
            "2 for both objectives together and 1 for the first, as r goes to 0: derived here",
            "none: reported",
            dimension_parts,
            "At these radii the set of near-optimal pairs still shrinks with r, and borders count, so that a slope "
            "need not be that of the limit.",
            kind="ours",
        ),
        Claim(
            "pcz2018/packing/zooming-dimension-smaller",
            "For one constant, the zooming dimension of an objective is at most the Pareto zooming dimension",
            "smaller in general, for the same constant",
            "each packing that is found for the first objective is at most as large as the one for both",
            smaller_parts,
            note=(
                "The Pareto gap is at most the gap in any objective, so that the pairs that are "
                "near-optimal in one are among those that are near the front, and no problem "
                "contradicts this."
            ),
            kind="check",
        ),
    ),
)
