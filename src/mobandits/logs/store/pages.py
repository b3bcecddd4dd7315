"""Pages of an agent's decisions in the order in which it made them, each from where one ended.

A page begins after a number, and not after so many rows: it costs the same wherever it is, and
decisions that are made meanwhile shift nothing.
"""

import bisect
import itertools
import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from mobandits.logs.store.content import AgentLog
from mobandits.logs.store.lookup import (
    MOST_AT_ONCE,
    RecordedDecision,
    recorded_decisions,
)
from mobandits.support.numbering import is_of_worker, range_of

# An index leads to the first one, and gives the order.
SELECT_IDS = "SELECT id, seq FROM decisions WHERE agent = ?"
# Where a page begins. A decision that was deleted had its place after those before it in its range.
LAST_UP_TO = """
SELECT seq FROM decisions WHERE agent = ? AND id >= ? AND id <= ? ORDER BY id DESC LIMIT 1
"""
FIRST_FROM = """
SELECT seq FROM decisions WHERE agent = ? AND id >= ? AND id < ? ORDER BY id LIMIT 1
"""
SELECT_ACTIVATIONS = """
SELECT body FROM changes WHERE agent = ? AND seq > ? AND kind = 'activate'
"""

Status = Literal["waiting", "settled"]


class PageWanted(NamedTuple):
    """Selection of the decisions of a page.

    Attributes:
        limit: how many, at most.
        after: the number of the decision that it begins after, in its order; None: at the start.
        newest: whether the newest come first.
        arm: the number of the arm that was played; None: any.
        made_by: "us" or "observed"; None: both.
        status: "waiting" or "settled"; None: both.
        number: of the only decision that is wanted; None: any.
    """

    limit: int
    after: int | None = None
    newest: bool = False
    arm: int | None = None
    made_by: str | None = None
    status: Status | None = None
    number: int | None = None


class Page(NamedTuple):
    """Some decisions with their rewards.

    Attributes:
        decisions: in the order that was asked for.
        activated: the numbers of those that were inactive first, and of which the log says that
            they took effect.
        next: the number after which the next page begins; None: this one is the last.
    """

    decisions: list[RecordedDecision]
    activated: frozenset[int]
    next: int | None


def page_of(log: AgentLog, wanted: PageWanted, waiting: Collection[int]) -> Page:
    """A page of an agent's decisions.

    Args:
        log: of the agent, whose connection is in one transaction.
        wanted: which decisions.
        waiting: the numbers of those that wait for rewards, which the agent knows, in its order.

    Raises:
        LogError: where one is damaged.
    """
    # One more than the page has: it tells whether there is a next one.
    numbers = list(itertools.islice(_numbers(log, wanted, waiting), wanted.limit + 1))
    shown = numbers[: wanted.limit]
    decisions = recorded_decisions(log, shown)
    is_last = len(numbers) == len(shown)

    return Page(decisions, _activated(log, decisions), None if is_last else shown[-1])


def _numbers(log: AgentLog, wanted: PageWanted, waiting: Collection[int]) -> Iterator[int]:
    """The numbers of decisions that are wanted, in order, and of those after the page."""
    bound = _bound(log, wanted)
    among = _among(wanted, waiting)
    if among is not None:
        for start in range(0, len(among), MOST_AT_ONCE):
            some = among[start : start + MOST_AT_ONCE]
            for number, _ in _found(log, wanted, bound, MOST_AT_ONCE, some):
                yield number
        return

    count = wanted.limit + 1
    if wanted.status is not None:
        count = max(count, MOST_AT_ONCE)
    while True:
        found = _found(log, wanted, bound, count)
        for number, _ in found:
            if wanted.status is None or number not in waiting:
                yield number
        if len(found) < count:
            return
        _, bound = found[-1]


def _among(wanted: PageWanted, waiting: Collection[int]) -> Sequence[int] | None:
    """The only numbers that a page may have; None: any."""
    if wanted.number is not None:
        return [wanted.number]
    if wanted.status == "waiting":
        # There may be few of them among millions, so that the others are not even looked at.
        return _from(list(waiting), wanted)

    return None


def _from(numbers: Sequence[int], wanted: PageWanted) -> Sequence[int]:
    """Those of the agent's numbers that come after where a page begins, in its order.

    Where workers made some of them, these are all of them: nothing follows from their numbers.
    """
    in_order = numbers[::-1] if wanted.newest else numbers
    if wanted.after is None or any(is_of_worker(number) for number in numbers):
        return in_order
    if wanted.newest:
        end = bisect.bisect_left(numbers, wanted.after)
        return numbers[:end][::-1]

    start = bisect.bisect_right(numbers, wanted.after)

    return numbers[start:]


def _bound(log: AgentLog, wanted: PageWanted) -> int | None:
    """The seq that a page begins after, in its order; None: at the start."""
    after = wanted.after
    if after is None:
        return None

    first, end = range_of(after)
    if wanted.newest:
        row = log.rows(FIRST_FROM, after, end).fetchone()
    else:
        row = log.rows(LAST_UP_TO, first, after).fetchone()

    return None if row is None else int(row[0])


def _found(
    log: AgentLog,
    wanted: PageWanted,
    bound: int | None,
    count: int,
    among: Sequence[int] | None = None,
) -> list[tuple[int, int]]:
    """(number, seq) of the next decisions that a page may have, so many at most; or of some."""
    query = SELECT_IDS
    values: list[Any] = []
    side = "<" if wanted.newest else ">"
    conditions = {f"seq {side}": bound, "arm =": wanted.arm, "made_by =": wanted.made_by}
    for condition, value in conditions.items():
        if value is not None:
            query += f" AND {condition} ?"
            values.append(value)
    if among is not None:
        places = ", ".join("?" * len(among))
        query += f" AND id IN ({places})"
        values += among

    query += " ORDER BY seq DESC LIMIT ?" if wanted.newest else " ORDER BY seq LIMIT ?"
    found: list[tuple[int, int]] = log.rows(query, *values, count).fetchall()

    return found


def _activated(log: AgentLog, decisions: Sequence[RecordedDecision]) -> frozenset[int]:
    """Decisions that were inactive first and took effect, as far as the log says so."""
    inactive = {found.event.id: found for found in decisions if not found.event.active}
    # Who rewards a decision has seen that it took effect.
    activated = {number for number, found in inactive.items() if found.rewards}
    unsure = [found.seq for number, found in inactive.items() if number not in activated]
    if unsure:
        # Changes have no index by decision: one pass, and only where it is needed.
        for (body,) in log.rows(SELECT_ACTIVATIONS, min(unsure)):
            activated.add(json.loads(body).get("id"))

    return frozenset(activated & inactive.keys())
