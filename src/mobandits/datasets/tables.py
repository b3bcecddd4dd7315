"""Tables in files of a user's own: read as text, checked against their columns, then typed."""

import contextlib
import csv
import gzip
import operator
from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.datasets.dataset import Column
from mobandits.support.naming import quoted, shortened

if TYPE_CHECKING:
    import polars as pl

GZIP = b"\x1f\x8b"


def scan(path: str | Path, columns: Sequence[Column], separator: str = ",") -> "pl.LazyFrame":
    """A lazy table of a file, every value of which has been looked at, in one pass that holds none of them.

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

    with _told(path, separator):
        raw = _text(path, separator)
        names = raw.collect_schema().names()
        if missing := [column.name for column in columns if column.name not in names]:
            raise ValueError(
                f"{path} must have the column {missing[0]}, got {shortened(', '.join(map(quoted, names)))}"
            )
        _check(path, raw, columns)
    return raw.select(pl.col(column.name).cast(dtype(column)) for column in columns)


def header(path: str | Path, separator: str = ",") -> list[str]:
    """The names of a file's columns.

    Raises:
        ValueError: in one line that names the file.
    """
    with _told(path, separator):
        return _text(path, separator).collect_schema().names()


def _text(path: str | Path, separator: str) -> "pl.LazyFrame":
    import polars as pl  # noqa: PLC0415

    with Path(path).open(
        "rb"
    ):  # says what is wrong in the system's words, and leaves no room for an address
        return pl.scan_csv(Path(path), separator=separator, infer_schema=False, glob=False)


@contextlib.contextmanager
def _told(path: str | Path, separator: str) -> Iterator[None]:
    """Say in one line what is wrong with a file."""
    import polars as pl  # noqa: PLC0415

    try:
        yield
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error
    except pl.exceptions.PolarsError as error:
        raise ValueError(
            f"{path} {_ragged(Path(path), separator) or str(error).partition(chr(10))[0]}"
        ) from error


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
    }
    kinds |= {"time": pl.Datetime("us", "UTC"), "numbers": pl.List(pl.Float64())}
    return kinds[column.kind]


def _check(path: str | Path, raw: "pl.LazyFrame", columns: Sequence[Column]) -> None:
    import polars as pl  # noqa: PLC0415

    numbered = raw.with_row_index("\0row")
    first = [pl.col("\0row").filter(_wrong(column)).min().alias(column.name) for column in columns]
    fields = (
        pl.all().exclude("\0row").count().name.prefix("\0")
    )  # lines with too many are noticed where all are read
    said = (
        numbered.select(pl.len().alias("\0rows"), *first, fields)
        .collect(engine="streaming")
        .row(0, named=True)
    )
    found = {name: said[name] for name in ("\0rows", *(column.name for column in columns))}
    if found.pop("\0rows") == 0:
        raise ValueError(f"{path} must have rows below its header, got none")
    wrong = {name: row for name, row in found.items() if row is not None}
    if wrong:
        name = min(wrong, key=wrong.__getitem__)
        value = raw.select(name).slice(wrong[name], 1).collect().item()
        column = next(column for column in columns if column.name == name)
        raise ValueError(
            f"{path}: column {name}, row {wrong[name] + 1} must be {rule(column)}, got {quoted(value)}"
        )


def _wrong(column: Column) -> "pl.Expr":
    import polars as pl  # noqa: PLC0415

    text = pl.col(column.name)
    value = text if column.kind == "text" else text.cast(dtype(column), strict=False)
    rules = [value.is_null()]
    if column.kind == "number":
        rules.append(~value.is_finite())
    if column.least is not None:
        rules.append(value < column.least)
    if column.values:
        rules.append(~value.is_in(column.values))
    return reduce(operator.or_, rules).fill_null(value=True)


def rule(column: Column) -> str:
    """What a value of a column must be, for messages.

    Example:
        >>> rule(Column("visit", "integer", "1 after a visit", values=(0, 1)))
        'one of 0, 1'
    """
    if column.values:
        return f"one of {', '.join(map(str, column.values))}"
    least = "" if column.least is None else f" of at least {column.least:g}"
    return {"integer": "an integer", "number": "a finite number"}.get(column.kind, "a text") + least


def _ragged(path: Path, separator: str) -> str:
    """What to say of the first row that has too many fields or is not text, "" where there is none."""
    row = 0
    try:
        with path.open("rb") as raw:
            compressed = raw.read(2) == GZIP
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if compressed
            else path.open(encoding="utf-8") as lines
        ):
            fields = 0
            for row, entry in enumerate(csv.reader(lines, delimiter=separator)):
                fields = fields or len(entry)
                if len(entry) > fields:
                    return f"must have {fields} fields in every row, got {len(entry)} in row {row}"
    except UnicodeDecodeError:
        return f"must be text in UTF-8, got other bytes after row {row}"
    except (OSError, EOFError, csv.Error):
        return ""
    return ""


def indicators(table: "pl.DataFrame", name: str, values: Sequence[str | int]) -> Array:
    """(rows, values - 1): 1 where a column has the second, third, ... of its values.

    Example:
        >>> import polars as pl
        >>> indicators(pl.DataFrame({"c": ["a", "b", "c"]}), "c", ["a", "b", "c"]).tolist()
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    column = table[name].to_numpy()
    return np.stack([np.asarray(column == value, np.float64) for value in values[1:]], axis=1)
