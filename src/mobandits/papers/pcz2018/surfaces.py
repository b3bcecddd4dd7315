"""The two surfaces of pcz2018, and how large the set of near-optimal pairs is."""

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
# Points of the grid for packing numbers, along each side: 2^7 steps, so that points that are half
# of the smallest radius apart are still more than a step from each other.
SIDE = 129
RADII = tuple(2.0**-k for k in range(1, 7))
ABOUT_FIG1 = (
    "Two ridges across the square of contexts and arms. The first falls off alike on both sides; "
    "the second falls off steeply below and gently above. The Pareto optimal arms of a context lie "
    "between the two ridges."
)
HOW = (
    "N_r is the packing number of the pairs whose Pareto gap is at most 12 r. The exact number is "
    f"hard to compute. A packing that is found greedily on a grid of {SIDE} x {SIDE} pairs is at "
    "most as large, and one for half the radius at least as large as any packing of that grid. "
    "The same is done for the gap in the first objective alone, which is what the dimension of "
    "Contextual Zooming is about."
)
WHY = (
    f"The constant {PACKING} and the dimension 2 are derived here, from packing discs, and hold "
    "for every problem on this square; the paper computes no dimension. The front of the two "
    "ridges is a band whose area does not vanish, so that no smaller dimension will do when r "
    "goes to 0. The best arms of one objective are a line, whose dimension is 1."
)


def cell_middles() -> Array:
    """(cells,) the middle of every cell of one side."""
    steps = np.arange(CELLS) + 0.5
    return steps / CELLS


def surface(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """The means in the middle of every cell.

    A column per context, a round per arm, a component per objective.
    """
    middles = cell_middles()
    rounds = np.arange(1, CELLS + 1)
    frames = []
    for i, x in enumerate(middles):
        contexts = np.full(CELLS, x)
        means = ridges(contexts, middles)
        for l in range(2):
            frame = pl.DataFrame({"round": rounds, "value": means[:, l]})
            labelled = frame.with_columns(
                policy=pl.lit(column(i)), metric=pl.lit("mean"), component=pl.lit(l)
            )
            frames.append(labelled)

    return pl.concat(frames)


def column(i: int) -> str:
    """The name of a column of cells.

    Example:
        >>> column(0)
        'x = 0.005'
    """
    middle = (i + 0.5) / CELLS
    return f"x = {middle:.3f}"


def maps(outcome: Outcome) -> Array:
    """(objectives, contexts, arms) the surfaces as the table has them."""
    run = outcome.runs()[0]
    tables = []
    for l in range(2):
        rows = []
        for i in range(CELLS):
            _, values = outcome.curves(run, column(i), "mean", l)
            rows.append(values[0])

        tables.append(rows)

    return np.array(tables)


def ridge_parts(outcome: Outcome) -> list[Part]:
    """The largest distances of best arms from the lines that the paper gives."""
    first, second = maps(outcome)
    return [ridge_part(1, 8, first), ridge_part(2, 10, second)]


def ridge_part(objective: int, right: int, table: Array) -> Part:
    """The largest distance of a best arm from the line 8 x + 10 y = right.

    Args:
        objective: its number, from 1.
        right: the right side of the line.
        table: (contexts, arms) the surface.
    """
    middles = cell_middles()
    line = right / 10 - 0.8 * middles
    best = middles[table.argmax(axis=1)]
    distances = np.abs(best - line)
    farthest = float(distances.max())
    # A cell, because the table has no arms between the middles of cells.
    near = farthest <= 1.0 / CELLS + 1e-9
    label = f"best arm of objective {objective}, largest distance from the line 8x + 10y = {right}"

    return Part(label, farthest, None, near, 1)


def slopes(table: Array) -> tuple[float, float]:
    """The steepest rise below the ridge, and the steepest fall above it, per unit of the arm.

    The cells next to the ridge, between which it lies, count for neither.

    Args:
        table: (contexts, arms) a surface.
    """
    # Between middles of cells, which are 1 / CELLS apart.
    steps = np.diff(table, axis=1) * CELLS
    top = table.argmax(axis=1)[:, None]
    cells = np.arange(CELLS - 1)
    below = steps[cells < top - 1]
    above = steps[cells > top]
    steepest_rise = float(below.max())
    steepest_fall = float(-above.min())

    return steepest_rise, steepest_fall


def steepness_parts(outcome: Outcome) -> list[Part]:
    """The slope on the lower side of the second ridge less that on its upper side."""
    second = maps(outcome)[1]
    rise, fall = slopes(second)
    label = "slope below the second ridge less slope above it"
    return [Part(label, rise - fall, None, rise > fall, 1)]


def slope_parts(outcome: Outcome) -> list[Part]:
    """The slopes on both sides of both ridges."""
    parts = []
    for l, table in enumerate(maps(outcome)):
        rise, fall = slopes(table)
        objective = f"objective {l + 1}"
        parts.append(Part(f"{objective}, below the ridge", rise, None, None, 1))
        parts.append(Part(f"{objective}, above the ridge", fall, None, None, 1))

    return parts


def gaps_of_pairs(points: Array) -> dict[str, Array]:
    """The gaps of pairs (points, 2), for both objectives together and for the first alone."""
    means = ridges(*points.T)
    # On the front the two means add up to 1, and the gap is what has to be added to both of them.
    missing = 0.5 * (1.0 - means.sum(axis=1))
    return {
        "Pareto": np.maximum(0.0, missing),
        "objective 1": 1.0 - means[:, 0],
    }


def packings(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """Bounds on N_r for both objectives together and for the first alone.

    A component per radius.
    """
    side = np.linspace(0.0, 1.0, SIDE)
    x, y = np.meshgrid(side, side, indexing="ij")
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    rows: list[tuple[str, int, str, float]] = []
    for row, gaps in gaps_of_pairs(points).items():
        numbers = zooming_numbers(points, gaps, RADII)
        for k, (radius, number) in enumerate(numbers.items()):
            values = {
                "packing_low": number.low,
                "packing_high": number.high,
                # Level over the radii where the dimension is 2.
                "packing_times_r_squared": number.low * radius * radius,
            }
            rows += [(row, k, metric, value) for metric, value in values.items()]

    columns = {
        "policy": pl.String,
        "component": pl.Int64,
        "metric": pl.String,
        "value": pl.Float64,
    }
    # Not strict: the packing numbers are integers, and the column is of floats.
    table = pl.DataFrame(rows, columns, orient="row", strict=False)

    return table.with_columns(round=pl.lit(1))


def numbers_of(outcome: Outcome, row: str, metric: str) -> dict[float, float]:
    """{r: a bound on N_r}."""
    run = outcome.runs()[0]
    numbers = {}
    for k, radius in enumerate(RADII):
        points, values = outcome.curves(run, row, metric, k)
        number = final(points, values)[0]
        numbers[radius] = float(number)

    return numbers


def bound_parts(outcome: Outcome) -> list[Part]:
    """N_r r^2 of the packings that were found, against the constant of the bound."""
    parts = []
    for radius, number in numbers_of(outcome, "Pareto", "packing_low").items():
        scaled = number * radius * radius
        label = f"N_r times r squared, r = {fraction(radius)}"
        parts.append(Part(label, scaled, None, scaled <= PACKING, 1))

    return parts


def dimension_parts(outcome: Outcome) -> list[Part]:
    """The slope of ln N_r at the three smallest radii, and the dimension for a constant.

    The constant is that of the bound.
    """
    # The smallest ones are nearest to the limit that Definition 3 is about.
    fine = RADII[-3:]
    ends = f"r = {fraction(fine[0])} to {fraction(fine[-1])}"
    parts = []
    for row in ("Pareto", "objective 1"):
        low = numbers_of(outcome, row, "packing_low")
        slope = growth({radius: low[radius] for radius in fine})
        dimension = zooming_dimension(low, PACKING)
        slope_label = f"{row}, slope of ln N_r over ln 1/r, {ends}"
        dimension_label = f"{row}, dimension for the constant {PACKING}"
        parts.append(Part(slope_label, slope, None, None, 1))
        parts.append(Part(dimension_label, dimension, None, None, 1))

    return parts


def smaller_parts(outcome: Outcome) -> list[Part]:
    """N_r of both objectives less that of the first, by one method."""
    both = numbers_of(outcome, "Pareto", "packing_low")
    first = numbers_of(outcome, "objective 1", "packing_low")
    parts = []
    for radius in RADII:
        difference = both[radius] - first[radius]
        label = f"N_r, Pareto less objective 1, r = {fraction(radius)}"
        parts.append(Part(label, difference, None, both[radius] >= first[radius], 1))

    return parts


def fraction(radius: float) -> str:
    """A radius as a fraction.

    Example:
        >>> fraction(0.125)
        '1/8'
    """
    denominator = round(1.0 / radius)
    return f"1/{denominator}"


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
            "The packings that were found, times r squared: level where the dimension is 2, halved "
            "at every step where it is 1.",
            kind="bars",
            parts=tuple(f"r = {fraction(r)}" for r in RADII),
            vertical="N_r times r squared",
        )
    ],
    (
        Claim(
            "pcz2018/packing/bound",
            f"N_r is at most {PACKING} r^-2",
            f"{PACKING}, derived here",
            f"each packing that is found has at most {PACKING} r^-2 points; a larger one would "
            "refute the bound, none proves it",
            bound_parts,
            kind="check",
        ),
        Claim(
            "pcz2018/packing/dimensions",
            "The dimensions at the scale of the radii",
            "2 for both objectives together and 1 for the first, as r goes to 0: derived here",
            "none: reported",
            dimension_parts,
            "At these radii the set of near-optimal pairs still shrinks with r, and borders count, "
            "so that a slope need not be that of the limit.",
            kind="ours",
        ),
        Claim(
            "pcz2018/packing/zooming-dimension-smaller",
            "For one constant, the zooming dimension of an objective is at most the Pareto zooming "
            "dimension",
            "smaller in general, for the same constant",
            "each packing that is found for the first objective is at most as large as the one for "
            "both",
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
