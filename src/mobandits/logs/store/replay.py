"""The events of an agent in the order in which it made them, from the tables that hold them."""

import heapq
import operator
from collections.abc import Iterator

from mobandits.errors import DamagedError, LogError
from mobandits.logs.events import Event
from mobandits.logs.store.content import SELECT_COMPLETE, AgentLog
from mobandits.logs.store.rows import (
    by_lesson,
    change_event,
    decision_event,
    event_rows,
    reward_event,
)

Numbered = tuple[int, Event]
BLOCK = 2000  # events: with 50 arms of 20 features, 16 MB


def events_between(log: AgentLog, after: int, last: int) -> Iterator[Event]:
    """The events of an agent with after < seq <= last, in order; none may be missing.

    Args:
        log: of the agent.
        after: the seq of the last event that is not wanted.
        last: the seq of the last one that is.

    Raises:
        LogError: where one is damaged or missing, or where events after `after` were deleted.
    """
    # Some may have been deleted since the agent was looked at.
    (complete_after,) = log.rows(SELECT_COMPLETE).fetchone()
    if after < complete_after:
        raise LogError(
            f"{log.source} has no longer all of its first {complete_after} events, which were "
            "exported: begin after them, with a snapshot; or teach a new agent the archives, and "
            "then the store, by learn_log"
        )
    expected = after
    for seq, event in numbered_events(log, after, last):
        expected += 1
        if seq != expected:
            raise missing(log.source, expected)
        yield event
    if expected < last:
        raise missing(log.source, expected + 1)


def numbered_events(log: AgentLog, after: int, last: int) -> Iterator[Numbered]:
    """(seq, event) of what is there of an agent's events; arguments as `events_between`.

    Raises:
        LogError: where one is damaged.
    """
    source = log.source
    for start in range(after, last, BLOCK):
        rows = event_rows(log.connection, log.agent.id, start, min(start + BLOCK, last))
        streams = (
            ((row[1], decision_event(row, source)) for row in rows.decisions),
            ((lesson[0][0], reward_event(lesson, source)) for lesson in by_lesson(rows.rewards)),
            ((row[0], change_event(row, source)) for row in rows.changes),
        )
        yield from heapq.merge(*streams, key=operator.itemgetter(0))


def missing(source: str, seq: int) -> DamagedError:
    """The error about an event that is not where it must be."""
    return DamagedError(source, f"event {seq} is missing")
