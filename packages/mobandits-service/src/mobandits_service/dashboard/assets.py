"""Files that pages load: style, script, and the library that draws charts; all from this package."""

import hashlib
from pathlib import Path
from typing import NamedTuple

import mobandits.figures
from mobandits.figures.palette import COLOURS, declarations

FOLDER = Path(__file__).with_name("static")
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FILES = (
    "dashboard.js",
    "icon.svg",
    "uplot/uPlot.iife.min.js",
    "uplot/uPlot.min.css",
)
STYLE = "style.css"


class Asset(NamedTuple):
    """A file as it is sent.

    Attributes:
        content: its bytes.
        media_type: of them.
        tag: another one for every content.
    """

    content: bytes
    media_type: str
    tag: str


def all_assets() -> dict[str, Asset]:
    """{name in addresses: file}.

    Example:
        >>> sorted(all_assets())[0]
        'dashboard.js'
    """
    assets = {name: _asset((FOLDER / name).read_bytes(), name) for name in FILES}
    assets[STYLE] = _asset(style_sheet().encode(), STYLE)

    return assets


def style_sheet() -> str:
    """The style of pages: the palette and the style of reports, and what only the dashboard has."""
    reports = Path(str(mobandits.figures.__file__)).with_name("templates")
    light = f":root {{ {declarations('light')} }}"
    dark = (
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {declarations('dark')} }} }}"
    )
    # Elements take a colour by a class: pages allow no style of their own.
    colours = [f".c-{colour.name} {{ --c: var(--{colour.name}); }}" for colour in COLOURS]
    shared = [(reports / name).read_text("utf-8") for name in ("style.css", "pages.css")]
    own = (FOLDER / "dashboard.css").read_text("utf-8")

    return "\n".join([light, dark, *shared, *colours, own])


def _asset(content: bytes, name: str) -> Asset:
    suffix = Path(name).suffix
    tag = hashlib.sha256(content).hexdigest()[:16]

    return Asset(content, KINDS[suffix], f'"{tag}"')
