"""Names at the ends of lines, where they cover nothing."""

import itertools
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from mobandits.figures.style import Look
from mobandits.figures.wrapping import NAME, lines_high, most_lines


def spread(wanted: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """The middles of intervals of these sizes, in the order of the wanted ones, that do not overlap.

    They are the nearest to the wanted ones in squared distance.

    Example:
        >>> spread([0.0, 0.5, 0.5], [0.25, 0.25, 0.25])
        [0.0, 0.375, 0.625]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Less what lies below them, the middles are a regression onto increasing sequences: what collides is pooled at
    # its mean.
    below = [0.0]
    for i, j in itertools.pairwise(order):
        below.append(below[-1] + (sizes[i] + sizes[j]) / 2)
    pools: list[tuple[float, int]] = []
    for rank, i in enumerate(order):
        mean = wanted[i] - below[rank]
        size = 1
        while pools and pools[-1][0] >= mean:
            before, count = pools.pop()
            mean = (before * count + mean * size) / (count + size)
            size = count + size
        pools.append((mean, size))
    flat = [mean for mean, size in pools for _ in range(size)]
    out = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        out[i] = flat[rank] + below[rank]
    return out


def name_ends(
    axes: Axes,
    ends: Mapping[str, tuple[float, float]],
    looks: Mapping[str, Look],
    labels: Mapping[str, str],
    *,
    height: float,
) -> None:
    """Write each name to the right of the panel, as near to its line's end as the others allow, with a thin line to it.

    Args:
        axes: a panel whose limits are final.
        ends: {name: (x, y)} in data coordinates.
        looks: by name.
        labels: by name, what is written, in one or more lines.
        height: of the panel, in inches.
    """
    to_panel = axes.transData + axes.transAxes.inverted()
    wanted = [float(to_panel.transform(end)[1]) for end in ends.values()]
    sizes = [lines_high(most_lines([labels[name]]), NAME) / height for name in ends]
    for (name, end), y in zip(ends.items(), spread(wanted, sizes), strict=True):
        colour = looks[name].colour
        axes.annotate(
            labels[name],
            end,
            (1.04, y),
            textcoords="axes fraction",
            va="center",
            fontsize=NAME,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.6,
                "shrinkA": 1,
                "shrinkB": 1,
                "relpos": (0, 0.5),
            },
        )
