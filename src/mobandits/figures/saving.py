"""Figures whose files are fit for papers, and have the same bytes for the same data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Type 42 is TrueType: publishers refuse Matplotlib's default, type 3. PGF files take the document's
# own letters; pdflatex is what most documents are made with.
SAVING: dict[str, Any] = {
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "mobandits",
    "pgf.texsystem": "pdflatex",
    "pgf.rcfonts": False,
    "path.simplify": True,
}
UNDATED: dict[str, dict[str, None]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}


class PaperFigure(Figure):
    """A figure that is saved without a date, with TrueType fonts in PDF.

    `settings` are Matplotlib's, of the style that it was drawn in: letters are laid out when a file
    is written.
    """

    settings: Mapping[str, Any] = {}

    def savefig(self, fname: Any, *arguments: Any, **options: Any) -> None:
        """As of any figure; what is given in `options` comes first."""
        kind = options.get("format") or _ending(fname)
        if options.get("metadata") is None and kind in UNDATED:
            options["metadata"] = UNDATED[kind]
        with mpl.rc_context({**self.settings, **SAVING}):
            super().savefig(fname, *arguments, **options)


def _ending(fname: Any) -> str:
    """The format that a file's name says."""
    try:
        return Path(fname).suffix.removeprefix(".").lower()
    except TypeError:  # an open file
        return ""
