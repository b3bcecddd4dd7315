"""Names at the ends of lines, beside points, where they cover least, and in legends."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation, Text
from numpy.typing import ArrayLike

from mobandits.figures.series import tag_legend
from mobandits.figures.style import SOFT, Looks
from mobandits.figures.wrapping import NAME, Key

LEFT = 1.04  # of a panel's width, where names at the ends of lines begin
LEADER: dict[str, Any] = {
    "linewidth": 0.6,
    "shrinkA": 1,
    "shrinkB": 1,
    "relpos": (0, 0.5),
}  # to their lines
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, bottom, right, top in pixels
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
DISTANCES = (7.0, 16.0, 28.0, 42.0)  # points; from the second on, a thin line leads to the name
ACROSS: dict[int, Literal["left", "center", "right"]] = {-1: "right", 0: "center", 1: "left"}
UP: dict[int, Literal["top", "center", "bottom"]] = {-1: "top", 0: "center", 1: "bottom"}


def spread_out(wanted: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """The middles of intervals that do not overlap, as near to the wanted middles as can be.

    They keep the order of the wanted ones, and are the nearest to them in squared distance.

    Example:
        >>> spread_out([0.0, 0.5, 0.5], [0.25, 0.25, 0.25])
        [0.0, 0.375, 0.625]
    """
    if not wanted:
        return []

    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Less what lies below them, the middles are a regression onto increasing sequences: what
    # collides is pooled at its mean.
    below = [0.0]
    for i, j in itertools.pairwise(order):
        distance = (sizes[i] + sizes[j]) / 2
        below.append(below[-1] + distance)

    targets = [wanted[i] - offset for i, offset in zip(order, below, strict=True)]
    middles = [0.0] * len(wanted)
    for i, pooled, offset in zip(order, _increasing(targets), below, strict=True):
        middles[i] = pooled + offset

    return middles


def _increasing(targets: Sequence[float]) -> list[float]:
    """The increasing sequence nearest in squared distance, by pooling adjacent violators."""
    pools: list[tuple[float, int]] = []  # mean and size
    for target in targets:
        mean = target
        size = 1
        while pools and pools[-1][0] >= mean:
            mean_before, size_before = pools.pop()
            total = size_before + size
            mean = (mean_before * size_before + mean * size) / total
            size = total

        pools.append((mean, size))

    return [mean for mean, size in pools for _ in range(size)]


def name_ends(
    axes: Axes,
    group: pl.DataFrame,
    looks: Looks,
    labels: Mapping[str, str],
    sizes: Mapping[str, float],
    points: float = NAME,
) -> dict[str, Annotation]:
    """Names to the right of a panel, each with a thin line to the end of its own line.

    A name is as near to that end as the other names allow. The texts are returned by name.

    Args:
        axes: a panel whose limits are final.
        group: `policy`, `round`, `mean`: its lines.
        looks: by name.
        labels: by name, what is written, in one or more lines.
        sizes: by name, the height of the label, in heights of the panel.
        points: of the letters.
    """
    last = group.group_by("policy", maintain_order=True).last()
    ends = {name: (at, mean) for name, at, mean in last.select("policy", "round", "mean").rows()}
    to_panel = axes.transData + axes.transAxes.inverted()
    wanted = []
    leaders: list[dict[str, Any] | None] = []
    for name, end in ends.items():
        _, y = to_panel.transform(end)
        # What has no place on a logarithmic axis stands at its foot, and no line leads to it.
        has_place = math.isfinite(y)
        wanted.append(float(y) if has_place else 0.0)
        leader = {"arrowstyle": "-", "color": looks[name].colour, **LEADER}
        leaders.append(leader if has_place else None)

    middles = spread_out(wanted, [sizes[name] for name in ends])
    texts = {}
    for (name, end), y, arrow in zip(ends.items(), middles, leaders, strict=True):
        texts[name] = axes.annotate(
            labels[name],
            end,
            (LEFT, y),
            textcoords="axes fraction",
            va="center",
            fontsize=points,
            annotation_clip=False,
            arrowprops=arrow,
        )

    return texts


def draw_legend(
    figure: Figure,
    shown: Key,
    loc: Literal["outside lower left", "outside upper left"] = "outside lower left",
    **options: Any,
) -> None:
    """A legend beside the panels, whose entries name series.

    Args:
        figure: of the panels.
        shown: the names of the series, which are the labels of what is drawn of them.
        loc: where it stands.
        options: further ones of Matplotlib.
    """
    handles = drawn_as(figure, shown.names)
    legend = figure.legend(
        handles, shown.labels, loc=loc, ncols=shown.columns, frameon=False, **options
    )
    tag_legend(legend, shown.names)


def drawn_as(figure: Figure, names: Sequence[str]) -> list[Any]:
    """What is drawn under some labels, which need not be in every panel, or in any: lines first."""
    drawn: dict[str, Any] = {}
    for panel in figure.axes:
        artists: list[Any] = [*panel.get_lines(), *panel.containers]
        for artist in artists:
            name = str(artist.get_label())
            # Where a panel has one round only, dots stand for the lines of other panels.
            if name not in drawn or _is_dot(drawn[name]):
                drawn[name] = artist

    return [drawn.get(name, Line2D([], [], linestyle="none")) for name in names]


def _is_dot(artist: Any) -> bool:
    return isinstance(artist, Line2D) and artist.get_linestyle() == "None"


def overlap(box: Box, others: Iterable[Box]) -> float:
    """The area of a box that others cover, in square pixels.

    Example:
        >>> overlap((0.0, 0.0, 2.0, 2.0), [(1.0, 1.0, 3.0, 3.0), (5.0, 5.0, 6.0, 6.0)])
        1.0
    """
    left, bottom, right, top = box
    covered = 0.0
    for other_left, other_bottom, other_right, other_top in others:
        width = max(min(right, other_right) - max(left, other_left), 0.0)
        height = max(min(top, other_top) - max(bottom, other_bottom), 0.0)
        covered += width * height

    return covered


def along(axes: Axes, line: Sequence[Point], size: float = 4.0) -> list[Box]:
    """Small boxes, in pixels, along a line in data coordinates; a single one along a point."""
    return _along_pixels(axes.transData.transform(np.array(line)), size)


def _along_pixels(line: ArrayLike, size: float) -> list[Box]:
    corners = np.asarray(line)
    dots = list(corners[:1])
    for start, end in itertools.pairwise(corners):
        way = end - start
        # So many that neighbouring boxes touch.
        boxes_between = int(np.hypot(*way) / (2.0 * size))
        steps = np.linspace(0.0, 1.0, 2 + boxes_between)
        dots += [start + step * way for step in steps[1:]]

    boxes: list[Box] = []
    for dot in dots:
        x, y = dot.tolist()
        boxes.append((x - size, y - size, x + size, y + size))

    return boxes


def name_points(
    axes: Axes,
    points: Mapping[str, Point],
    colours: Mapping[str, str],
    avoid: Sequence[Box] = (),
    *,
    renderer: RendererBase,
) -> dict[str, Annotation]:
    """Names beside their points, placed one after the other where each covers least.

    Points, names that are placed and the thin lines to them weigh more than `avoid`. The texts are
    returned by name.

    Args:
        axes: a panel whose limits are final, in a figure whose layout is settled.
        points: {name, in one or more lines: (x, y)} in data coordinates.
        colours: by name.
        avoid: boxes that names should leave free.
        renderer: of the figure.
    """
    taken = [box for end in points.values() for box in along(axes, [end], 8.0)]
    window = axes.get_window_extent()
    frame = (window.x0, window.y0, window.x1, window.y1)
    paper = {"boxstyle": "square,pad=0.06", "facecolor": "white", "linewidth": 0}
    line = {"arrowstyle": "-", "color": SOFT, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 4}
    texts: dict[str, Annotation] = {}
    placed: list[Box] = []
    for name, end in points.items():
        # At its point, still to be moved, with a line to it.
        text = axes.annotate(
            name,
            end,
            (0.0, 0.0),
            textcoords="offset points",
            color=colours[name],
            fontsize=NAME,
            linespacing=1.1,
            bbox=paper,
            arrowprops=line,
        )
        candidates = []
        for rank, (distance, side) in enumerate(itertools.product(DISTANCES, SIDES)):
            box = place(text, distance, side, renderer)
            leader = _leader(axes, end, box, distance)
            crossed = sum(overlap(each, placed) for each in leader)
            left, bottom, right, top = box
            area = (right - left) * (top - bottom)
            outside = area - overlap(box, [frame])
            covered = 4.0 * overlap(box, taken) + overlap(box, avoid)
            # A name outside of its panel may be cut off; the rank only decides between places that
            # are as good.
            cost = covered + 10.0 * outside + 0.004 * rank * area + 10.0 * crossed
            candidates.append((cost, distance, side))

        _, distance, side = min(candidates)
        box = place(text, distance, side, renderer)
        placed.append(box)
        taken += [box, *_leader(axes, end, box, distance)]
        # Beside its point a name needs no line to it.
        if distance == DISTANCES[0] and text.arrow_patch is not None:
            text.arrow_patch.set_visible(False)

        texts[name] = text

    return texts


def _leader(axes: Axes, end: Point, box: Box, distance: float) -> list[Box]:
    """Small boxes along the line from a name to its point; none where there is no such line."""
    if distance == DISTANCES[0]:
        return []

    left, bottom, right, top = box
    middle = (0.5 * (left + right), 0.5 * (bottom + top))
    x, y = axes.transData.transform(end)

    return _along_pixels([(x, y), middle], 2.0)


def place(text: Annotation, distance: float, side: tuple[int, int], renderer: RendererBase) -> Box:
    """The pixels that a name takes on one side of its point, where it is moved.

    Args:
        text: the name.
        distance: from the point, in points.
        side: across and up, -1, 0 or 1 each.
        renderer: of the figure.
    """
    across, up = side
    text.set_horizontalalignment(ACROSS[across])
    text.set_verticalalignment(UP[up])
    # A diagonal is longer than its sides.
    stretch = distance * (0.75 if across and up else 1.0)
    text.set_position((stretch * across, stretch * up))
    text.update_positions(renderer)
    box = Text.get_window_extent(text, renderer)  # of the letters, without the line

    return (box.x0, box.y0, box.x1, box.y1)
