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

from collections.abc import Iterator
from typing import Any

import polars as pl

from mobandits.logs.events import event_of_change

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


def changes_of(frame: pl.DataFrame) -> Iterator[Any]:
    """The events of a table of which none is a decision or a lesson."""
    for kind, time, other in frame.select("kind", "time", "other").iter_rows():
        yield event_of_change(kind, time, other)
