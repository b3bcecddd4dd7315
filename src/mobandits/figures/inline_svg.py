"""Figures inside pages: an SVG element that takes its colours from the page.

Matplotlib writes a file of its own in light colours. In a page it is one element among others, so
its ids must differ from theirs, and its colours follow the theme of the page.
"""

import json
import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from mobandits.figures.palette import properties
from mobandits.figures.series import MARK, NAME, printable

NAMESPACE = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
REFERENCE = re.compile(r"url\(#([^)]*)\)")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
# Letters have one font in all figures, which the page names once; the rest is not needed in it.
FONT = re.compile(r"font-family:[^;]*;? ?")
UNWANTED = ("metadata", "style")
# What a script redraws where a chart is zoomed, by the ids that Matplotlib gives.
PARTS = (("axes_", "data-panel"), ("xtick_", "data-tick"), ("ytick_", "data-tick"))
UNTURNED = re.compile(r"rotate\(-?0 [^)]*\)")
# Matplotlib gives these to all elements by a rule of style, which would hold for the whole page.
STROKES = {"stroke-linejoin": "round", "stroke-linecap": "butt"}

Box = tuple[float, float, float, float]  # left, top, right, bottom


def inline_svg(file: bytes, key: str, shown: str, label: str, scales: Sequence[object] = ()) -> str:
    """An element `svg` for a page, in place of a file.

    Args:
        file: from `style.svg_for_page`.
        key: of the figure, in its ids: no other figure of the page has the same.
        shown: the class of the element, which says on which screens it is shown.
        label: what there is to see, for those who do not.
        scales: of panels whose values can be read, from `picture_data.scales`.
    """
    # What Matplotlib has just written: nothing from outside is parsed here.
    root = ET.fromstring(printable(file.decode()))  # noqa: S314
    _remove_unwanted(root)
    ids = _new_ids(root, f"{id_part(key)}-{shown}")
    colours = properties()
    for element in root.iter():
        element.tag = element.tag.removeprefix(NAMESPACE)
        _tag(element)
        _rename(element, ids)
        _colour(element, colours)
        _shorten(element)

    # Its size is that of the page's column, in the proportions of the view box.
    root.attrib = {"viewBox": root.attrib["viewBox"], "class": shown, **STROKES}
    root.set("role", "img")
    root.set("aria-label", printable(label))
    if scales:
        root.set("data-scales", json.dumps(scales))

    return ET.tostring(root, encoding="unicode")


def id_part(name: str) -> str:
    """A name as a part of an id: another one for every name, of letters, digits and `_`.

    Example:
        >>> id_part("regret of a-b")
        'regret_20of_20a_2db'
    """
    return re.sub("[^A-Za-z0-9]", lambda found: f"_{ord(found[0]):x}", name)


def _remove_unwanted(root: ET.Element) -> None:
    """Take out what describes the file, and rules of style, which would hold for the whole page."""
    for parent in root.iter():
        for child in list(parent):
            tag = child.tag.removeprefix(NAMESPACE)
            text = child.text or ""
            # What says nothing is left where rules of style were.
            is_empty = not (len(child) or child.attrib or text.strip())
            if tag in UNWANTED or is_empty:
                parent.remove(child)


def _new_ids(root: ET.Element, prefix: str) -> dict[str, str]:
    """{id in the file: id in the page} of all elements that something refers to."""
    wanted = set()
    for element in root.iter():
        link = element.get(LINK, "")
        if link.startswith("#"):
            wanted.add(link.removeprefix("#"))

        for value in element.attrib.values():
            references = REFERENCE.findall(value)
            wanted.update(references)

    return {name: f"{prefix}-{name}" for name in wanted}


def _rename(element: ET.Element, ids: dict[str, str]) -> None:
    """New ids; those to which nothing refers go."""
    name = element.get("id", "")
    if name in ids:
        element.set("id", ids[name])
    elif name:
        del element.attrib["id"]

    link = element.attrib.pop(LINK, "")
    if link.startswith("#"):
        new_id = ids[link.removeprefix("#")]
        element.set("href", f"#{new_id}")
    elif link:  # of an image, whose address holds its data
        element.set("href", link)

    for attribute, value in element.items():
        if "url(#" in value:
            renamed = REFERENCE.sub(lambda found: f"url(#{ids[found[1]]})", value)
            element.set(attribute, renamed)


def _tag(element: ET.Element) -> None:
    """Attributes on panels and ticks, and in place of the ids that `series` gave."""
    name = element.get("id", "")
    for prefix, attribute in PARTS:
        if name.startswith(prefix):
            element.set(attribute, "")

    for prefix in (MARK, NAME):
        if name.startswith(prefix):
            del element.attrib["id"]
            element.set("data-series", name.removeprefix(prefix))
            if prefix == NAME:
                element.set("data-names", "")


def _colour(element: ET.Element, colours: dict[str, str]) -> None:
    """Properties of the page in place of light colours."""

    def property_of(found: re.Match[str]) -> str:
        drawn = found[0]
        return colours.get(drawn, drawn)

    for attribute in ("style", "fill", "stroke"):
        value = element.get(attribute)
        if value is not None:
            themed = COLOUR.sub(property_of, value)
            without_font = FONT.sub("", themed)
            element.set(attribute, without_font.strip())


def _shorten(element: ET.Element) -> None:
    """Two digits after the point, a hundredth of a point; no line breaks between elements."""
    if UNTURNED.fullmatch(element.get("transform", "")):
        del element.attrib["transform"]

    for attribute in ("d", "x", "y"):
        numbers = element.get(attribute)
        if numbers is not None:
            rounded = LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}", numbers)
            element.set(attribute, " ".join(rounded.split()))

    if element.tag not in {"text", "tspan"}:
        element.text = None
    element.tail = None
