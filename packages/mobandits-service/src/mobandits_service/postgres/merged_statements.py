"""Statements of many calls as few: rows of one table in one statement.

Each statement costs the server a plan and this process a message, so that a group of many calls
takes half as long when it is merged.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from mobandits.logs.store.rows import (
    INSERT_CHANGE,
    INSERT_DECISION,
    INSERT_REWARD,
    UPDATE_EVENTS,
    Row,
    Statement,
)

# Of several rows, whose columns are arrays: one text for any number of them, which the server
# prepares once. In this order: rewards refer to decisions.
OF_SEVERAL = {
    INSERT_DECISION: """
INSERT INTO decisions SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::float8[],
    ?::bigint[], ?::float8[], ?::bigint[], ?::bigint[], ?::bytea[], ?::text[], ?::text[],
    ?::text[], ?::text[], ?::bigint[], ?::bigint[])
""",
    INSERT_REWARD: """
INSERT INTO rewards SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::text[], ?::float8[],
    ?::float8[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[])
""",
    INSERT_CHANGE: """
INSERT INTO changes SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::float8[], ?::text[],
    ?::text[], ?::bigint[])
""",
    UPDATE_EVENTS: """
UPDATE agents SET events = last.events FROM unnest(?::bigint[], ?::bigint[]) AS last (events, id)
WHERE agents.id = last.id
""",
}


def merged(statements: Iterable[Statement]) -> Iterator[Statement]:
    """A statement per table that appends what some append, as of `logs.store.appending.gathered`.

    Example:
        >>> list(merged([(UPDATE_EVENTS, (8, 1))]))
        [('UPDATE agents SET events = ? WHERE id = ?', (8, 1))]
    """
    rows: dict[str, list[Row]] = {sql: [] for sql in OF_SEVERAL}
    for sql, values in statements:
        rows[sql].append(values)

    for sql, own in rows.items():
        if len(own) == 1:
            yield sql, own[0]
        elif own:
            columns = zip(*own, strict=True)
            yield OF_SEVERAL[sql], tuple(map(as_array, columns))


def as_array(column: Sequence[Any]) -> str | list[Any]:
    """A column as the server takes arrays: numbers as one text, which is made at once.

    Example:
        >>> as_array([1, None, 2]), as_array(["a", None])
        ('{1,null,2}', ['a', None])
    """
    first = next((value for value in column if value is not None), None)
    if isinstance(first, str | bytes):
        return list(column)

    # Of each number, psycopg would look for the type.
    listed = msgspec.json.encode(column).decode()
    return f"{{{listed[1:-1]}}}"
