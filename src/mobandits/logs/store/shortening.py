"""Which decisions of a store may be archived and deleted, and their deletion beside a writer."""

import contextlib
import math
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import IntArray
from mobandits.errors import LogError
from mobandits.logs.store.connection import connect, explained
from mobandits.logs.store.content import AgentRow, sound_snapshots
from mobandits.logs.store.ownership import claim

GROUP = 500  # decisions deleted at a time: a writer waits for a few milliseconds

# Without the + SQLite would look for seq through all rewards in their order.
SELECT_DECISIONS = """
SELECT d.id, d.seq, d.at,
    (SELECT count(*) FROM rewards r WHERE r.agent = d.agent AND r.decision = d.id),
    (SELECT max(+r.seq) FROM rewards r WHERE r.agent = d.agent AND r.decision = d.id)
FROM decisions d WHERE d.agent = ? ORDER BY d.seq
"""
SELECT_LAST_TIME = """
SELECT at FROM decisions WHERE agent = ? AND at IS NOT NULL ORDER BY seq DESC LIMIT 1
"""
# A decision that was rewarded after it was chosen stays: that reward is in no archive.
DELETE_REWARDS = """
DELETE FROM rewards WHERE agent = ?1 AND decision = ?2 AND NOT EXISTS
    (SELECT 1 FROM rewards r WHERE r.agent = ?1 AND r.decision = ?2 AND +r.seq > ?3)
"""
DELETE_DECISION = """
DELETE FROM decisions WHERE agent = ?1 AND id = ?2 AND NOT EXISTS
    (SELECT 1 FROM rewards r WHERE r.agent = ?1 AND r.decision = ?2)
"""
UPDATE_COMPLETE = "UPDATE agents SET complete_after = max(complete_after, ?) WHERE id = ?"


class Chosen(NamedTuple):
    """The decisions that are exported.

    Attributes:
        ids: of them, sorted.
        last: the seq of the last event that goes with them.
    """

    ids: IntArray
    last: int


def decisions_before(connection: sqlite3.Connection, agent: AgentRow, limit: float) -> Chosen:
    """The decisions before a time, in seconds since 1970; all of them where it is infinite."""
    ids = array("q")
    last = 0
    for number, seq, at, _, last_reward in connection.execute(SELECT_DECISIONS, (agent.id,)):
        if _is_before(at, limit):
            ids.append(number)
            last = max(last, seq, last_reward or 0)
    if limit == math.inf:
        last = agent.events  # changes after the last decision too
    return Chosen(_sorted(ids), last)


def settled_before(
    connection: sqlite3.Connection, agent: AgentRow, limit: float, source: str
) -> Chosen:
    """The decisions before a time that are settled, and that the last snapshot knows.

    Raises:
        LogError: where there is no snapshot, or where one of them is newer than it.
    """
    newest = next(sound_snapshots(connection, agent.id), None)
    known = 0 if newest is None else newest.seq
    advice = "save one first, with agent.checkpoint() or Store.snapshot"
    if newest is None:
        raise LogError(f"{source} must have a snapshot before anything is deleted: {advice}")
    waiting = _Waiting(connection, agent)
    ids = array("q")
    last = 0
    for number, seq, at, rewards, last_reward in connection.execute(SELECT_DECISIONS, (agent.id,)):
        if not _is_before(at, limit):
            continue
        if seq > known:
            if limit == math.inf:
                break
            raise LogError(
                f"{source} has decisions before that time which its last snapshot does not know: "
                f"{advice}"
            )
        # A reward that the snapshot does not know is replayed when the store is opened.
        end = max(seq, last_reward or 0)
        if end <= known and not waiting.waits(rewards, at):
            ids.append(number)
            last = max(last, end)
    return Chosen(_sorted(ids), last)


def delete_decisions(path: Path, agent: AgentRow, chosen: Chosen) -> None:
    """Delete decisions with their rewards, some at a time: another process may write meanwhile.

    Raises:
        LogError: where the store cannot be written to.
    """
    connection = connect(path, synchronous="FULL")
    try:
        with explained(path):
            for start in range(0, len(chosen.ids), GROUP):
                group = chosen.ids[start : start + GROUP].tolist()
                _delete_group(connection, agent, group, chosen.last)
        _give_back_space(connection, path)
    finally:
        connection.close()


def _delete_group(
    connection: sqlite3.Connection, agent: AgentRow, ids: Sequence[int], last: int
) -> None:
    rows = [(agent.id, number, last) for number in ids]
    pairs = [(agent.id, number) for number in ids]
    connection.execute("BEGIN IMMEDIATE")
    try:
        # In the first group already: from then on there are gaps up to the last event of all.
        connection.execute(UPDATE_COMPLETE, (last, agent.id))
        connection.executemany(DELETE_REWARDS, rows)
        connection.executemany(DELETE_DECISION, pairs)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _give_back_space(connection: sqlite3.Connection, path: Path) -> None:
    """Make the file smaller, unless an agent has it open: it would have to wait too long."""
    try:
        owner = claim(path)
    except LogError:
        return
    # Where a reader has it open, or the disk has no room for a copy, the space is used later.
    with owner, contextlib.suppress(sqlite3.Error):
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class _Waiting:
    """Whether decisions still wait for rewards, by what the agent says of itself.

    Where it is not certain, a decision waits: a reward for one that was deleted could not be kept.
    """

    def __init__(self, connection: sqlite3.Connection, agent: AgentRow) -> None:
        description = agent.description
        objectives = description.get("objectives") or ()
        self._objectives = len(objectives)
        # The agent's clock, as far as the store knows it: it may be behind, and never ahead.
        row = connection.execute(SELECT_LAST_TIME, (agent.id,)).fetchone()
        self._now = -math.inf if row is None else row[0]
        self._longest = _number(description.get("max_age"))
        delays = _default_delays(description)
        # Only where defaults stand in for all objectives does a decision settle by itself.
        if delays and len(delays) == self._objectives:
            self._longest = min(self._longest, max(delays))

    def waits(self, rewards: int, at: float | None) -> bool:
        """Whether a decision waits that has so many rewards, and was made at a time."""
        if 0 < self._objectives <= rewards:
            return False
        return at is None or not at + self._longest < self._now


def _default_delays(description: dict[str, Any]) -> list[float]:
    """Seconds until the default of each objective that has one stands in for its reward."""
    defaults = description.get("defaults") or ()
    return [_number(after) for value, after in defaults if value is not None and after is not None]


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.inf


def _is_before(at: float | None, limit: float) -> bool:
    return limit == math.inf or (at is not None and at < limit)


def _sorted(ids: "array[int]") -> IntArray:
    return np.sort(np.frombuffer(ids, np.int64)) if ids else np.empty(0, np.int64)
