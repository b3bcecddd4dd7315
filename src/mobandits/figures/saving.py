"""Figures whose files are fit for papers, and have the same bytes for the same data."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, Formatter, FuncFormatter

from mobandits.support.latex import escaped

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
        has_metadata = options.get("metadata") is not None
        if kind in UNDATED and not has_metadata:
            options["metadata"] = UNDATED[kind]

        settings: Any = {**self.settings, **SAVING}
        with mpl.rc_context(settings), self._texts_for(kind):
            super().savefig(fname, *arguments, **options)

    @contextmanager
    def _texts_for(self, kind: str) -> Iterator[None]:
        """Texts as LaTeX where LaTeX sets them, which takes underscores for mistakes."""
        texts = []
        if kind == "pgf":
            for text in self.findobj(Text):
                words = text.get_text()
                # Those with a formula are LaTeX already, as numbers at ticks are.
                if words and "$" not in words.replace(r"\$", ""):
                    texts.append(text)

        before = [text.get_text() for text in texts]
        named = self._axes_of_names() if kind == "pgf" else {}
        try:
            for text in texts:
                text.set_text(_as_latex(text.get_text()))
            for axis, formatter in named.items():
                places = [float(place) for place in axis.get_majorticklocs()]
                names = formatter.format_ticks(places)
                axis.set_major_formatter(FixedFormatter([_as_latex(name) for name in names]))

            yield
        finally:
            for text, plain in zip(texts, before, strict=True):
                text.set_text(plain)
            for axis, formatter in named.items():
                axis.set_major_formatter(formatter)

    def _axes_of_names(self) -> dict[Axis, Formatter]:
        """Axes with names at their ticks, and what writes them anew whenever the figure is drawn."""
        every: list[Axis] = []
        for panel in self.axes:
            every += [panel.xaxis, panel.yaxis]

        formatters = {axis: axis.get_major_formatter() for axis in every}
        return {
            axis: formatter
            for axis, formatter in formatters.items()
            if isinstance(formatter, (FixedFormatter, FuncFormatter))
        }


def _as_latex(text: str) -> str:
    lines = text.replace(r"\$", "$").replace("\u200b", "").split("\n")
    # Not an escaped dollar: Matplotlib takes the backslash away where a text is no formula.
    return "\n".join(escaped(line).replace(r"\$", r"\textdollar{}") for line in lines)


def _ending(fname: Any) -> str:
    """The format that a file's name says."""
    try:
        return Path(fname).suffix.removeprefix(".").lower()
    except TypeError:  # an open file
        return ""
