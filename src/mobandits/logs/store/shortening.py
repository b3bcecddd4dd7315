"""Which decisions of a store may be archived and deleted, and their deletion beside a writer."""

import contextlib
import math
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import IntArray, Mask
from mobandits.errors import LogError
from mobandits.logs.store.connection import connect, explained
from mobandits.logs.store.content import AgentLog, AgentRow
from mobandits.logs.store.ownership import claim
from mobandits.logs.store.transactions import transaction
from mobandits.logs.store.waiting import decision_table, waiting_decisions

GROUP = 500  # decisions deleted at a time: a writer waits for a few milliseconds

# A decision that was rewarded after it was chosen stays: that reward is in no archive.
DELETE_REWARDS = """
DELETE FROM rewards WHERE agent = :agent AND decision = :decision AND NOT EXISTS
    (SELECT 1 FROM rewards r WHERE r.agent = :agent AND r.decision = :decision AND +r.seq > :last)
"""
DELETE_DECISION = """
DELETE FROM decisions WHERE agent = :agent AND id = :decision AND NOT EXISTS
    (SELECT 1 FROM rewards r WHERE r.agent = :agent AND r.decision = :decision)
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


def decisions_before(log: AgentLog, limit: float) -> Chosen:
    """The decisions before a time, in seconds since 1970; all of them where it is infinite."""
    table = decision_table(log)
    is_before = _are_before(table, limit)
    chosen = _chosen(table, is_before)
    if limit == math.inf:
        return Chosen(chosen.ids, log.agent.events)  # changes after the last decision too
    return chosen


def settled_before(log: AgentLog, limit: float) -> Chosen:
    """The decisions before a time that are settled, and that the last snapshot knows.

    Raises:
        LogError: where there is no snapshot, or where one of them is newer than it.
    """
    newest = next(log.sound_snapshots(), None)
    advice = "save one first, with agent.checkpoint() or Store.snapshot"
    if newest is None:
        raise LogError(f"{log.source} must have a snapshot before anything is deleted: {advice}")

    # The agent goes on: what it did since reading began is not looked at.
    known = min(newest.seq, log.agent.events)
    table, waits = waiting_decisions(log, known)
    is_before = _are_before(table, limit)
    is_unknown = is_before & (table["seq"] > newest.seq)
    if limit < math.inf and is_unknown.any():
        raise LogError(
            f"{log.source} has decisions before that time which its last snapshot does not know: "
            f"{advice}"
        )

    # A reward that the snapshot does not know is replayed when the store is opened.
    is_known = _ends(table) <= newest.seq

    return _chosen(table, is_before & is_known & ~waits)


def _are_before(table: Any, limit: float) -> Mask:
    """Which decisions were made before a time; without a limit, those of no known time too."""
    before: Mask = (table["time"] < limit) | (limit == math.inf)
    return before


def _ends(table: Any) -> IntArray:
    """(decisions,) the seq of the last event of each, which is itself or a reward."""
    last: IntArray = np.maximum(table["seq"], table["reward_seq"])
    return last


def _chosen(table: Any, is_chosen: Mask) -> Chosen:
    last = int(_ends(table)[is_chosen].max(initial=0))
    return Chosen(np.sort(table["id"][is_chosen]), last)


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
                rows = [
                    {"agent": agent.id, "decision": number, "last": chosen.last} for number in group
                ]
                with transaction(connection, "BEGIN IMMEDIATE"):
                    # In the first group already: from then on there are gaps up to the last event.
                    connection.execute(UPDATE_COMPLETE, (chosen.last, agent.id))
                    connection.executemany(DELETE_REWARDS, rows)
                    connection.executemany(DELETE_DECISION, rows)
        _give_back_space(connection, path)
    finally:
        connection.close()


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
