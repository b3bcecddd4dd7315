"""One metric over rounds: a line per policy, a panel per environment and component."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mobandits.figures.formatting import axis_title, component_name
from mobandits.figures.labels import draw_legend, name_ends
from mobandits.figures.series import tag_marks, tag_name
from mobandits.figures.style import WIDTH, Look, looks, panels, styled
from mobandits.figures.wrapping import (
    LABEL,
    NAME,
    Key,
    key,
    lines_high,
    most_lines,
    names_height,
    width_of,
    wrapped,
)
from mobandits.metrics.traits import traits_of
from mobandits.statistics.bands import bands

# So many panels lie under each other, and their lines are named where they end; more share a
# legend.
STACKED = 3
MARGIN = 0.8  # inches of a panel that are title and axis
AXIS = 0.65  # inches left of a panel, for its axis
BESIDE = 0.36  # of the width, for names beside a panel
TALL = 6.0  # inches of names at lines; more are named below
ROOM = 0.015  # of the width, after the last round: its markers are not cut


def curves_data(table: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Means over trials of one metric, with 95 % intervals.

    Args:
        table: rows as `simulate` records them.
        metric: a name in its column `metric`.

    Returns:
        `panel` str (the experiment, the environment and the component, where there are several),
        `policy`, `round`, `mean`, `low`, `high`, `trials`; policies in the order of the table,
        rounds ascending.

    Raises:
        ValueError: where the table holds nothing of this metric.
    """
    rows = table.filter(pl.col("metric") == metric)
    if rows.is_empty():
        known = ", ".join(table["metric"].unique().sort())
        raise ValueError(f"metric must be one of {known}, got {metric!r:.200}")

    # What all panels share stands above the figure, not in every title.
    title = [pl.col(name) for name in ("experiment", "environment") if rows[name].n_unique() > 1]
    if rows["component"].n_unique() > 1:
        component = pl.format("{} {}", pl.lit(component_name(metric)), "component")
        title.append(component)

    panel = pl.concat_str(title, separator=", ") if title else pl.lit("")

    # Environments and policies stay in the order of the table, and the rounds of each ascend.
    environment, policy = (
        pl.col(name).cast(pl.Enum(rows[name].unique(maintain_order=True)))
        for name in ("environment", "policy")
    )
    titled = rows.with_columns(panel=panel)
    ordered = titled.sort(
        "experiment", environment, "component", policy, "round", "trial", maintain_order=True
    )

    traits = traits_of(metric)

    return bands(ordered, ["panel", "policy", "round"], traits.least, traits.most)


class Layout(NamedTuple):
    """The places of the panels and names of a figure of curves.

    Attributes:
        columns: of panels.
        height: of a panel, in inches.
        legend: the names below the panels, of lines only.
        legend_height: in inches; 0 where lines are named at their ends.
        titles: of the panels, in lines.
        labels: {policy: its name in lines}.
        lined: the policies that have a line.
        at_ends: whether lines are named where they end.
    """

    columns: int
    height: float
    legend: Key
    legend_height: float
    titles: list[str]
    labels: dict[str, str]
    lined: list[str]
    at_ends: bool


def curves_layout(
    groups: Sequence[pl.DataFrame], names: Sequence[str], over_time: Sequence[bool], width: float
) -> Layout:
    """The layout of a figure of curves: wide enough for its names, and as high as they need.

    Args:
        groups: the rows of each panel.
        names: of all policies.
        over_time: whether each panel has several rounds.
        width: in inches.
    """
    few_panels = len(groups) <= STACKED
    is_wide = width >= WIDTH
    columns = 1 if few_panels or not is_wide else 2
    labels = {name: wrapped(name, BESIDE * width / columns, NAME) for name in names}
    left = AXIS
    if not all(over_time):  # panels of points have names in place of a vertical axis
        left = AXIS / 2 + width_of(labels.values(), NAME)

    room = width / columns - left
    titles = [wrapped(group["panel"][0], room) for group in groups]

    names_beside = names_height(labels.values(), NAME)
    at_ends = few_panels and is_wide and names_beside < TALL
    with_lines = set[str]()
    for group, several in zip(groups, over_time, strict=True):
        if several:
            with_lines.update(group["policy"])

    lined = [name for name in names if name in with_lines]
    legend = key(lined, width, 2 * columns - 1)

    height = 3.8 if len(groups) == 1 else 2.6
    if at_ends:
        height = max(MARGIN + names_beside, height)
    if not all(over_time):
        row = lines_high(most_lines(list(labels.values())), NAME)
        height = max(MARGIN + len(names) * row, height)

    height += lines_high(most_lines(titles) - 1, LABEL)
    legend_height = legend.height if lined and not at_ends else 0.0

    return Layout(columns, height, legend, legend_height, titles, labels, lined, at_ends)


@styled()
def draw_curves(
    data: pl.DataFrame,
    vertical: str,
    rounds: str = "round",
    width: float = WIDTH,
    style: Mapping[str, Look] | None = None,
) -> Figure:
    """Lines with bands, named at their ends; points with intervals where there is one round.

    Args:
        data: from `curves_data`.
        vertical: what the vertical axis is called.
        rounds: what the horizontal axis is called.
        width: in inches; where it is less than WIDTH, the lines are named below.
        style: by policy; None: `looks`.
    """
    names = data["policy"].unique(maintain_order=True).to_list()
    if style is None:
        style = looks(names)

    groups = data.partition_by("panel", maintain_order=True)
    over_time = [group["round"].n_unique() > 1 for group in groups]
    layout = curves_layout(groups, names, over_time, width)
    labels = layout.labels
    rows = math.ceil(len(groups) / layout.columns)
    figure, axes = panels(width, layout.height * rows + layout.legend_height, rows, layout.columns)
    for panel, group, title, several in zip(axes, groups, layout.titles, over_time, strict=False):
        panel.set_title(title)
        if several:
            draw_lines(panel, group, style)
            panel.set_ylabel(vertical)
            panel.set_xlabel(rounds)
        else:
            marks = draw_points(panel, group, style, labels, Stroke(marker=6.0), NAME)
            for (name, artists), label in zip(marks.items(), panel.get_yticklabels(), strict=True):
                tag_marks(artists, name)
                tag_name(label, name)

            panel.set_xlabel(f"{vertical} after {group['round'][0]:,} rounds")

        # Only now, because the place of a name depends on the limits of its panel.
        if several and layout.at_ends:
            height = layout.height - MARGIN
            sizes = {name: names_height([label], NAME) / height for name, label in labels.items()}
            for name, text in name_ends(panel, group, style, labels, sizes).items():
                tag_name(text, name)

    for panel in axes[len(groups) :]:
        panel.set_axis_off()

    if layout.lined and not layout.at_ends:
        # A policy may have a line in some panels only.
        lines = {str(line.get_label()): line for panel in axes for line in panel.get_lines()}
        handles = [lines[name] for name in layout.lined]
        draw_legend(figure, handles, layout.lined, layout.legend, fontsize=NAME, handlelength=3.4)

    return figure


def curves(table: pl.DataFrame, metric: str) -> Figure:
    """The figure of one metric: a curve over rounds for every policy, with 95 % intervals.

    Args:
        table: rows as `simulate` records them.
        metric: a name in its column `metric`.

    Raises:
        ValueError: where the table holds nothing of this metric.
    """
    data = curves_data(table, metric)
    return draw_curves(data, axis_title(metric))


def draw_lines(panel: Axes, group: pl.DataFrame, style: Mapping[str, Look]) -> None:
    """A line with its band per policy.

    Markers are set off against each other, so that no line hides another.
    """
    lines = group.partition_by("policy", maintain_order=True)
    for i, line in enumerate(lines):
        name = line["policy"][0]
        # Five markers or so on each line.
        step = max(len(line) // 5, 1)
        first_marker = i * step // len(lines)
        marks = stroke_line(panel, line, style[name], Stroke(), (first_marker, step))
        tag_marks(marks, name)

    panel.margins(x=ROOM)
    panel.set_xlim(left=0)
    # There is no round 2.5.
    panel.xaxis.set_major_locator(whole_rounds())


class Stroke(NamedTuple):
    """The width, the markers and the band of a line.

    Attributes:
        width: in points.
        marker: size, in points.
        band: opacity of its band; None: no band.
    """

    width: float = 1.6
    marker: float = 4.2
    band: float | None = 0.16


def stroke_line(
    panel: Axes, line: pl.DataFrame, look: Look, stroke: Stroke, markers: tuple[float, float] | None
) -> list[Artist]:
    """A line over the rounds and its band.

    Args:
        panel: to draw into.
        line: rows of one policy, from `curves_data`.
        look: of the policy.
        stroke: of the line.
        markers: where the first one stands, and the step to the next, as Matplotlib's `markevery`.
    """
    x = line["round"].to_numpy()
    artists: list[Artist] = []
    if stroke.band is not None:
        low = line["low"].to_numpy()
        high = line["high"].to_numpy()
        colour = look.colour
        band = panel.fill_between(x, low, high, color=colour, alpha=stroke.band, linewidth=0)
        artists.append(band)

    artists += panel.plot(
        x,
        line["mean"].to_numpy(),
        color=look.colour,
        linestyle=look.dash,
        linewidth=stroke.width,
        marker=look.marker,
        markersize=stroke.marker,
        markevery=markers,
        label=line["policy"][0],
    )

    return artists


def whole_rounds() -> MaxNLocator:
    """Places of ticks as Matplotlib chooses them, at whole numbers only."""
    return MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True)


def draw_points(
    panel: Axes,
    group: pl.DataFrame,
    style: Mapping[str, Look],
    labels: Mapping[str, str],
    stroke: Stroke,
    points: float,
) -> dict[str, list[Artist]]:
    """A point with its interval per policy, from top to bottom; what was drawn, by policy.

    Args:
        panel: to draw into.
        group: a row per policy, from `curves_data`.
        style: by policy.
        labels: what policies are called.
        stroke: of the intervals and points.
        points: of the letters.
    """
    marks: dict[str, list[Artist]] = {}
    for i, row in enumerate(group.rows(named=True)):
        name = row["policy"]
        look = style[name]
        ends = [row["low"], row["high"]]
        interval = panel.plot(ends, [i, i], color=look.colour, linewidth=stroke.width)
        mean = panel.plot(
            [row["mean"]], [i], color=look.colour, marker=look.marker, markersize=stroke.marker
        )
        marks[name] = [*interval, *mean]

    panel.set_yticks(range(len(marks)), [labels[name] for name in marks], fontsize=points)
    # The first policy stands at the top, as in a table.
    panel.invert_yaxis()

    return marks
