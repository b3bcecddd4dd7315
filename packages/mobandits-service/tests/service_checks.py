"""What tests of services share: to wait for something, and to compare an agent with its log."""

import time

from services import PATIENCE, ROUTER, specification

from mobandits.logs.store import Store, open_shared
from mobandits.logs.store.connection import reading

LOOK_SECONDS = 0.02
LAST_SNAPSHOT = "SELECT seq, state FROM snapshots ORDER BY seq DESC LIMIT 1"


def nothing():
    """No look."""


def wait_for(found, look=nothing, tell=nothing):
    """What a function returns, once it is true; in between, `look` may fail.

    Where it never is, the failure has what `tell` returns.
    """
    until = time.monotonic() + PATIENCE
    while True:
        value = found()
        if value:
            return value
        assert time.monotonic() < until, f"it did not come: {tell()}"
        look()
        time.sleep(LOOK_SECONDS)


def check_replay(address, postgres, router=ROUTER):
    """The state that a process left in a database is that of its log, from the start."""
    with reading(address) as connection:
        seq, left = connection.execute(LAST_SNAPSHOT).fetchone()
        (events,) = connection.execute("SELECT events FROM agents").fetchone()
    assert seq == events

    from_snapshot, _ = reopened(address, router)
    assert from_snapshot == left

    postgres.execute("DELETE FROM snapshots", str(address).rpartition("/")[2])
    from_start, replayed = reopened(address, router)
    assert replayed > 0
    assert from_start == left


def reopened(address, router):
    """The state of an agent that is opened on its log, and how many events were replayed."""
    shared = open_shared(address, "system")
    assert shared.hold() is None
    with shared:
        agent = (
            specification(router=router).agents["router"].agent(log=Store(shared, agent="router"))
        )
        state = agent.to_bytes()
        replayed = agent.core.writer.replayed
        agent.close()
    return state, replayed
