"""Sums of a store's agents over a time, which pages read in place of events."""

from collections.abc import Hashable
from typing import NamedTuple

from mobandits.logs.names import name_of
from mobandits.logs.store.rollup import DECISIONS
from mobandits.logs.store.session import Session

ArmNames = dict[int, Hashable]  # {number: name}

SELECT_AGENTS = "SELECT name, id FROM agents"
SELECT_ARMS = "SELECT number, name FROM arms WHERE agent = ? ORDER BY number"
SELECT_SUMS = """
SELECT arm, objective, CAST(sum(n) AS BIGINT), sum(total), sum(squares)
FROM rollup WHERE agent = :agent AND minute >= :first AND minute < :end
GROUP BY 1, 2 ORDER BY 1, 2
"""
SELECT_FIRST_MINUTE = "SELECT min(minute) FROM rollup WHERE agent = ?"
SELECT_UNCOUNTED = """
SELECT a.events - coalesce(r.seq, 0) FROM agents a LEFT JOIN rolled r ON r.agent = a.id
WHERE a.id = ?
"""


class RolledSums(NamedTuple):
    """The sums of one arm and objective in one stretch of time.

    Attributes:
        place: of the stretch, from 0.
        arm: its number.
        objective: its name; None: of the decisions.
        n: how many decisions or rewards.
        total: of the rewards; of decisions: their propensities, as far as known.
        squares: likewise, of the squares.
    """

    place: int
    arm: int
    objective: Hashable | None
    n: int
    total: float
    squares: float


def agent_numbers(connection: Session) -> dict[str, int]:
    """{name: number} of the agents of a store."""
    return dict(connection.execute(SELECT_AGENTS))


def arm_names(connection: Session, agent: int) -> ArmNames:
    """{number: name} of all arms that an agent ever had."""
    return {number: name_of(text) for number, text in connection.execute(SELECT_ARMS, (agent,))}


def sums_between(
    connection: Session, agent: int, first: int, end: int, width: int
) -> list[RolledSums]:
    """The sums of an agent over stretches of time, in order.

    Args:
        connection: to the store.
        agent: its number.
        first: the minute since 1970 at which the first stretch begins.
        end: the minute before which the last one ends.
        width: of a stretch, in minutes.
    """
    sums = []
    # A query for each: to sort all minutes of a month by stretch takes longer than to read them.
    for place, start in enumerate(range(first, end, width)):
        between = {"agent": agent, "first": start, "end": min(start + width, end)}
        for arm, objective, n, total, squares in connection.execute(SELECT_SUMS, between):
            name = None if objective == DECISIONS else name_of(objective)
            sums.append(RolledSums(place, arm, name, n, total, squares))

    return sums


def first_minute(connection: Session, agent: int) -> int | None:
    """The first minute in which an agent has an event; None where it has none."""
    found = connection.execute(SELECT_FIRST_MINUTE, (agent,)).fetchone()
    minute: int | None = found[0]

    return minute


def uncounted_events(connection: Session, agent: int) -> int:
    """Number of events of an agent that the sums do not have yet."""
    found = connection.execute(SELECT_UNCOUNTED, (agent,)).fetchone()
    return int(found[0])
