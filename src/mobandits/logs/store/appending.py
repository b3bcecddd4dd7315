"""Rows of several tables in one statement, which is a transaction of its own.

SQLite's module lets go of Python's lock in every statement, and waits for a thread that computes to
have it back: a transaction of five statements waits for the event loop of a service fifteen times.
So a view, which only its connection has, takes the rows of all tables in one statement, and its
triggers run for each row what would have been run apart.
"""

import functools
import math
from collections.abc import Iterable
from typing import Any

from mobandits.logs.store.merged_statements import MOST_ROWS, UPDATE_EVENTS
from mobandits.logs.store.rows import (
    INSERT_CHANGE,
    INSERT_DECISION,
    INSERT_REWARD,
    Statement,
)
from mobandits.logs.store.session import Session

# What a trigger of the view runs for a row; rows have their places here as their first value.
BODIES = (INSERT_DECISION, INSERT_REWARD, INSERT_CHANGE, UPDATE_EVENTS)
PLACES = {body: place for place, body in enumerate(BODIES)}
WIDTH = max(body.count("?") for body in BODIES)
# Rows of a kind have fewer values than the view has columns.
FILLINGS = [(None,) * (WIDTH - body.count("?")) for body in BODIES]
NO_ROW = (None,) * (1 + WIDTH)  # which no trigger takes
STEP = 4  # rows, from which on statements have a multiple of them
COLUMNS = ["kind", *(f"c{number}" for number in range(WIDTH))]


def prepare_appending(connection: Session) -> None:
    """Give a connection to a store the view and the triggers; the file stays as it is."""
    columns = ", ".join(f"NULL AS {name}" for name in COLUMNS)
    connection.execute(f"CREATE TEMP VIEW appended AS SELECT {columns}")
    for place, body in enumerate(BODIES):
        start = f"CREATE TEMP TRIGGER append_{place} INSTEAD OF INSERT ON appended"
        step = _of_columns(body)
        connection.execute(f"{start} WHEN NEW.kind = {place} BEGIN {step}; END")


def in_one(statements: Iterable[Statement]) -> Statement | None:
    """One statement that leaves the tables as the given ones do, one after the other.

    Args:
        statements: SQL and its values.

    Returns:
        None where some append no events, or there are too many for one statement.

    Example:
        >>> sql, values = in_one([(UPDATE_EVENTS, (7, 1)), (UPDATE_EVENTS, (8, 1))])
        >>> values[:4]
        (3, 8, 1, None)
        >>> in_one([("DELETE FROM snapshots", ())]) is None
        True
    """
    values: list[Any] = []
    last_events: dict[int, int] = {}
    for sql, row in statements:
        place = PLACES.get(sql)
        if place is None:
            return None
        if sql == UPDATE_EVENTS:
            events, agent = row
            last_events[agent] = events
            continue

        values.append(place)
        values += row
        values += FILLINGS[place]

    update = PLACES[UPDATE_EVENTS]
    for agent, events in last_events.items():
        values += (update, events, agent)
        values += FILLINGS[update]

    count = len(values) // len(COLUMNS)
    if not 0 < count <= MOST_ROWS:
        return None

    size = _size_for(count)
    values += NO_ROW * (size - count)

    return _insert_of(size), tuple(values)


def _size_for(count: int) -> int:
    """Number of rows of the statement that takes so many, so that there are few statements to keep.

    Example:
        >>> [_size_for(count) for count in (1, 3, 4, 5, 17, 61)]
        [1, 4, 4, 8, 20, 64]
    """
    if count < STEP:
        return 1 << (count - 1).bit_length()

    return STEP * math.ceil(count / STEP)


def _of_columns(body: str) -> str:
    """A statement whose values are the columns of the view."""
    for number in range(WIDTH):
        body = body.replace("?", f"NEW.c{number}", 1)

    return body


@functools.cache
def _insert_of(count: int) -> str:
    """A statement that takes so many rows."""
    row = ", ".join("?" * len(COLUMNS))
    rows = ", ".join([f"({row})"] * count)

    return f"INSERT INTO appended VALUES {rows}"  # noqa: S608 - of constants
