"""What every page keeps: figures that are well formed and refer to nothing outside of themselves."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from mobandits.figures.palette import COLOURS

PROPERTIES = {f"var(--{colour.name})" for colour in COLOURS}
REFERENCE = re.compile(r"url\(#([^)]*)\)")


class Tags(HTMLParser):
    """The ids of a page, and what its scripts of data hold."""

    def __init__(self):
        super().__init__()
        self.ids = []
        self.data = []
        self.is_data = False

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        self.is_data = tag == "script" and found.get("type") == "application/json"

    def handle_data(self, data):
        if self.is_data:
            self.data.append(data)

    def handle_endtag(self, tag):
        self.is_data = False


def svg_elements(page):
    """All figures of a page, read as XML, which is stricter than HTML."""
    return [ET.fromstring(text) for text in re.findall(r"<svg .*?</svg>", page, re.DOTALL)]


def check_figures(page):
    """Ids are unique in the page, references stay within their figure, colours are the page's."""
    tags = Tags()
    tags.feed(page)
    assert len(tags.ids) == len(set(tags.ids))
    figures = svg_elements(page)
    shown = [figure.get("class") for figure in figures]
    assert shown == ["wide", "narrow"] * page.count("<figure>")
    for figure in figures:
        assert figure.get("aria-label")
        check_references(figure)
        check_colours(figure)


def check_references(figure):
    own = {element.get("id") for element in figure.iter()} - {None}
    wanted = set()
    for element in figure.iter():
        for name, value in element.items():
            wanted.update(REFERENCE.findall(value))
            if name == "href":
                assert value.startswith(("#", "data:image/png;base64,"))
                wanted.update([value[1:]] if value.startswith("#") else [])
    assert wanted == own  # and nothing has an id for nothing


def check_colours(figure):
    for element in figure.iter():
        for name in ("style", "fill", "stroke"):
            drawn = element.get(name, "")
            assert "#" not in REFERENCE.sub("", drawn), drawn
            assert set(re.findall(r"var\([^)]*\)", drawn)) <= PROPERTIES
