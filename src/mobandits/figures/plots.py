"""A plot of one metric, for a paper: any size, scale, band, legend and style of `PlotOptions`."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mobandits.figures import palette
from mobandits.figures.formatting import axis_title
from mobandits.figures.labels import EndNames, name_ends
from mobandits.figures.metric_curves import (
    ROOM,
    Stroke,
    curves_data,
    draw_points,
    stroke_line,
    whole_rounds,
)
from mobandits.figures.plot_options import PlotOptions, StyleName
from mobandits.figures.saving import PaperFigure
from mobandits.figures.style import DASHES, MARKERS, SETTINGS, Look, looks
from mobandits.figures.wrapping import FONT, NAME, inches, plain_name
from mobandits.support.checks import choice

# inches high, of a panel in a column and on a page
COLUMN_PANEL = 1.95
PAGE_PANEL = 2.2
ROW = 1.6  # heights of the letters that a row of a legend takes
HANDLE = 4.5  # heights of the letters: a piece of the line, and the space around a name
QUANTILES = (0.1, 0.5, 0.9)
WIDE = 5.0  # inches from which on a figure has room for names beside its panels
AXES_SHARE = 0.75  # of a panel's height, without its title and the numbers below it
LINE = 1.25  # heights of the letters that a name takes beside a panel
LAST = 1.03  # of a panel's width, where names at ends begin
SERIF = "STIXGeneral"  # comes with Matplotlib, and looks like Times
POINTS = 8.0  # of the letters in a paper's figure; most journals ask for 7 to 9
BLACK = palette.PRINTED
COLOURED = ("axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "text.color")

PAPER: dict[str, Any] = {
    **SETTINGS,
    "font.family": SERIF,
    "mathtext.fontset": "stix",
    "font.size": POINTS,
    "axes.titlesize": POINTS,
    "axes.labelsize": POINTS,
    "xtick.labelsize": POINTS - 1.0,
    "ytick.labelsize": POINTS - 1.0,
    "legend.fontsize": POINTS,
    **dict.fromkeys(COLOURED, BLACK),
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.labelpad": 2.0,
    "axes.titlepad": 3.0,
}


class PlotStyle(NamedTuple):
    """The look of a plot.

    Attributes:
        settings: of Matplotlib.
        font: of names.
        names: the look of those at lines, and the size of all.
        stroke: of lines.
    """

    settings: dict[str, Any]
    font: str
    names: EndNames
    stroke: Stroke


LEADER = {"linewidth": 0.5, "shrinkA": 1}
ON_PAGES = EndNames(LAST, NAME, LEADER)
IN_PAPERS = EndNames(LAST, POINTS, LEADER)
STYLES: dict[StyleName, PlotStyle] = {
    "page": PlotStyle(SETTINGS, FONT, ON_PAGES, Stroke(1.6, 4.2, 0.16)),
    "paper": PlotStyle(PAPER, SERIF, IN_PAPERS, Stroke(1.1, 3.2, 0.16)),
    "paper-mono": PlotStyle(PAPER, SERIF, IN_PAPERS, Stroke(1.0, 3.4, 0.12)),
}


def plot(table: pl.DataFrame, metric: str, options: PlotOptions) -> Figure:
    """The figure of one metric as the options ask for it.

    Args:
        table: rows as `simulate` records them.
        metric: a name in its column `metric`.
        options: how it is drawn.

    Raises:
        ValueError: where the metric or a policy is not in the table, or nothing of the metric is
            above 0 for a logarithmic axis.
    """
    rows = rows_of(table, options.policies)
    data = plot_data(rows, metric, options)
    if options.log_values and not (data["mean"] > 0.0).any():
        raise ValueError(f"log must be None or 'x' for {metric}: none of its values is above 0")

    style = STYLES[options.style]
    with mpl.style.context(["default", style.settings]):
        return draw(data, axis_title(metric), options, style)


def rows_of(table: pl.DataFrame, policies: Sequence[str] | None) -> pl.DataFrame:
    """The rows of some policies, in the order of their names here.

    Raises:
        ValueError: where one of them is not in the table.
    """
    if policies is None:
        return table

    known = table["policy"].unique(maintain_order=True).to_list()
    for name in policies:
        choice("policies", name, known)

    parts = [table.filter(pl.col("policy") == name) for name in dict.fromkeys(policies)]
    return pl.concat(parts)


def plot_data(table: pl.DataFrame, metric: str, options: PlotOptions) -> pl.DataFrame:
    """`panel`, `policy`, `round`, `mean`, `low`, `high`, `trials` of lines and their bands.

    `mean` is the median where the band is of quantiles.
    """
    data = curves_data(table, metric)
    if options.band in (None, "interval"):
        return data

    keys = ["experiment", "environment", "component", "policy", "round"]
    value = pl.col("value")
    rows = table.filter(pl.col("metric") == metric)
    if options.band == "deviation":
        deviation = value.std().fill_null(0.0)
        numbers = {"low": value.mean() - deviation, "high": value.mean() + deviation}
    else:
        low, middle, high = (value.quantile(at, "linear") for at in QUANTILES)
        numbers = {"low": low, "mean": middle, "high": high}

    spread = rows.group_by(keys, maintain_order=True).agg(**numbers)
    # The panels' titles stand in `data` only, whose rows have the same order as sorted ones here.
    policies = rows["policy"].unique(maintain_order=True).to_list()
    rank = pl.col("policy").replace_strict(
        {name: i for i, name in enumerate(policies)}, return_dtype=pl.Int64
    )
    ordered = spread.sort("experiment", "environment", "component", rank, "round")

    return data.with_columns(**{name: ordered[name] for name in numbers})


class PlotLayout(NamedTuple):
    """The places of the panels and names of a plot.

    Attributes:
        columns: of panels.
        rows: of panels.
        height: of the figure, in inches.
        place: of the names, as `PlotOptions.legend`, but for "auto".
        legend_columns: of names, where they stand below.
    """

    columns: int
    rows: int
    height: float
    place: str | None
    legend_columns: int


def layout_of(
    panels: int, names: Sequence[str], options: PlotOptions, style: PlotStyle
) -> PlotLayout:
    """The layout that the options ask for, or else what fits."""
    is_wide = options.width >= WIDE
    columns = min(panels, 2 if is_wide else 1)
    rows = math.ceil(panels / columns)
    em = style.names.points / 72.0
    widest = max(inches(name, style.names.points, style.font) for name in names)
    place = options.legend
    if place == "auto":
        are_few = panels == 1 and len(names) <= 8
        is_narrow = widest < 0.3 * options.width
        place = "ends" if are_few and is_narrow and is_wide else "below"

    fitting = math.floor(options.width / (widest + HANDLE * em))
    legend_columns = max(1, min(len(names), fitting))
    height = options.height
    if height is None:
        height = rows * (PAGE_PANEL if is_wide else COLUMN_PANEL)
        if place == "below":
            legend_rows = math.ceil(len(names) / legend_columns)
            height += legend_rows * ROW * style.names.points / 72.0

    return PlotLayout(columns, rows, height, place, legend_columns)


def draw(data: pl.DataFrame, vertical: str, options: PlotOptions, style: PlotStyle) -> Figure:
    """The figure of `plot_data`, inside of the settings of its style."""
    names = data["policy"].unique(maintain_order=True).to_list()
    look_of = plot_looks(names, options.style)
    groups = data.partition_by("panel", maintain_order=True)
    layout = layout_of(len(groups), names, options, style)
    figure = PaperFigure(figsize=(options.width, layout.height), layout="constrained")
    figure.settings = style.settings
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(layout.rows, layout.columns, squeeze=False).ravel())
    for panel, group in zip(axes, groups, strict=False):
        draw_panel(panel, group, vertical, options, look_of, style)
        # Only now, because the place of a name depends on the limits of its panel.
        if layout.place == "ends" and group["round"].n_unique() > 1:
            panel.get_ylim()  # settles the limits, which transforms do not ask for
            height = AXES_SHARE * (layout.height / layout.rows)
            labels = {name: plain_name(name) for name in names}
            sizes = dict.fromkeys(names, LINE * style.names.points / 72.0 / height)
            name_ends(panel, group, look_of, labels, sizes, style.names)

    for panel in axes[len(groups) :]:
        panel.set_axis_off()

    if layout.place in ("below", "inside"):
        draw_legend(figure, axes[0], look_of, style, layout)

    return figure


def draw_panel(
    axes: Axes,
    group: pl.DataFrame,
    vertical: str,
    options: PlotOptions,
    look_of: Mapping[str, Look],
    style: PlotStyle,
) -> None:
    """One panel: lines over the rounds, or points where there is a single round."""
    axes.set_title(plain_name(group["panel"][0]))
    if group["round"].n_unique() == 1:
        labels = {name: plain_name(name) for name in look_of}
        # A point alone is larger than those of a line.
        stroke = style.stroke._replace(marker=style.stroke.marker + 1)
        draw_points(axes, group, look_of, labels, stroke, style.names.points)
        if options.log_values:
            axes.set_xscale("log", nonpositive="mask")

        axes.set_xlabel(f"{vertical} after {group['round'][0]:,} rounds")
        return

    stroke = style.stroke if options.band is not None else style.stroke._replace(band=None)
    lines = group.partition_by("policy", maintain_order=True)
    for i, line in enumerate(lines):
        # As fractions of the panel: five markers also where points are dense at one end of a log
        # axis. Those of a line are set off against others'.
        places: tuple[float, float] | None = (0.02 + 0.2 * (i / len(lines)), 0.2)
        if options.log_values and not (line["mean"] > 0.0).any():
            places = None  # on a line that a logarithmic axis shows nothing of

        stroke_line(axes, line, look_of[line["policy"][0]], stroke, places)

    if options.log_rounds:
        axes.set_xscale("log")
    if options.log_values:
        axes.set_yscale("log", nonpositive="mask")
    axes.margins(x=ROOM)
    if not options.log_rounds:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(whole_rounds())
    axes.set_xlabel("round")
    axes.set_ylabel(vertical)


def draw_legend(
    figure: Figure,
    first: Axes,
    look_of: Mapping[str, Look],
    style: PlotStyle,
    layout: PlotLayout,
) -> None:
    """The names of all lines, below the panels or inside the first one."""
    handles = []
    for look in look_of.values():
        dash: Any = look.dash
        line = Line2D(
            [],
            [],
            color=look.colour,
            linestyle=dash,
            linewidth=style.stroke.width,
            marker=look.marker,
            markersize=style.stroke.marker,
        )
        handles.append(line)

    labels = [plain_name(name) for name in look_of]
    if layout.place == "inside":
        first.legend(
            handles, labels, fontsize=style.names.points, framealpha=0.85, handlelength=2.6
        )
        return

    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=layout.legend_columns,
        frameon=False,
        fontsize=style.names.points,
        handlelength=2.8,
        columnspacing=1.2,
        borderaxespad=0.2,
    )


def plot_looks(names: Iterable[str], style: StyleName) -> dict[str, Look]:
    """A look per name: all different up to 28 names, also in black.

    Example:
        >>> [look.colour for look in plot_looks(["a", "b"], "paper-mono").values()]
        ['#000000', '#000000']
    """
    if style != "paper-mono":
        return looks(names)

    every = []
    for turn in range(len(MARKERS)):
        for i, dash in enumerate(DASHES):
            # Neighbours differ in both, and a dash that comes again has another marker.
            marker = MARKERS[(turn + i) % len(MARKERS)]
            every.append(Look(BLACK, marker, dash))

    return dict(zip(names, itertools.cycle(every), strict=False))
