"""Windows of a store's decisions: so many each, or those of a day or an hour."""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

from mobandits.errors import LogError
from mobandits.logs.store.session import Session

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


def decision_count(connection: Session, agent: int) -> int:
    """Number of decisions of an agent in a store."""
    (count,) = connection.execute(COUNT, (agent,)).fetchone()
    return int(count)


def windows_by_count(connection: Session, agent: int, size: int) -> Iterator[Window]:
    """Windows of `size` decisions each; the last one may have fewer.

    Args:
        connection: to the store.
        agent: its number there.
        size: at least 1.
    """
    total = decision_count(connection, agent)
    after = 0
    for first in range(0, total, size):
        count = min(size, total - first)
        (last,) = connection.execute(SELECT_SEQ, (agent, after, count - 1)).fetchone()
        yield Window(after, last, first + 1, count)
        after = last


def windows_by_period(
    connection: Session, agent: int, seconds: float, source: str
) -> Iterator[Window]:
    """Windows of one period each, counted from 1970; periods without a decision have none.

    Args:
        connection: to the store.
        agent: its number there.
        seconds: of a period.
        source: what errors call the store.

    Raises:
        LogError: where a decision has no time, or an earlier one than the decision before.
    """

    def period_of(row: tuple[int, float | None]) -> int:
        seq, at = row
        if at is None:
            raise LogError(f"{source}: event {seq} must have a time, to be put into a period")
        return math.floor(at / seconds)

    rows = connection.execute(SELECT_TIMES, (agent,))
    after = 0
    first = 1
    previous = None
    for period, group in itertools.groupby(rows, key=period_of):
        if previous is not None and period < previous:
            raise LogError(
                f"{source}: times of decisions must not fall, to be put into periods; they do soon "
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
