"""Paired differences from a baseline: a row per policy, with its interval."""

import math

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.formatting import component_name, spoken
from mobandits.figures.style import BLUE, SOFT, WIDTH, panels, styled
from mobandits.figures.wrapping import LABEL, NAME, lines_high, most_lines, wrapped

ROW = 0.3  # inches of a policy, unless its name needs more
MARGIN = 0.95  # inches of title and axis
BESIDE = 0.36  # of the width, for names beside a panel


def differences_data(table: pl.DataFrame, metric: str) -> list[tuple[str, pl.DataFrame]]:
    """What each panel shows: its title, and its rows from the best policy to the worst.

    Args:
        table: as of a comparison: `policy`, `baseline`, `difference`, `low`, `high`, `sure`.
        metric: its name.
    """
    keys = [key for key in ("experiment", "environment", "component") if key in table.columns]
    named = [key for key in keys if table[key].n_unique() > 1]
    shown = []
    for group in table.partition_by(keys, maintain_order=True):
        first = group.row(0, named=True)
        parts = []
        for key in named:
            prefix = f"{component_name(metric)} " if key == "component" else ""
            parts.append(f"{prefix}{first[key]}")

        shown.append((", ".join(parts), group))

    return shown


@styled()
def draw_differences(table: pl.DataFrame, metric: str, better: str, width: float = WIDTH) -> Figure:
    """The figure: filled points where a difference is sure, hollow ones where it is not.

    Args:
        table: as in `differences_data`.
        metric: its name.
        better: "smaller" or "larger", which values are better.
        width: in inches.
    """
    groups = differences_data(table, metric)
    heights = []
    for _, group in groups:
        labels = [wrapped(name, BESIDE * width, NAME) for name in group["policy"]]
        row = max(ROW, lines_high(most_lines(labels) + 1, NAME))
        heights.append(MARGIN + row * len(group))

    figure, axes = panels(width, len(groups) * max(heights), len(groups))
    for panel, (title, group) in zip(axes, groups, strict=True):
        panel.set_title(wrapped(title, 0.6 * width))
        ordered = group.sort("difference", descending=better == "larger", maintain_order=True)
        draw_rows_of_differences(panel, ordered, width)
        baseline = str(ordered["baseline"][0])
        side = "left" if better == "smaller" else "right"
        text = f"{spoken(metric)} less that of {baseline} (better to the {side})"
        panel.set_xlabel(wrapped(text, 0.6 * width, LABEL))

    return figure


def draw_rows_of_differences(panel: Axes, rows: pl.DataFrame, width: float) -> None:
    """A point with its interval per row, from top to bottom, and a line at 0."""
    panel.axvline(0.0, color=SOFT, linewidth=1.0)
    labels = []
    for i, row in enumerate(rows.rows(named=True)):
        labels.append(wrapped(row["policy"], BESIDE * width, NAME))
        ends = [row["low"], row["high"]]
        # One trial has no interval.
        if None not in ends and all(map(math.isfinite, ends)):
            panel.plot(ends, [i, i], color=BLUE, linewidth=1.6, solid_capstyle="butt")

        fill = BLUE if row["sure"] else "white"
        panel.plot(
            [row["difference"]],
            [i],
            marker="o",
            markersize=6,
            markeredgecolor=BLUE,
            markerfacecolor=fill,
            linestyle="none",
        )

    panel.set_yticks(range(len(labels)), labels, fontsize=NAME)
    panel.set_ylim(len(labels) - 0.5, -0.5)
    panel.locator_params(axis="x", nbins=5)
