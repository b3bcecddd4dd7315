"""The look of all figures, and their files: the same data gives the same bytes."""

import io
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from matplotlib import rc_context, style
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mobandits.figures import palette
from mobandits.figures.saving import PaperFigure
from mobandits.figures.series import without_series
from mobandits.figures.wrapping import FONT, LABEL, NAME

# inches: a column of text on a desk, and the whole width of a phone
WIDTH = 6.8
NARROW = 3.9
DPI = 200

# Drawn as on white paper; pages replace these by the colours of their theme.
PAPER = palette.PAPER.light
INK = palette.INK.light
SOFT = palette.SOFT.light
FAINT = palette.FAINT.light
BLUE = palette.BLUE.light
VERMILLION = palette.VERMILLION.light
ORANGE = palette.ORANGE.light
BLACK = INK
COLOURS = tuple(colour.light for colour in palette.LINES)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
Dash = str | tuple[float, tuple[float, ...]]
DASHES: tuple[Dash, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)))

SETTINGS: dict[str, Any] = {
    "font.family": FONT,
    "font.size": LABEL,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": LABEL,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "text.color": INK,
    "figure.facecolor": PAPER,
    "svg.hashsalt": "mobandits",
    "svg.fonttype": "path",
}


StyleName = Literal["page", "paper", "paper-mono"]
SERIF = "STIXGeneral"  # comes with Matplotlib, and looks like Times
POINTS = 8.0  # of the letters in a paper's figure; most journals ask for 7 to 9
COLOURED = ("axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "text.color")
IN_PAPERS: dict[str, Any] = {
    **SETTINGS,
    "font.family": SERIF,
    "mathtext.fontset": "stix",
    "font.size": POINTS,
    "axes.titlesize": POINTS,
    "axes.labelsize": POINTS,
    "xtick.labelsize": POINTS - 1.0,
    "ytick.labelsize": POINTS - 1.0,
    "legend.fontsize": POINTS,
    **dict.fromkeys(COLOURED, palette.PRINTED),
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.labelpad": 2.0,
    "axes.titlepad": 3.0,
}


class Stroke(NamedTuple):
    """The width, the markers and the band of a line.

    Attributes:
        width: in points.
        marker: size, in points.
        band: opacity of its band; None: no band.
    """

    width: float = 1.6
    marker: float = 4.2
    band: float | None = 0.16


class PlotStyle(NamedTuple):
    """The style of a figure of curves.

    Attributes:
        settings: of Matplotlib.
        points: of the letters of names.
        stroke: of lines.
    """

    settings: dict[str, Any]
    points: float
    stroke: Stroke


STYLES: dict[StyleName, PlotStyle] = {
    "page": PlotStyle(SETTINGS, NAME, Stroke()),
    "paper": PlotStyle(IN_PAPERS, POINTS, Stroke(1.1, 3.2)),
    "paper-mono": PlotStyle(IN_PAPERS, POINTS, Stroke(1.0, 3.4, 0.12)),
}


@contextmanager
def styled(settings: Mapping[str, Any] = SETTINGS) -> Iterator[None]:
    """The settings of a style and no others, for `with` and as a decorator."""
    with style.context(["default", dict(settings)]):
        yield


class Look(NamedTuple):
    """The colour, the marker and the dash of one policy: colour alone is not enough for all."""

    colour: str
    marker: str
    dash: Dash


Looks = dict[str, Look]  # {name: its look}


def looks(names: Iterable[str], style_name: StyleName = "page") -> Looks:
    """A look per name: all different up to 28 names, also in black.

    Example:
        >>> [look.marker for look in looks(["mol-ts", "mol-ucb"]).values()]
        ['o', 's']
        >>> [look.colour for look in looks(["a", "b"], "paper-mono").values()]
        ['#000000', '#000000']
    """
    every = coloured_looks()
    if style_name == "paper-mono":
        every = black_looks()

    return dict(zip(names, itertools.cycle(every), strict=False))


def coloured_looks() -> list[Look]:
    """Looks whose neighbours differ in colour and marker."""
    every = []
    for turn, dash in enumerate(DASHES):
        for i, colour in enumerate(COLOURS):
            # Another marker in every turn, so that a colour that comes again has another one.
            marker = MARKERS[(i + 3 * turn) % len(MARKERS)]
            every.append(Look(colour, marker, dash))

    return every


def black_looks() -> list[Look]:
    """Looks whose neighbours differ in dash and marker."""
    every = []
    for turn in range(len(MARKERS)):
        for i, dash in enumerate(DASHES):
            # A dash that comes again has another marker.
            marker = MARKERS[(turn + i) % len(MARKERS)]
            every.append(Look(palette.PRINTED, marker, dash))

    return every


def panels(
    width: float, height: float, count: int = 1, columns: int = 1
) -> tuple[PaperFigure, list[Axes]]:
    """An empty figure and its panels, row by row.

    Args:
        width: in inches.
        height: in inches.
        count: of panels.
        columns: of panels; the last row may have fewer.
    """
    figure = PaperFigure(figsize=(width, height), layout="constrained")
    # Without pyplot, which keeps every figure and is not safe in threads.
    FigureCanvasAgg(figure)
    rows = math.ceil(count / columns)
    places = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for place in places[count:]:
        place.set_axis_off()

    return figure, places[:count]


def renderer(figure: Figure) -> RendererBase:
    """The renderer that a figure is measured with; its layout is settled once and for all."""
    # Otherwise every file that is written settles it again, and names would no longer stand where
    # they were put.
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure)
        figure.set_layout_engine(None)  # not "none", which stands for a layout to be settled again

    canvas: Any = figure.canvas
    made: RendererBase = canvas.get_renderer()

    return made


@styled()
def svg(figure: Figure) -> bytes:
    """The figure as an SVG file without a date, so that the same figure is the same bytes."""
    return without_series(_written(figure))


@styled()
def svg_for_page(figure: Figure) -> bytes:
    """The figure as an SVG file with letters as text and with the ids of its series.

    Text takes a tenth of the bytes of its outlines, and can be searched and selected. The style of
    pages names fonts of the same width as the one that figures are measured with.
    """
    for axes in figure.axes:
        # A power of ten beside an axis is as good as its ticks, and goes where they go.
        axes.xaxis.get_offset_text().set_gid("xtick_power")
        axes.yaxis.get_offset_text().set_gid("ytick_power")

    with rc_context({"svg.fonttype": "none"}):
        return _written(figure)


def _written(figure: Figure) -> bytes:
    renderer(figure)
    file = io.BytesIO()
    # As any figure: one of a paper would be saved with the settings of papers.
    Figure.savefig(figure, file, format="svg", metadata={"Date": None})
    return file.getvalue()


@styled()
def save(figure: Figure, directory: Path, name: str) -> None:
    """Write `name`.svg and `name`.png."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.svg").write_bytes(svg(figure))
    figure.savefig(directory / f"{name}.png", dpi=DPI)
