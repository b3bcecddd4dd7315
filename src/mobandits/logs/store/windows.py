"""Windows of a store's decisions: so many each, or those of a day or an hour."""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

from mobandits.errors import LogError
from mobandits.logs.store.content import AgentLog

COUNT = "SELECT count(*) FROM decisions WHERE agent = ?"
# The key of the last decision of a window: SQLite counts in its index, and reads no decision.
SELECT_SEQ = """
SELECT seq FROM decisions WHERE agent = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ?
"""
SELECT_TIMES = "SELECT seq, at FROM decisions WHERE agent = ? ORDER BY seq"


class Window(NamedTuple):
    """Consecutive decisions.

    Attributes:
        after: they are those with after < seq <= last.
        last: the seq of the last one.
        first: the number of the first one among all decisions of the store, from 1.
        decisions: how many there are.
    """

    after: int
    last: int
    first: int
    decisions: int


def decision_count(log: AgentLog) -> int:
    """Number of decisions of an agent in a store."""
    (count,) = log.rows(COUNT).fetchone()
    return int(count)


def windows_by_count(log: AgentLog, size: int) -> Iterator[Window]:
    """Windows of `size` decisions each; the last one may have fewer.

    Args:
        log: of the agent.
        size: at least 1.
    """
    total = decision_count(log)
    after = 0
    for first in range(0, total, size):
        count = min(size, total - first)
        (last,) = log.rows(SELECT_SEQ, after, count - 1).fetchone()
        yield Window(after, last, first + 1, count)
        after = last


def windows_by_period(log: AgentLog, seconds: float) -> Iterator[Window]:
    """Windows of one period each, counted from 1970; periods without a decision have none.

    Args:
        log: of the agent.
        seconds: of a period.

    Raises:
        LogError: where a decision has no time, or an earlier one than the decision before.
    """

    def period_of(row: tuple[int, float | None]) -> int:
        seq, at = row
        if at is None:
            raise LogError(f"{log.source}: event {seq} must have a time, to be put into a period")
        return math.floor(at / seconds)

    rows = log.rows(SELECT_TIMES)
    after = 0
    first = 1
    previous = None
    for period, group in itertools.groupby(rows, key=period_of):
        if previous is not None and period < previous:
            raise LogError(
                f"{log.source}: times of decisions must not fall, to be put into periods; they do soon "
                f"after event {after}"
            )

        count = 0
        last = after
        for seq, _ in group:
            last = seq
            count += 1

        yield Window(after, last, first, count)
        after = last
        first += count
        previous = period
