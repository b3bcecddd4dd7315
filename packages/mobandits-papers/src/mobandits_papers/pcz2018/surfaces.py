"""The two surfaces of pcz2018, and how large the set of near-optimal pairs is."""

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.environments.two_ridges import ridges
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.numbers import Part, exact_part, final_values
from mobandits_papers.outcome import Outcome
from mobandits_papers.pcz2018.theory import PACKING
from mobandits_papers.pcz2018.zooming_dimension import (
    zooming_numbers,
)
from mobandits_papers.rows import rows_of, rows_of_counts

CELLS = 100  # of a heat map, along each side
# Points of the grid for packing numbers, along each side: 2^7 steps, so that points that are half
# of the smallest radius apart are still more than a step from each other.
SIDE = 129
RADII = tuple(2.0**-k for k in range(1, 7))


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
        frames += [rows_of(column(i), "mean", means[:, l], rounds, component=l) for l in range(2)]

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
    """The largest distances of best arms from the lines 8 x + 10 y = 8 and 8 x + 10 y = 10."""
    middles = cell_middles()
    parts = []
    for objective, (right, table) in enumerate(zip((8, 10), maps(outcome), strict=True), start=1):
        line = right / 10 - 0.8 * middles
        best = middles[table.argmax(axis=1)]
        farthest = float(np.abs(best - line).max())
        # A cell, because the table has no arms between the middles of cells.
        is_near = farthest <= 1.0 / CELLS + 1e-9
        label = (
            f"best arm of objective {objective}, largest distance from the line 8x + 10y = {right}"
        )
        parts.append(exact_part(label, farthest, holds=is_near))

    return parts


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
    steepest_rise = float(steps[cells < top - 1].max())
    steepest_fall = float(-steps[cells > top].min())

    return steepest_rise, steepest_fall


def steepness_parts(outcome: Outcome) -> list[Part]:
    """The slope on the lower side of the second ridge less that on its upper side."""
    rise, fall = slopes(maps(outcome)[1])
    label = "slope below the second ridge less slope above it"
    return [exact_part(label, rise - fall, holds=rise > fall)]


def slope_parts(outcome: Outcome) -> list[Part]:
    """The slopes on both sides of both ridges."""
    parts = []
    for l, table in enumerate(maps(outcome), start=1):
        for side, slope in zip(("below", "above"), slopes(table), strict=True):
            parts.append(Part(f"objective {l}, {side} the ridge", slope, None, None, 1))

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
    frames = []
    for row, gaps in gaps_of_pairs(points).items():
        numbers = zooming_numbers(points, gaps, RADII)
        for k, (radius, number) in enumerate(numbers.items()):
            values = {
                (row, "packing_low"): number.low,
                (row, "packing_high"): number.high,
                # Level over the radii where the dimension is 2.
                (row, "packing_times_r_squared"): number.low * radius * radius,
            }
            frames.append(rows_of_counts(values, component=k))

    return pl.concat(frames)


def numbers_of(outcome: Outcome, row: str) -> dict[float, float]:
    """{r: the size of the packing that was found}."""
    return {
        radius: float(final_values(outcome, row, "packing_low", k)[0])
        for k, radius in enumerate(RADII)
    }


def bound_parts(outcome: Outcome) -> list[Part]:
    """N_r r^2 of the packings that were found, against the constant of the bound."""
    parts = []
    for radius, number in numbers_of(outcome, "Pareto").items():
        scaled = number * radius * radius
        label = f"N_r times r squared, r = {fraction(radius)}"
        parts.append(exact_part(label, scaled, holds=scaled <= PACKING))

    return parts


def smaller_parts(outcome: Outcome) -> list[Part]:
    """N_r of both objectives less that of the first, by one method."""
    both = numbers_of(outcome, "Pareto")
    first = numbers_of(outcome, "objective 1")
    parts = []
    for radius in RADII:
        label = f"N_r, Pareto less objective 1, r = {fraction(radius)}"
        difference = both[radius] - first[radius]
        parts.append(exact_part(label, difference, holds=difference >= 0.0))

    return parts


def fraction(radius: float) -> str:
    """A radius as a fraction.

    Example:
        >>> fraction(0.125)
        '1/8'
    """
    denominator = round(1.0 / radius)
    return f"1/{denominator}"


FIG1 = described(
    "pcz2018/fig1",
    [Computed("surface", surface, settings={"cells": CELLS})],
    {
        "ridges": ridge_parts,
        "steep-below": steepness_parts,
        "slopes": slope_parts,
    },
)

PACKINGS = described(
    "pcz2018/packing",
    [Computed("packing numbers", packings, settings={"grid": SIDE, "radii": list(RADII)})],
    {
        "bound": bound_parts,
        "zooming-dimension-smaller": smaller_parts,
    },
)
