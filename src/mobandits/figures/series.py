"""Tags that tie the marks of a figure to their series, so that a page can fade all others.

Matplotlib writes the id of an artist (`gid`) around what it draws. In a file that is kept by itself
these ids are taken out again; `inline_svg` turns them into attributes.
"""

import re
from collections.abc import Iterable, Sequence

from matplotlib.artist import Artist
from matplotlib.legend import Legend
from matplotlib.text import Annotation

MARK = "series:"  # before the name of the series, in the ids of its lines, bands and points
NAME = "name:"  # in the ids of what names it, which can be clicked
# What no XML file may hold: control characters in names, which nothing draws.
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def printable(text: str) -> str:
    r"""A text without the characters that XML does not allow.

    Example:
        >>> printable("mol\x07-ts")
        'mol-ts'
    """
    return NOT_IN_XML.sub("", text)


def series_name(name: str) -> str:
    r"""A name as figures and their data hold it: line breaks are spaces, as in attributes of XML.

    Example:
        >>> series_name("mol-ts,\n tuned ")
        'mol-ts, tuned'
    """
    return " ".join(printable(name).split())


def tag_marks(artists: Iterable[Artist], series: str) -> None:
    """Say that lines, bands or points belong to a series."""
    for artist in artists:
        artist.set_gid(f"{MARK}{series_name(series)}")


def tag_name(artist: Artist, series: str) -> None:
    """Say that a text, or the piece of a line beside it, names a series."""
    artist.set_gid(f"{NAME}{series_name(series)}")
    if isinstance(artist, Annotation) and artist.arrow_patch is not None:
        tag_marks([artist.arrow_patch], series)


def tag_legend(legend: Legend, series: Sequence[str]) -> None:
    """Say which series the entries of a legend name.

    Args:
        legend: of a figure.
        series: their names, in the order of the entries.
    """
    for handle, text, name in zip(legend.legend_handles, legend.get_texts(), series, strict=True):
        tag_name(text, name)
        if handle is not None:
            tag_name(handle, name)


def without_series(file: bytes) -> bytes:
    """An SVG file without these ids, several of which are the same.

    Example:
        >>> without_series(b'<g id="series:a &quot;b&quot;"/>')
        b'<g/>'
    """
    return re.sub(f' id="(?:{MARK}|{NAME})[^"]*"'.encode(), b"", file)
