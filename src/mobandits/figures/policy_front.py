"""The front of candidate policies and how sure it is: ellipses in the plane of two objectives, intervals for more."""

from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mobandits.figures.point_labels import along, name_points
from mobandits.figures.policy_values import draw_values
from mobandits.figures.style import INK, SOFT, WIDTH, Look, looks, panels, renderer, styled
from mobandits.figures.wrapping import NAME, key, wrapped

Point = tuple[float, float]
DASHED = (0, (4, 2.5))


def front_data(front: pl.DataFrame) -> pl.DataFrame:
    """A row per policy: where it is in the plane of the first two objectives, and whether it may be best.

    Args:
        front: `policy`, `objective`, `dominated_by` str, `value` float, `on_front` bool, a row per policy and
            objective, the first two of which are drawn.

    Returns:
        `policy` str, `x`, `y` float, `on_front` bool, `beaten` bool (shown to be dominated); without policies whose
        value is not known.

    Example:
        >>> rows = [("a", "q", 1.0, True, ""), ("a", "c", 2.0, True, "")]
        >>> columns = ["policy", "objective", "value", "on_front", "dominated_by"]
        >>> front_data(pl.DataFrame(rows, columns, orient="row")).rows()
        [('a', 1.0, 2.0, True, False)]
    """
    across, up = front["objective"].unique(maintain_order=True)[:2]
    sides = [front.filter(pl.col("objective") == name) for name in (across, up)]
    both = sides[0].join(sides[1].select("policy", y="value"), on="policy", maintain_order="left")
    known = both.filter(pl.col("value").is_finite() & pl.col("y").is_finite())
    return known.select(
        "policy", pl.col("value").alias("x"), "y", "on_front", beaten=pl.col("dominated_by") != ""
    )


@styled()
def draw_front(front: pl.DataFrame, outlines: pl.DataFrame, width: float = WIDTH) -> Figure:
    """The figure: a plane where there are two objectives, else a panel per objective.

    Args:
        front: from `mobandits.evaluation.front`.
        outlines: `policy` str, `x`, `y` float, the borders of joint regions, point after point; not needed where there
            are not two objectives.
        width: in inches.
    """
    objectives = front["objective"].unique(maintain_order=True).to_list()
    if len(objectives) != 2:
        shown = pl.when(pl.col("dominated_by") == "").then(pl.lit("may be on the front"))
        return draw_values(
            front.with_columns(estimator=shown.otherwise(pl.lit("dominated"))), width, apart=False
        )
    points = front_data(front)
    style = looks(front["policy"].unique(maintain_order=True))
    below = key(points["policy"].to_list(), width, 1)
    tall = 0.7 * width if width >= WIDTH else width + below.height
    figure, (panel,) = panels(width, tall)
    across, up = (
        wrapped(name, 0.7 * room) for name, room in zip(objectives, (width, tall), strict=True)
    )
    panel.set(xlabel=across, ylabel=up)
    draw_outlines(panel, outlines, style)
    marks = {
        name: mark(panel, (x, y), style[name], hollow=beaten)
        for name, x, y, _, beaten in points.rows()
    }
    panel.margins(0.08)
    panel.locator_params(nbins=7 if width >= WIDTH else 5)
    legend(figure, panel)
    if width < WIDTH:
        figure.legend(
            marks.values(), below.labels, loc="outside lower left", frameon=False, fontsize=NAME
        )
    measure = renderer(figure)
    lines = [
        draw_stairs(panel, points),
        *(one.select("x", "y").rows() for one in outlines.partition_by("policy")),
    ]
    beside = points.rows() if width >= WIDTH else []
    named = {wrapped(name, 0.3 * width, NAME): (x, y) for name, x, y, _, _ in beside}
    avoid = [box for line in lines for box in along(panel, line)]
    name_points(panel, named, dict.fromkeys(named, INK), avoid, renderer=measure)
    return figure


def mark(panel: Axes, at: Point, look: Look, *, hollow: bool) -> Line2D:
    """The dot of a policy."""
    inside = "white" if hollow else look.colour
    size: dict[str, Any] = {"markersize": 7, "markeredgewidth": 1.3, "zorder": 4}
    (dot,) = panel.plot(
        *zip(at, strict=True),
        look.marker,
        markerfacecolor=inside,
        markeredgecolor=look.colour,
        **size,
    )
    return dot


def legend(figure: Figure, panel: Axes) -> None:
    """What is full, hollow and dashed."""
    plain = Look(SOFT, "o", DASHED)
    none = (float("nan"), float("nan"))
    (line,) = panel.plot(*zip(none, strict=True), color=SOFT, linestyle=DASHED, linewidth=1.1)
    handles = [mark(panel, none, plain, hollow=hollow) for hollow in (False, True)]
    said = ("may be on the front", "dominated", "front of the estimates")
    shown = {"frameon": False, "fontsize": NAME, "columnspacing": 1.4, "handletextpad": 0.5}
    figure.legend(
        [*handles, line],
        said,
        loc="outside upper left",
        ncols=3 if figure.get_figwidth() >= WIDTH else 1,
        **shown,
    )


def draw_outlines(panel: Axes, outlines: pl.DataFrame, style: dict[str, Look]) -> None:
    """The joint region of every policy."""
    for one in outlines.partition_by("policy", maintain_order=True):
        colour = style[one["policy"][0]].colour
        x = one["x"].to_numpy()
        y = one["y"].to_numpy()
        panel.fill(x, y, facecolor=colour, alpha=0.13, linewidth=0)
        panel.plot(x, y, color=colour, linewidth=0.9, alpha=0.8)


def draw_stairs(panel: Axes, points: pl.DataFrame) -> list[Point]:
    """The border of what the estimated front dominates, down and to the left of it, from edge to edge."""
    ends: list[Point] = points.filter("on_front").sort("x", "y").select("x", "y").rows()
    if not ends:
        return []
    left = panel.get_xlim()[0]
    bottom = panel.get_ylim()[0]
    line = stairs(ends, left, bottom)
    limits = panel.get_xlim(), panel.get_ylim()
    panel.plot(*zip(*line, strict=True), color=SOFT, linestyle=DASHED, linewidth=1.1, zorder=1)
    panel.set(xlim=limits[0], ylim=limits[1])
    return line


def stairs(ends: list[Point], left: float, bottom: float) -> list[Point]:
    """The corners of the stairs below points that rise to the left.

    Example:
        >>> stairs([(1.0, 3.0), (2.0, 1.0)], 0.0, 0.0)
        [(0.0, 3.0), (1.0, 3.0), (1.0, 1.0), (2.0, 1.0), (2.0, 0.0)]
    """
    line = [(left, ends[0][1])]
    for i, (x, y) in enumerate(ends):
        line += [(x, y), (x, ends[i + 1][1] if i + 1 < len(ends) else bottom)]
    return line
