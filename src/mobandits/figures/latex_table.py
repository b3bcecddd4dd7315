"""Final values as a LaTeX table of the package booktabs."""

import itertools
from collections.abc import Mapping, Sequence

import polars as pl

from mobandits.figures.final_values import (
    Cell,
    Column,
    FinalValues,
    Group,
    digits_of,
    final_values,
)
from mobandits.support.latex import escaped
from mobandits.support.naming import quantity

ARROWS = {"less": r"\,$\downarrow$", "more": r"\,$\uparrow$", None: ""}
BOLD = (
    r"Bold: not significantly worse than the best of its column (paired $t$-tests over the "
    r"trials, Holm's method, 5\,\%)."
)


def latex_table(
    table: pl.DataFrame,
    metrics: str | Sequence[str] | None = None,
    *,
    caption: str | None = None,
    label: str | None = None,
    wide: bool = False,
    better: Mapping[str, str] | None = None,
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
        better: {metric: "less" or "more"} where the name does not tell.

    Raises:
        ValueError: where a metric is not in the table.
    """
    values = final_values(table, metrics, better)
    with_intervals = values.trials[1] > 1
    digits = {column: digits_of(_cells(values, column)) for column in values.columns}
    body: list[str] = []
    for group in values.groups:
        if len(values.groups) > 1:
            body += _group_title(values, group, with_intervals=with_intervals)
        for policy in group.cells:
            body.append(_row(values, group, policy, digits, with_intervals=with_intervals))

    return _document(
        _specification(values, with_intervals=with_intervals),
        [*_header(values, with_intervals=with_intervals), r"\midrule", *body],
        _caption(caption, values),
        label,
        wide=wide,
    )


def _cells(values: FinalValues, column: Column) -> list[Cell]:
    cells = []
    for group in values.groups:
        cells += [row[column] for row in group.cells.values() if column in row]

    return cells


def _specification(values: FinalValues, *, with_intervals: bool) -> str:
    # Both halves to the right: with as many digits after the point, points stand below points.
    column = r"r@{\,$\pm$\,}r" if with_intervals else "r"
    return "l" + column * len(values.columns)


def _header(values: FinalValues, *, with_intervals: bool) -> list[str]:
    span = 2 if with_intervals else 1
    names = ["policy"]
    rules = []
    at = 2
    by_metric = itertools.groupby(values.columns, key=lambda column: column.metric)
    for _, group in by_metric:
        columns = list(group)
        size = span * len(columns)
        title = escaped(columns[0].name) + ARROWS[columns[0].direction]
        names.append(rf"\multicolumn{{{size}}}{{c}}{{{title}}}")
        if len(columns) > 1:
            rules.append(rf"\cmidrule(lr){{{at}-{at + size - 1}}}")
        at += size

    lines = [" & ".join(names) + r" \\"]
    if rules:
        parts = [rf"\multicolumn{{{span}}}{{c}}{{{escaped(c.part)}}}" for c in values.columns]
        lines += ["".join(rules), " & ".join(["", *parts]) + r" \\"]

    return lines


def _group_title(values: FinalValues, group: Group, *, with_intervals: bool) -> list[str]:
    experiments = {each.experiment for each in values.groups}
    environments = {each.environment for each in values.groups}
    names = []
    if len(experiments) > 1:
        names.append(group.experiment)
    if len(environments) > 1:
        names.append(group.environment)

    span = 1 + len(values.columns) * (2 if with_intervals else 1)
    title = rf"\multicolumn{{{span}}}{{l}}{{\emph{{{escaped(', '.join(names))}}}}} \\"
    is_first = group is values.groups[0]

    return [title] if is_first else [r"\addlinespace", title]


def _row(
    values: FinalValues,
    group: Group,
    policy: str,
    digits: Mapping[Column, int],
    *,
    with_intervals: bool,
) -> str:
    entries = [escaped(policy)]
    for column in values.columns:
        cell = group.cells[policy].get(column)
        if cell is None:
            entries.append(rf"\multicolumn{{{2 if with_intervals else 1}}}{{c}}{{--}}")
            continue

        mean = _number(cell.mean, digits[column])
        entry = rf"\textbf{{{mean}}}" if cell.is_best else mean
        if not with_intervals:
            entries.append(entry)
        elif cell.half_width is None:
            entries.append(rf"\multicolumn{{2}}{{c}}{{{entry}}}")
        else:
            entries.append(f"{entry} & {cell.half_width:.{digits[column]}f}")

    return " & ".join(entries) + r" \\"


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:  # after rounding, which keeps the sign
        text = text.lstrip("-")
    return text.replace("-", "$-$")


def _caption(given: str | None, values: FinalValues) -> str:
    """What the numbers are, after what was given."""
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
    if any(column.direction for column in values.columns):
        sentences.append(r"$\downarrow$: less is better, $\uparrow$: more is better.")
    if any(cell.is_best for column in values.columns for cell in _cells(values, column)):
        sentences.append(BOLD)

    return " ".join(sentences)


def _document(
    specification: str, lines: Sequence[str], caption: str, label: str | None, *, wide: bool
) -> str:
    environment = "table*" if wide else "table"
    parts = [rf"\begin{{{environment}}}", r"\centering", rf"\caption{{{caption}}}"]
    if label:
        parts.append(rf"\label{{{label}}}")

    parts += [
        r"\small",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\begin{{tabular}}{{{specification}}}",
        r"\toprule",
        *lines,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\end{{{environment}}}",
    ]

    return "\n".join(parts) + "\n"
