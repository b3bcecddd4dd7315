"""A worker that runs: its parts, and what they say of themselves."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator

from mobandits.logs.address import Address
from mobandits_service.authorisation import Authorisation
from mobandits_service.compiling import load_compiled
from mobandits_service.hosted_agent import READY, STARTING
from mobandits_service.interpreter import share_among_threads, spare_what_stays
from mobandits_service.specification import ServiceSpecification
from mobandits_service.workers.forwarding import Forwarding
from mobandits_service.workers.worker import Worker

LOG = logging.getLogger("mobandits.service")
SEEN_SECONDS = 5.0  # within which a database that can be reached has been looked at
LOOK_SECONDS = 0.02


class WorkerRuntime:
    """The parts of a worker.

    Args:
        specification: of the service.
        address: of its store.

    Attributes:
        specification: as given.
        worker: answers decisions and rewards.
        queue: of the calls that wait for the disk.
        authorisation: of requests.
        forwarding: of the calls of the learner.
    """

    def __init__(self, specification: ServiceSpecification, address: Address) -> None:
        self.specification = specification
        self.worker = Worker(address, specification.durability, specification.agents)
        self.queue = self.worker.gathering
        self.authorisation = Authorisation(
            self.worker.copies,
            is_open=specification.is_open_without_keys,
            rate=specification.requests_per_second,
        )
        self.forwarding = Forwarding(self.worker.copies)
        self._is_loaded = False

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer inside, from when the agents that are published are there, or after some seconds.

        Until then other workers take the connections.
        """
        try:
            await self._begin()
            yield
        finally:
            if self._is_loaded:
                # What waits is answered.
                await asyncio.to_thread(self.worker.close)
            await self.forwarding.close()

    async def _begin(self) -> None:
        share_among_threads()
        try:
            await asyncio.to_thread(load_compiled, self.specification)
        except Exception:
            # The agent at fault is not published either: its learner says why.
            LOG.exception("what the agents play could not be loaded ahead")

        self.worker.start()
        self._is_loaded = True
        until = time.monotonic() + SEEN_SECONDS
        while self.worker.copies.failure is not None and time.monotonic() < until:
            await asyncio.sleep(LOOK_SECONDS)

        spare_what_stays()

    def statuses(self) -> dict[str, str]:
        """{agent: status} of all that are published, and of those of the file."""
        worker = self.worker
        failure = worker.copies.failure
        if worker.gathering.incarnation() is None:
            failure = failure or "the store cannot be written now"

        statuses = dict.fromkeys(self.specification.agents, failure or STARTING)
        return statuses | {copy.name: failure or READY for copy in worker.copies}
