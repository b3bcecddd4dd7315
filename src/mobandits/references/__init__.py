"""References as data: what policies, environments, metrics, maps and data sets come from.

`mobandits.simulation.Results.cite()` gives BibTeX of all that a run used. Classes name the keys of
their references in an attribute `references`; the facts stand once, in `REFERENCES`.
"""

from mobandits.references.citing import (
    Citation,
    bibtex,
    citations,
    citations_of_names,
    references_of,
)
from mobandits.references.library import REFERENCES
from mobandits.references.reference import Reference

__all__ = [
    "REFERENCES",
    "Citation",
    "Reference",
    "bibtex",
    "citations",
    "citations_of_names",
    "references_of",
]
