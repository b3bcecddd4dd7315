"""Tables of any kind as columns, and rows of any kind as dictionaries."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mobandits.encoding.column import SourceColumn
from mobandits.errors import LogError
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.nearest import did_you_mean

TABLES = (
    "a table of Polars or pandas, a list of dictionaries, {column: values}, or the path of a .csv "
    "or dsjson file"
)


def columns_of(
    table: Any,
    names: Sequence[str] | None = None,
    *,
    first_row: int = 1,
) -> dict[str, SourceColumn]:
    """The columns of a table, by name.

    Args:
        table: of Polars or pandas; a list of dictionaries, one per row, with the same keys;
            {column: values}; or the path of a .csv file (with names in the first line) or of a
            dsjson file, of which only the columns in `names` are read.
        names: the columns that there must be, of which others are passed over; None: all.
        first_row: the number of the first row in messages.

    Raises:
        ValueError: where it is no table, or lacks a column.
    """
    if isinstance(table, str | Path):
        columns = _columns_of_file(Path(table), names)
    elif isinstance(table, Mapping):
        columns = {name: _listed(values) for name, values in table.items()}
    elif hasattr(table, "collect") or hasattr(table, "columns"):
        columns = _columns_of_frame(table)
    elif isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        columns = _columns_of_rows(table, names, first_row)
    else:
        raise wrong_value(f"table must be {TABLES}", table)

    if names is not None:
        refuse_missing("table", columns, names)
        columns = {name: columns[name] for name in names}
    sizes = {len(values) for values in columns.values()}
    if len(sizes) > 1:
        raise wrong_value("table must have columns of one length", sorted(sizes))

    return {name: SourceColumn(name, values, first_row) for name, values in columns.items()}


def refuse_missing(what: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse a row or a table that lacks a column."""
    for name in names:
        if name not in given:
            there = ", ".join(map(quoted, given)) or "none"
            raise ValueError(shortened(f"{what} must have the column {quoted(name)}, got {there}"))


def require_columns(what: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse a row that lacks a column, or has one that the encoder does not know.

    Example:
        >>> require_columns("row", {"aeg": 31}, ["age"])
        Traceback (most recent call last):
        ValueError: row must have the column 'age', got 'aeg'
    """
    refuse_missing(what, given, names)
    for name in given:
        if name not in names:
            known = ", ".join(map(quoted, names))
            question = did_you_mean(name, names)
            raise ValueError(
                shortened(f"{what} must have no column {quoted(name)}{question}; it has {known}")
            )


def row_from_table(row: Any) -> Mapping[str, Any]:
    """A row as {column: value}.

    Args:
        row: a dictionary; a row of pandas; or a table with one row.

    Raises:
        ValueError: where it is something else.
    """
    if isinstance(row, Mapping):
        return row
    if hasattr(row, "columns") and len(row) == 1:
        return {name: column.items()[0] for name, column in columns_of(row).items()}

    # A row of pandas, which need not be installed.
    convert = getattr(row, "to_dict", None)
    if callable(convert) and hasattr(row, "index"):
        named: Mapping[str, Any] = convert()
        return named

    raise wrong_value(
        "row must be a dictionary {column: value}, or a row of pandas or a table with one", row
    )


def _listed(values: Any) -> Any:
    """The values of a column as `SourceColumn` takes them."""
    is_column = isinstance(values, list | np.ndarray) or hasattr(values, "dtype")
    if is_column or not isinstance(values, Sequence) or isinstance(values, str):
        return values if is_column else [values]
    return list(values)


def _columns_of_frame(frame: Any) -> dict[str, Any]:
    if hasattr(frame, "collect"):  # of Polars, lazy
        frame = frame.collect()

    columns = {}
    for name in frame.columns:
        if not isinstance(name, str):
            raise wrong_value("table must have columns whose names are text", name)
        series = frame[name]
        # Of pandas: its own types, such as those with NA, as objects of Python.
        is_polars = hasattr(series, "to_physical")
        columns[name] = series if is_polars else _of_pandas(series)

    return columns


def _of_pandas(series: Any) -> Any:
    is_array = isinstance(getattr(series, "dtype", None), np.dtype)
    is_numeric = is_array and series.dtype.kind in "iuf"
    return np.asarray(series) if is_numeric else series.tolist()


def _columns_of_rows(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str] | None, first_row: int
) -> dict[str, Any]:
    # Of a selection rows may have more; without one they are of one form.
    check = require_columns if names is None else refuse_missing
    if names is None:
        if not rows:
            raise ValueError("table must have at least one row, got none")
        names = list(rows[0])

    for number, row in enumerate(rows, first_row):
        check(f"row {number}", row, names)

    return {name: [row[name] for row in rows] for name in names}


def _columns_of_file(path: Path, names: Sequence[str] | None) -> dict[str, Any]:
    if path.suffix == ".csv":
        return _columns_of_csv(path, names)

    rows = list(_dsjson_rows(path))
    found: dict[str, None] = {}
    for row in rows:
        found |= dict.fromkeys(row)

    # A feature that a line does not have is missing there, as Vowpal Wabbit has it.
    wanted = found if names is None else [name for name in names if name in found]

    return {name: [row.get(name) for row in rows] for name in wanted}


def _columns_of_csv(path: Path, names: Sequence[str] | None) -> dict[str, Any]:
    import polars as pl  # noqa: PLC0415 - agents run without it

    try:
        # As text: kinds say themselves how it is read, and errors name the cell.
        table = pl.scan_csv(path, infer_schema=False, glob=False)
        there = table.collect_schema().names()
        wanted = there if names is None else [name for name in names if name in there]
        frame = table.select(wanted).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise LogError(f"{path} cannot be read as CSV: {shortened(reason)}") from error

    return {name: frame[name] for name in wanted}


def _dsjson_rows(path: Path) -> Iterator[dict[str, Any]]:
    """{"Namespace.feature": value} of the features that arms share, a row per decision."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                row = _dsjson_row(line, f"{path}, line {number}")
                if row is not None:
                    yield row
    except (OSError, UnicodeDecodeError) as error:
        raise LogError(f"{path} cannot be read as dsjson: {shortened(str(error))}") from error


def _dsjson_row(line: str, where: str) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        decision = json.loads(line)
    except ValueError as error:
        raise LogError(f"{where} must be JSON: {error}") from error
    if not isinstance(decision, dict) or not isinstance(decision.get("c"), dict):
        return None  # rewards of decisions in other files

    row: dict[str, Any] = {}
    for namespace, features in decision["c"].items():
        if not namespace.startswith("_"):
            row |= _flat(namespace, features)

    return row


def _flat(name: str, value: Any) -> dict[str, Any]:
    """The features of a namespace: those of a list are numbered, as are its columns elsewhere."""
    parts: Iterable[tuple[Any, Any]]
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    else:
        return {name: value}

    flat: dict[str, Any] = {}
    for key, part in parts:
        flat |= _flat(f"{name}.{key}", part)

    return flat
