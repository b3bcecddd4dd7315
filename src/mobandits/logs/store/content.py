"""Agents of a store: their descriptions, arms and numbers of events."""

import contextlib
import json
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mobandits.errors import DamagedError, LogError, LogWarning
from mobandits.logs.arm_registry import ArmRegistry, first_arms
from mobandits.logs.events import Decide, Description
from mobandits.logs.names import decoded
from mobandits.logs.store.rows import (
    CHANGE_ROWS,
    DECISION_ROWS,
    Row,
    change_event,
    checksum,
    decision_event,
)
from mobandits.logs.store.session import Session
from mobandits.logs.store.transactions import transaction
from mobandits.support.naming import quoted, shortened
from mobandits.support.numbering import SPAN

SELECT_AGENTS = """
SELECT id, name, description, created, events, complete_after, checksum FROM agents ORDER BY id
"""
SELECT_CHANGES_OF_ARMS = f"{CHANGE_ROWS} AND kind IN ('add', 'remove') ORDER BY seq"
SELECT_LAST_CHANGES = CHANGE_ROWS + " AND seq < ? AND kind IN ({places}) ORDER BY seq DESC LIMIT ?"
SELECT_SNAPSHOTS = "SELECT seq, state, checksum FROM snapshots WHERE agent = ? ORDER BY seq DESC"
LAST_SEQS = """
SELECT (SELECT max(seq) FROM decisions WHERE agent = :agent),
    (SELECT max(seq) FROM rewards WHERE agent = :agent),
    (SELECT max(seq) FROM changes WHERE agent = :agent)
"""
SELECT_CORRECTIONS = f"{CHANGE_ROWS} AND kind = 'correct' AND seq > ? ORDER BY seq"
SELECT_FIRST_CHANGE = f"{CHANGE_ROWS} AND kind = ? AND seq > ? ORDER BY seq LIMIT 1"
SELECT_DECISION_OF_KEY = f"{DECISION_ROWS} AND key = ?"
SELECT_LAST_NUMBER = "SELECT max(id) FROM decisions WHERE agent = ? AND id < ?"
SELECT_SPENT = """
SELECT sum(r.value) FROM decisions d JOIN rewards r ON r.agent = d.agent AND r.decision = d.id
WHERE d.agent = ? AND d.at >= ? AND r.objective = ? AND d.made_by = 'us'
"""
SELECT_COMPLETE = "SELECT complete_after FROM agents WHERE id = ?"

MOST_SEQ = 2**63 - 1  # no event has it


class Snapshot(NamedTuple):
    """The state of an agent after some of its events.

    Attributes:
        seq: the last event that the state knows.
        state: the bytes of `Agent.save`.
    """

    seq: int
    state: bytes


class AgentRow(NamedTuple):
    """An agent of a store.

    Attributes:
        id: its number there.
        name: of the agent.
        description: as it described itself.
        created: when it was made, in seconds since 1970.
        events: the last seq.
        complete_after: of the events up to this seq some were deleted.
    """

    id: int
    name: str
    description: Description
    created: float
    events: int
    complete_after: int


NO_AGENT = AgentRow(0, "", {}, 0.0, 0, 0)  # in the place of one that is new; rows begin with 1


class AgentLog(NamedTuple):
    """The rows of an agent in a store that is open.

    Attributes:
        connection: to the store.
        agent: as it was when reading began.
        source: what errors call the store.
    """

    connection: Session
    agent: AgentRow
    source: str

    def rows(self, query: str, *values: Any) -> Any:
        """Rows of a query whose first value is the agent's number."""
        return self.connection.execute(query, (self.agent.id, *values))

    def first_change(self, kind: str, after: int = 0) -> Any:
        """The first change of a kind after an event; None where there is none.

        Raises:
            LogError: where it is damaged.
        """
        row = self.rows(SELECT_FIRST_CHANGE, kind, after).fetchone()
        return None if row is None else change_event(row, self.source)

    def last_changes(self, kinds: Sequence[str], before: int, limit: int) -> list[Any]:
        """The last changes of some kinds before an event, the newest first.

        Raises:
            LogError: where one is damaged.
        """
        places = ", ".join("?" * len(kinds))
        query = SELECT_LAST_CHANGES.format(places=places)
        rows = self.rows(query, before, *kinds, limit).fetchall()
        return [change_event(row, self.source) for row in rows]

    def corrected_rewards(self, after: int) -> dict[int, dict[Any, float]]:
        """{decision: {objective: value}} of rewards that were corrected after an event.

        Raises:
            LogError: where a correction is damaged.
        """
        corrected: dict[int, dict[Any, float]] = {}
        for row in self.rows(SELECT_CORRECTIONS, after):
            event = change_event(row, self.source)
            corrected.setdefault(event.id, {}).update(event.rewards)

        return corrected

    def arms_after(self, seq: int) -> ArmRegistry:
        """The arms of the agent after an event.

        Raises:
            LogError: where a change of arms is damaged.
        """
        arms = first_arms(self.agent.description, self.source)
        for row in self.rows(SELECT_CHANGES_OF_ARMS).fetchall():
            if row[0] <= seq:
                arms.follow(change_event(row, self.source), self.source)

        return arms

    def sound_snapshots(self) -> Iterator[Snapshot]:
        """The snapshots that are not damaged, the newest first; of others, a warning."""
        for seq, state, check in self.rows(SELECT_SNAPSHOTS).fetchall():
            if check == checksum(seq, blob=state):
                yield Snapshot(seq, state)
            else:
                said = f"the snapshot after event {seq} is damaged, and was passed over"
                warnings.warn(said, LogWarning, stacklevel=3)

    def last_seq(self) -> int:
        """The last seq of the rows; 0 where there are none."""
        seqs = self.connection.execute(LAST_SEQS, {"agent": self.agent.id}).fetchone()
        return max((_whole(seq) for seq in seqs if seq is not None), default=0)

    def next_number(self) -> int:
        """The number after those of the agent's own decisions that are there."""
        (last,) = self.rows(SELECT_LAST_NUMBER, SPAN).fetchone()
        return 0 if last is None else max(_whole(last) + 1, 0)

    @contextlib.contextmanager
    def slice(self) -> Iterator[None]:
        """Queries that see one state of the store, in which the agent's events are as they were.

        Where the connection reads one state all the time, it goes on with that.

        Raises:
            LogError: where events have been deleted since reading began.
        """
        if self.connection.in_transaction:
            yield
            return

        with transaction(self.connection):
            (complete_after,) = self.rows(SELECT_COMPLETE).fetchone()
            if complete_after != self.agent.complete_after:
                raise LogError(f"{self.source} was shortened while it was read: read it again")
            yield


def agent_row(connection: Session, name: str, source: str) -> AgentRow | None:
    """The agent of a name; None where there is none.

    Raises:
        LogError: where it is damaged.
    """
    for row in agent_rows(connection, source):
        if row.name == name:
            return row
    return None


def agent_rows(connection: Session, source: str) -> list[AgentRow]:
    """All agents of a store; errors as `agent_row`."""
    return [made_agent_row(row, source) for row in connection.execute(SELECT_AGENTS)]


def made_agent_row(row: Row, source: str) -> AgentRow:
    """The agent of a row of `SELECT_AGENTS`.

    Raises:
        DamagedError: where it is not as it was written.
    """
    number, name, text, created, events, complete_after, check = row
    if check != checksum(name, text, created):
        raise DamagedError(source, "an agent is not described as it was written")

    description = decoded(json.loads(text))

    return AgentRow(number, name, description, created, _whole(events), _whole(complete_after))


def log_of(connection: Session, name: str | None, source: str) -> AgentLog:
    """The log of the agent of a name; without one, of the only agent of a store.

    Raises:
        LogError: where there is none, or where there are several to choose from.
    """
    rows = agent_rows(connection, source)
    found = [row for row in rows if name is None or row.name == name]
    if len(found) == 1:
        return AgentLog(connection, found[0], source)
    names = [quoted(row.name) for row in rows]
    known = shortened(", ".join(names)) or "none"
    rule = "must have an agent"
    if name is not None:
        rule = f"must have an agent {quoted(name)}"
    elif rows:
        rule = "has several agents: agent must be one of them"
    raise LogError(f"{source} {rule}, got {known}")


def decision_of_key(connection: Session, agent: int, key: str, source: str) -> Decide | None:
    """The decision of a client's key; None where there is none.

    Raises:
        LogError: where it is damaged.
    """
    row = connection.execute(SELECT_DECISION_OF_KEY, (agent, key)).fetchone()
    return None if row is None else decision_event(row, source)


def _whole(value: Any) -> int:
    """A number of an event; in a damaged row a column may hold anything.

    Raises:
        sqlite3.DatabaseError: where it is none.
    """
    if not isinstance(value, int):
        raise sqlite3.DatabaseError(f"the number of an event is {quoted(value)}")
    return value
