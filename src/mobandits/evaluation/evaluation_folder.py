"""The files of an evaluation that its page is made from, written and read again."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import polars as pl

from mobandits.errors import FolderError
from mobandits.figures.contents import EvaluationSummary
from mobandits.support.files import replacing
from mobandits.support.naming import quoted

FORMAT = 2
SUMMARY = "evaluation.json"
VALUES = "values.csv"
FRONT = "front.csv"
OUTLINES = "outlines.csv"
# Names may look like numbers, and are read as text.
NAMES = ("policy", "estimator", "objective", "dominated_by")
NUMBERS = ("value", "low", "high")
VALUES_COLUMNS = ("policy", "estimator", "objective", *NUMBERS, "standard_error")
FRONT_COLUMNS = ("policy", "objective", *NUMBERS, "on_front", "front_share", "dominated_by")
OUTLINES_COLUMNS = ("policy", "x", "y")


class EvaluationTables(NamedTuple):
    """What the page of an evaluation is made from.

    Attributes:
        values: of every policy by every estimator; see `figures.evaluation_page`.
        front: which policies may be on the front.
        outlines: the borders of joint regions; None where there are not two objectives.
        summary: the content of evaluation.json.
    """

    values: pl.DataFrame
    front: pl.DataFrame
    outlines: pl.DataFrame | None
    summary: EvaluationSummary


def write_tables(out: Path, tables: EvaluationTables) -> None:
    """Write evaluation.json, and a .csv file per table."""
    text = json.dumps(tables.summary, indent=2, ensure_ascii=False)
    # First, because it marks the folder as that of an evaluation: after a kill the same command may
    # run again.
    with replacing(out / SUMMARY) as file:
        file.write((text + "\n").encode())

    tables.values.write_csv(out / VALUES)
    tables.front.write_csv(out / FRONT)
    if tables.outlines is None:
        # That of an earlier evaluation with other objectives would be taken for this one's.
        (out / OUTLINES).unlink(missing_ok=True)
    else:
        tables.outlines.write_csv(out / OUTLINES)


def is_evaluation(folder: Path) -> bool:
    """Whether a folder is that of an evaluation."""
    return (folder / SUMMARY).is_file()


def read_tables(folder: Path) -> EvaluationTables:
    """The tables of an evaluation.

    Raises:
        FolderError: where a file is missing or broken.
    """
    for name in (VALUES, FRONT):
        if not (folder / name).is_file():
            remedy = "run mobandits evaluate into it again"
            raise FolderError(f"{quoted(str(folder))} has no {name}: {remedy}")

    outlines = folder / OUTLINES
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        _check_format(summary)
        return EvaluationTables(
            values=_read_csv(folder / VALUES, VALUES_COLUMNS),
            front=_read_csv(folder / FRONT, FRONT_COLUMNS),
            outlines=_read_csv(outlines, OUTLINES_COLUMNS) if outlines.is_file() else None,
            summary=cast("EvaluationSummary", summary),
        )
    except (ValueError, pl.exceptions.PolarsError) as error:
        rule = "must hold the files that mobandits evaluate wrote"
        raise FolderError(f"{quoted(str(folder))} {rule}, got {quoted(str(error))}") from error


def _check_format(summary: Mapping[str, Any]) -> None:
    """Refuse what another version wrote, whose numbers mean something else.

    Raises:
        ValueError: naming both versions.
    """
    found = summary.get("format")
    if found != FORMAT:
        advice = "run mobandits evaluate again"
        raise ValueError(f"format must be {FORMAT}, got {quoted(found)}: {advice}")


def _read_csv(file: Path, names: Sequence[str]) -> pl.DataFrame:
    """Some columns of a table, each with its type."""
    columns = []
    for name in names:
        column = pl.col(name)
        if name in NAMES:
            columns.append(column.fill_null(""))
        elif name == "on_front":
            columns.append(column == "true")
        else:
            columns.append(column.cast(pl.Float64))

    return pl.read_csv(file, infer_schema_length=0).select(columns)
