"""One metric over rounds: a line per policy, a panel per environment and component."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mobandits.figures.contents import distinct
from mobandits.figures.formatting import axis_title, component_name
from mobandits.figures.interval_rows import draw_intervals, name_rows
from mobandits.figures.labels import draw_legend, drawn_as, name_ends
from mobandits.figures.plot_options import LegendPlace, PlotOptions
from mobandits.figures.series import tag_marks, tag_name
from mobandits.figures.style import STYLES, WIDTH, Look, Looks, Stroke, looks, panels, styled
from mobandits.figures.wrapping import (
    LABEL,
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
WIDE = 5.0  # inches from which on a figure has room for names or other panels beside a panel
# inches: the height of a panel alone, of one of several, and of one of three side by side
SINGLE = 3.8
SEVERAL = 2.6
SIDE_BY_SIDE = 2.2
# inches: the same in a document, in a column and over the whole page
IN_COLUMN = 1.95
IN_PAGE = 2.2
MARGIN = 0.8  # inches of a panel that are title and axis
AXIS = 0.65  # inches left of a panel, for its axis
BESIDE = 0.36  # of the width, for names beside a panel
TALL = 6.0  # inches of names at lines; more are named below
ROOM = 0.015  # of the width, after the last round: its markers are not cut
FEW = 5  # points of a line that all have markers, if they are fewer
PLACES = ("experiment", "environment", "component")  # what has a panel of its own
CURVE = ["panel", "policy", "round"]  # what has a mean of its own
PLAIN = PlotOptions()


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
    traits = traits_of(metric)
    rows = panel_rows(table, metric)
    return bands(rows, CURVE, traits.least, traits.most)


def panel_rows(table: pl.DataFrame, metric: str) -> pl.DataFrame:
    """The rows of one metric with their `panel`, in the order in which they are drawn.

    Environments and policies stay in the order of the table, and the rounds of each ascend.

    Raises:
        ValueError: where the table holds nothing of this metric.
    """
    rows = table.filter(metric=metric)
    if rows.is_empty():
        known = ", ".join(table["metric"].unique().sort())
        raise ValueError(f"metric must be one of {known}, got {metric!r:.200}")

    environment, policy = (
        pl.col(name).cast(pl.Enum(distinct(rows, name))) for name in ("environment", "policy")
    )
    titled = rows.with_columns(panel=panel_titles(rows, metric))
    return titled.sort(
        "experiment", environment, "component", policy, "round", "trial", maintain_order=True
    )


def panel_titles(rows: pl.DataFrame, metric: str) -> pl.Expr:
    """The experiment, the environment and the component of every row, where there are several.

    What all panels share stands above a figure, not in every title.

    Args:
        rows: of one metric; what is the same in all of them needs no column.
        metric: its name.
    """
    known = [name for name in PLACES if name in rows.columns]
    keys = [name for name in known if rows[name].n_unique() > 1]
    title = [pl.col(name) for name in keys if name != "component"]
    if "component" in keys:
        component = pl.format("{} {}", pl.lit(component_name(metric)), "component")
        title.append(component)

    return pl.concat_str(title, separator=", ") if title else pl.lit("")


class Layout(NamedTuple):
    """The places of the panels and names of a figure of curves.

    Attributes:
        columns: of panels.
        panel: the height of a panel, in inches.
        height: of the figure.
        place: of the names of lines: "ends", "below", "inside", or None for no names.
        legend: the names of lines that do not stand at their ends.
        titles: of the panels, in lines.
        labels: {policy: its name in lines}.
    """

    columns: int
    panel: float
    height: float
    place: LegendPlace
    legend: Key
    titles: list[str]
    labels: dict[str, str]


def curves_layout(
    groups: Sequence[pl.DataFrame], width: float, options: PlotOptions, columns: int | None
) -> Layout:
    """The layout of a figure of curves: wide enough for its names, and as high as they need.

    Args:
        groups: the rows of each panel.
        width: in inches.
        options: of the figure.
        columns: of panels; None: as many as fit.
    """
    names = policies_of(groups)
    lined = policies_of([group for group in groups if is_over_time(group)])
    has_points = not all(map(is_over_time, groups))
    points = STYLES[options.style].points
    few_panels = len(groups) <= STACKED
    is_wide = width >= WIDE
    if columns is None:
        columns = 1 if few_panels or not is_wide else 2

    labels = {name: wrapped(name, BESIDE * width / columns, points) for name in names}
    left = AXIS
    if has_points:  # names stand in place of a vertical axis
        left = AXIS / 2 + width_of(labels.values(), points)

    room = width / columns - left
    titles = [wrapped(group["panel"][0], room) for group in groups]
    rows = math.ceil(len(groups) / columns)

    names_beside = names_height(labels.values(), points)
    place = options.legend
    if place == "auto":
        fits_beside = few_panels and is_wide and names_beside < TALL
        place = "ends" if fits_beside else "below"
    if not lined:
        place = None

    legend = key(lined, width)
    legend_height = legend.height if place == "below" else 0.0
    if options.height is not None:
        panel = (options.height - legend_height) / rows
        return Layout(columns, panel, options.height, place, legend, titles, labels)

    panel = usual_height(len(groups), columns, options)
    if place == "ends":
        panel = max(MARGIN + names_beside, panel)
    if has_points:
        row = lines_high(most_lines(list(labels.values())), points)
        panel = max(MARGIN + len(names) * row, panel)

    panel += lines_high(most_lines(titles) - 1, LABEL)
    height = panel * rows + legend_height

    return Layout(columns, panel, height, place, legend, titles, labels)


def policies_of(groups: Sequence[pl.DataFrame]) -> list[str]:
    """The policies of some panels, in order of appearance."""
    names: dict[str, None] = {}
    for group in groups:
        names |= dict.fromkeys(group["policy"])

    return list(names)


def is_over_time(group: pl.DataFrame) -> bool:
    """Whether a panel has several rounds, which lines connect."""
    return group["round"].n_unique() > 1


def usual_height(count: int, columns: int, options: PlotOptions = PLAIN) -> float:
    """The height of a panel whose names need no more, in inches.

    Args:
        count: of panels.
        columns: of panels.
        options: of the figure.
    """
    if options.size is not None:  # for a document that has more than this figure
        return IN_PAGE if options.width >= WIDE else IN_COLUMN
    if count == 1:
        return SINGLE

    return SEVERAL if columns < 3 else SIDE_BY_SIDE


def draw_curves(
    data: pl.DataFrame,
    vertical: str,
    rounds: str = "round",
    width: float = WIDTH,
    *,
    style: Looks | None = None,
    options: PlotOptions = PLAIN,
    columns: int | None = None,
) -> Figure:
    """Lines with bands, named at their ends; points with intervals where there is one round.

    Args:
        data: from `curves_data`.
        vertical: what the vertical axis is called.
        rounds: what the horizontal axis is called.
        width: in inches; where there is no room beside the panels, lines are named below.
        style: by policy; None: `looks`.
        options: of the figure, but for its width and its policies.
        columns: of panels; None: as many as fit.
    """
    settings, points, stroke = STYLES[options.style]
    groups = data.partition_by("panel", maintain_order=True)
    layout = curves_layout(groups, width, options, columns)
    if style is None:
        style = looks(layout.labels, options.style)

    with styled(settings):
        figure, axes = panels(width, layout.height, len(groups), layout.columns)
        figure.settings = settings
        for i, (panel, group) in enumerate(zip(axes, groups, strict=True)):
            panel.set_title(layout.titles[i])
            if not is_over_time(group):
                draw_named_points(panel, group, style, layout, options)
                panel.set_xlabel(f"{vertical} after {group['round'][0]:,} rounds")
                continue

            draw_lines(panel, group, style, stroke, options)
            set_scales(panel, options)
            # Axes are named at the edges of the figure only.
            if i % layout.columns == 0:
                panel.set_ylabel(vertical)
            if i + layout.columns >= len(groups):
                panel.set_xlabel(rounds)
            # Only now, because the place of a name depends on the limits of its panel.
            if layout.place == "ends":
                draw_names_at_ends(panel, group, style, layout, points)

        if layout.place in ("below", "inside"):
            name_lines(figure, layout, points)

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


def draw_lines(
    panel: Axes,
    group: pl.DataFrame,
    style: Looks,
    stroke: Stroke,
    options: PlotOptions,
) -> None:
    """A line with its band per policy.

    Markers are set off against each other, so that no line hides another.
    """
    if options.band is None:
        stroke = stroke._replace(band=None)

    lines = group.partition_by("policy", maintain_order=True)
    for i, line in enumerate(lines):
        name = line["policy"][0]
        can_be_seen = pl.col("mean").is_finite()
        if options.log_values:
            can_be_seen &= pl.col("mean") > 0.0

        # Five markers or so on each line, as fractions of the panel: points may be dense at one end
        # of a logarithmic axis.
        markers: tuple[float, float] | None = (0.02 + 0.2 * (i / len(lines)), 0.2)
        if line.filter(can_be_seen).height < FEW:
            markers = None

        marks = stroke_line(panel, line, style[name], stroke, markers)
        tag_marks(marks, name)


def set_scales(panel: Axes, options: PlotOptions) -> None:
    """Scales of a panel with its lines, and ticks at whole rounds."""
    if options.log_values:
        panel.set_yscale("log", nonpositive="mask")

    panel.margins(x=ROOM)
    if options.log_rounds:
        panel.set_xscale("log")
        return

    panel.set_xlim(left=0)
    # As Matplotlib chooses them, but there is no round 2.5.
    locator = MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True)
    panel.xaxis.set_major_locator(locator)
    panel.xaxis.set_major_formatter(thousands)


def draw_named_points(
    panel: Axes,
    group: pl.DataFrame,
    style: Looks,
    layout: Layout,
    options: PlotOptions,
) -> None:
    """A panel of one round: points, with their names as the vertical axis."""
    _, points, stroke = STYLES[options.style]
    # A point alone is larger than those of a line.
    larger = stroke._replace(marker=stroke.marker + 1.8)
    rows = group.with_row_index("y").rename({"policy": "series", "mean": "value"})
    draw_intervals(panel, rows, style, larger)
    name_rows(panel, [layout.labels[name] for name in rows["series"]], points)
    for name, label in zip(rows["series"], panel.get_yticklabels(), strict=True):
        tag_name(label, name)

    if options.log_values:
        panel.set_xscale("log", nonpositive="mask")


def draw_names_at_ends(
    panel: Axes, group: pl.DataFrame, style: Looks, layout: Layout, points: float
) -> None:
    """Names of lines where they end, in a panel whose lines are drawn."""
    panel.get_ylim()  # settles the limits, which transforms do not ask for
    # A figure may be lower than its title and its axis need.
    height = max(layout.panel - MARGIN, layout.panel / 2)
    labels = layout.labels
    sizes = {name: names_height([label], points) / height for name, label in labels.items()}
    for name, text in name_ends(panel, group, style, labels, sizes, points).items():
        tag_name(text, name)


def name_lines(figure: Figure, layout: Layout, points: float) -> None:
    """A legend below the panels, or inside the first one."""
    if layout.place == "inside":
        handles = drawn_as(figure, layout.legend.names)
        figure.axes[0].legend(handles, layout.legend.labels, fontsize=points, framealpha=0.85)
        return

    # Long handles, because dashes of two or three periods are hard to tell apart.
    draw_legend(figure, layout.legend, fontsize=points, handlelength=3.4)


def thousands(value: float, _: float = 0.0) -> str:
    """A number of rounds on an axis.

    Example:
        >>> thousands(3000.0), thousands(2e6), thousands(500.0), thousands(2.5)
        ('3,000', '2M', '500', '2.5')
    """
    if value >= 1e6:
        return f"{value / 1e6:g}M"
    # What is rounded would stand at a place that is not its own.
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,g}"


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
