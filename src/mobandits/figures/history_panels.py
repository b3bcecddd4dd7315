"""Numbers over time: panels under each other, with lines, bands, and points with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, PercentFormatter

from mobandits.figures.contents import Number
from mobandits.figures.labels import draw_legend
from mobandits.figures.metric_curves import stroke_line
from mobandits.figures.series import tag_marks
from mobandits.figures.style import (
    BLUE,
    SOFT,
    VERMILLION,
    WIDTH,
    Look,
    Looks,
    Stroke,
    looks,
    panels,
    styled,
)
from mobandits.figures.wrapping import LABEL, NAME, key, lines_high, most_lines, wrapped

Numbers = Sequence[Number]
HEIGHT = 1.9  # inches of a panel with its title
AXIS = 0.45  # inches below the last one
BESIDE = 0.8  # inches of a panel's width that its axis takes
SINGLE = Look(BLUE, "o", "-")  # of a series that is alone in its panel
STROKE = Stroke(1.5, 3.8)


@dataclass(frozen=True)
class Series:
    """Numbers over time, of which some may not be known.

    Args:
        name: in the legend.
        values: a number per window.
        low: lower ends of intervals; none: there are none.
        high: their upper ends.
        as_points: points with intervals in place of a line with a band.
    """

    name: str
    values: Numbers
    low: Numbers = ()
    high: Numbers = ()
    as_points: bool = False


@dataclass(frozen=True)
class HistoryPanel:
    """The content of one panel.

    Args:
        title: above it.
        series: in the order in which they are drawn.
        scale: of the vertical axis; shares are in per cent, from 0.
        marks: where vertical lines stand.
    """

    title: str
    series: Sequence[Series]
    scale: Literal["linear", "log", "share"] = "linear"
    marks: Sequence[float] = ()


@styled()
def draw_history(
    contents: Sequence[HistoryPanel],
    places: Sequence[float],
    horizontal: str,
    width: float = WIDTH,
    *,
    dates: bool = False,
) -> Figure:
    """The figure.

    Args:
        contents: at least one panel.
        places: of the windows on the horizontal axis.
        horizontal: what the axis is called.
        width: in inches.
        dates: whether places are days since 1970.
    """
    # Of a panel with a single series, the title says what it is.
    named: dict[str, Series] = {}
    for content in contents:
        if len(content.series) > 1:
            for series in content.series:
                named.setdefault(series.name, series)

    style = looks(named)
    titles = [wrapped(content.title, width - BESIDE) for content in contents]
    legend = key(list(named), width)
    more_lines = sum(most_lines([title]) - 1 for title in titles)
    height = HEIGHT * len(contents) + AXIS + lines_high(more_lines, LABEL)
    if named:
        height += legend.height

    figure, axes = panels(width, height, len(contents))
    for panel, content, title in zip(axes, contents, titles, strict=True):
        panel.set_title(title)
        _draw_panel(panel, content, places, style)
        _set_axes(panel, content, places, dates=dates)

    axes[-1].set_xlabel(horizontal)
    if named:
        draw_legend(figure, legend, fontsize=NAME, handlelength=2.6)

    return figure


def history_data(contents: Sequence[HistoryPanel], places: Sequence[float]) -> pl.DataFrame:
    """The numbers of a history, as `picture_data.picture_data` takes them.

    Args:
        contents: of panels with titles of their own.
        places: as of `draw_history`.
    """
    lines = []
    for content in contents:
        for series in content.series:
            line = _line_of(series, places)
            lines.append(line.with_columns(panel=pl.lit(content.title)))

    return pl.concat(lines)


def _line_of(series: Series, places: Sequence[float]) -> pl.DataFrame:
    """The numbers of one series; what is not known is null, and not drawn."""
    unknown = [None] * len(places)
    low = series.low or unknown
    high = series.high or unknown
    numbers = {"round": places, "mean": series.values, "low": low, "high": high}
    kinds = dict.fromkeys(numbers, pl.Float64)
    line = pl.DataFrame(numbers, kinds)
    return line.with_columns(policy=pl.lit(series.name))


def _draw_panel(panel: Axes, content: HistoryPanel, places: Sequence[float], style: Looks) -> None:
    for place in content.marks:
        panel.axvline(place, color=VERMILLION, linewidth=1.0, linestyle=(0, (2, 2)), zorder=1)

    for i, series in enumerate(content.series):
        look = style.get(series.name, SINGLE)
        line = _line_of(series, places)
        if series.as_points:
            marks = _draw_points(panel, line, look)
        else:
            # Five markers or so on each line, and not all of them at the same places.
            step = max(len(line) // 5, 1)
            first_marker = min(i * step // len(content.series), len(line) - 1)
            stroke = STROKE if series.low else STROKE._replace(band=None)
            marks = stroke_line(panel, line, look, stroke, (first_marker, step))

        tag_marks(marks, series.name)


def _draw_points(panel: Axes, line: pl.DataFrame, look: Look) -> list[Artist]:
    """Points with intervals: all of them that are known."""
    numbers = line.select("round", "mean", "low", "high")
    x, values, low, high = (column.to_numpy() for column in numbers)
    colour = look.colour
    name = line["policy"][0]
    intervals = panel.vlines(x, low, high, color=colour, linewidth=1.2)
    points = panel.plot(x, values, look.marker, color=colour, markersize=3.6, label=name)
    return [intervals, *points]


def _set_axes(panel: Axes, content: HistoryPanel, places: Sequence[float], *, dates: bool) -> None:
    if content.scale == "log":
        panel.set_yscale("log")
        panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_locator(NullLocator())
    elif content.scale == "share":
        panel.set_ylim(bottom=0.0)
        panel.yaxis.set_major_formatter(PercentFormatter(1.0))

    # A single window is a point in the middle.
    first = min(places)
    last = max(places)
    margin = 0.02 * (last - first) or 0.5
    panel.set_xlim(first - margin, last + margin)
    panel.tick_params(colors=SOFT)
    if not dates:
        panel.locator_params(axis="x", nbins=6)
        panel.xaxis.set_major_formatter("{x:,.0f}")
        return

    locator: Any = AutoDateLocator(minticks=3, maxticks=6)  # type: ignore[no-untyped-call]
    panel.xaxis.set_major_locator(locator)
    formatter: Any = ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    panel.xaxis.set_major_formatter(formatter)
