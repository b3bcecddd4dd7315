"""Snapshots of a service's agents, taken while these go on."""

import asyncio
import logging
import time

from mobandits.agent.recording import KEPT_PER_EVENT, StoreWriter
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.hosted_agents import HostedAgents

LOG = logging.getLogger("mobandits.service")
LOOK_SECONDS = 0.5  # between looks at how much the agents have written
LONGEST_SECONDS = 300.0  # that an event waits for a snapshot, however few there are


class Snapshots:
    """Takes a snapshot of an agent when it has written enough since the last one, or some time ago.

    What an agent knows is copied in the loop, which is quick. It is encoded in a thread, and
    written with the next group of calls.

    Args:
        agents: of the service.
        every: events after which a snapshot is taken; a tenth of the decisions that an agent keeps
            where that is more, since writing them takes as long.
    """

    def __init__(self, agents: HostedAgents, every: int) -> None:
        self._agents = agents
        self._every = every
        self._taken_at: dict[str, float] = {}

    async def keep_taking(self) -> None:
        """Take snapshots until this is cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.take_due()

    async def take_due(self) -> None:
        """Take the snapshots that are due."""
        # One after the other: encoding takes time from those who decide.
        for hosted in list(self._agents):
            if hosted.is_ready and self.is_due(hosted):
                await self.take(hosted)

    def is_due(self, hosted: HostedAgent) -> bool:
        """Whether an agent that is ready needs a snapshot."""
        now = time.monotonic()
        taken_at = self._taken_at.setdefault(hosted.name, now)
        core = hosted.agent.core
        writer = core.writer
        events = writer.events_since_snapshot() if isinstance(writer, StoreWriter) else 0
        kept = len(core.pending.open) + len(core.pending.settled)
        enough = max(self._every, kept // KEPT_PER_EVENT)
        is_old = now - taken_at >= LONGEST_SECONDS

        return events >= enough or (is_old and events > 0)

    async def take(self, hosted: HostedAgent) -> None:
        """Take a snapshot of an agent now; one that fails is taken again later."""
        self._taken_at[hosted.name] = time.monotonic()
        try:
            core = hosted.agent.core
            writer = core.writer
            assert isinstance(writer, StoreWriter)  # noqa: S101 - agents of a service have one
            with core.lock:
                copied = writer.copy_for_snapshot(core)

            await asyncio.to_thread(writer.keep_snapshot, copied)
        except Exception as error:  # noqa: BLE001 - the agent goes on, and nothing is lost
            LOG.warning("agent %s has no new snapshot: %s", hosted.name, error)
