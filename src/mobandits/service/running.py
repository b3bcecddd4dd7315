"""A service that runs: its file, its agents, and who waits for the disk."""

import asyncio
import logging
import threading

from mobandits.logs.store import SharedStore
from mobandits.service.addresses import is_loopback
from mobandits.service.authorisation import Authorisation
from mobandits.service.compiling import compile_in_child, load_compiled
from mobandits.service.hosted_agents import HostedAgents
from mobandits.service.settlements import Settlements
from mobandits.service.specification import ServiceSpecification
from mobandits.service.telemetry import Telemetry

LOG = logging.getLogger("mobandits.service")
RETRY_SECONDS = 1.0  # between attempts to open an agent whose events could not be written


class Running:
    """The parts of a service that runs.

    Args:
        specification: of the service.
        file: of its decisions, which it closes in the end.

    Attributes:
        file: as given.
        agents: of the service.
        settlements: of the file.
        telemetry: of the service.
        authorisation: of requests.
        specification: as given.
    """

    def __init__(self, specification: ServiceSpecification, file: SharedStore) -> None:
        self.file = file
        self.agents = HostedAgents(specification, file)
        self.settlements = Settlements(file)
        self.telemetry = Telemetry(self.agents, file)
        self.authorisation = Authorisation(
            file,
            is_open=is_loopback(specification.host),
            rate=specification.requests_per_second,
        )
        self.specification = specification
        self._looking_after = threading.Lock()
        self._is_stopped = False
        self._stands_by: str | None = None

    async def start(self) -> None:
        """Compile what the agents play, and open them; requests are answered meanwhile."""
        try:
            # In a process of its own: to compile takes seconds, in which this one must answer.
            await asyncio.to_thread(compile_in_child, self.specification)
            await asyncio.to_thread(load_compiled, self.specification)
        except Exception:
            # The agents are opened all the same: the one at fault says so in its status.
            LOG.exception("what the agents play could not be compiled ahead")

        await asyncio.to_thread(self.look_after)

    async def keep_ready(self) -> None:
        """Start, and look after the agents, until it is cancelled."""
        await self.start()
        while True:
            await asyncio.sleep(RETRY_SECONDS)
            await asyncio.to_thread(self.look_after)

    def look_after(self) -> None:
        """Open the agents that are not open, where this process holds the store; else close them.

        Called by one thread at a time, beside the event loop: to hold a store takes a network, and
        to open an agent takes a log.
        """
        with self._looking_after:
            if self._is_stopped:
                return

            reason = self.file.hold()
            if reason != self._stands_by:
                LOG.warning("%s", reason or f"this process holds {self.file.path}")
                self._stands_by = reason
            if reason is not None:
                self.agents.stand_by(reason)
            elif not self.agents.all_ready():
                self.agents.open()

    def stop(self) -> None:
        """Close the agents, each with a snapshot, and the file."""
        # Whoever opens agents just now would open one that nobody closes.
        with self._looking_after:
            self._is_stopped = True
            self.agents.close()
            self.file.close()
