"""Pages: an HTML file each, made from a template, with style and pictures inside.

A page is a frozen dataclass of numbers, texts, tables and pictures, in the module that gathers
them; the template of the same name, in `templates/`, says how they are laid out. Templates escape
every text that they are given, so names of policies may hold anything.
"""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matplotlib.figure import Figure

from mobandits.figures.formatting import format_number, join_words, quantity
from mobandits.figures.style import NARROW, WIDTH, save, svg

PAGE = "report.html"


@dataclass(frozen=True)
class Bold:
    """A cell of a table that stands out."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table: the first column is the row's head, the others are numbers, set to the right.

    Args:
        header: plain text; a line break is one in the page too.
        rows: of plain text; their first cells are never bold.
        caption: plain text; empty: none.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str | Bold]]
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure in two widths, of which a phone shows the narrow one.

    Args:
        wide: the address of an SVG file.
        narrow: another one.
        alt: plain text, what there is to see.
        caption: plain text; empty where the template has its own words.
    """

    wide: str
    narrow: str
    alt: str
    caption: str = ""


def draw_picture(
    draw: Callable[[float], Figure], directory: Path, name: str, alt: str, caption: str = ""
) -> Picture:
    """A figure, drawn in both widths; the wide one is also written as a file.

    Args:
        draw: makes the figure in a width in inches.
        directory: where `name`.svg and `name`.png are written.
        name: of the files.
        alt: as in `Picture`.
        caption: as in `Picture`.
    """
    narrow_figure = draw(NARROW)
    narrow = svg(narrow_figure)
    wide_figure = draw(WIDTH)
    wide = save(wide_figure, directory, name)

    return Picture(data_address(wide), data_address(narrow), alt, caption)


def data_address(data: bytes) -> str:
    """An address that holds an SVG file itself.

    Example:
        >>> data_address(b"<svg/>")
        'data:image/svg+xml;base64,PHN2Zy8+'
    """
    # Inside the page, because a page is sent and kept as a single file.
    text = base64.b64encode(data).decode()
    return f"data:image/svg+xml;base64,{text}"


def templates() -> Environment:
    """The templates of all pages, and what they may call.

    Example:
        >>> templates().from_string("{{ name }}").render(name="a < b")
        'a &lt; b'
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,  # a misspelt name is an error, not an empty place in a page
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "join_words": join_words,
        "quantity": quantity,
        "format_number": format_number,
    }
    return environment


def render(template: str, page: object) -> str:
    """A whole document.

    Args:
        template: the name of a file in `templates/`.
        page: what the template calls `page`.
    """
    document = templates().get_template(template)
    return document.render(page=page)


def write_page(directory: Path, text: str) -> Path:
    """Write a document as the page of a folder, and return its path."""
    path = directory / PAGE
    path.write_text(text, encoding="utf-8")
    return path
