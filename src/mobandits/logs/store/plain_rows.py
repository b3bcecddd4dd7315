"""Rows of the events that nearly all are: decisions as agents make them, and rewards.

What an agent writes of these is in its canonical form already.
That is seen at a glance, and `rows.statements_of`, which looks at everything, takes several times
as long for the same row.
"""

import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from mobandits.logs.events import LARGEST
from mobandits.logs.names import compact, name_text
from mobandits.logs.store.rows import DOUBLE, INSERT_DECISION, INSERT_REWARD, Row, Statement

DECISION_FIELDS = frozenset(("kind", "id", "time", "arm", "propensity"))
# With a context, among some arms, with a key of a client, or to take effect later.
IN_COLUMNS = DECISION_FIELDS | {"context", "eligible", "key", "active"}
LESSON_FIELDS = frozenset(("kind", "id", "time", "rewards"))
INTEGERS = frozenset((int,))  # `True` is none
# No eligible arms, no further fields and no key; an active decision of the agent's own.
NOTHING_ELSE: Row = (None, None, None, "us", 1)


def plain_statements(agent: int, seq: int, event: Any) -> list[Statement] | None:
    """Statements of a decision or a reward that has nothing out of the ordinary.

    Args:
        agent: its number in the file.
        seq: of the event.
        event: see `mobandits.logs.events`.

    Returns:
        as `rows.statements_of` says it; None for every event that must be looked at more closely.

    Example:
        >>> rewards = {"quality": 0.5}
        >>> event = {"kind": "learn", "id": 0, "time": 1.5, "rewards": rewards}
        >>> [(sql, row)] = plain_statements(1, 2, event)
        >>> row
        (1, 0, 'quality', 0.5, 1.5, 2, 0, None, 2804777579)
        >>> plain_statements(1, 2, {"kind": "learn", "id": 0, "rewards": rewards}) is None
        True
    """
    if type(event) is not dict:
        return None
    if event.keys() >= DECISION_FIELDS and event["kind"] == "decide":
        row = _decision_row(agent, seq, event)
        return None if row is None else [(INSERT_DECISION, row)]
    if event.keys() == LESSON_FIELDS and event["kind"] == "learn":
        return _rewards(agent, seq, event)

    return None


def _decision_row(agent: int, seq: int, event: Mapping[str, Any]) -> Row | None:
    number = event["id"]
    at = event["time"]
    arm = event["arm"]
    propensity = event["propensity"]
    if not _are_positions([number, arm]):
        return None
    if not (_is_moment(at) and _is_share(propensity)):
        return None

    shape: Row = (None, None)
    blob = None
    if "context" in event:
        context = event["context"]
        if not _is_table(context):
            return None
        shape = context.shape
        blob = context.tobytes()

    end = NOTHING_ELSE
    if len(event) > len(DECISION_FIELDS) + ("context" in event):
        columns = _further_columns(event)
        if columns is None:
            return None
        end = columns

    start = (number, seq, at, arm, propensity, *shape)
    check = zlib.crc32(blob or b"", _checksum(start + end))

    return (agent, *start, blob, *end, check)


def _further_columns(event: Mapping[str, Any]) -> Row | None:
    """Eligible arms, further fields, key, who decided, and whether it takes effect at once."""
    eligible_text = None
    if "eligible" in event:
        if not _are_positions(event["eligible"]):
            return None
        eligible_text = compact(event["eligible"])

    key = event.get("key")
    active = event.get("active", False)
    if active is not False or ("key" in event and not _is_plain_text(key)):
        return None

    further = {}
    for name, value in event.items():
        if name in IN_COLUMNS:
            continue
        is_plain = name == "front" and _are_positions(value)
        if not is_plain and not (name == "request" and _is_plain_text(value)):
            return None
        further[name] = value

    other = compact(further) if further else None

    return (eligible_text, other, key, "us", 0 if "active" in event else 1)


def _rewards(agent: int, seq: int, event: Mapping[str, Any]) -> list[Statement] | None:
    decision = event["id"]
    at = event["time"]
    rewards = event["rewards"]
    if type(rewards) is not dict or not rewards:
        return None
    if not (_is_whole(decision) and _is_moment(at)):
        return None

    pairs = []
    for name, value in rewards.items():
        is_name = type(name) is str and name.isascii()
        # A zero may have a sign, which is kept in another way.
        is_number = type(value) is float and value != 0.0 and math.isfinite(value)
        if not (is_name and is_number):
            return None
        pairs.append((name_text(name), value))

    check = _checksum((decision, seq, at, None, *pairs))
    statements = []
    for position, (objective, value) in enumerate(pairs):
        row = (agent, decision, objective, value, at, seq, position, None, check)
        statements.append((INSERT_REWARD, row))

    return statements


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def _are_positions(value: Any) -> bool:
    # Not by `all`, whose generator is a call for each of them.
    if type(value) is not list or not INTEGERS.issuperset(map(type, value)):
        return False
    return not value or (min(value) >= 0 and max(value) <= LARGEST)


def _is_plain_text(value: Any) -> bool:
    return type(value) is str and value.isascii()


def _is_moment(value: Any) -> bool:
    # Not a zero, which may have a sign.
    return type(value) is float and 0.0 < value < math.inf


def _is_share(value: Any) -> bool:
    return value is None or (type(value) is float and 0.0 < value <= 1.0)


def _is_table(value: Any) -> bool:
    """Whether it is a context as files have it: rows of finite doubles."""
    if type(value) is not np.ndarray or value.dtype != DOUBLE or value.ndim != 2:
        return False
    if not len(value):
        return False

    # A sum of squares is finite only where all numbers are. It overflows where they are huge, and
    # these are looked at more closely, as all that is out of the ordinary.
    return math.isfinite(np.vdot(value, value))


def _checksum(fields: Row) -> int:
    """As `rows.checksum`, of fields without bytes."""
    return zlib.crc32(repr(fields).encode("utf-8", "surrogatepass"))
