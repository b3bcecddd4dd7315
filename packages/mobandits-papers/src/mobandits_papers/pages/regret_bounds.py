"""The regret of a policy beside the bounds that theorems put on it, on logarithmic axes."""

import math

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.series import tag_legend, tag_marks
from mobandits.figures.style import BLUE, INK, SOFT, WIDTH, panels, styled

HEIGHT = 2.7  # inches of a panel
# {column: what its line is called}
NAMES = {"mean": "regret, mean", "highest": "regret, largest", "bound": "bound"}
# {column: its colour, and its dashes}
LINES = {"mean": (BLUE, "-"), "highest": (SOFT, ":"), "bound": (INK, "--")}


@styled()
def draw_bounds(table: pl.DataFrame, width: float = WIDTH) -> Figure:
    """A panel per bound: the mean regret of the runs, the largest one, and the bound.

    Both axes are logarithmic; rounds without regret are left out.

    Args:
        table: columns name, round, mean, highest, bound.
        width: in inches.

    Example:
        >>> curve = {"round": [1, 9], "mean": [1.0, 2.0], "highest": [1.0, 3.0]}
        >>> table = pl.DataFrame({"name": "b", **curve, "bound": 9.0})
        >>> len(draw_bounds(table).axes)
        1
    """
    groups = table.partition_by("name", maintain_order=True)
    is_wide = width >= WIDTH
    columns = min(2 if is_wide else 1, len(groups))
    rows = math.ceil(len(groups) / columns)
    figure, axes = panels(width, HEIGHT * rows, rows, columns)

    for panel, group in zip(axes, groups, strict=False):
        panel.set_title(group["name"][0], wrap=True)
        draw_bound(panel, group)

    for panel in axes[len(groups) :]:
        panel.set_axis_off()

    # All panels have the same lines, so that one legend does for all.
    handles, labels = axes[0].get_legend_handles_labels()
    names_beside = len(LINES) if is_wide else 1
    legend = figure.legend(
        handles, labels, loc="outside lower left", ncols=names_beside, frameon=False
    )
    tag_legend(legend, labels)

    return figure


def bounds_curves(table: pl.DataFrame) -> pl.DataFrame:
    """The lines of `draw_bounds`, as `mobandits.figures.picture_data` takes them.

    Args:
        table: as of `draw_bounds`.
    """
    lines = table.unpivot(list(NAMES), index=["name", "round"])
    policy = pl.col("variable").replace_strict(NAMES)
    none = pl.lit(None, pl.Float64)

    return lines.select("round", panel="name", policy=policy, mean="value", low=none, high=none)


def draw_bound(panel: Axes, group: pl.DataFrame) -> None:
    """One bound and the regret under it."""
    for column, (colour, dash) in LINES.items():
        name = NAMES[column]
        # A logarithm needs numbers above 0: the first rounds may have no regret.
        line = group.filter(pl.col(column).is_finite() & (pl.col(column) > 0.0))
        curve = panel.plot(
            line["round"], line[column], color=colour, linestyle=dash, linewidth=1.6, label=name
        )
        tag_marks(curve, name)

    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel("round")
