"""States of agents that a learner publishes, and the fences behind which workers decide from them.

Arms come and go by calls of the learner. A decision must be taken in among the arms that it was
made among, so the learner sets a fence before: decisions from states behind an earlier fence do not
join the inbox any more. It takes in those that did, changes the arms, and publishes the agent
behind the new fence.
"""

import time
from collections.abc import Iterable
from typing import NamedTuple

from mobandits.logs.names import name_of
from mobandits.logs.store.rows import Statement
from mobandits.logs.store.schema import APPLICATION_ID
from mobandits_service.postgres.connection import PostgresConnection

CHANNEL = "mobandits_published"
NOTIFY = "SELECT pg_notify(?, '')"
# Shared by a worker until its transaction ends, and taken for the moment in which a fence is set:
# afterwards no transaction is open that has not seen it.
LOCK_FENCE = "SELECT pg_advisory_xact_lock(?::int, ?::int)"
LOCK_PATIENCE = "SET LOCAL lock_timeout = '5s'"
SHARE_FENCES = """
SELECT pg_advisory_xact_lock_shared(?::int, agent) FROM unnest(?::int[]) AS agent
"""
FIRST_FENCE = "INSERT INTO fences VALUES (?, 0) ON CONFLICT DO NOTHING"
SELECT_FENCE = "SELECT fence FROM fences WHERE agent = ?"
SET_FENCE = """
UPDATE fences SET fence = fence + 1 FROM learner
WHERE agent = ? AND learner.epoch = ? RETURNING fence
"""
# As of `inbox.PUT_APPLIED`, a learner that was replaced has no epoch any more.
PUBLISH = """
INSERT INTO published VALUES (?, (SELECT epoch FROM learner WHERE epoch = ?), ?, ?, ?)
ON CONFLICT (agent) DO UPDATE SET epoch = excluded.epoch, position = excluded.position,
    fence = excluded.fence, state = excluded.state
"""
WITHDRAW_OTHERS = "DELETE FROM published WHERE NOT agent = ANY(?::bigint[])"
SELECT_VERSIONS = """
SELECT agents.name, agent, epoch, position, fence FROM published JOIN agents ON agents.id = agent
"""
SELECT_STATE = "SELECT epoch, position, fence, state FROM published WHERE agent = ?"
SELECT_ARMS = "SELECT name FROM arms WHERE agent = ? ORDER BY number"
SELECT_LEARNER = "SELECT host, url FROM learner"
INSERT_WORKER = """
INSERT INTO workers (host, process, since) VALUES (?, ?, ?) RETURNING incarnation
"""


class Version(NamedTuple):
    """Version of an agent's published state.

    Attributes:
        epoch: of the learner.
        position: the last event that it knows.
        fence: that it is behind.
    """

    epoch: int
    position: int
    fence: int


class Publication(NamedTuple):
    """State that a worker decides from.

    Attributes:
        version: which one it is.
        state: of the agent, without decisions that wait.
        arms: all names that there ever were, by number.
    """

    version: Version
    state: bytes
    arms: list[object]


class LearnerPlace(NamedTuple):
    """Place of a learner.

    Attributes:
        host: the name of its machine.
        url: where it serves there; None: nowhere.
    """

    host: str
    url: str | None


# --- the learner


def published(agent: int, version: Version, state: bytes) -> Statement:
    """Statement that publishes a state."""
    return PUBLISH, (agent, version.epoch, version.position, version.fence, state)


def only_published(agents: Iterable[int]) -> Statement:
    """Statement that leaves nothing published but for some agents."""
    return WITHDRAW_OTHERS, (list(agents),)


def present_fence(connection: PostgresConnection, agent: int) -> int:
    """The fence of an agent, the first one where it has none."""
    connection.execute(FIRST_FENCE, (agent,))
    return int(connection.value(SELECT_FENCE, agent))


def set_fence(connection: PostgresConnection, agent: int, epoch: int) -> int | None:
    """Set a new fence, and wait until no transaction is open that began before it.

    Args:
        connection: outside of a transaction.
        agent: its number.
        epoch: of the learner.

    Returns:
        its number; None where there is another learner by now.
    """
    connection.execute(FIRST_FENCE, (agent,))
    with connection.session.transaction():
        connection.execute(LOCK_PATIENCE)
        connection.execute(LOCK_FENCE, (APPLICATION_ID, agent))
        row = connection.execute(SET_FENCE, (agent, epoch)).fetchone()

    return None if row is None else int(row[0])


def notify(connection: PostgresConnection) -> None:
    """Have workers look; in a transaction of its own, since it takes a lock of the database."""
    connection.execute(NOTIFY, (CHANNEL,))


# --- workers


def new_incarnation(connection: PostgresConnection, host: str, process: int) -> int:
    """The number of a worker that starts, or connects anew; no other ever has it."""
    return int(connection.value(INSERT_WORKER, host, process, time.time()))


def published_versions(connection: PostgresConnection) -> dict[str, tuple[int, Version]]:
    """{name: (number, version)} of all agents that are published."""
    rows = connection.execute(SELECT_VERSIONS)
    return {name: (agent, Version(*version)) for name, agent, *version in rows}


def publication_of(connection: PostgresConnection, agent: int) -> Publication | None:
    """Publication of an agent by now; None: there is none any more."""
    row = connection.execute(SELECT_STATE, (agent,)).fetchone()
    if row is None:
        return None

    *version, state = row
    # Read afterwards: arms are never taken off the list, so that a longer one does no harm.
    arms = [name_of(text) for (text,) in connection.execute(SELECT_ARMS, (agent,))]

    return Publication(Version(*version), state, arms)


def learner_place(connection: PostgresConnection) -> LearnerPlace | None:
    """Place of the learner; None where there never was one."""
    row = connection.execute(SELECT_LEARNER).fetchone()
    return None if row is None else LearnerPlace(*row)
