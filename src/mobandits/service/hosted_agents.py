"""All agents of a service."""

import logging
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

from mobandits.logs.store import SharedFile
from mobandits.service.hosted_agent import HostedAgent
from mobandits.service.problems import Problem
from mobandits.service.specification import ServiceSpecification
from mobandits.support.naming import quoted

LOG = logging.getLogger("mobandits.service")
MOST_OPENED = 4  # at once: an agent that replays for long must not make the others wait


class HostedAgents:
    """The agents of a service, by name.

    Args:
        specification: of the service.
        file: that they all write into.
    """

    def __init__(self, specification: ServiceSpecification, file: SharedFile) -> None:
        self._by_name: dict[str, HostedAgent] = {}
        self._threads = ThreadPoolExecutor(MOST_OPENED, thread_name_prefix="mobandits-opening")
        self._opening: dict[str, Future[None]] = {}
        for name, agent in specification.agents.items():
            self._by_name[name] = HostedAgent(name, agent, file)

    def __iter__(self) -> Iterator[HostedAgent]:
        return iter(self._by_name.values())

    def named(self, name: str) -> HostedAgent:
        """The agent of a name.

        Raises:
            Problem: where there is none.
        """
        hosted = self._by_name.get(name)
        if hosted is None:
            raise Problem(404, f"there is no agent {quoted(name)}")

        return hosted

    def all_ready(self) -> bool:
        """Whether every agent can decide."""
        return all(hosted.is_ready for hosted in self)

    def begin_opening(self) -> list[Future[None]]:
        """Open all agents that are not, each in a thread; calls of it are refused meanwhile.

        Returns:
            those that are being opened: done when an agent is ready, or says why not in its status.
        """
        for hosted in self:
            before = self._opening.get(hosted.name)
            is_being_opened = before is not None and not before.done()
            if not hosted.is_ready and not is_being_opened:
                self._opening[hosted.name] = self._threads.submit(self._open_one, hosted)

        return list(self._opening.values())

    def open(self) -> None:
        """Open all agents that are not, and wait until they are, or cannot be."""
        wait(self.begin_opening())

    def close(self) -> None:
        """Close all agents, each with a snapshot."""
        # An agent that is being opened would come back after it was closed.
        self._threads.shutdown(cancel_futures=True)
        for hosted in self:
            hosted.close()

    def _open_one(self, hosted: HostedAgent) -> None:
        try:
            hosted.reopen()
        except Exception as error:
            hosted.status = f"failed: {error}"
            LOG.exception("agent %s cannot be opened", hosted.name)
