"""Rows of several tables in one statement, which alone is a transaction of its own.

SQLite's module lets go of Python's lock in every statement, and waits for a thread that computes to
have it back: a transaction of five statements waits for the event loop of a service fifteen times.
So a view, which only its connection has, takes the rows of all tables in one statement, and its
triggers run for each row what would have been run apart.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from mobandits.logs.store.rows import (
    INSERT_CHANGE,
    INSERT_DECISION,
    INSERT_REWARD,
    UPDATE_EVENTS,
    Statement,
)
from mobandits.logs.store.session import Session

# What appends events, and what a trigger of the view runs for a row; rows have their places here as
# their first value.
BODIES = (INSERT_DECISION, INSERT_REWARD, INSERT_CHANGE, UPDATE_EVENTS)
PLACES = {body: place for place, body in enumerate(BODIES)}
WIDTH = max(body.count("?") for body in BODIES)
# Rows of a kind have fewer values than the view has columns.
FILLINGS = {body: (None,) * (WIDTH - body.count("?")) for body in BODIES}
NO_ROW = (None,) * (1 + WIDTH)  # which no trigger takes
MOST_ROWS = 64  # of one statement
STEP = 4  # rows, from which on statements have a multiple of them
# What makes few statements of those that append, all of which are `BODIES`.
Few = Callable[[Sequence[Statement]], Iterable[Statement]]
COLUMNS = ["kind", *(f"c{number}" for number in range(WIDTH))]


def prepare_appending(connection: Session) -> None:
    """Give a connection to a store the view and the triggers; the file stays as it is."""
    columns = ", ".join(f"NULL AS {name}" for name in COLUMNS)
    connection.execute(f"CREATE TEMP VIEW appended AS SELECT {columns}")
    for place, body in enumerate(BODIES):
        start = f"CREATE TEMP TRIGGER append_{place} INSTEAD OF INSERT ON appended"
        step = _of_columns(body)
        connection.execute(f"{start} WHEN NEW.kind = {place} BEGIN {step}; END")


def gathered(statements: Iterable[Statement], few: Few) -> list[Statement]:
    """Statements that leave the tables as the given ones do, one after the other.

    Args:
        statements: those that append events are put together, up to the next one that does not.
        few: makes few statements of what is put together, such as `appended`.

    Example:
        >>> updates = [(UPDATE_EVENTS, (7, 1)), (UPDATE_EVENTS, (8, 1))]
        >>> [(sql, values)] = gathered(updates, appended)
        >>> values[:4]
        (3, 8, 1, None)
        >>> gathered([("DELETE FROM snapshots", ())], appended)
        [('DELETE FROM snapshots', ())]
    """
    found: list[Statement] = []
    appending: list[Statement] = []
    last_events: dict[int, Statement] = {}
    for statement in statements:
        sql, values = statement
        if sql == UPDATE_EVENTS:
            # Of an agent's numbers of events, the last one is what remains.
            last_events[values[1]] = statement
        elif sql in PLACES:
            appending.append(statement)
        else:
            found += few([*appending, *last_events.values()])
            found.append(statement)
            appending = []
            last_events = {}

    return [*found, *few([*appending, *last_events.values()])]


def appended(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Few statements that hand the rows of `BODIES` to the triggers."""
    listed = [(PLACES[sql], *values, *FILLINGS[sql]) for sql, values in statements]
    for start in range(0, len(listed), MOST_ROWS):
        some = listed[start : start + MOST_ROWS]
        count = len(some)
        size = _size_for(count)
        some += [NO_ROW] * (size - count)
        values = itertools.chain.from_iterable(some)
        yield _insert_of(size), tuple(values)


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
