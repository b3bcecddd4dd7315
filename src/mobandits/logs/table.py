"""Events as a table, the form in which logs are read: a row each, every number exactly as it was.

Columns:
    number: position in the log; of a store, the seq.
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
from collections.abc import Iterator
from typing import Any

import polars as pl

from mobandits.errors import LogError
from mobandits.logs.events import checked
from mobandits.logs.names import decoded, name_of
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
_ROWS = 1000  # how many become Python objects at a time


def events_of(frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """The events of a table.

    Raises:
        LogError: where a row is no event.
    """
    for part in frame.iter_slices(_ROWS):
        for row in part.iter_rows(named=True):
            yield _event(row)


def _event(row: dict[str, Any]) -> dict[str, Any]:
    event = {"kind": row["kind"]}
    for name in ("id", "time"):
        if row[name] is not None:
            event[name] = row[name]

    if row["kind"] == "decide":
        for name in ("arm", "propensity", "eligible"):
            event[name] = row[name]

        if row["rows"] is not None:
            event["context"] = _context_of(row)
    elif row["kind"] == "learn":
        rewards = row["rewards"] or ()
        event["rewards"] = {name_of(each["objective"]): each["value"] for each in rewards}

    if row["other"] is not None:
        event |= _others(row["other"])

    # A file may come from elsewhere, or be damaged: its events are checked like new ones.
    return checked(event)


def _context_of(row: dict[str, Any]) -> list[list[float]]:
    rows = row["rows"]
    features = row["features"]
    numbers = row["context"]
    has_shape = rows >= 0 and features is not None and features >= 0
    if not has_shape or numbers is None or len(numbers) != rows * features:
        rule = f"context must have rows x features = {rows} x {features} numbers"
        raise LogError(f"{rule}, got {quoted(numbers)}")

    context = []
    for row_number in range(rows):
        start = row_number * features
        context.append(numbers[start : start + features])

    return context


def _others(text: str) -> dict[Any, Any]:
    try:
        fields = decoded(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise LogError(f"other must be a JSON object, got {quoted(text)}") from error

    if not isinstance(fields, dict):
        raise LogError(f"other must be a JSON object, got {quoted(text)}")

    return fields
