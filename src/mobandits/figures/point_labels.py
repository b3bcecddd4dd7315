"""Names beside points, placed where they cover least."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text

from mobandits.figures.style import SOFT
from mobandits.figures.wrapping import NAME

Box = tuple[float, float, float, float]  # left, bottom, right, top in pixels
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
DISTANCES = (7.0, 16.0, 28.0, 42.0)  # points; from the second on, a thin line leads to the name
ACROSS: dict[int, Literal["left", "center", "right"]] = {-1: "right", 0: "center", 1: "left"}
UP: dict[int, Literal["top", "center", "bottom"]] = {-1: "top", 0: "center", 1: "bottom"}


def overlap(box: Box, others: Iterable[Box]) -> float:
    """How much of the box the others cover, in square pixels.

    Example:
        >>> overlap((0.0, 0.0, 2.0, 2.0), [(1.0, 1.0, 3.0, 3.0), (5.0, 5.0, 6.0, 6.0)])
        1.0
    """
    left, bottom, right, top = box
    return sum(
        max(min(right, r) - max(left, l), 0.0) * max(min(top, t) - max(bottom, b), 0.0)
        for l, b, r, t in others
    )


def along(axes: Axes, line: Sequence[tuple[float, float]], size: float = 4.0) -> list[Box]:
    """Small boxes, in pixels, that follow a line given in data coordinates; one box where the line is a point."""
    corners = axes.transData.transform(np.array(line))
    dots = list(corners[:1])
    for start, end in itertools.pairwise(corners):
        steps = np.linspace(0.0, 1.0, 2 + int(np.hypot(*(end - start)) / (2.0 * size)))
        dots += [start + step * (end - start) for step in steps[1:]]
    return [(float(x) - size, float(y) - size, float(x) + size, float(y) + size) for x, y in dots]


def name_points(
    axes: Axes,
    points: Mapping[str, tuple[float, float]],
    colours: Mapping[str, str],
    avoid: Sequence[Box] = (),
    *,
    renderer: RendererBase,
    size: float = NAME,
) -> None:
    """Write each name beside its point, where it covers least of the points, of other names and, less so, of `avoid`.

    Args:
        axes: a panel whose limits are final, in a figure whose layout is settled.
        points: {name, in one or more lines: (x, y)} in data coordinates.
        colours: by name.
        avoid: boxes that names should leave free.
        renderer: of the figure.
        size: of the type, in points.
    """
    taken = [box for end in points.values() for box in along(axes, [end], 8.0)]
    frame = axes.get_window_extent()
    for name, end in points.items():
        text = axes.annotate(
            name,
            end,
            (0.0, 0.0),
            textcoords="offset points",
            color=colours[name],
            fontsize=size,
            linespacing=1.1,
            bbox={
                "boxstyle": "square,pad=0.06",
                "facecolor": "white",
                "alpha": 0.8,
                "linewidth": 0,
            },
            arrowprops={
                "arrowstyle": "-",
                "color": SOFT,
                "linewidth": 0.7,
                "shrinkA": 1,
                "shrinkB": 4,
            },
        )
        options = []
        for rank, (distance, side) in enumerate(
            (distance, side) for distance in DISTANCES for side in SIDES
        ):
            box = place(text, distance, side, renderer)
            area = (box[2] - box[0]) * (box[3] - box[1])
            outside = area - overlap(box, [(frame.x0, frame.y0, frame.x1, frame.y1)])
            covered = 4.0 * overlap(box, taken) + overlap(box, avoid)
            options.append((covered + 10.0 * outside + 0.004 * rank * area, distance, side))
        _, distance, side = min(options)
        taken.append(place(text, distance, side, renderer))
        if distance == DISTANCES[0] and text.arrow_patch is not None:
            text.arrow_patch.set_visible(False)


def place(text: Annotation, distance: float, side: tuple[int, int], renderer: RendererBase) -> Box:
    """Move a name to one side of its point, and say which pixels it takes there."""
    across, up = side
    text.set_horizontalalignment(ACROSS[across])
    text.set_verticalalignment(UP[up])
    stretch = distance * (0.75 if across and up else 1.0)
    text.set_position((stretch * across, stretch * up))
    text.update_positions(renderer)
    box = Text.get_window_extent(text, renderer)  # of the letters, without the line
    return (box.x0, box.y0, box.x1, box.y1)
