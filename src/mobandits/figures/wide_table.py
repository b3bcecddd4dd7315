"""Final values as a wide table, a row per policy, and as CSV."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from mobandits.figures.final_values import Column, final_values
from mobandits.metrics.metric import Better


def wide_table(
    table: pl.DataFrame,
    metrics: str | Sequence[str] | None = None,
    better: Mapping[str, Better] | None = None,
) -> pl.DataFrame:
    """The last values of every policy, a row each.

    Args:
        table: rows as `simulate` records them.
        metrics: names; None: all with at most six components.
        better: {metric: "smaller" or "larger"} where the name does not tell.

    Returns:
        `experiment` and `environment` where there are several, `policy`, and for each metric and
        component NAME or NAME_COMPONENT (the mean), the same with `_half_width` (half of the 95 %
        interval, null with a single trial) and `_best` (whether it is not significantly worse than
        the best; null where nothing tells what is better).

    Raises:
        ValueError: where a metric is not in the table.
    """
    values = final_values(table, metrics, better)
    experiments = {group.experiment for group in values.groups}
    environments = {group.environment for group in values.groups}
    rows = []
    for group in values.groups:
        for policy, cells in group.cells.items():
            row: dict[str, Any] = {}
            if len(experiments) > 1:
                row["experiment"] = group.experiment
            if len(environments) > 1:
                row["environment"] = group.environment

            row["policy"] = policy
            for column in values.columns:
                cell = cells.get(column)
                name = _name(column)
                row[name] = None if cell is None else cell.mean
                row[f"{name}_half_width"] = None if cell is None else cell.half_width
                is_known = cell is not None and column.direction is not None
                row[f"{name}_best"] = cell.is_best if cell is not None and is_known else None

            rows.append(row)

    return pl.DataFrame(rows, infer_schema_length=None)


def _name(column: Column) -> str:
    return f"{column.metric}_{column.component}" if column.part else column.metric


def csv_table(
    table: pl.DataFrame,
    metrics: str | Sequence[str] | None = None,
    better: Mapping[str, Better] | None = None,
) -> str:
    """`wide_table` as CSV, with a header; numbers have all their digits."""
    return wide_table(table, metrics, better).write_csv()
