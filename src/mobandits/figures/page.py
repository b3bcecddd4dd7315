"""One self-contained HTML page: inline style, inline pictures, nothing to load."""

import base64
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from mobandits.figures.style import NARROW, WIDTH, save, svg

PAGE = "report.html"
CSS = """
:root { color: #1f2328; background: #fff; font: 17px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
body { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.1rem 4rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.8rem 0 0.7rem; }
p { margin: 0 0 0.9rem; }
.lead { font-size: 1.12rem; }
.findings { list-style: none; margin: 1.4rem 0; padding: 0.3rem 0 0.3rem 1.1rem; border-left: 4px solid #0072b2; }
.findings li { margin: 0 0 0.9rem; }
.findings li:last-child { margin: 0; }
figure { margin: 1.4rem 0 1.8rem; }
figure img { display: block; width: 100%; height: auto; }
figcaption { font-size: 0.94rem; margin-top: 0.6rem; padding-left: 0.8rem; border-left: 2px solid #d7dce1; }
.scroll { overflow-x: auto; margin: 1rem 0 1.4rem; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 0.4rem; }
th, td { padding: 0.28rem 0.9rem 0.28rem 0; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid #1f2328; vertical-align: bottom; font-weight: 600; }
tbody tr { border-bottom: 1px solid #d7dce1; }
tbody th { font-weight: 400; min-width: 6.5rem; }
.number { text-align: right; white-space: nowrap; }
.wide { overflow-wrap: anywhere; }
li { margin-bottom: 0.45rem; }
code { font: 0.9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.claims td { padding-right: 1.1rem; }
.claims td:first-child { min-width: 14rem; }
.claims td:nth-child(2), .claims td:nth-child(3) { min-width: 8rem; }
.yes, .no, .said { font-weight: 600; white-space: nowrap; }
.yes { color: #00674a; }
.no { color: #a33d00; }
.said { color: #59636e; }
details { margin: 0.6rem 0; }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 30rem) { :root { font-size: 16px; } h1 { font-size: 1.6rem; } body { padding-top: 1.4rem; } }
@media print { body { max-width: none; } figure { break-inside: avoid; } }
"""


def page(title: str, body: Sequence[str]) -> str:
    """A whole document.

    Args:
        title: plain text.
        body: pieces of HTML.
    """
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{CSS}</style>"
    )
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head>{head}</head>',
        "<body>",
        *body,
        "</body></html>",
    ]
    return "".join(f"{line}\n" for line in lines)


def write_page(directory: Path, text: str) -> Path:
    """Write a document as the page of a folder, and return its path."""
    path = directory / PAGE
    path.write_text(text, encoding="utf-8")
    return path


def picture(
    draw: Callable[[float], Figure], directory: Path, name: str, alt: str, caption: str
) -> str:
    """Draw a figure twice, write it, and make both part of a page: a phone shows the narrow one.

    Args:
        draw: makes the figure in a width in inches.
        directory: where `name`.svg and `name`.png of the wide one are written.
        name: of the files.
        alt: plain text, what there is to see.
        caption: HTML.
    """
    source = f'<source media="(max-width: 34rem)" srcset="{uri(svg(draw(NARROW)))}">'
    image = f'<img src="{uri(save(draw(WIDTH), directory, name))}" alt="{escape(alt)}">'
    return f"<figure><picture>{source}{image}</picture><figcaption>{caption}</figcaption></figure>"


def uri(data: bytes) -> str:
    """An SVG file as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(data).decode()}"


def grid(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table: the first column is the row's head, the others are numbers, set to the right.

    Args:
        header: HTML.
        rows: HTML.
        caption: HTML.

    Example:
        >>> grid(["name", "value"], [["a", "1"]]).count("<td")
        1
    """
    head = "".join(f'<th scope="col"{mark(i)}>{cell}</th>' for i, cell in enumerate(header))
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td{mark(1)}>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    title = f"<caption>{caption}</caption>" if caption else ""
    return f'<div class="scroll"><table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """A table of names and texts, both plain."""
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="wide"><code>{escape(text)}</code></td></tr>'
        for name, text in rows
    )
    return f'<div class="scroll"><table><tbody>{body}</tbody></table></div>'


def folded(summary: str, body: Sequence[str]) -> str:
    """A part of a page that is shown on demand.

    Args:
        summary: plain text, which is always shown.
        body: pieces of HTML.

    Example:
        >>> folded("a < b", ["<p>c</p>"])
        '<details><summary>a &lt; b</summary><p>c</p></details>'
    """
    return f"<details><summary>{escape(summary)}</summary>{''.join(body)}</details>"


def mark(column: int) -> str:
    """The class of a cell."""
    return ' class="number"' if column else ""
