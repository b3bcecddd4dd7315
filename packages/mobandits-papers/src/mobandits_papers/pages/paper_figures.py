"""The figures of a reproduced experiment: curves, bars, maps, and regret beside its bounds."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.formatting import component_name, spoken
from mobandits.figures.labels import draw_legend
from mobandits.figures.metric_curves import AXIS, draw_curves, usual_height
from mobandits.figures.plot_options import PlotOptions
from mobandits.figures.series import tag_marks
from mobandits.figures.style import INK, WIDTH, Look, looks, panels, styled
from mobandits.figures.wrapping import NAME, key, wrapped
from mobandits.metrics.traits import traits_of
from mobandits.statistics.bands import bands
from mobandits_papers.contents import ExperimentSpecification, PlotEntry
from mobandits_papers.pages.regret_bounds import bounds_data, draw_bounds

MOST_COLUMNS = 3
GROUP = 0.8  # of the distance between groups of bars is taken by bars


def shown_rows(
    table: pl.DataFrame,
    specification: ExperimentSpecification,
    row: Literal["policy", "best"] = "policy",
) -> pl.DataFrame:
    """The rows of a table that figures show, by the experiment's own names of runs and rows.

    Args:
        table: the experiment's.
        specification: of its manifest.
        row: "policy" shows the constants chosen on the tuning seed, "best" the best of the reported
            trials.

    Returns:
        `run`, `policy`, `trial`, `round`, `metric`, `component`, `value`; runs and rows in the
        experiment's order.
    """
    places = specification["places"]
    # Tuning trials have another name of the experiment, and are no results.
    reported = table.filter(pl.col("experiment") == specification["experiment"])
    parts = reported.partition_by("environment", "policy", as_dict=True)
    named = []
    for entry in specification["rows"]:
        key_of_part = (places[entry["run"]], entry[row])
        if key_of_part in parts:  # a table leaves out what is NaN in every round
            part = parts[key_of_part]
            named.append(part.with_columns(run=pl.lit(entry["run"]), policy=pl.lit(entry["row"])))

    columns = ("run", "policy", "trial", "round", "metric", "component", "value")

    return pl.concat(named).select(columns)


def plot_data(rows: pl.DataFrame, plot: PlotEntry) -> pl.DataFrame:
    """What one figure draws.

    Args:
        rows: from `shown_rows`.
        plot: of the specification.

    Returns:
        `panel` str, `policy`, `component`, `round`, `mean`, `low`, `high`, `trials`; a panel per
        run and component.
    """
    own = rows.filter(pl.col("metric") == plot["metric"])
    own = _in_order(own, "policy", plot["rows"])
    own = _in_order(own, "run", plot["runs"])
    traits = traits_of(plot["metric"])
    means = bands(own, ["run", "policy", "component", "round"], traits.least, traits.most)

    # A title says what differs between panels.
    titles = []
    if means["run"].n_unique() > 1:
        titles.append(pl.col("run"))
    if means["component"].n_unique() > 1:
        names = {
            i: component_title(plot["parts"], plot["metric"], i)
            for i in means["component"].unique()
        }
        titles.append(pl.col("component").replace_strict(names, return_dtype=pl.String))

    panel = pl.concat_str(titles, separator=", ") if titles else pl.lit("")

    runs = means["run"].unique(maintain_order=True)
    order = {run: i for i, run in enumerate(runs)}
    rank = pl.col("run").replace_strict(order, return_dtype=pl.Int64)

    return means.with_columns(panel=panel).sort(rank, "component", maintain_order=True)


def _in_order(rows: pl.DataFrame, column: str, names: Sequence[str]) -> pl.DataFrame:
    """The rows of these names, in this order; all rows where there are no names."""
    if not names:
        return rows

    label = pl.col(column)
    parts = [rows.filter(label == name) for name in names]

    return pl.concat(parts)


def is_drawable(rows: pl.DataFrame, plot: PlotEntry) -> bool:
    """Whether there is anything to draw: tables leave out values that are NaN."""
    data = bounds_data(rows) if plot["kind"] == "bounds" else plot_data(rows, plot)
    return not data.is_empty()


def last_values(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of the last round of every run."""
    rounds = pl.col("round")
    return rows.filter(rounds == rounds.max().over("run"))


def component_title(parts: Sequence[str], metric: str, component: int) -> str:
    """What a component of a metric is called where some parts have names; else its number from 1."""
    if component < len(parts):
        return parts[component]
    return f"{component_name(metric)} {component + 1}"


def curves_of(rows: pl.DataFrame, plot: PlotEntry) -> pl.DataFrame | None:
    """The lines of one figure, as `mobandits.figures.picture_data` takes them; None without lines.

    Args:
        rows: from `shown_rows`.
        plot: of the specification.
    """
    if plot["kind"] == "bounds":
        return bounds_data(rows)
    return plot_data(rows, plot) if plot["kind"] == "curves" else None


def draw_plot(rows: pl.DataFrame, plot: PlotEntry, width: float = WIDTH) -> Figure:
    """One figure of an experiment.

    Args:
        rows: from `shown_rows`.
        plot: of the specification.
        width: in inches.
    """
    if plot["kind"] == "bounds":
        return draw_bounds(bounds_data(rows), width)

    data = plot_data(rows, plot)
    vertical = plot["vertical"] or spoken(plot["metric"])
    if plot["kind"] == "heat":
        return draw_heat(data, plot, width)
    if plot["kind"] in ("bars", "points"):
        return draw_last(data, plot, vertical, width)

    options = PlotOptions(log="both" if plot["logarithmic"] else None, legend="below")
    columns = panel_columns(data) if width >= WIDTH else 1

    return draw_curves(data, vertical, width=width, options=options, columns=columns)


@styled()
def draw_last(data: pl.DataFrame, plot: PlotEntry, vertical: str, width: float = WIDTH) -> Figure:
    """The values at the last round, components from left to right: a panel per run.

    Bars have a group per component and begin at 0, each with its interval. Points are a line per
    row with its intervals: values near each other stay apart, because no axis begins at 0.

    Args:
        data: from `plot_data`.
        plot: of the specification.
        vertical: what the vertical axis is called.
        width: in inches.
    """
    is_bars = plot["kind"] == "bars"
    last = last_values(data)
    names = last["policy"].unique(maintain_order=True).to_list()
    groups = last.partition_by("run", maintain_order=True)
    style = looks(names)
    columns = 1 if is_bars or width < WIDTH else min(len(groups), MOST_COLUMNS)
    rows = math.ceil(len(groups) / columns)
    legend = key(names, width)
    height = rows * usual_height(len(groups), columns) + legend.height
    figure, axes = panels(width, height, len(groups), columns)
    for i, (panel, group) in enumerate(zip(axes, groups, strict=True)):
        if len(groups) > 1:
            panel.set_title(wrapped(group["run"][0], width / columns - AXIS))

        _draw_values(panel, group, names, style, is_bars=is_bars)
        components = group["component"].unique().sort().to_list()
        titles = [component_title(plot["parts"], plot["metric"], each) for each in components]
        if is_bars:
            panel.set_xticks(range(len(titles)), titles)
        else:
            panel.set_xticks(components, titles if len(titles) > 1 else [""])
            # Names of many components need more room than their points.
            panel.tick_params(axis="x", labelrotation=0 if columns == 1 else 25)
            panel.set_xlim(-0.5, len(components) - 0.5)

        panel.set_ylabel(vertical if i % columns == 0 else "")

    draw_legend(figure, legend, fontsize=NAME, handlelength=3.2)

    return figure


def _draw_values(
    panel: Axes, group: pl.DataFrame, names: Sequence[str], style: dict[str, Look], *, is_bars: bool
) -> None:
    """Draw the values of a run, with their intervals."""
    size = GROUP / len(names)
    for i, name in enumerate(names):
        own = group.filter(pl.col("policy") == name).sort("component")
        mean = own["mean"].to_numpy()
        reach = [mean - own["low"].to_numpy(), own["high"].to_numpy() - mean]
        look = style[name]
        marks: Sequence[Artist]
        if is_bars:
            # The middle of a group is its component's number.
            offset = (i + 0.5) * size
            at = np.arange(len(own)) - GROUP / 2 + offset
            colour = INK
            # A gap between neighbours, so that bars of one group can be told apart.
            marks = panel.bar(at, mean, 0.92 * size, color=look.colour, label=name).patches
        else:
            # Side by side, so that intervals of equal means can be told apart.
            at = own["component"].to_numpy() + 0.05 * (i - (len(names) - 1) / 2)
            colour = look.colour
            marks = panel.plot(
                at, mean, color=colour, marker=look.marker, ls=look.dash, label=name, ms=4
            )

        intervals = panel.errorbar(at, mean, reach, fmt="none", ecolor=colour, elinewidth=0.9)
        tag_marks([*marks, *intervals.get_children()], name)


@styled()
def draw_heat(data: pl.DataFrame, plot: PlotEntry, width: float = WIDTH) -> Figure:
    """A map per component: policies from left to right, rounds from the bottom up, on [0, 1].

    Args:
        data: from `plot_data`.
        plot: of the specification; `vertical` names both axes, "context / arm".
        width: in inches.
    """
    groups = data.partition_by("component", maintain_order=True)
    columns = 1 if width < WIDTH else min(len(groups), 2)
    rows = math.ceil(len(groups) / columns)
    height = rows * 0.86 * width / columns
    figure, axes = panels(width, height, len(groups), columns)
    horizontal, vertical = plot["vertical"].split(" / ")
    for panel, group in zip(axes, groups, strict=True):
        values = group.pivot("policy", index="round", values="mean").drop("round").to_numpy()
        # Values are shares, so that all maps have one scale of colours.
        image = panel.imshow(
            values, origin="lower", extent=(0, 1, 0, 1), cmap="viridis", vmin=0, vmax=1
        )
        panel.set_title(component_title(plot["parts"], plot["metric"], group["component"][0]))
        panel.set_xlabel(horizontal)
        panel.set_ylabel(vertical)
        panel.grid(visible=False)
        figure.colorbar(image, ax=panel, shrink=0.8)

    return figure


def panel_columns(data: pl.DataFrame) -> int:
    """How many panels stand side by side: a row per run where a run has several components.

    Args:
        data: from `plot_data`.
    """
    count = data["panel"].n_unique()
    components = data["component"].n_unique()
    runs = data["run"].n_unique()
    if runs > 1 and 1 < components <= MOST_COLUMNS:
        return components

    # Four panels make a square; otherwise three fit into the width of a page.
    widest = 2 if count in (2, 4) else MOST_COLUMNS

    return min(count, widest)
