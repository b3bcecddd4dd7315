"""Pages: an HTML file each, made from a template, with style, script and pictures inside.

A page is a frozen dataclass of numbers, texts, tables and pictures, in the module that gathers
them; the template of the same name, in `templates/`, says how they are laid out. Templates escape
every text that they are given, so names of policies may hold anything.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl
from jinja2 import Environment
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from mobandits.figures.environment import environment_of
from mobandits.figures.formatting import format_number, join_words
from mobandits.figures.inline_svg import inline_svg
from mobandits.figures.palette import declarations
from mobandits.figures.picture_data import PictureData, picture_data, scales
from mobandits.figures.style import NARROW, WIDTH, save, svg_for_page
from mobandits.support.files import write_atomically
from mobandits.support.naming import quantity

PAGE = "report.html"
BREAKS = re.compile(r"(?<=[:,(\[/_])(?=[^\s)])")


@dataclass(frozen=True)
class Table:
    """A table: a column is the rows' heads, the others are numbers, set to the right.

    Args:
        header: plain text; a line break is one in the page too.
        rows: of plain text.
        caption: plain text; empty: none.
        head: the number of the column of heads.
        style: a class of `pages.css`; empty: none.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    head: int = 0
    style: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure in two widths, of which a phone shows the narrow one.

    Args:
        wide: an `svg` element.
        narrow: another one.
        caption: plain text; empty where the template has its own words.
        data: what the script shows at the pointer, and offers as a file; None: nothing.
    """

    wide: str
    narrow: str
    caption: str = ""
    data: PictureData | None = None


def draw_picture(
    draw: Callable[[float], Figure],
    directory: Path,
    name: str,
    alt: str,
    caption: str = "",
    data: pl.DataFrame | None = None,
    along: str = "round",
) -> Picture:
    """A figure, drawn in both widths; the wide one is also written as files.

    Args:
        draw: makes the figure in a width in inches.
        directory: where `name`.svg and `name`.png are written.
        name: of the files, and no other figure's of the page.
        alt: plain text, what there is to see.
        caption: as in `Picture`.
        data: what curves show, as `picture_data` takes it; its panels are the first ones of the
            figure, in the same order.
        along: what its rounds are called.
    """
    wide_figure = draw(WIDTH)
    save(wide_figure, directory, name)
    numbers = None if data is None else picture_data(data, name, along)
    wide = _element(wide_figure, name, "wide", alt, numbers)
    narrow = _element(draw(NARROW), name, "narrow", alt, numbers)

    return Picture(wide, narrow, caption, numbers)


def _element(
    figure: Figure, name: str, shown: Literal["wide", "narrow"], alt: str, data: PictureData | None
) -> str:
    """The figure as an element of its page."""
    file = svg_for_page(figure)
    # Only now, because the layout is settled when the file is written.
    places = [] if data is None else scales(figure, data)

    return inline_svg(file, name, shown, alt, places)


def templates(*more: Path) -> Environment:
    """The templates of all pages, and what they may call.

    Args:
        more: folders with further templates, of other distributions.

    Example:
        >>> templates().from_string("{{ name }}").render(name="a < b")
        'a &lt; b'
    """
    environment = environment_of(*more, Path(__file__).with_name("templates"))
    environment.filters |= {
        "join_words": join_words,
        "quantity": quantity,
        "format_number": format_number,
        "breakable": breakable,
        "unbroken": unbroken,
    }
    environment.globals["declarations"] = declarations
    return environment


def breakable(name: str) -> Markup:
    """A name that a narrow column breaks between its parts, and elsewhere only where it must.

    Example:
        >>> breakable("mol-ucb:scale=0.3,check=<no>")
        Markup('mol-ucb:<wbr>scale=0.3,<wbr>check=&lt;no&gt;')
    """
    if isinstance(name, Markup):  # with formulas, which are elements
        return name

    parts = [escape(part) for part in BREAKS.split(name)]
    return Markup("<wbr>").join(parts)


def unbroken(cell: str) -> str:
    r"""A cell whose ranges and half-widths stay in one line of a narrow column.

    Example:
        >>> unbroken("0.1 ± 2.7, 2 to 5").split(" ")
        ['0.1\xa0±\xa02.7,', '2\xa0to\xa05']
    """
    return re.sub(r" (±|=|to) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", cell)


def render(template: str, page: object, *more: Path) -> str:
    """A whole document.

    Args:
        template: the name of a file in `templates/`.
        page: what the template calls `page`.
        more: as of `templates`.
    """
    document = templates(*more).get_template(template)
    return document.render(page=page)


def write_page(directory: Path, text: str) -> Path:
    """Write a document as the page of a folder, and return its path."""
    path = directory / PAGE
    write_atomically(path, text.encode())
    return path
