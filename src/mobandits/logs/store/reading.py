"""A store as Feedback, a chunk at a time, while it may be written."""

from collections.abc import Iterator
from pathlib import Path

from mobandits.logs.address import Place
from mobandits.logs.arm_registry import first_arms
from mobandits.logs.feedback import Feedback
from mobandits.logs.join import Tables, joined
from mobandits.logs.log_description import LogDescription
from mobandits.logs.store.connection import reading, warn_of_loss
from mobandits.logs.store.content import AgentRow, only_agent
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
        source = str(path)
        row = only_agent(connection, agent, source)
        yield from feedback_of(row, lambda: frames(connection, row, source), path, chunk)


def feedback_of(agent: AgentRow, tables: Tables, path: Place, chunk: int) -> Iterator[Feedback]:
    """The decisions in tables of an agent's events, with their rewards.

    Args:
        agent: whose.
        tables: makes an iterator of them, twice the same.
        path: what errors call the store.
        chunk: decisions at a time, at most.
    """
    description = LogDescription.of(agent.description, path)
    first = first_arms(agent.description, path)
    return joined(tables, first.copy, description, agent.events, path, chunk=chunk, alone=False)
