"""Numbers with intervals in rows, the first at the top, as in a table."""

import math
from collections.abc import Sequence

import polars as pl
from matplotlib.axes import Axes

from mobandits.figures.series import tag_marks
from mobandits.figures.style import Looks, Stroke


def draw_intervals(panel: Axes, rows: pl.DataFrame, looks: Looks, stroke: Stroke) -> None:
    """A dot with its interval per row; an interval that is unknown or infinite is left out.

    Args:
        panel: to draw into.
        rows: `series` str, `y`, `value`, `low`, `high` float, and `hollow` bool where some dots are.
        looks: by series.
        stroke: of intervals and dots.
    """
    for row in rows.rows(named=True):
        look = looks[row["series"]]
        ends = [row["low"], row["high"]]
        y = row["y"]
        marks = []
        if None not in ends and all(map(math.isfinite, ends)):
            marks += panel.plot(
                ends, [y, y], color=look.colour, linewidth=stroke.width, solid_capstyle="butt"
            )

        # Above all intervals, so that none crosses it.
        marks += panel.plot(
            [row["value"]],
            [y],
            look.marker,
            color=look.colour,
            markerfacecolor="white" if row.get("hollow") else look.colour,
            markersize=stroke.marker,
            zorder=2.5,
            label=row["series"],
        )
        tag_marks(marks, row["series"])


def name_rows(panel: Axes, names: Sequence[str], points: float) -> None:
    """Names at the left, as the vertical axis, and numbers below that do not touch.

    Args:
        panel: with its rows at 0, 1, 2 and so on.
        names: from top to bottom.
        points: of the letters.
    """
    count = len(names)
    panel.set_yticks(range(count), names, fontsize=points)
    panel.set_ylim(count - 0.5, -0.5)
    panel.locator_params(axis="x", nbins=5)
