"""The figures of a reproduced experiment: its runs below each other, the components of a metric side by side."""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mobandits.figures.formatting import component_name
from mobandits.figures.metric_curves import AXIS, draw_lines, spoken
from mobandits.figures.style import WIDTH, Look, looks, panels, styled
from mobandits.figures.wrapping import NAME, Key, key, wrapped
from mobandits.papers.pages.regret_bounds import draw_bounds
from mobandits.statistics.bands import bands

MOST_COLUMNS = 3
BOUND = (
    "regret, mean",
    "regret, largest",
    "bound",
)  # the rows of a part that is drawn with its bound


def shown(table: pl.DataFrame, specification: dict[str, Any], row: str = "policy") -> pl.DataFrame:
    """The rows of an experiment's table that its figures show, by the experiment's own names of runs and rows.

    Args:
        table: the experiment's.
        specification: of its manifest.
        row: "policy" shows the constants chosen on the tuning seed, "best" the best of the reported trials.

    Returns:
        `run`, `policy`, `trial`, `round`, `metric`, `component`, `value`; runs and rows in the experiment's order.
    """
    places = specification["places"]
    reported = table.filter(pl.col("experiment") == specification["experiment"])
    parts = reported.partition_by("environment", "policy", as_dict=True)
    named = [
        parts[places[one["run"]], one[row]].with_columns(
            run=pl.lit(one["run"]), policy=pl.lit(one["row"])
        )
        for one in specification["rows"]
        if (places[one["run"]], one[row]) in parts
    ]
    return pl.concat(named).select(
        "run", "policy", "trial", "round", "metric", "component", "value"
    )


def plot_data(rows: pl.DataFrame, plot: dict[str, Any]) -> pl.DataFrame:
    """What one figure draws.

    Args:
        rows: from `shown`.
        plot: of the specification.

    Returns:
        `panel` str, `policy`, `component`, `round`, `mean`, `low`, `high`, `trials`; a panel per run and component.
    """
    rows = rows.filter(pl.col("metric") == plot["metric"])
    for column, names in (("policy", plot["rows"]), ("run", plot["runs"])):
        if names:
            rows = pl.concat([rows.filter(pl.col(column) == name) for name in names])
    means = bands(rows, ["run", "policy", "component", "round"])
    several = means["component"].n_unique() > 1
    called = {i: name_of(plot, i) for i in means["component"].unique()}
    titles = [
        *([pl.col("run")] if means["run"].n_unique() > 1 else []),
        *([pl.col("component").replace_strict(called, return_dtype=pl.String)] if several else []),
    ]
    order = {run: i for i, run in enumerate(means["run"].unique(maintain_order=True))}
    rank = pl.col("run").replace_strict(order, return_dtype=pl.Int64)
    panel = pl.concat_str(titles, separator=", ") if titles else pl.lit("")
    return means.with_columns(panel=panel).sort(rank, "component", maintain_order=True)


def drawable(rows: pl.DataFrame, plot: dict[str, Any]) -> bool:
    """Whether there is anything to draw: tables leave out values that are NaN."""
    if plot["kind"] == "bounds":
        return bool(rows["policy"].is_in(BOUND).any())
    return not plot_data(rows, plot).is_empty()


def name_of(plot: dict[str, Any], component: int) -> str:
    """What a component is called in a plot."""
    parts = plot["parts"]
    if component < len(parts):
        return str(parts[component])
    return f"{component_name(plot['metric'])} {component + 1}"


def draw_plot(rows: pl.DataFrame, plot: dict[str, Any], width: float = WIDTH) -> Figure:
    """One figure of an experiment.

    Args:
        rows: from `shown`.
        plot: of the specification.
        width: in inches.
    """
    if plot["kind"] == "bounds":
        return draw_bounds(bounds_data(rows), width)
    data = plot_data(rows, plot)
    said = plot["vertical"] or spoken(plot["metric"])
    if plot["kind"] == "heat":
        return draw_heat(data, plot, width)
    if plot["kind"] == "bars":
        return draw_bars(data, plot, said, width)
    return draw_panels(data, said, width, logarithmic=plot["logarithmic"])


@styled()
def draw_panels(
    data: pl.DataFrame, said: str, width: float = WIDTH, *, logarithmic: bool = False
) -> Figure:
    """Curves with bands, a panel per run and component, and one legend below.

    Args:
        data: from `plot_data`.
        said: what the vertical axis is called.
        width: in inches.
        logarithmic: both axes.
    """
    names = data["policy"].unique(maintain_order=True).to_list()
    style = looks(names)
    groups = data.partition_by("panel", maintain_order=True)
    columns = 1 if width < WIDTH else wide(data, len(groups))
    figure, axes = grid(width, len(groups), columns, names)
    for i, (panel, group) in enumerate(zip(axes, groups, strict=False)):
        panel.set_title(wrapped(group["panel"][0], width / columns - AXIS))
        draw_lines(panel, group, style)
        panel.set_ylabel(said if i % columns == 0 else "")
        panel.set_xlabel("round" if i + columns >= len(groups) else "")
        if logarithmic:
            panel.set(xscale="log", yscale="log", xlim=(group["round"].min(), group["round"].max()))
        else:
            panel.xaxis.set_major_formatter(thousands)
            panel.xaxis.set_major_locator(MaxNLocator(4 if columns > 1 else 6))
    legend(figure, axes, key(names, width, max(columns, 2)))
    return figure


@styled()
def draw_bars(data: pl.DataFrame, plot: dict[str, Any], said: str, width: float = WIDTH) -> Figure:
    """The values at the last round: a group of bars per component, a bar with its interval per row, a panel per run.

    Args:
        data: from `plot_data`.
        plot: of the specification.
        said: what the vertical axis is called.
        width: in inches.
    """
    last = data.filter(pl.col("round") == pl.col("round").max().over("run"))
    names = last["policy"].unique(maintain_order=True).to_list()
    style = looks(names)
    groups = last.partition_by("run", maintain_order=True)
    figure, axes = grid(width, len(groups), 1, names)
    for panel, group in zip(axes, groups, strict=False):
        panel.set_title(group["run"][0] if len(groups) > 1 else "")
        _bars(panel, group, names, style)
        components = group["component"].unique().sort().to_list()
        panel.set_xticks(range(len(components)), [name_of(plot, i) for i in components])
        panel.set_ylabel(said)
    legend(figure, axes, key(names, width, 2))
    return figure


def _bars(panel: Axes, group: pl.DataFrame, names: Sequence[str], style: dict[str, Look]) -> None:
    size = 0.8 / len(names)
    for i, name in enumerate(names):
        one = group.filter(pl.col("policy") == name).sort("component")
        at = [x - 0.4 + (i + 0.5) * size for x in range(len(one))]
        mean, low, high = (one[column].to_numpy() for column in ("mean", "low", "high"))
        panel.bar(at, mean, 0.92 * size, color=style[name].colour, label=name)
        panel.errorbar(
            at, mean, [mean - low, high - mean], fmt="none", ecolor="#1f2328", elinewidth=0.9
        )


@styled()
def draw_heat(data: pl.DataFrame, plot: dict[str, Any], width: float = WIDTH) -> Figure:
    """A map per component: policies are columns from left to right, rounds are rows from the bottom up, both on [0, 1].

    Args:
        data: from `plot_data`.
        plot: of the specification; `vertical` names both axes, "context / arm".
        width: in inches.
    """
    groups = data.partition_by("component", maintain_order=True)
    columns = 1 if width < WIDTH else min(len(groups), 2)
    rows = math.ceil(len(groups) / columns)
    figure, axes = panels(width, rows * 0.86 * width / columns, rows, columns)
    across, up = plot["vertical"].split(" / ")
    for panel, group in zip(axes, groups, strict=False):
        wide_table = group.pivot("policy", index="round", values="mean").drop("round").to_numpy()
        image = panel.imshow(
            wide_table, origin="lower", extent=(0, 1, 0, 1), cmap="viridis", vmin=0, vmax=1
        )
        panel.set_title(name_of(plot, group["component"][0]))
        panel.set_xlabel(across)
        panel.set_ylabel(up)
        panel.grid(visible=False)
        figure.colorbar(image, ax=panel, shrink=0.8)
    return figure


def bounds_data(rows: pl.DataFrame) -> pl.DataFrame:
    """Regret and bound as `draw_bounds` takes them."""
    parts = rows.filter(pl.col("policy").is_in(BOUND)).partition_by("metric", maintain_order=True)
    frames = []
    for group in parts:
        table = group.pivot("policy", index="round", values="value")
        mean, highest, bound = (pl.col(name) for name in BOUND)
        frames.append(
            table.select(
                name=pl.lit(group["metric"][0]),
                round="round",
                mean=mean,
                highest=highest,
                bound=bound,
            )
        )
    return pl.concat(frames)


def wide(data: pl.DataFrame, count: int) -> int:
    """How many panels stand side by side: a row per run where a run has several components."""
    components = data["component"].n_unique()
    several = data["run"].n_unique() > 1
    if several and 1 < components <= MOST_COLUMNS:
        return components
    return min(count, 2 if count in (2, 4) else 3)


def grid(width: float, count: int, columns: int, names: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Panels in rows, with room for a legend; those that are not needed show nothing."""
    rows = math.ceil(count / columns)
    height = {1: 3.4, 2: 2.7}.get(columns, 2.2) if width >= WIDTH else 2.7
    below = key(names, width, max(columns, 2)).height
    figure, axes = panels(width, rows * height + 1.1 * below, rows, columns)
    for panel in axes[count:]:
        panel.set_axis_off()
    return figure, axes


def legend(figure: Figure, axes: Sequence[Axes], names: Key) -> None:
    """The names of the rows, below all panels."""
    look: dict[str, Any] = {"frameon": False, "fontsize": NAME, "handlelength": 3.2}
    handles, _ = axes[0].get_legend_handles_labels()
    figure.legend(handles, names.labels, loc="outside lower left", ncols=names.columns, **look)


def thousands(value: float, _: float = 0.0) -> str:
    """A number of rounds on an axis.

    Example:
        >>> thousands(3000.0), thousands(2e6), thousands(500.0)
        ('3,000', '2M', '500')
    """
    return f"{value / 1e6:g}M" if value >= 1e6 else f"{value:,.0f}"
