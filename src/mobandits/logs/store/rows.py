"""Events as rows of the tables, and rows as events; checksums tell what is not as it was written.

A decision is a row of `decisions`, a lesson a row of `rewards` per objective, everything else a row
of `changes`. Fields that have no column are JSON. Records come back as they were, bit for bit.
"""

import functools
import itertools
import json
import operator
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from mobandits.errors import DamagedError, LogError
from mobandits.logs.events import Decide, Event, Fields, Learn, event_of_change, record
from mobandits.logs.names import compact, encoded, name_of, name_text
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


def statements_of(agent: int, seq: int, event: Event) -> list[Statement]:
    """Statements that write an event.

    Args:
        agent: its number in the file.
        seq: of the event.
        event: see `mobandits.logs.events`.

    Raises:
        LogError: where JSON cannot hold a field.

    Example:
        >>> [(sql, row)] = statements_of(1, 2, Learn(0, {"quality": 0.5}, time=1.5))
        >>> row
        (1, 0, 'quality', 0.5, 1.5, 2, 0, None, 2804777579)
    """
    if isinstance(event, Decide):
        return [(INSERT_DECISION, _decision_row(agent, seq, event))]
    if isinstance(event, Learn):
        return _reward_statements(agent, seq, event)

    body = _text(_further_fields(event))
    check = checksum(seq, event.time, event.kind, body)
    return [(INSERT_CHANGE, (agent, seq, event.time, event.kind, body, check))]


def _decision_row(agent: int, seq: int, event: Decide) -> Row:
    """A row of `decisions`."""
    rows = None
    features = None
    blob = None
    table = event.context
    if table is not None:
        rows, features = table.shape
        blob = table.astype(DOUBLE, copy=False).tobytes()
    eligible = None if event.eligible is None else compact(event.eligible)
    other = _other(event)
    active = int(event.active)
    start = (event.id, seq, event.time, event.arm, event.propensity, rows, features)
    end = (eligible, other, event.key, event.made_by, active)
    check = checksum(*start, *end, blob=blob)
    return (agent, *start, blob, *end, check)


def _reward_statements(agent: int, seq: int, event: Learn) -> list[Statement]:
    """Statements for the rows of `rewards`, one per objective of a lesson."""
    if not event.rewards:
        raise LogError("event.rewards must have an objective, got {}")

    # SQLite keeps no sign of a zero, and adding 0.0 removes it here as well.
    pairs = [(name_text(name), value + 0.0) for name, value in event.rewards.items()]
    other = _other(event)
    check = checksum(event.id, seq, event.time, other, *pairs)
    statements = []
    for position, (objective, value) in enumerate(pairs):
        first = None if position else other
        row = (agent, event.id, objective, value, event.time, seq, position, first, check)
        statements.append((INSERT_REWARD, row))
    return statements


def _further_fields(event: Event) -> Fields:
    """{name: value} of fields without a column; those that are as by default are left out."""
    fields = {}
    for name, default in _defaults(type(event)):
        value = getattr(event, name)
        # Most are the very default, which is seen sooner.
        if value is not default and value != default:
            fields[name] = value
    return fields


@functools.cache
def _defaults(kind: type[Event]) -> list[tuple[str, Any]]:
    """Names of the fields of a kind that have no column, and their defaults."""
    fields = msgspec.structs.fields(kind)
    return [(field.name, field.default) for field in fields if field.name not in kind.columns]


def _other(event: Decide | Learn) -> str | None:
    """Fields without a column, none of which names an arm or objective, as JSON; None: no such."""
    further = _further_fields(event)
    return msgspec.json.encode(further).decode() if further else None


def decision_event(row: Sequence[Any], source: str) -> Decide:
    """The event of a row of `DECISION_ROWS`.

    Args:
        row: its columns.
        source: what errors call the store.

    Raises:
        DamagedError: where the row is damaged.
    """
    check_decision(row, source)
    number, _, at, arm, propensity, rows, features, blob, eligible, *_ = row
    fields = {"id": number, "time": at, "arm": arm, "propensity": propensity}
    if eligible is not None:
        fields["eligible"] = json.loads(eligible)
    event: Decide = record(Decide.kind, fields | further_fields(row))
    if rows is not None:
        event.context = np.frombuffer(blob, DOUBLE).reshape(rows, features)
    return event


def check_decision(row: Sequence[Any], source: str) -> None:
    """Refuse a row of `DECISION_ROWS` that is not as it was written.

    Raises:
        DamagedError: naming the event.
    """
    blob = row[7]
    if row[-1] != checksum(*row[:7], *row[8:-1], blob=blob):
        raise _damaged(source, row[1])


def further_fields(row: Sequence[Any]) -> Fields:
    """The fields of a decision that have no column in tables of other logs."""
    *_, other, key, made_by, active, _ = row
    further = {} if other is None else json.loads(other)
    if key is not None:
        further["key"] = key
    if made_by != "us":
        further["made_by"] = made_by
    if not active:
        further["active"] = False
    return further


def reward_event(rows: Sequence[Sequence[Any]], source: str) -> Learn:
    """The event of the rows of `REWARD_ROWS` that share a seq; errors as `decision_event`."""
    _, decision, at, other, pairs = checked_lesson(rows, source)
    further = {} if other is None else json.loads(other)
    # Older stores keep zeros with a sign there.
    at = further.pop("time", at)
    further.pop("rewards", None)
    rewards = {name_of(objective): value for objective, value in pairs}
    return Learn(decision, rewards, time=at, **further)


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


def change_event(row: Sequence[Any], source: str) -> Any:
    """The event of a row of `CHANGE_ROWS`, of any kind; errors as `decision_event`."""
    check_change(row, source)
    _, at, kind, body, _ = row
    return event_of_change(kind, at, body)


def _text(fields: Fields) -> str:
    try:
        return compact(encoded(fields, "event"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"event cannot be written: {error}") from error


def _damaged(source: str, seq: int) -> DamagedError:
    return DamagedError(source, f"event {seq} is not what was written")
