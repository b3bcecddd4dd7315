"""All agents of a service."""

import logging
from collections.abc import Iterator

from mobandits.logs.store import SharedStore
from mobandits.service.hosted_agent import HostedAgent
from mobandits.service.problems import Problem
from mobandits.service.specification import ServiceSpecification
from mobandits.support.naming import quoted

LOG = logging.getLogger("mobandits.service")


class HostedAgents:
    """The agents of a service, by name.

    Args:
        specification: of the service.
        file: that they all write into.
    """

    def __init__(self, specification: ServiceSpecification, file: SharedStore) -> None:
        self._by_name: dict[str, HostedAgent] = {}
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

    def open(self) -> None:
        """Open all agents that are not; one that cannot be opened says why in its status."""
        for hosted in self:
            if hosted.is_ready:
                continue
            try:
                hosted.reopen()
            except Exception as error:
                hosted.status = f"failed: {error}"
                LOG.exception("agent %s cannot be opened", hosted.name)

    def stand_by(self, reason: str) -> None:
        """Close all agents, since this process must not write now.

        Args:
            reason: why.
        """
        for hosted in self:
            hosted.stand_by(reason)

    def close(self) -> None:
        """Close all agents, each with a snapshot."""
        for hosted in self:
            hosted.close()
