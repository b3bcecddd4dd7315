"""The events of an agent in the order in which it made them, from the tables that hold them."""

import heapq
import operator
from collections.abc import Iterator

from mobandits.errors import DamagedError, LogError
from mobandits.logs.events import Event
from mobandits.logs.store.rows import (
    by_lesson,
    change_event,
    decision_event,
    event_rows,
    reward_event,
)
from mobandits.logs.store.session import Session

Numbered = tuple[int, Event]
BLOCK = 2000  # events: with 50 arms of 20 features, 16 MB


def events_between(
    connection: Session, agent: int, after: int, last: int, source: str
) -> Iterator[Event]:
    """The events of an agent with after < seq <= last, in order; none may be missing.

    Args:
        connection: to the store.
        agent: its number there.
        after: the seq of the last event that is not wanted.
        last: the seq of the last one that is.
        source: what errors call the store.

    Raises:
        LogError: where one is damaged or missing, or where events after `after` were deleted.
    """
    query = "SELECT complete_after FROM agents WHERE id = ?"
    (complete_after,) = connection.execute(query, (agent,)).fetchone()
    if after < complete_after:
        raise LogError(
            f"{source} has no longer all of its first {complete_after} events, which were "
            "exported: begin after them, with a snapshot; or teach a new agent the archives, and "
            "then the store, by learn_log"
        )
    expected = after
    for seq, event in numbered_events(connection, agent, after, last, source):
        expected += 1
        if seq != expected:
            raise missing(source, expected)
        yield event
    if expected < last:
        raise missing(source, expected + 1)


def numbered_events(
    connection: Session, agent: int, after: int, last: int, source: str
) -> Iterator[Numbered]:
    """(seq, event) of what is there of an agent's events; arguments as `events_between`.

    Raises:
        LogError: where one is damaged.
    """
    for start in range(after, last, BLOCK):
        rows = event_rows(connection, agent, start, min(start + BLOCK, last))
        streams = (
            ((row[1], decision_event(row, source)) for row in rows.decisions),
            ((lesson[0][0], reward_event(lesson, source)) for lesson in by_lesson(rows.rewards)),
            ((row[0], change_event(row, source)) for row in rows.changes),
        )
        try:
            yield from heapq.merge(*streams, key=operator.itemgetter(0))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, LogError):
                raise
            raise DamagedError(source, "an event cannot be read") from error


def missing(source: str, seq: int) -> DamagedError:
    """The error about an event that is not where it must be."""
    return DamagedError(source, f"event {seq} is missing")
