"""Names at the ends of lines, where they cover nothing."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from mobandits.figures.style import Look


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """The positions nearest to the wanted ones, in squared distance, in the same order and at least `gap` apart.

    Example:
        >>> spread([0.0, 0.5, 0.5], 0.25)
        [0.0, 0.375, 0.625]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Less their gaps, the positions are a regression onto increasing sequences: what collides is pooled at its mean.
    pools: list[tuple[float, int]] = []
    for rank, i in enumerate(order):
        mean, size = wanted[i] - rank * gap, 1
        while pools and pools[-1][0] >= mean:
            before, count = pools.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        pools.append((mean, size))
    flat = [mean for mean, size in pools for _ in range(size)]
    out = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        out[i] = flat[rank] + rank * gap
    return out


def name_ends(
    axes: Axes,
    ends: Mapping[str, tuple[float, float]],
    looks: Mapping[str, Look],
    *,
    height: float,
    size: float = 8.5,
) -> None:
    """Write each name to the right of the panel, as near to its line's end as the others allow, with a thin line to it.

    Args:
        axes: a panel whose limits are final.
        ends: {name: (x, y)} in data coordinates.
        looks: by name.
        height: of the panel, in inches.
        size: of the type, in points.
    """
    to_panel = axes.transData + axes.transAxes.inverted()
    wanted = [float(to_panel.transform(end)[1]) for end in ends.values()]
    for (name, end), y in zip(ends.items(), spread(wanted, 1.35 * size / 72.0 / height), strict=True):
        colour = looks[name].colour
        axes.annotate(
            name,
            end,
            (1.04, y),
            textcoords="axes fraction",
            va="center",
            fontsize=size,
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
