"""A service that runs: its file, its agents, and who waits for the disk."""

import asyncio
import logging

from mobandits.logs.store import SharedFile
from mobandits.service.addresses import is_loopback
from mobandits.service.authorisation import Authorisation
from mobandits.service.compiling import compile_in_child, load_compiled
from mobandits.service.exporting import Exports
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
        exports: of the logs.
        specification: as given.
    """

    def __init__(self, specification: ServiceSpecification, file: SharedFile) -> None:
        self.file = file
        self.agents = HostedAgents(specification, file)
        self.settlements = Settlements(file)
        self.telemetry = Telemetry(self.agents, file)
        self.authorisation = Authorisation(
            file,
            is_open=is_loopback(specification.host),
            rate=specification.requests_per_second,
        )
        self.exports = Exports(file.path)
        self.specification = specification

    async def start(self) -> None:
        """Compile what the agents play, and open them; requests are answered meanwhile."""
        await self.compile()
        await asyncio.to_thread(self.agents.open)

    async def compile(self) -> None:
        """Compile what the agents play, as far as it can be."""
        try:
            # In a process of its own: to compile takes seconds, in which this one must answer.
            await asyncio.to_thread(compile_in_child, self.specification)
            await asyncio.to_thread(load_compiled, self.specification)
        except Exception:
            # The agents are opened all the same: the one at fault says so in its status.
            LOG.exception("what the agents play could not be compiled ahead")

    async def keep_ready(self) -> None:
        """Start, and open agents again whose events could not be written, until it is cancelled."""
        await self.compile()
        while True:
            self.agents.begin_opening()
            await asyncio.sleep(RETRY_SECONDS)

    def stop(self) -> None:
        """Close the agents, each with a snapshot, and the file."""
        self.agents.close()
        self.file.close()
