"""All references, as `references.bib` has them; this library's own has the version that runs."""

import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mobandits.references.reference import VENUES, Reference

ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


def read(text: str) -> list[Reference]:
    r"""The references of a file with a line per field, in its order.

    Example:
        >>> read("@misc{a2026,\n  author = {Ada, A.},\n  title = {On x},\n  year = {2026},\n}")[0].text()
        'A. Ada. On x. 2026.'
    """
    references = []
    for kind, key, lines in ENTRY.findall(text):
        fields: dict[str, Any] = dict(FIELD.findall(lines))
        authors = tuple(fields.pop("author").split(" and "))
        title = fields.pop("title")
        year = int(fields.pop("year"))
        venue = fields.pop(VENUES.get(kind, "howpublished"), "")
        arxiv = fields.pop("eprint", "")
        references.append(Reference(key, kind, authors, title, year, venue, arxiv=arxiv, **fields))

    return references


# As CITATION.cff has it.
SOFTWARE = Reference(
    "mobandits",
    "misc",
    ("The mobandits team",),
    "mobandits: multi-objective contextual bandits",
    2026,
    note=f"Software, version {version('mobandits')}",
)
PUBLISHED = read(Path(__file__).with_name("references.bib").read_text(encoding="utf-8"))
REFERENCES = {reference.key: reference for reference in (SOFTWARE, *PUBLISHED)}
