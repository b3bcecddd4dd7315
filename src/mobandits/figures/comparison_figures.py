"""Figures of comparisons: paired differences from a baseline, and average ranks over problems.

Ranks are drawn as in Demsar (JMLR 7, 2006, Figure 1), with a row per policy, so that long names
have room: bars on the right join policies whose ranks differ by no more than the critical
difference.
"""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.contents import distinct
from mobandits.figures.formatting import component_name, p_text, spoken, title_of
from mobandits.figures.interval_rows import draw_intervals, name_rows
from mobandits.figures.metric_curves import panel_titles
from mobandits.figures.style import BLUE, FAINT, SOFT, WIDTH, Look, Stroke, panels, styled
from mobandits.figures.wrapping import LABEL, NAME, lines_high, most_lines, wrapped

DIFFERENCE = 0.3  # inches of a policy, unless its name needs more; of a rank, less
MARGIN = 0.95  # inches of title and axis
BESIDE = 0.36  # of the width, for names beside a panel
RANK = 0.28  # inches of a policy, unless its name needs more
CRITICAL = 0.2  # inches of the bar of the critical difference
MOST_TICKS = 8
DOT = Look(BLUE, "o", "-")
STROKE = Stroke(marker=6.0)
BAR = 0.05  # of the range of ranks, between the bars on the right


def row_height(labels: Sequence[str], least: float) -> float:
    """The inches of a policy's row: at least so many, and room for the longest name.

    Example:
        >>> row_height(["a", "b"], 1.0)
        1.0
    """
    return max(least, lines_high(most_lines(labels) + 1, NAME))


@styled()
def draw_differences(table: pl.DataFrame, metric: str, better: str, width: float = WIDTH) -> Figure:
    """The figure: filled points where a difference is sure, hollow ones where it is not.

    Args:
        table: as of a comparison: `policy`, `baseline`, `difference`, `low`, `high`, `sure`, and
            the columns of problems of which there are several.
        metric: its name.
        better: "smaller" or "larger", which values are better.
        width: in inches.
    """
    titled = table.with_columns(panel=panel_titles(table, metric))
    groups = titled.partition_by("panel", maintain_order=True)
    heights = []
    for group in groups:
        labels = [wrapped(name, BESIDE * width, NAME) for name in group["policy"]]
        row = row_height(labels, DIFFERENCE)
        heights.append(MARGIN + row * len(group))

    figure, axes = panels(width, len(groups) * max(heights), len(groups))
    for panel, group in zip(axes, groups, strict=True):
        panel.set_title(wrapped(group["panel"][0], 0.6 * width))
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
    policies = rows["policy"]
    numbered = rows.with_row_index("y").rename({"policy": "series", "difference": "value"})
    shown = numbered.with_columns(hollow=~pl.col("sure"))
    looks = dict.fromkeys(policies, DOT)
    draw_intervals(panel, shown, looks, STROKE)
    room = BESIDE * width
    labels = [wrapped(name, room, NAME) for name in policies]
    name_rows(panel, labels, NAME)


def joined_policies(ranks: Sequence[float], critical_difference: float) -> list[tuple[int, int]]:
    """The first and the last of each longest group of policies that ranks do not tell apart.

    Args:
        ranks: average ranks, ascending.
        critical_difference: those that differ by no more are joined.

    Example:
        >>> joined_policies([1.0, 1.5, 2.5, 4.0], critical_difference=1.0)
        [(0, 1), (1, 2)]
    """
    groups: list[tuple[int, int]] = []
    for first, lowest in enumerate(ranks):
        last = first
        while last + 1 < len(ranks) and ranks[last + 1] - lowest <= critical_difference:
            last += 1

        # A group inside the one before it says nothing new, and neither does a policy alone.
        is_new = not groups or last > groups[-1][1]
        if last > first and is_new:
            groups.append((first, last))

    return groups


@styled()
def draw_ranks(ranks: pl.DataFrame, metric: str, width: float = WIDTH) -> Figure:
    """The figure: a panel per component.

    Args:
        ranks: `component`, `policy`, `rank`, `problems`, `p_value`, `critical_difference`, ranks
            of each component ascending.
        metric: its name.
        width: in inches.
    """
    groups = ranks.partition_by("component", maintain_order=True)
    names = distinct(ranks, "policy")
    labels = {name: wrapped(name, BESIDE * width, NAME) for name in names}
    height = MARGIN + CRITICAL + row_height(list(labels.values()), RANK) * len(names)
    figure, axes = panels(width, len(groups) * height, len(groups))
    room = 0.6 * width
    for panel, group in zip(axes, groups, strict=True):
        first = group.row(0, named=True)
        parts = [title_of(metric)]
        if len(groups) > 1:
            parts.append(f"{component_name(metric)} {first['component']}")

        parts.append(f"Friedman: {p_text(first['p_value'])}")
        title = ", ".join(parts)
        panel.set_title(wrapped(title, room))
        _draw_panel(panel, group.rows(named=True), labels)
        label = f"average rank over {first['problems']} environments, 1 is best"
        panel.set_xlabel(wrapped(label, room, LABEL))

    return figure


def _draw_panel(panel: Axes, rows: Sequence[dict[str, Any]], labels: dict[str, str]) -> None:
    """A point per policy, bars that join them, and the critical difference above."""
    count = len(rows)
    values = [row["rank"] for row in rows]
    critical_difference = rows[0]["critical_difference"]
    for i, rank in enumerate(values):
        panel.plot([1.0, rank], [i, i], color=FAINT, linewidth=1.2, zorder=1)
        panel.plot([rank], [i], marker="o", color=BLUE, markersize=6, linestyle="none")

    step = BAR * (count - 1)
    bars = joined_policies(values, critical_difference)
    for j, (first, last) in enumerate(bars):
        x = count + (j + 1) * step
        ends = [first - 0.2, last + 0.2]
        panel.plot([x, x], ends, color=SOFT, linewidth=3.2, solid_capstyle="butt", clip_on=False)

    # The critical difference from the best rank on: what lies beyond its end is surely worse.
    start = values[0]
    panel.plot([start, start + critical_difference], [-0.9, -0.9], color=SOFT, linewidth=1.6)
    panel.text(
        start,
        -1.05,
        f"critical difference {critical_difference:.2f}",
        fontsize=NAME,
        verticalalignment="bottom",
    )

    right = max(count + (len(bars) + 1) * step, start + critical_difference + step)
    panel.set_xlim(1.0 - step, right)
    panel.set_ylim(count - 0.5, -1.8)
    panel.set_yticks(range(count), [labels[row["policy"]] for row in rows], fontsize=NAME)
    every = math.ceil(count / MOST_TICKS)
    panel.set_xticks(range(1, count + 1, every))
    panel.grid(visible=False, axis="y")
