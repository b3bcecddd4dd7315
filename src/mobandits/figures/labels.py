"""Names at the ends of lines, where they cover nothing."""

import itertools
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from mobandits.figures.series import tag_name
from mobandits.figures.style import Look
from mobandits.figures.wrapping import NAME, lines_high, most_lines


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
    ends: Mapping[str, tuple[float, float]],
    looks: Mapping[str, Look],
    labels: Mapping[str, str],
    *,
    height: float,
) -> None:
    """Names to the right of a panel, each with a thin line to the end of its own line.

    A name is as near to that end as the other names allow.

    Args:
        axes: a panel whose limits are final.
        ends: {name: (x, y)} in data coordinates.
        looks: by name.
        labels: by name, what is written, in one or more lines.
        height: of the panel, in inches.
    """
    to_panel = axes.transData + axes.transAxes.inverted()
    wanted = []
    sizes = []
    for name, end in ends.items():
        _, y = to_panel.transform(end)
        wanted.append(float(y))
        lines = most_lines([labels[name]])
        sizes.append(lines_high(lines, NAME) / height)

    for (name, end), y in zip(ends.items(), spread_out(wanted, sizes), strict=True):
        line = {
            "arrowstyle": "-",
            "color": looks[name].colour,
            "linewidth": 0.6,
            "shrinkA": 1,
            "shrinkB": 1,
            "relpos": (0, 0.5),
        }
        text = axes.annotate(
            labels[name],
            end,
            (1.04, y),
            textcoords="axes fraction",
            va="center",
            fontsize=NAME,
            annotation_clip=False,
            arrowprops=line,
        )
        tag_name(text, name)
