"""Names in figures: measured, broken into lines that fit, and gathered in legends that fit."""

import functools
import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

FONT = "DejaVu Sans"  # comes with Matplotlib: every machine draws the same letters
# points of the type: of names at lines and in legends, and of everything else
NAME = 8.5
LABEL = 9.5
LINE = 1.35  # the height of a line, in heights of the type
MOST_LINES = 5  # of a name; what is longer loses its middle
# Where a name may be broken: after these, or, in what is still too wide, after those, or anywhere.
BREAKS = [re.compile(rf"(?<={after})") for after in (r"[\s,;]", r"[:/=(\[{_-]", ".")]

# What a legend adds to its names, in heights of the type; Matplotlib's own numbers but for the
# handle.
HANDLE = 4.2  # a piece of the line, and the space before the name
BETWEEN = 2.0  # columns
FRAME = 1.8  # left and right of all columns
ROW = 0.2  # inches of a row, with the space between rows


@functools.lru_cache(maxsize=10_000)
def inches(text: str, size: float) -> float:
    """The width of a line of type.

    Example:
        >>> inches("iii", 10.0) < inches("mmm", 10.0) == inches("mmm", 20.0) / 2
        True
    """
    font = FontProperties(family=FONT, size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72.0


def lines_high(lines: int, size: float) -> float:
    """The height of some lines of type, in inches."""
    return lines * LINE * size / 72.0


def wrapped(name: str, room: float, size: float = LABEL) -> str:
    r"""A name in lines that are at most `room` inches wide; dollars start no formula in it.

    Example:
        >>> wrapped("mol-ucb:scale=0.3,penalty=1.0", 1.2, 8.5).split("\n")
        ['mol-ucb:scale=0.3,', 'penalty=1.0']
        >>> wrapped("short", 1.2)
        'short'
    """
    plain = " ".join(name.split())
    if inches(plain, size) <= room:
        return _without_formulas(plain)

    lines = [""]
    for piece in _pieces(plain, room, size):
        longer = lines[-1] + piece
        is_too_wide = inches(longer.rstrip(), size) > room
        if is_too_wide and lines[-1]:
            lines.append(piece)
        else:
            lines[-1] = longer

    if len(lines) > MOST_LINES:
        # The end of a name tells apart as much as its start.
        lines = [*lines[: MOST_LINES - 2], "…", lines[-1]]

    return _without_formulas("\n".join(line.strip() for line in lines))


def _with_underscore(label: str) -> str:
    """A label for a legend: of those that begin with an underscore, Matplotlib shows none."""
    # A space of no width stands before it.
    return f"\u200b{label}" if label.startswith("_") else label


def _without_formulas(text: str) -> str:
    """A text in which Matplotlib finds no formula."""
    return text.replace("$", r"\$")


def _pieces(name: str, room: float, size: float) -> list[str]:
    """The pieces of a name that each fit, broken at the best places that are needed."""
    pieces = [name]
    for places in BREAKS:
        broken: list[str] = []
        for piece in pieces:
            fits = inches(piece.rstrip(), size) <= room
            broken += [piece] if fits else places.split(piece)

        pieces = broken

    return pieces


def most_lines(labels: Sequence[str]) -> int:
    r"""The lines of the longest of wrapped names.

    Example:
        >>> most_lines(["a", "b\nc"]), most_lines([])
        (2, 1)
    """
    breaks = [label.count("\n") for label in labels]
    return 1 + max(breaks, default=0)


def width_of(labels: Iterable[str], size: float) -> float:
    r"""The width of wrapped names, one below the other, in inches.

    Example:
        >>> width_of(["a", "b\nwide"], 8.0) == inches("wide", 8.0)
        True
    """
    lines = "\n".join(labels).split("\n")
    return max(inches(line, size) for line in lines)


def names_height(labels: Iterable[str], size: float) -> float:
    r"""The height of wrapped names, one below the other, in inches.

    Example:
        >>> names_height(["a", "b\nc"], 8.0) == lines_high(3, 8.0)
        True
    """
    total = 0.0
    for label in labels:
        lines = most_lines([label])
        total += lines_high(lines, size)

    return total


class Key(NamedTuple):
    """The names of a legend.

    Attributes:
        names: of series.
        labels: the same as Matplotlib takes them.
        columns: how many.
        height: of the legend, in inches.
    """

    names: Sequence[str]
    labels: list[str]
    columns: int
    height: float


def key(names: Sequence[str], width: float) -> Key:
    """A legend that is at most `width` inches wide, with as many columns as fit.

    In a single column, names that are too long have several lines.

    Example:
        >>> key(["a", "b", "c"], 6.8).columns, key(["a long name " * 8, "b"], 6.8).columns
        (3, 1)
    """
    em = NAME / 72.0
    for count in range(max(len(names), 1), 0, -1):
        frame = (HANDLE * count + BETWEEN * (count - 1) + FRAME) * em
        letters = 0.0
        for column in np.array_split(list(names), count):  # as Matplotlib fills columns
            letters += max((inches(str(name), NAME) for name in column), default=0.0)

        if letters + frame <= width:
            break

    # A single column breaks its names; several are only taken where all names fit as they are.
    room = width / count - (HANDLE + FRAME) * em
    labels = []
    for name in names:
        label = wrapped(name, room if count == 1 else width, NAME)
        labels.append(_with_underscore(label))

    rows = math.ceil(len(labels) / count)
    more_lines = sum(label.count("\n") for label in labels)
    height = ROW * rows + lines_high(more_lines, NAME)

    return Key(names, labels, count, height)
