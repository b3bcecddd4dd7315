"""Events as a table, the form of sealed segments: one row each, and every number exactly as it was.

Columns:
    number: position in the journal, from 0.
    kind: of the event.
    id: of the decision.
    time: in seconds.
    arm: position of the arm that was played; this and the next five are of decisions.
    propensity: of that arm.
    rows: of the context.
    features: columns of the context.
    context: all its numbers, row by row.
    eligible: positions of the arms that could have been played.
    rewards: of lessons: objective and value; an objective is written as `name_text` has it.
    other: all other fields, as JSON.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from mobandits.logs.errors import LogError
from mobandits.logs.events import LARGEST, checked
from mobandits.logs.names import compact, decoded, encoded, name_of, name_text
from mobandits.support.naming import quoted

_REWARD = pl.Struct({"objective": pl.String, "value": pl.Float64})
_TYPES: dict[str, Any] = {
    "number": pl.Int64,
    "kind": pl.String,
    "id": pl.Int64,
    "time": pl.Float64,
    "arm": pl.Int64,
    "propensity": pl.Float64,
    "rows": pl.Int64,
    "features": pl.Int64,
    "context": pl.List(pl.Float64),
    "eligible": pl.List(pl.Int64),
    "rewards": pl.List(_REWARD),
    "other": pl.String,
}
SCHEMA = pl.Schema(_TYPES)
LISTS = {"context": pl.Float64, "eligible": pl.Int64, "rewards": _REWARD}
_ROWS = 1000  # how many become Python objects at a time


def table(events: Sequence[dict[str, Any]], first: int) -> pl.DataFrame:
    """Events in their canonical form as a table.

    Args:
        events: see `events.checked`.
        first: the number of the first of them.

    Example:
        >>> events = [checked({"kind": "learn", "id": 7, "rewards": {"quality": 0.5}})]
        >>> table(events, 3)["number"].to_list(), list(events_of(table(events, 3))) == events
        ([3], True)
    """
    rows = [_row(event) for event in events]
    plain = {
        name: [row.get(name) for row in rows] for name in SCHEMA if name not in {"number", *LISTS}
    }
    frame = pl.DataFrame(plain, schema_overrides={name: SCHEMA[name] for name in plain})
    lists = [_lists(name, inner, [row.get(name) for row in rows]) for name, inner in LISTS.items()]
    numbers = pl.Series("number", range(first, first + len(rows)), pl.Int64)
    return frame.with_columns(numbers, *lists).select(SCHEMA.names())


def _lists(name: str, inner: Any, given: Sequence[Sequence[Any] | None]) -> pl.Series:
    """A column of lists from all members in one go, which is ten times as fast as list by list."""
    there = [one is not None for one in given]
    rows = np.repeat(np.arange(len(given)), [len(one or ()) for one in given])
    members = pl.Series(name, [value for one in given for value in one or ()], inner)
    lists = (
        pl.DataFrame({"row": rows})
        .with_columns(members)
        .group_by("row", maintain_order=True)
        .agg(name)
    )
    frame = pl.DataFrame(
        {"row": np.arange(len(given)), "there": pl.Series(there, dtype=pl.Boolean)}
    )
    joined = frame.join(lists, on="row", how="left", maintain_order="left")
    return joined.select(pl.when("there").then(pl.col(name).fill_null([])).alias(name)).to_series()


def _row(event: dict[str, Any]) -> dict[str, Any]:
    rest = dict(event)
    row = {"kind": rest.pop("kind")}
    if _fits(rest.get("id"), int) and rest["id"] <= LARGEST and rest["id"] >= -LARGEST:
        row["id"] = rest.pop("id")
    if _fits(rest.get("time"), float):
        row["time"] = rest.pop("time")
    if row["kind"] == "decide":
        row |= {
            "arm": rest.pop("arm"),
            "propensity": rest.pop("propensity"),
            "eligible": rest.pop("eligible", None),
        }
        if "context" in rest:
            context = rest.pop("context")
            row |= {"rows": len(context), "features": len(context[0]) if context else 0}
            row["context"] = [value for one in context for value in one]
    elif row["kind"] == "learn":
        row["rewards"] = [
            {"objective": name_text(k), "value": v} for k, v in rest.pop("rewards").items()
        ]
    if rest:
        row["other"] = compact(encoded(rest))
    return row


def _fits(value: Any, kind: type) -> bool:
    return type(value) is kind


def events_of(frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """The events of a table.

    Raises:
        LogError: where a row is no event.
    """
    for some in frame.iter_slices(_ROWS):
        for row in some.iter_rows(named=True):
            yield _event(row)


def _event(row: dict[str, Any]) -> dict[str, Any]:
    event = {"kind": row["kind"]} | {
        name: row[name] for name in ("id", "time") if row[name] is not None
    }
    if row["kind"] == "decide":
        event |= {"arm": row["arm"], "propensity": row["propensity"], "eligible": row["eligible"]}
        if row["rows"] is not None:
            event["context"] = _table_of(row)
    elif row["kind"] == "learn":
        event["rewards"] = {name_of(one["objective"]): one["value"] for one in row["rewards"] or ()}
    if row["other"] is not None:
        event |= _others(row["other"])
    return checked(event)


def _table_of(row: dict[str, Any]) -> list[list[float]]:
    rows = row["rows"]
    features = row["features"]
    values = row["context"]
    if (
        rows < 0
        or features is None
        or features < 0
        or values is None
        or len(values) != rows * features
    ):
        raise LogError(
            f"context must have rows x features = {rows} x {features} numbers, got {quoted(values)}"
        )
    return [values[i * features : (i + 1) * features] for i in range(rows)]


def _others(text: str) -> dict[Any, Any]:
    try:
        given = decoded(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise LogError(f"other must be a JSON object, got {quoted(text)}") from error
    if not isinstance(given, dict):
        raise LogError(f"other must be a JSON object, got {quoted(text)}")
    return given
