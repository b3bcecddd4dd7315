"""Tables of Polars and pandas as Feedback, by a mapping of their columns."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.encoding.encoder import Encoder
from mobandits.logs.feedback import Feedback
from mobandits.logs.objectives import Names, Objective
from mobandits.logs.streams import parquet_batches, parquet_columns
from mobandits.logs.table_columns import Columns, TableColumns, table_columns, without_column
from mobandits.support.checks import as_float_array
from mobandits.support.naming import quoted


def is_frame(table: Any) -> bool:
    """Whether something is a table of Polars or pandas, which need not be installed."""
    module = type(table).__module__.partition(".")[0]
    return module in {"polars", "pandas"} and hasattr(table, "columns")


def feedback_of_frame(
    frame: Any,
    *,
    arm: str,
    rewards: Sequence[Any] | Mapping[Any, str],
    context: Columns = (),
    propensity: str | None = None,
    time: str | None = None,
    arms: Sequence[Hashable] | None = None,
    minimise: Sequence[Hashable] = (),
    objectives: Sequence[Objective] = (),
) -> Feedback:
    """A table in memory, a row per decision, as Feedback.

    Args:
        frame: of Polars or pandas.
        arm: the column with the arm that was played.
        rewards: {objective: column}, or objectives whose columns have their names, or one of them;
            an objective is a name or an `Objective`. An empty cell is a reward that was not
            observed.
        context: columns of features, or one of them, which the arms share; or {arm: columns}; or an
            encoder, of whose columns the arms share the features.
        propensity: the column with the logging policy's probability of that arm.
        time: the column with the time in seconds.
        arms: all arms; None takes what is there, in order of appearance.
        minimise: names of objectives of which less is better; an `Objective` says so itself.
        objectives: what is known of objectives that `rewards` only names.

    Raises:
        ValueError: naming what is missing or wrong.

    Example:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"item": ["red", "blue"], "age": [31, 42], "click": [1, None]})
        >>> log = feedback_of_frame(frame, arm="item", context="age", rewards="click")
        >>> log.arm_names, log.rewards.tolist()
        (('red', 'blue'), [[1.0], [nan]])
    """
    columns = table_columns(arm, rewards, context, propensity, time, minimise, objectives)
    return _rows(frame, columns, None if arms is None else tuple(arms))


def scan_parquet(path: Path, *, arm: str, chunk: int, **columns: Any) -> Iterator[Feedback]:
    """A table in Parquet files, a row per decision, in chunks.

    Args:
        path: of the file; of a folder, or with a star, of all of them in the order of their names.
        arm: as of `feedback_of_frame`.
        chunk: rows at a time, at most.
        columns: as of `feedback_of_frame`. Without `arms`, the column of arms is read once more.

    Raises:
        LogError: where it lacks a column.
        ValueError: naming what is wrong.
    """
    names = columns.pop("arms", None)
    if names is None:
        played = parquet_columns(path, [arm]).unique(maintain_order=True).drop_nulls()
        names = [name for part in parquet_batches(path, played) for name in part[arm].to_list()]

    arms = tuple(names)
    meaning = table_columns(arm, **columns)
    table = parquet_columns(path, meaning.names(arms))
    for frame in parquet_batches(path, table, chunk):
        for rows in frame.iter_slices(chunk):
            yield _rows(rows, meaning, arms)


def _rows(frame: Any, columns: TableColumns, arms: Names | None) -> Feedback:
    """Rows of a table; their own arms where all arms are not known."""
    played = _listed(_column(frame, columns.arm))
    names = tuple(dict.fromkeys(played)) if arms is None else arms
    position_of = {name: position for position, name in enumerate(names)}
    for name in played:
        if name not in position_of:
            rule = f"arms must have every arm of column {quoted(columns.arm)}"
            raise ValueError(f"{rule}, got none for {quoted(name)}")

    def numbers(column: Any) -> Array:
        return _numbers(frame, column)

    def encoded(encoder: Encoder) -> Array:
        return encoder.encoded_table(frame).numbers

    positions = np.array([position_of[name] for name in played], np.int64)

    return columns.feedback(names, positions, numbers, numbers, encoded)


def _column(frame: Any, name: Any) -> Any:
    known = list(frame.columns)
    if name not in known:
        raise ValueError(without_column("log", name, known))
    return frame[name]


def _listed(series: Any) -> list[Any]:
    """The values of a column as Python's."""
    convert = getattr(series, "to_list", None) or series.tolist
    values: list[Any] = convert()
    return values


def _numbers(frame: Any, name: Any) -> Array:
    series = _column(frame, name)
    try:
        return as_float_array(name, np.asarray(series, np.float64))
    except (TypeError, ValueError):
        # Columns of other types, such as pandas' with NA, by their values.
        return as_float_array(name, [np.nan if v is None else v for v in _listed(series)])
