"""The events of an agent in the order in which it made them, from the tables that hold them."""

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mobandits.errors import DamagedError, LogError
from mobandits.logs.store.rows import (
    SELECT_CHANGES,
    SELECT_DECISIONS,
    SELECT_REWARDS,
    Event,
    Row,
    change_event,
    decision_event,
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
        parameters = (agent, start, min(start + BLOCK, last))
        # All of a block at once: a query that is not done holds a state of the store.
        decisions = connection.execute(SELECT_DECISIONS, parameters).fetchall()
        rewards = connection.execute(SELECT_REWARDS, parameters).fetchall()
        changes = connection.execute(SELECT_CHANGES, parameters).fetchall()
        streams = (
            _of_single_rows(decisions, 1, decision_event, source),
            _of_lessons(rewards, source),
            _of_single_rows(changes, 0, change_event, source),
        )
        try:
            yield from heapq.merge(*streams, key=_seq)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, LogError):
                raise
            raise DamagedError(source, "an event cannot be read") from error


def missing(source: str, seq: int) -> DamagedError:
    """The error about an event that is not where it must be."""
    return DamagedError(source, f"event {seq} is missing")


def _of_single_rows(
    rows: Iterable[Row], column: int, event_of: Callable[[Row, str], Event], source: str
) -> Iterator[Numbered]:
    for row in rows:
        yield row[column], event_of(row, source)


def _of_lessons(rows: Iterable[Row], source: str) -> Iterator[Numbered]:
    for seq, lesson in itertools.groupby(rows, key=_seq):
        yield seq, reward_event(list(lesson), source)


def _seq(row: Sequence[Any]) -> int:
    seq: int = row[0]
    return seq
