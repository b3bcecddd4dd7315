"""A store as Feedback, a chunk at a time, while it may be written."""

from collections.abc import Iterator
from pathlib import Path

from mobandits.logs.address import Place
from mobandits.logs.feedback import Feedback
from mobandits.logs.join import Tables, joined
from mobandits.logs.store.connection import reading, warn_of_loss
from mobandits.logs.store.content import AgentLog, log_of
from mobandits.logs.store.frames import frames


def scan_store(path: Place, *, chunk: int, agent: str | None = None) -> Iterator[Feedback]:
    """The decisions of an agent with their rewards, as they were when reading began.

    Args:
        path: of the store, or the address of its database.
        chunk: decisions at a time, at most.
        agent: whose; None where the store has one only.

    Raises:
        LogError: naming the store and what is wrong; on the way, where it is met there, also where
            events are deleted meanwhile.
    """
    if isinstance(path, Path):
        warn_of_loss(path)
    with reading(path, in_slices=True) as connection:
        log = log_of(connection, agent, str(path))
        yield from feedback_of(log, lambda: frames(log), chunk)


def feedback_of(log: AgentLog, tables: Tables, chunk: int) -> Iterator[Feedback]:
    """The decisions in tables of an agent's events, with their rewards.

    Args:
        log: of the agent.
        tables: makes an iterator of them, twice the same.
        chunk: decisions at a time, at most.
    """
    agent = log.agent
    return joined(tables, agent.description, agent.events, log.source, chunk=chunk)
