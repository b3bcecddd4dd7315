"""Formulas of the site: a Markdown extension that sets those of prose as MathML.

Docstrings and pages keep their formulas in plain text, for readers in a terminal and on a code
host. `mobandits_papers.formulas.prose` finds them, as it does for pages of results.
"""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from mobandits_papers.formulas.mathml import mathml
from mobandits_papers.formulas.prose import formulas_alone, with_formulas

DISPLAYED = 25  # characters of a formula that stands by itself; shorter ones describe parameters
# What is code, or is copied into lists of contents.
LEFT_ALONE = frozenset(("code", "pre", "math", "script", "style", "h1", "h2", "h3", "h4", "h5"))


class Formulas(Treeprocessor):
    """Sets the formulas in the text of a page."""

    def run(self, root: ET.Element) -> None:
        """Change the tree of a page."""
        for element in list(prose(root)):
            set_formulas(element)


def prose(element: ET.Element) -> Iterator[ET.Element]:
    """The elements whose text is prose."""
    if element.tag in LEFT_ALONE:
        return

    yield element
    for child in element:
        yield from prose(child)


def set_formulas(element: ET.Element) -> None:
    """Set the formulas in the text of an element, and in that after each of its children.

    Example:
        >>> element = ET.fromstring("<p>at d_p <b>c</b> r^2.</p>")
        >>> set_formulas(element)
        >>> [child.tag for child in element], element[-1].tail
        (['math', 'b', 'math'], '.')
    """
    alone = formulas_alone((element.text or "").splitlines())
    is_long = len(element.text or "") >= DISPLAYED
    if element.tag == "p" and len(element) == 0 and alone and is_long:
        element.text = None
        element[:] = [ET.fromstring(mathml(formula, display=True)) for formula in alone]
        return

    text, formulas = split(element.text)
    element.text = text
    children = list(formulas)
    for child in list(element):
        tail, after = split(child.tail)
        child.tail = tail
        children += [child, *after]

    element[:] = children


def split(text: str | None) -> tuple[str | None, list[ET.Element]]:
    """The text before the first formula, and the formulas, each with the text after it."""
    if not text or "\x02" in text:  # a place where Markdown puts something in later
        return text, []

    parsed = ET.fromstring(f"<span>{with_formulas(text)}</span>")  # made by us just now
    return parsed.text, list(parsed)


class FormulasExtension(Extension):
    """The extension, by the name of its module."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Add the step after all others, when escaped signs are plain again."""
        md.treeprocessors.register(Formulas(md), "formulas", -10)


def makeExtension(**options: object) -> FormulasExtension:  # noqa: N802 - Markdown's name
    """What Markdown calls."""
    return FormulasExtension(**options)
