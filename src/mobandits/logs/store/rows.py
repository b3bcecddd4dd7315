"""Events as rows of the tables, and rows as events; each row carries a checksum of what it says.

A decision is a row of `decisions`, a lesson a row of `rewards` per objective, everything else a row
of `changes` with its fields as JSON. What `events.checked` calls canonical comes back as it was,
bit for bit; contexts come back as arrays.
"""

import heapq
import itertools
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.errors import LogError
from mobandits.logs.names import compact, decoded, encoded, name_of, name_text
from mobandits.support.naming import quoted

DOUBLE = np.dtype("<f8")  # the same bytes on every machine

INSERT_DECISION = """
INSERT INTO decisions
    (agent, id, seq, at, arm, propensity, rows, features, context, eligible, other, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
INSERT_REWARD = "INSERT INTO rewards VALUES (?, ?, ?, ?, ?, ?, ?)"
INSERT_CHANGE = "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)"
SELECT_DECISIONS = """
SELECT seq, id, at, arm, propensity, rows, features, context, eligible, other, checksum
FROM decisions WHERE agent = ? AND seq > ? AND seq <= ? ORDER BY seq
"""
SELECT_REWARDS = """
SELECT seq, decision, at, objective, value, checksum
FROM rewards WHERE agent = ? AND seq > ? AND seq <= ? ORDER BY seq
"""
SELECT_CHANGES = """
SELECT seq, at, kind, body, checksum
FROM changes WHERE agent = ? AND seq > ? AND seq <= ? ORDER BY seq
"""
KNOWN = frozenset(("kind", "id", "time", "context", "eligible", "arm", "propensity"))

Event = dict[str, Any]
Row = tuple[Any, ...]


def checksum(*fields: Any, blob: bytes | None = None) -> int:
    """A 32-bit checksum of a row's fields; floats count by their shortest text, which is exact.

    Example:
        >>> checksum(1, 0.5) == checksum(1, 0.5), checksum(1, 0.5) == checksum(1, 0.25)
        (True, False)
    """
    text = repr(fields).encode("utf-8", "surrogatepass")
    return zlib.crc32(blob or b"", zlib.crc32(text))


def decision_row(agent: int, seq: int, event: Mapping[str, Any], context: Any) -> Row:
    """A row of `decisions`.

    Args:
        agent: its number.
        seq: of the event.
        event: of kind "decide", without its context.
        context: (rows, features), an array or a list of rows; None where there is none.

    Raises:
        LogError: where the context is no table of finite numbers.
    """
    rows = None
    features = None
    blob = None
    if context is not None:
        table = _table(context)
        rows, features = table.shape
        blob = table.tobytes()
    eligible = event.get("eligible")
    eligible_text = None if eligible is None else compact(list(eligible))
    further = {key: value for key, value in event.items() if key not in KNOWN}
    other = compact(encoded(further, "event")) if further else None
    fields = (
        event["id"],
        seq,
        event.get("time"),
        event["arm"],
        event.get("propensity"),
        rows,
        features,
    )
    check = checksum(*fields, eligible_text, other, blob=blob)
    return (agent, *fields, blob, eligible_text, other, check)


def reward_rows(agent: int, seq: int, event: Mapping[str, Any]) -> list[Row]:
    """Rows of `rewards`, one per objective of a lesson."""
    decision = event["id"]
    at = event.get("time")
    rows = []
    for name, value in event["rewards"].items():
        objective = name_text(name)
        number = float(value)
        check = checksum(decision, objective, number, at, seq)
        rows.append((agent, decision, objective, number, at, seq, check))
    return rows


def change_row(agent: int, seq: int, event: Mapping[str, Any]) -> Row:
    """A row of `changes`: whatever is neither a decision nor a lesson."""
    rest = {key: value for key, value in event.items() if key not in {"kind", "time"}}
    body = compact(encoded(rest, "event"))
    at = event.get("time")
    kind = event["kind"]
    return (agent, seq, at, kind, body, checksum(seq, at, kind, body))


def decision_event(row: Sequence[Any], source: str) -> Event:
    """The event of a row of `SELECT_DECISIONS`.

    Args:
        row: its columns.
        source: what errors call the store.

    Raises:
        LogError: where the row is damaged.
    """
    seq, number, at, arm, propensity, rows, features, blob, eligible, other, check = row
    fields = (number, seq, at, arm, propensity, rows, features)
    if check != checksum(*fields, eligible, other, blob=blob):
        raise _damaged(source, seq)
    event: Event = {"kind": "decide", "id": number}
    if at is not None:
        event["time"] = at
    if rows is not None:
        event["context"] = np.frombuffer(blob, DOUBLE).reshape(rows, features)
    if eligible is not None:
        event["eligible"] = json.loads(eligible)
    event["arm"] = arm
    event["propensity"] = propensity
    if other is not None:
        event |= decoded(json.loads(other))
    return event


def reward_event(rows: Sequence[Sequence[Any]], source: str) -> Event:
    """The event of the rows of `SELECT_REWARDS` that share a seq; errors as `decision_event`."""
    rewards = {}
    for seq, decision, at, objective, value, check in rows:
        if check != checksum(decision, objective, value, at, seq):
            raise _damaged(source, seq)
        rewards[name_of(objective)] = value
    _, decision, at, *_ = rows[0]
    event: Event = {"kind": "learn", "id": decision}
    if at is not None:
        event["time"] = at
    event["rewards"] = rewards
    return event


def change_event(row: Sequence[Any], source: str) -> Event:
    """The event of a row of `SELECT_CHANGES`; errors as `decision_event`."""
    seq, at, kind, body, check = row
    if check != checksum(seq, at, kind, body):
        raise _damaged(source, seq)
    event: Event = {"kind": kind}
    rest = decoded(json.loads(body))
    if "id" in rest:
        event["id"] = rest.pop("id")  # where `events.checked` puts it
    if at is not None:
        event["time"] = at
    return event | rest


def in_order(
    decisions: Iterable[Row], rewards: Iterable[Row], changes: Iterable[Row], source: str
) -> Iterator[tuple[int, Event]]:
    """(seq, event) of the rows of three tables, merged by seq; errors as `decision_event`."""
    streams = (
        _of_single_rows(decisions, decision_event, source),
        _of_lessons(rewards, source),
        _of_single_rows(changes, change_event, source),
    )
    return heapq.merge(*streams, key=_seq)


def _of_single_rows(
    rows: Iterable[Row], event_of: Callable[[Row, str], Event], source: str
) -> Iterator[tuple[int, Event]]:
    for row in rows:
        yield row[0], event_of(row, source)


def _of_lessons(rows: Iterable[Row], source: str) -> Iterator[tuple[int, Event]]:
    for seq, lesson in itertools.groupby(rows, key=_seq):
        yield seq, reward_event(list(lesson), source)


def _seq(row: Sequence[Any]) -> int:
    seq: int = row[0]
    return seq


def _table(context: Any) -> Array:
    try:
        table = np.ascontiguousarray(context, DOUBLE)
    except (TypeError, ValueError) as error:
        rule = "event.context must be a list of rows of as many numbers each"
        raise LogError(f"{rule}, got {quoted(context)}") from error
    if table.ndim != 2 or not len(table):
        raise LogError(f"event.context must have at least one row, got shape {table.shape}")
    if not np.isfinite(table).all():
        raise LogError(f"event.context must be finite, got {table[~np.isfinite(table)][0]}")
    return table


def _damaged(source: str, seq: int) -> LogError:
    return LogError(f"{source} is damaged: event {seq} is not what was written")
