"""One metric over rounds: a line per policy, a panel per environment and component."""

import math

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.formatting import component_name
from mobandits.figures.labels import name_ends
from mobandits.figures.style import WIDTH, Look, looks, panels, styled
from mobandits.figures.wrapping import (
    LABEL,
    NAME,
    key,
    lines_high,
    most_lines,
    names_height,
    width_of,
    wrapped,
)
from mobandits.statistics.bands import bands

STACKED = 3  # so many panels lie under each other, and their lines are named where they end; more share a legend
MARGIN = 0.8  # inches of a panel that are title and axis
AXIS = 0.65  # inches left of a panel, for its axis
BESIDE = 0.36  # of the width, for names beside a panel
TALL = 6.0  # inches of names at lines; more are named below


def curves_data(table: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Means over trials of one metric, with 95 % intervals.

    Args:
        table: rows as `simulate` records them.
        metric: a name in its column `metric`.

    Returns:
        `panel` str (the experiment, the environment and the component, where there are several), `policy`, `round`,
        `mean`, `low`, `high`, `trials`; policies in the order of the table, rounds ascending.

    Raises:
        ValueError: where the table holds nothing of this metric.
    """
    rows = table.filter(pl.col("metric") == metric)
    if rows.is_empty():
        known = ", ".join(table["metric"].unique().sort())
        raise ValueError(f"metric must be one of {known}, got {metric!r:.200}")
    title = [pl.col(name) for name in ("experiment", "environment") if rows[name].n_unique() > 1]
    if rows["component"].n_unique() > 1:
        title.append(pl.format("{} {}", pl.lit(component_name(metric)), "component"))
    first = {name: rank for rank, name in enumerate(rows["policy"].unique(maintain_order=True))}
    rank = pl.col("policy").replace_strict(first, return_dtype=pl.Int64)
    rows = rows.with_columns(panel=pl.concat_str(title, separator=", ") if title else pl.lit(""))
    ordered = rows.sort(
        "experiment", "environment", "component", rank, "round", "trial", maintain_order=True
    )
    return bands(ordered, ["panel", "policy", "round"])


@styled()
def draw_curves(
    data: pl.DataFrame, said: str, rounds: str = "round", width: float = WIDTH
) -> Figure:
    """Lines with bands, named at their ends; points with intervals where only one round was recorded.

    Args:
        data: from `curves_data`.
        said: what the vertical axis is called.
        rounds: what the horizontal axis is called.
        width: in inches; where it is less than WIDTH, the lines are named below.
    """
    names = data["policy"].unique(maintain_order=True).to_list()
    style = looks(names)
    groups = data.partition_by("panel", maintain_order=True)
    columns = 1 if len(groups) <= STACKED or width < WIDTH else 2
    over_time = [group["round"].n_unique() > 1 for group in groups]
    labels = {name: wrapped(name, BESIDE * width / columns, NAME) for name in names}
    left = AXIS if all(over_time) else AXIS / 2 + width_of(labels.values(), NAME)
    titles = [wrapped(group["panel"][0], width / columns - left) for group in groups]
    high = names_height(labels.values(), NAME)
    at_ends = len(groups) <= STACKED and width >= WIDTH and high < TALL
    lined = [
        name
        for group, several in zip(groups, over_time, strict=True)
        if several
        for name in group["policy"]
    ]
    lined = [name for name in names if name in set(lined)]
    legend = key(lined, width, 2 * columns - 1)
    rows = math.ceil(len(groups) / columns)
    height = 3.8 if len(groups) == 1 else 2.6
    if at_ends:
        height = max(MARGIN + high, height)
    if not all(over_time):
        row = lines_high(most_lines(list(labels.values())), NAME)
        height = max(MARGIN + len(names) * row, height)
    height += lines_high(most_lines(titles) - 1, LABEL)
    below = legend.height if lined and not at_ends else 0.0
    figure, axes = panels(width, height * rows + below, rows, columns)
    for panel, group, title, several in zip(axes, groups, titles, over_time, strict=False):
        panel.set_title(title)
        if several:
            draw_lines(panel, group, style)
            panel.set_ylabel(said)
            panel.set_xlabel(rounds)
        else:
            draw_points(panel, group, style, labels)
            panel.set_xlabel(f"{said} after {group['round'][0]:,} rounds")
        if several and at_ends:
            name_lines(panel, group, style, labels, height - MARGIN)
    for panel in axes[len(groups) :]:
        panel.set_axis_off()
    if lined and not at_ends:
        lines = {str(line.get_label()): line for panel in axes for line in panel.get_lines()}
        shown = {"frameon": False, "fontsize": NAME, "handlelength": 3.4}
        handles = [lines[name] for name in lined]
        figure.legend(
            handles, legend.labels, loc="outside lower left", ncols=legend.columns, **shown
        )
    return figure


def curves(table: pl.DataFrame, metric: str) -> Figure:
    """The figure of one metric: its mean over rounds for every policy, with 95 % intervals over trials.

    Args:
        table: rows as `simulate` records them.
        metric: a name in its column `metric`.

    Raises:
        ValueError: where the table holds nothing of this metric.
    """
    return draw_curves(curves_data(table, metric), spoken(metric))


def spoken(metric: str) -> str:
    """The name of a metric as people read it.

    Example:
        >>> spoken("effective_pareto_regret")
        'effective Pareto regret'
    """
    return metric.replace("_", " ").replace("pareto", "Pareto")


def title_of(metric: str) -> str:
    """The name of a metric at the start of a sentence.

    Example:
        >>> title_of("pareto_regret")
        'Pareto regret'
    """
    name = spoken(metric)
    return name[0].upper() + name[1:]


def draw_lines(panel: Axes, group: pl.DataFrame, style: dict[str, Look]) -> None:
    """A line with its band per policy; markers are set off against each other, so that no line hides another."""
    lines = group.partition_by("policy", maintain_order=True)
    for i, line in enumerate(lines):
        look = style[line["policy"][0]]
        x, low, high = (line[name].to_numpy() for name in ("round", "low", "high"))
        step = max(len(line) // 5, 1)
        panel.fill_between(x, low, high, color=look.colour, alpha=0.16, linewidth=0)
        panel.plot(
            x,
            line["mean"].to_numpy(),
            color=look.colour,
            linestyle=look.dash,
            linewidth=1.6,
            marker=look.marker,
            markersize=4.2,
            markevery=(i * step // len(lines), step),
            label=line["policy"][0],
        )
    panel.margins(x=0.0)
    panel.set_xlim(left=0)


def name_lines(
    panel: Axes, group: pl.DataFrame, style: dict[str, Look], labels: dict[str, str], height: float
) -> None:
    """Name the lines of a panel of `height` inches where they end."""
    last = (
        group.group_by("policy", maintain_order=True)
        .last()
        .select("policy", "round", "mean")
        .rows()
    )
    name_ends(panel, {name: (at, mean) for name, at, mean in last}, style, labels, height=height)


def draw_points(
    panel: Axes, group: pl.DataFrame, style: dict[str, Look], labels: dict[str, str]
) -> None:
    """A point with its interval per policy, from top to bottom."""
    for i, (name, mean, low, high) in enumerate(
        group.select("policy", "mean", "low", "high").rows()
    ):
        panel.plot([low, high], [i, i], color=style[name].colour, linewidth=1.6)
        panel.plot([mean], [i], color=style[name].colour, marker=style[name].marker, markersize=6)
    panel.set_yticks(range(len(group)), [labels[name] for name in group["policy"]], fontsize=NAME)
    panel.invert_yaxis()
