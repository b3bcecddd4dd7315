"""Events as rows of the tables, and rows as events; checksums tell what is not as it was written.

A decision is a row of `decisions`, a lesson a row of `rewards` per objective, everything else a row
of `changes` with its fields as JSON. What `events.checked` calls canonical comes back as it was,
bit for bit; contexts come back as arrays.
"""

import itertools
import json
import math
import operator
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.errors import DamagedError, LogError
from mobandits.logs.events import checked, context_table
from mobandits.logs.names import compact, decoded, encoded, name_of, name_text
from mobandits.logs.store.session import Session

DOUBLE = np.dtype("<f8")  # the same bytes on every machine

INSERT_DECISION = "INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_REWARD = "INSERT INTO rewards VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_CHANGE = "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)"
UPDATE_EVENTS = "UPDATE agents SET events = ? WHERE id = ?"
# Rows of an agent, with the columns that make events of them; further conditions follow.
DECISION_ROWS = """
SELECT id, seq, at, arm, propensity, rows, features, context,
    eligible, other, key, made_by, active, checksum
FROM decisions WHERE agent = ?
"""
REWARD_ROWS = """
SELECT seq, position, decision, at, other, objective, value, checksum
FROM rewards WHERE agent = ?
"""
CHANGE_ROWS = "SELECT seq, at, kind, body, checksum FROM changes WHERE agent = ?"
BETWEEN = "AND seq > ? AND seq <= ? ORDER BY seq"
SELECT_DECISIONS = f"{DECISION_ROWS} {BETWEEN}"
SELECT_REWARDS = f"{REWARD_ROWS} {BETWEEN}"
SELECT_CHANGES = f"{CHANGE_ROWS} {BETWEEN}"
# Fields that columns hold; the others of an event are one JSON text.
OF_DECISIONS = frozenset(("kind", "id", "time", "context", "eligible", "arm", "propensity"))
OF_LESSONS = frozenset(("kind", "id", "time", "rewards"))
OF_CHANGES = frozenset(("kind", "time"))
CONTEXT = frozenset(("context",))

Event = dict[str, Any]
Row = tuple[Any, ...]
Statement = tuple[str, Row]

NO_CHECKSUM = -1  # of no row: checksums are not negative


class EventRows(NamedTuple):
    """The rows of some events of an agent, in the order of their seqs."""

    decisions: list[Row]
    rewards: list[Row]
    changes: list[Row]


class Lesson(NamedTuple):
    """The rewards of one call, as the table has them.

    Attributes:
        seq: of the event.
        decision: that is rewarded.
        at: the time, or None.
        other: further fields as JSON, or None.
        pairs: objectives, as `name_text` writes them, and values.
    """

    seq: int
    decision: int
    at: float | None
    other: str | None
    pairs: list[tuple[str, float]]


def checksum(*fields: Any, blob: Any = None) -> int:
    """A 32-bit checksum of some fields; floats count by their shortest text, which is exact.

    Example:
        >>> checksum(1, 0.5) == checksum(1, 0.5), checksum(1, 0.5) == checksum(1, 0.25)
        (True, False)
    """
    # A damaged schema may give a column the values of another one, which are no bytes.
    if blob is not None and not isinstance(blob, bytes):
        return NO_CHECKSUM

    text = repr(fields).encode("utf-8", "surrogatepass")
    return zlib.crc32(blob or b"", zlib.crc32(text))


def event_rows(connection: Session, agent: int, after: int, last: int) -> EventRows:
    """The rows of the events of an agent with after < seq <= last.

    All of them at once: a query that is not done holds a state of the store.
    """
    queries = (SELECT_DECISIONS, SELECT_REWARDS, SELECT_CHANGES)
    values = (agent, after, last)
    return EventRows(*[connection.execute(query, values).fetchall() for query in queries])


def by_lesson(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of `REWARD_ROWS` that share a seq, which is the first column."""
    for _, lesson in itertools.groupby(rows, key=operator.itemgetter(0)):
        yield list(lesson)


def statements_of(agent: int, seq: int, event: Any) -> tuple[Event, list[Statement]]:
    """An event in its canonical form, without its context, and what writes it.

    Args:
        agent: its number in the file.
        seq: of the event.
        event: see `mobandits.logs.events`.

    Raises:
        LogError: naming field, rule and value.
    """
    table = None
    plain = event
    is_decision = isinstance(event, dict) and event.get("kind") == "decide"
    if is_decision and "context" in event:
        # A context stays an array: as lists it would cost more than all the rest.
        table = context_table(event["context"])
        plain = _without(event, CONTEXT)

    kept = checked(plain)
    kind = kept["kind"]
    if kind == "decide":
        decision_row = _decision_row(agent, seq, kept, table, _text)
        return kept, [(INSERT_DECISION, decision_row)]
    if kind == "learn" and kept["rewards"]:
        return kept, _reward_statements(agent, seq, kept)

    change_row = _change_row(agent, seq, kept)
    return kept, [(INSERT_CHANGE, change_row)]


def own_statements(agent: int, seq: int, event: Event) -> list[Statement]:
    """What writes an event that an agent has made.

    Its decisions and rewards are in their canonical form already, and nearly all events are of
    these kinds: to look at each of their fields again would take several times as long.

    Args:
        agent: its number in the file.
        seq: of the event.
        event: as of `statements_of`.

    Example:
        >>> rewards = {"quality": 0.5}
        >>> event = {"kind": "learn", "id": 0, "time": 1.5, "rewards": rewards}
        >>> [(sql, row)] = own_statements(1, 2, event)
        >>> row
        (1, 0, 'quality', 0.5, 1.5, 2, 0, None, 2804777579)
    """
    kind = event["kind"]
    if kind == "decide":
        row = _decision_row(agent, seq, event, event.get("context"), compact)
        return [(INSERT_DECISION, row)]
    if kind == "learn" and event["rewards"]:
        return _reward_statements(agent, seq, event)

    _, statements = statements_of(agent, seq, event)

    return statements


def _decision_row(
    agent: int,
    seq: int,
    event: Mapping[str, Any],
    table: Any,
    as_text: Callable[[Event], str],
) -> Row:
    """A row of `decisions`."""
    rows = None
    features = None
    blob = None
    if table is not None:
        rows, features = table.shape
        blob = table.astype(DOUBLE, copy=False).tobytes()
    eligible = event.get("eligible")
    eligible_text = None if eligible is None else compact(eligible)
    further = _without(event, OF_DECISIONS)
    at = _column_time(event, further)
    propensity = event.get("propensity")
    if propensity is not None:
        propensity = float(propensity)
    key = None
    made_by = "us"
    active = 1
    # Values that are the columns' defaults stay in `other`: else nobody could tell them from none.
    if isinstance(further.get("key"), str):
        key = further.pop("key")
    if further.get("made_by") == "observed":
        made_by = further.pop("made_by")
    if further.get("active") is False:
        del further["active"]
        active = 0
    other = as_text(further) if further else None
    start = (event["id"], seq, at, event["arm"], propensity, rows, features)
    end = (eligible_text, other, key, made_by, active)
    check = checksum(*start, *end, blob=blob)
    return (agent, *start, blob, *end, check)


def _reward_statements(agent: int, seq: int, event: Mapping[str, Any]) -> list[Statement]:
    """Statements for the rows of `rewards`, one per objective of a lesson."""
    decision = event["id"]
    rewards = event["rewards"]
    further = _without(event, OF_LESSONS)
    at = _column_time(event, further)
    pairs = []
    for name, value in rewards.items():
        # SQLite keeps no sign of a zero, and adding 0.0 removes it here as well.
        pairs.append((name_text(name), value + 0.0))
        if value == 0.0 and _is_minus_zero(value):
            further["rewards"] = rewards  # as JSON, which does keep it
    other = _text(further) if further else None
    check = checksum(decision, seq, at, other, *pairs)
    statements = []
    for position, (objective, value) in enumerate(pairs):
        first = None if position else other
        row = (agent, decision, objective, value, at, seq, position, first, check)
        statements.append((INSERT_REWARD, row))
    return statements


def _change_row(agent: int, seq: int, event: Mapping[str, Any]) -> Row:
    """A row of `changes`: whatever is neither a decision nor a reward."""
    further = _without(event, OF_CHANGES)
    at = _column_time(event, further)
    kind = encoded(event["kind"], "event.kind")
    body = _text(further)
    check = checksum(seq, at, kind, body)
    return (agent, seq, at, kind, body, check)


def decision_event(row: Sequence[Any], source: str) -> Event:
    """The event of a row of `DECISION_ROWS`.

    Args:
        row: its columns.
        source: what errors call the store.

    Raises:
        DamagedError: where the row is damaged.
    """
    check_decision(row, source)
    number, _, at, arm, propensity, rows, features, blob, eligible, *_ = row
    event: Event = {"kind": "decide", "id": number}
    further = further_fields(row)
    _set_time(event, at, further)
    if rows is not None:
        event["context"] = np.frombuffer(blob, DOUBLE).reshape(rows, features)
    if eligible is not None:
        event["eligible"] = json.loads(eligible)
    event["arm"] = arm
    event["propensity"] = propensity
    return event | further


def check_decision(row: Sequence[Any], source: str) -> None:
    """Refuse a row of `DECISION_ROWS` that is not as it was written.

    Raises:
        DamagedError: naming the event.
    """
    blob = row[7]
    if row[-1] != checksum(*row[:7], *row[8:-1], blob=blob):
        raise _damaged(source, row[1])


def further_fields(row: Sequence[Any]) -> Event:
    """The fields of a decision that have no column in tables of other logs."""
    *_, other, key, made_by, active, _ = row
    further: Event = {} if other is None else decoded(json.loads(other))
    if key is not None:
        further["key"] = key
    if made_by != "us":
        further["made_by"] = made_by
    if not active:
        further["active"] = False
    return further


def reward_event(rows: Sequence[Sequence[Any]], source: str) -> Event:
    """The event of the rows of `REWARD_ROWS` that share a seq; errors as `decision_event`."""
    lesson = checked_lesson(rows, source)
    _, decision, at, other, pairs = lesson
    event: Event = {"kind": "learn", "id": decision}
    further = {} if other is None else decoded(json.loads(other))
    _set_time(event, at, further)
    event["rewards"] = {name_of(objective): value for objective, value in pairs}
    event.update(further)
    return event


def checked_lesson(rows: Sequence[Sequence[Any]], source: str) -> Lesson:
    """The lesson of the rows of `REWARD_ROWS` that share a seq; errors as `decision_event`."""
    # The table is sorted by objective, and events have the order in which they were written.
    in_order = sorted(rows, key=operator.itemgetter(1))
    seq, _, decision, at, other, _, _, check = in_order[0]
    pairs = []
    for _, _, own_decision, own_at, _, objective, value, own_check in in_order:
        if (own_decision, own_at, own_check) != (decision, at, check):
            raise _damaged(source, seq)
        pairs.append((objective, value))
    # Over all rows of the call: a row that is missing makes it another checksum.
    if check != checksum(decision, seq, at, other, *pairs):
        raise _damaged(source, seq)
    return Lesson(seq, decision, at, other, pairs)


def check_change(row: Sequence[Any], source: str) -> None:
    """Refuse a row of `CHANGE_ROWS` that is not as it was written.

    Raises:
        DamagedError: naming the event.
    """
    seq, at, kind, body, check = row
    if check != checksum(seq, at, kind, body):
        raise _damaged(source, seq)


def change_event(row: Sequence[Any], source: str) -> Event:
    """The event of a row of `CHANGE_ROWS`; errors as `decision_event`."""
    check_change(row, source)
    _, at, kind, body, _ = row
    event: Event = {"kind": kind}
    rest = decoded(json.loads(body))
    if "id" in rest:
        event["id"] = rest.pop("id")  # where `events.checked` puts it
    _set_time(event, at, rest)
    event.update(rest)
    return event


def _without(event: Mapping[str, Any], columns: frozenset[str]) -> Event:
    """The fields of an event that have no columns."""
    further = dict(event)
    for name in columns:
        further.pop(name, None)
    return further


def _column_time(event: Mapping[str, Any], further: Event) -> float | None:
    """The time of an event for its column; what a column cannot hold stays with further fields."""
    if "time" not in event:
        return None
    at = event["time"]
    if type(at) is float and (at != 0.0 or not _is_minus_zero(at)):
        return at
    further["time"] = at
    return None


def _set_time(event: Event, at: float | None, further: Event) -> None:
    """Put the time where `events.checked` puts it."""
    if at is not None:
        event["time"] = at
    elif "time" in further:
        event["time"] = further.pop("time")


def _is_minus_zero(zero: float) -> bool:
    return math.copysign(1.0, zero) < 0.0


def _text(fields: Event) -> str:
    try:
        return compact(encoded(fields, "event"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"event cannot be written: {error}") from error


def _damaged(source: str, seq: int) -> DamagedError:
    return DamagedError(source, f"event {seq} is not what was written")
