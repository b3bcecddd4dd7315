"""Final values as a LaTeX table of the package booktabs."""

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from jinja2 import Environment

from mobandits.figures.environment import environment_of
from mobandits.figures.final_values import (
    Cell,
    Column,
    Directions,
    Metrics,
    Row,
    digits_of,
    final_values,
)
from mobandits.figures.formatting import format_number
from mobandits.support.latex import escaped
from mobandits.support.naming import quantity, wrong_value

LABEL = re.compile(r"[A-Za-z0-9:._/-]+")  # others are commands of LaTeX, or break them


def latex_table(
    table: pl.DataFrame,
    metrics: Metrics = None,
    *,
    caption: str | None = None,
    label: str | None = None,
    wide: bool = False,
    better: Directions = None,
) -> str:
    r"""A `table` with a row per policy and a column per metric and component.

    The document needs ``\usepackage{booktabs}``. The caption always ends with how many trials and
    rounds there are, and what bold means.

    Args:
        table: rows as `simulate` records them.
        metrics: names; None: all with at most six components.
        caption: how the caption begins, plain text.
        label: of the table; None: none.
        wide: over both columns of the page, as `table*`.
        better: {metric: "smaller" or "larger"} where the name does not tell.

    Raises:
        ValueError: where a metric is not in the table, or the label is none of LaTeX.
    """
    if label is not None and not LABEL.fullmatch(label):
        raise wrong_value("label must have letters, digits and :.-_/ only, as in tab:regret", label)

    values = final_values(table, metrics, better)
    by_metric = itertools.groupby(values.columns, key=lambda column: column.metric)
    template = latex_templates().get_template("table.tex")

    return template.render(
        values=values,
        metrics=[list(parts) for _, parts in by_metric],
        entries={column: _entries(values.rows, column) for column in values.columns},
        caption=None if caption is None else _sentence(caption),
        label=label,
        environment="table*" if wide else "table",
    )


def latex_templates() -> Environment:
    """The templates of LaTeX, in which braces stand for themselves."""
    environment = environment_of(Path(__file__).with_name("templates")).overlay(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        autoescape=False,
        keep_trailing_newline=True,
    )
    environment.filters |= {"latex": escaped, "span": _span}
    return environment


def _sentence(text: str) -> str:
    """A plain text in LaTeX, with a full stop at its end."""
    plain = text.rstrip()
    stop = "" if plain.endswith((".", "?", "!")) else "."
    return f"{escaped(plain)}{stop}"


def _span(ends: tuple[int, int], noun: str) -> str:
    """A number of things, or the least and the largest number.

    Example:
        >>> _span((8, 8), "trial"), _span((8, 1000), "trial")
        ('8 trials', '8 to 1,000 trials')
    """
    least, most = ends
    if least == most:
        return quantity(most, noun)

    return f"{least:,} to {most:,} {noun}s"


def _entries(rows: Sequence[Row], column: Column) -> list[str]:
    """The entries of one column, padded so that points are below points."""
    cells = [row.cells.get(column) for row in rows]
    known = [cell for cell in cells if cell is not None]
    digits = digits_of(known)
    # One column each, and not two with the sign between: the space of a title that is wider than
    # both would come between them.
    longest_mean = max((_mean(cell, digits) for cell in known), key=len, default="")
    longest_width = max((_half_width(cell, digits) for cell in known), key=len, default="")
    entries = []
    for cell in cells:
        if cell is None:
            entries.append("--")
            continue

        mean = _mean(cell, digits)
        number = mean.replace("−", "$-$")
        entry = _padding(mean, longest_mean)
        entry += rf"\textbf{{{number}}}" if cell.is_best else number
        if longest_width:
            own_width = _half_width(cell, digits)
            width = own_width or longest_width
            half = rf" $\pm$ {_padding(width, longest_width)}{width}"
            # A single trial among others has no interval: it leaves the space of one.
            entry += half if own_width else rf"\phantom{{{half}}}"

        entries.append(entry)

    return entries


def _mean(cell: Cell, digits: int) -> str:
    return format_number(cell.mean, digits)


def _half_width(cell: Cell, digits: int) -> str:
    """Half of an interval; empty where there is none."""
    return "" if cell.half_width is None else f"{cell.half_width:.{digits}f}"


def _padding(text: str, longest: str) -> str:
    """The space that a number lacks to be as wide as the longest one."""
    missing = len(longest) - len(text)
    return rf"\phantom{{{'0' * missing}}}" if missing > 0 else ""
