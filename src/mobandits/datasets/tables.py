"""Tables in files of a user's own: read as text, checked against their columns, then typed."""

import contextlib
import csv
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.datasets.dataset import Column
from mobandits.support.naming import quoted, shortened, wrong_value

if TYPE_CHECKING:
    import polars as pl

GZIP = b"\x1f\x8b"

# Columns of the check's own; no name in a file begins with NUL.
ROW = "\0row"
ROWS = "\0rows"


def scan_table(path: str | Path, columns: Sequence[Column], separator: str = ",") -> "pl.LazyFrame":
    """A lazy table of a file, all values of which were checked in one pass that keeps none.

    Args:
        path: a text file with a header, gzipped or not, in UTF-8.
        columns: what it must have, in any order; the others are left out.
        separator: between fields.

    Returns:
        The columns, typed, in the order given.

    Raises:
        ValueError: in one line that names file, column and row; rows count from 1 below the header.
    """
    import polars as pl  # noqa: PLC0415 - importing the package stays light

    with _readable_errors(path, separator):
        raw = _text(path, separator)
        names = raw.collect_schema().names()
        for column in columns:
            if column.name not in names:
                listed = shortened(", ".join(map(quoted, names)))
                raise ValueError(f"{path} must have the column {column.name}, got {listed}")

        _check(path, raw, columns)

    typed = [pl.col(column.name).cast(dtype(column)) for column in columns]

    return raw.select(typed)


def header(path: str | Path, separator: str = ",") -> list[str]:
    """The names of a file's columns.

    Raises:
        ValueError: in one line that names the file.
    """
    with _readable_errors(path, separator):
        raw = _text(path, separator)
        return raw.collect_schema().names()


def _text(path: str | Path, separator: str) -> "pl.LazyFrame":
    import polars as pl  # noqa: PLC0415

    file = Path(path)
    # Opened first: errors in the system's words, and never an address that polars would fetch.
    with file.open("rb"):
        # All as text: types are checked afterwards, with the value and its row in the message.
        return pl.scan_csv(file, separator=separator, infer_schema=False, glob=False)


@contextlib.contextmanager
def _readable_errors(path: str | Path, separator: str) -> Iterator[None]:
    """Turn the errors of a file into a ValueError of one line."""
    import polars as pl  # noqa: PLC0415

    try:
        yield
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error
    except pl.exceptions.PolarsError as error:
        first_line, _, _ = str(error).partition("\n")
        reason = _broken_row(Path(path), separator) or first_line
        raise ValueError(f"{path} {reason}") from error


def dtype(column: Column) -> "pl.DataType":
    """The type of a column.

    Example:
        >>> dtype(Column("spend", "number", "what was bought"))
        Float64
    """
    import polars as pl  # noqa: PLC0415

    kinds: dict[str, pl.DataType] = {
        "integer": pl.Int64(),
        "number": pl.Float64(),
        "text": pl.String(),
        "time": pl.Datetime("us", "UTC"),
        "numbers": pl.List(pl.Float64()),
    }
    return kinds[column.kind]


def _check(path: str | Path, raw: "pl.LazyFrame", columns: Sequence[Column]) -> None:
    import polars as pl  # noqa: PLC0415

    numbered = raw.with_row_index(ROW)
    first_wrong = []
    for column in columns:
        wrong_rows = pl.col(ROW).filter(_is_wrong(column))
        first_wrong.append(wrong_rows.min().alias(column.name))

    # Polars notices lines with too many fields only where all columns are read.
    every_field = pl.all().exclude(ROW).count().name.prefix("\0")
    rows = pl.len().alias(ROWS)
    query = numbered.select(rows, *first_wrong, every_field)
    # Streaming: the file may be larger than memory.
    report = query.collect(engine="streaming").row(0, named=True)
    if report[ROWS] == 0:
        raise ValueError(f"{path} must have rows below its header, got none")

    wrong = [column for column in columns if report[column.name] is not None]
    if wrong:
        column = min(wrong, key=lambda column: report[column.name])
        row = report[column.name]
        value = raw.select(column.name).slice(row, 1).collect().item()
        place = f"column {column.name}, row {row + 1}"
        raise wrong_value(f"{path}: {place} must be {rule(column)}", value)


def _is_wrong(column: Column) -> "pl.Expr":
    """An expression that is true where a value of the column, as text, breaks its rule."""
    import polars as pl  # noqa: PLC0415

    value = pl.col(column.name)
    if column.kind != "text":
        value = value.cast(dtype(column), strict=False)  # null where it is no such number

    wrong = value.is_null()
    if column.kind == "number":
        wrong |= ~value.is_finite()
    if column.least is not None:
        wrong |= value < column.least
    if column.values:
        wrong |= ~value.is_in(column.values)

    # A comparison with null is null.
    return wrong.fill_null(value=True)


def rule(column: Column) -> str:
    """The rule for values of a column, for messages.

    Example:
        >>> rule(Column("visit", "integer", "1 after a visit", values=(0, 1)))
        'one of 0, 1'
    """
    if column.values:
        values = ", ".join(map(str, column.values))
        return f"one of {values}"

    kinds = {"integer": "an integer", "number": "a finite number"}
    kind = kinds.get(column.kind, "a text")
    if column.least is None:
        return kind

    return f"{kind} of at least {column.least:g}"


def _broken_row(path: Path, separator: str) -> str:
    """The message on the first row with too many fields or bytes that are no text, "" if none.

    Polars does not say which row it is.
    """
    row = 0
    try:
        with path.open("rb") as raw:
            compressed = raw.read(2) == GZIP

        opened = gzip.open if compressed else open
        with opened(path, "rt", encoding="utf-8") as lines:
            fields = 0
            for row, entry in enumerate(csv.reader(lines, delimiter=separator)):
                fields = fields or len(entry)  # of the header
                if len(entry) > fields:
                    return f"must have {fields} fields in every row, got {len(entry)} in row {row}"
    except UnicodeDecodeError:
        return f"must be text in UTF-8, got other bytes after row {row}"
    except (OSError, EOFError, csv.Error):
        return ""

    return ""


def indicators(table: "pl.DataFrame", name: str, values: Sequence[str | int]) -> Array:
    """(rows, values - 1) indicators: 1 where a column has the second, third, ... of its values.

    The first one has no indicator: with it, and a constant 1, the columns would be dependent.

    Example:
        >>> import polars as pl
        >>> indicators(pl.DataFrame({"c": ["a", "b", "c"]}), "c", ["a", "b", "c"]).tolist()
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    column = table[name].to_numpy()
    columns = [np.asarray(column == value, np.float64) for value in values[1:]]
    return np.stack(columns, axis=1)
