"""The looks of plots: as on this library's pages, as in a paper, as in a paper without colours."""

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

from mobandits.figures import palette
from mobandits.figures.plot_options import StyleName
from mobandits.figures.style import DASHES, MARKERS, SETTINGS, Look, looks
from mobandits.figures.wrapping import FONT, NAME

SERIF = "STIXGeneral"  # comes with Matplotlib, and looks like Times
POINTS = 8.0  # of the letters in a paper's figure; most journals ask for 7 to 9
BLACK = palette.PRINTED

PAPER: dict[str, Any] = {
    **SETTINGS,
    "font.family": SERIF,
    "mathtext.fontset": "stix",
    "font.size": POINTS,
    "axes.titlesize": POINTS,
    "axes.labelsize": POINTS,
    "xtick.labelsize": POINTS - 1.0,
    "ytick.labelsize": POINTS - 1.0,
    "legend.fontsize": POINTS,
    "axes.edgecolor": BLACK,
    "axes.labelcolor": BLACK,
    "xtick.color": BLACK,
    "ytick.color": BLACK,
    "text.color": BLACK,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.labelpad": 2.0,
    "axes.titlepad": 3.0,
}


class PlotStyle(NamedTuple):
    """The look of a plot.

    Attributes:
        settings: of Matplotlib.
        font: of names.
        points: of names at lines and in legends.
        line: width, in points.
        marker: size, in points.
        band: opacity.
    """

    settings: dict[str, Any]
    font: str
    points: float
    line: float
    marker: float
    band: float


STYLES: dict[StyleName, PlotStyle] = {
    "page": PlotStyle(SETTINGS, FONT, NAME, line=1.6, marker=4.2, band=0.16),
    "paper": PlotStyle(PAPER, SERIF, POINTS, line=1.1, marker=3.2, band=0.16),
    "paper-mono": PlotStyle(PAPER, SERIF, POINTS, line=1.0, marker=3.4, band=0.12),
}


def plot_looks(names: Iterable[str], style: StyleName) -> dict[str, Look]:
    """A look per name: all different up to 28 names, also in black.

    Example:
        >>> [look.colour for look in plot_looks(["a", "b"], "paper-mono").values()]
        ['#000000', '#000000']
    """
    if style != "paper-mono":
        return looks(names)

    every = []
    for turn in range(len(MARKERS)):
        for i, dash in enumerate(DASHES):
            # Neighbours differ in both, and a dash that comes again has another marker.
            marker = MARKERS[(turn + i) % len(MARKERS)]
            every.append(Look(BLACK, marker, dash))

    return dict(zip(names, itertools.cycle(every), strict=False))
