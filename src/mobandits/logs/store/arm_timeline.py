"""Timelines of a store: its arms, and the times at which decisions were activated or abandoned."""

import math
from array import array
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.logs.arm_registry import ArmRegistry, first_arms
from mobandits.logs.store.content import MOST_SEQ, SELECT_CHANGES_OF_ARMS, AgentLog
from mobandits.logs.store.rows import CHANGE_ROWS, change_event

SELECT_CHANGES_OF_KIND = f"{CHANGE_ROWS} AND kind = ? AND seq <= ? ORDER BY seq"
# Of each table the last time that is known; times of agents never fall.
SELECT_LAST_TIMES = """
SELECT (SELECT at FROM decisions WHERE agent = :agent AND at IS NOT NULL ORDER BY seq DESC LIMIT 1),
    (SELECT at FROM rewards WHERE agent = :agent AND at IS NOT NULL ORDER BY seq DESC LIMIT 1),
    (SELECT at FROM changes WHERE agent = :agent AND at IS NOT NULL ORDER BY seq DESC LIMIT 1)
"""


class DecisionTimes(NamedTuple):
    """Times at which something happened to some decisions, 16 bytes for each of these.

    Attributes:
        ids: of the decisions, ascending.
        times: when, in seconds; NaN where that is not known.
    """

    ids: IntArray
    times: Array

    def of(self, ids: IntArray, unknown: float = 0.0) -> Array:
        """(decisions,) when it happened to these, infinite where it did not.

        Args:
            ids: of the decisions.
            unknown: the time where it is not known.
        """
        times = np.full(len(ids), np.inf)
        happened = are_in(ids, self.ids)
        places = np.searchsorted(self.ids, ids[happened])
        times[happened] = np.nan_to_num(self.times[places], nan=unknown)

        return times


def are_in(values: IntArray, ids: IntArray) -> Mask:
    """Mask of values that are among sorted ids; a set would need ten times the memory."""
    if not len(ids):
        return np.zeros(len(values), bool)

    places = np.minimum(np.searchsorted(ids, values), len(ids) - 1)
    found: Mask = ids[places] == values

    return found


class ArmHistory(NamedTuple):
    """The arms of an agent over time.

    Attributes:
        names: of all that there ever were, by number.
        seqs: after which events there were others; the first is 0.
        counts: how many there were from then on.
    """

    names: list[object]
    seqs: IntArray
    counts: IntArray

    def present(self, seqs: IntArray) -> IntArray:
        """(events,) how many arms there were at these events."""
        places = np.searchsorted(self.seqs, seqs, side="left") - 1
        counts: IntArray = self.counts[places]
        return counts


def decision_times(log: AgentLog, kind: str, last: int = MOST_SEQ) -> DecisionTimes:
    """Times at which decisions were changed in a way.

    Args:
        log: of the agent.
        kind: of the change, "activate" or "abandon".
        last: the seq of the last change that counts.

    Raises:
        LogError: where a change is damaged.
    """
    ids = array("q")
    times = array("d")
    for row in log.rows(SELECT_CHANGES_OF_KIND, kind, last):
        event = change_event(row, log.source)
        ids.append(event.id)
        times.append(math.nan if event.time is None else event.time)

    unsorted = np.array(ids, np.int64)
    # The first of several moments of a decision comes first, and is the one that is found.
    order = np.argsort(unsorted, kind="stable")

    return DecisionTimes(unsorted[order], np.array(times, np.float64)[order])


def arm_history(log: AgentLog) -> ArmHistory:
    """The arms of an agent over time.

    Raises:
        LogError: where a change is damaged, or cannot be.
    """
    registry: ArmRegistry = first_arms(log.agent.description, log.source)
    seqs = [0]
    counts = [len(registry.present)]
    for row in log.rows(SELECT_CHANGES_OF_ARMS):
        registry.follow(change_event(row, log.source), log.source)
        seqs.append(row[0])
        counts.append(len(registry.present))

    return ArmHistory(list(registry.names), np.array(seqs), np.array(counts))


def last_time(log: AgentLog) -> float | None:
    """Time of the last event whose time is known; None where none is."""
    times = log.connection.execute(SELECT_LAST_TIMES, {"agent": log.agent.id}).fetchone()
    known = [at for at in times if at is not None]
    return max(known, default=None)
