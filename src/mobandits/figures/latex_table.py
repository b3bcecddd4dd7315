"""Final values as a LaTeX table of the package booktabs."""

import itertools
import re
from collections.abc import Mapping, Sequence

import polars as pl

from mobandits.figures.final_values import (
    Column,
    FinalValues,
    Group,
    digits_of,
    final_values,
)
from mobandits.figures.formatting import format_number
from mobandits.metrics.metric import Better
from mobandits.support.latex import escaped
from mobandits.support.naming import quantity, quoted

LABEL = re.compile(r"[A-Za-z0-9:._/-]+")  # others are commands of LaTeX, or break them
ARROWS = {"smaller": r"\,$\downarrow$", "larger": r"\,$\uparrow$", None: ""}
MEANING = {
    "smaller": r"$\downarrow$: less is better",
    "larger": r"$\uparrow$: more is better",
}
BOLD = (
    r"Bold: not significantly worse than the best of its column (signed-rank tests over the "
    r"trials, Holm's method, 5\,\%)."
)
NOTHING_BOLD = "Nothing is bold: signed-rank tests of so few trials cannot tell policies apart."


def latex_table(
    table: pl.DataFrame,
    metrics: str | Sequence[str] | None = None,
    *,
    caption: str | None = None,
    label: str | None = None,
    wide: bool = False,
    better: Mapping[str, Better] | None = None,
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
        raise ValueError(
            f"label must have letters, digits and :.-_/ only, as in tab:regret, got {quoted(label)}"
        )

    values = final_values(table, metrics, better)
    entries = {column: _entries(values, column) for column in values.columns}
    body: list[str] = []
    for number, group in enumerate(values.groups):
        if len(values.groups) > 1:
            body += _group_title(values, group, is_first=number == 0)
        for policy in group.cells:
            row = [escaped(policy)]
            row += [entries[column].get((number, policy), "--") for column in values.columns]
            body.append(" & ".join(row) + r" \\")

    environment = "table*" if wide else "table"
    lines = [
        rf"\begin{{{environment}}}",
        r"\centering",
        rf"\caption{{{_caption(caption, values)}}}",
        *([] if label is None else [rf"\label{{{label}}}"]),
        r"\vspace{1ex}",
        r"\small",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\begin{{tabular}}{{l{'c' * len(values.columns)}}}",
        r"\toprule",
        *_header(values.columns),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\end{{{environment}}}",
        "",
    ]

    return "\n".join(lines)


def _entries(values: FinalValues, column: Column) -> dict[tuple[int, str], str]:
    """The entries of one column by group and policy, padded so that points are below points."""
    cells = {}
    for number, group in enumerate(values.groups):
        for policy, row in group.cells.items():
            if column in row:
                cells[number, policy] = row[column]

    digits = digits_of(list(cells.values()))
    means = {key: format_number(cell.mean, digits) for key, cell in cells.items()}
    widths = {
        key: "" if cell.half_width is None else f"{cell.half_width:.{digits}f}"
        for key, cell in cells.items()
    }
    # One column each, and not two with the sign between: the space of a title that is wider than
    # both would come between them.
    longest_mean = max(means.values(), key=len, default="")
    longest_width = max(widths.values(), key=len, default="")
    entries = {}
    for key, cell in cells.items():
        mean = means[key].replace("−", "$-$")
        bold = rf"\textbf{{{mean}}}" if cell.is_best else mean
        entry = _padding(means[key], longest_mean) + bold
        if longest_width:
            width = widths[key] or longest_width
            half = rf"{_padding(width, longest_width)}{width}"
            # A single trial among others has no interval: it leaves the space of one.
            entry += rf" $\pm$ {half}" if widths[key] else rf"\phantom{{ $\pm$ {half}}}"
        entries[key] = entry

    return entries


def _padding(text: str, longest: str) -> str:
    """The space that a number lacks to be as wide as the longest one."""
    missing = len(longest) - len(text)
    return rf"\phantom{{{'0' * missing}}}" if missing > 0 else ""


def _header(columns: Sequence[Column]) -> list[str]:
    names = ["policy"]
    rules = []
    at = 2
    for _, group in itertools.groupby(columns, key=lambda column: column.metric):
        parts = list(group)
        size = len(parts)
        title = escaped(parts[0].name) + ARROWS[parts[0].direction]
        if size == 1:
            names.append(title)
        else:
            names.append(rf"\multicolumn{{{size}}}{{c}}{{{title}}}")
            rules.append(rf"\cmidrule(lr){{{at}-{at + size - 1}}}")
        at += size

    lines = [" & ".join(names) + r" \\"]
    if rules:
        parts_of_metrics = [escaped(column.part) for column in columns]
        lines += ["".join(rules), " & ".join(["", *parts_of_metrics]) + r" \\"]

    return lines


def _group_title(values: FinalValues, group: Group, *, is_first: bool) -> list[str]:
    experiments = {each.experiment for each in values.groups}
    environments = {each.environment for each in values.groups}
    names = []
    if len(experiments) > 1:
        names.append(group.experiment)
    if len(environments) > 1:
        names.append(group.environment)

    span = 1 + len(values.columns)
    title = rf"\multicolumn{{{span}}}{{l}}{{\emph{{{escaped(', '.join(names))}}}}} \\"

    return [title] if is_first else [r"\addlinespace", title]


def _caption(given: str | None, values: FinalValues) -> str:
    """The caption: the given sentence, then the meaning of the numbers."""
    least, most = values.trials
    trials = quantity(most, "trial") if least == most else f"{least} to {most} trials"
    first, last = values.rounds
    rounds = quantity(last, "round") if first == last else f"{first:,} to {last:,} rounds"
    sentences = []
    if given is not None:
        stop = "" if given.rstrip().endswith((".", "?", "!")) else "."
        sentences.append(escaped(given.rstrip()) + stop)
    if most > 1:
        sentences.append(rf"Means over {trials} of {rounds}, $\pm$ half of the 95\,\% interval.")
    else:
        sentences.append(f"Values of one trial of {rounds}.")
    directions = {column.direction for column in values.columns}
    arrows = [MEANING[direction] for direction in ("smaller", "larger") if direction in directions]
    if arrows:
        sentences.append(f"{', '.join(arrows)}.")
    rows = [row for group in values.groups for row in group.cells.values()]
    if any(cell.is_best for row in rows for cell in row.values()):
        sentences.append(BOLD)
    elif arrows and len(rows) > 1:
        sentences.append(NOTHING_BOLD)

    return " ".join(sentences)
