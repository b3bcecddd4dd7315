"""Statements of many calls as few: rows of one table in one statement.

Each statement costs the server a plan and this process a message, so that a group of many calls
takes half as long when it is merged.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence

from mobandits.logs.store.rows import (
    INSERT_CHANGE,
    INSERT_DECISION,
    INSERT_REWARD,
    UPDATE_EVENTS,
    Row,
    Statement,
)

# In this order: rewards refer to decisions.
INSERTS = (INSERT_DECISION, INSERT_REWARD, INSERT_CHANGE)
UPDATE_EVENTS_OF_SEVERAL = """
UPDATE agents SET events = last.column1 FROM (VALUES {rows}) AS last WHERE agents.id = last.column2
"""
# Rows of one statement: powers of two, so that a connection has few of them to prepare and keep.
MOST_ROWS = 64


def merged(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Statements that leave the tables as the given ones do, one after the other.

    Args:
        statements: those that append events are merged, up to the next one that is none of them.

    Example:
        >>> one = (UPDATE_EVENTS, (7, 1))
        >>> other = (UPDATE_EVENTS, (8, 1))
        >>> list(merged([one, other]))
        [('UPDATE agents SET events = ? WHERE id = ?', (8, 1))]
    """
    rows: dict[str, list[Row]] = {sql: [] for sql in INSERTS}
    last_events: dict[int, int] = {}
    for sql, values in statements:
        own_rows = rows.get(sql)
        if own_rows is not None:
            own_rows.append(values)
        elif sql == UPDATE_EVENTS:
            events, agent = values
            last_events[agent] = events
        else:
            yield from _taken(rows, last_events)
            yield sql, values

    yield from _taken(rows, last_events)


def _taken(rows: dict[str, list[Row]], last_events: dict[int, int]) -> Iterator[Statement]:
    """Rows gathered so far; the list is empty afterwards."""
    for sql, own_rows in rows.items():
        yield from _in_few(sql, own_rows)
        own_rows.clear()

    pairs = [(events, agent) for agent, events in last_events.items()]
    last_events.clear()
    for some in _in_powers(pairs):
        update = UPDATE_EVENTS if len(some) == 1 else _update_of(len(some))
        yield update, _joined(some)


def _in_few(insert: str, rows: Sequence[Row]) -> Iterator[Statement]:
    for some in _in_powers(rows):
        yield _insert_of(insert, len(some)), _joined(some)


def _in_powers(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """The rows in parts whose lengths are powers of two."""
    start = 0
    while start < len(rows):
        left = min(len(rows) - start, MOST_ROWS)
        size = 1 << (left.bit_length() - 1)
        yield rows[start : start + size]
        start += size


def _joined(rows: Sequence[Row]) -> Row:
    return rows[0] if len(rows) == 1 else tuple([value for row in rows for value in row])


@functools.cache
def _insert_of(insert: str, count: int) -> str:
    """A statement that inserts so many rows."""
    start, values, row = insert.partition(" VALUES ")
    return f"{start}{values}{', '.join([row] * count)}"


@functools.cache
def _update_of(count: int) -> str:
    return UPDATE_EVENTS_OF_SEVERAL.format(rows=", ".join(["(?, ?)"] * count))
