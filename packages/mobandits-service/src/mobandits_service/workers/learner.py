"""The learner of a store in PostgreSQL: what a service does besides, where workers decide."""

import asyncio

from mobandits_service.group_commit import Settlements
from mobandits_service.hosted_agents import HostedAgents
from mobandits_service.postgres.shared_database import SharedDatabase
from mobandits_service.specification import AgentSpecification
from mobandits_service.telemetry import Telemetry
from mobandits_service.workers.inbox import Inbox
from mobandits_service.workers.publisher import Publisher
from mobandits_service.workers.refusals import check_agent


class Learner:
    """Takes in what workers have written, and publishes what was learned.

    Every service on such a store does: what workers were answered for is taken in also where none
    of them is left.

    Args:
        agents: of the service.
        file: that they write into.
        settlements: of the file.
        telemetry: of the service.

    Attributes:
        inbox: of the workers.
        publisher: for the workers.
    """

    def __init__(
        self,
        agents: HostedAgents,
        file: SharedDatabase,
        settlements: Settlements,
        telemetry: Telemetry,
    ) -> None:
        self._file = file
        self.inbox = Inbox(agents, file, settlements, telemetry)
        self.publisher = Publisher(agents, file, settlements, self.inbox)

    def check_hostable(self, specification: AgentSpecification) -> None:
        """Refuse an agent that workers cannot decide for, where there are workers.

        Raises:
            ValueError: naming why.
        """
        if self.has_workers:
            check_agent(specification)

    @property
    def has_workers(self) -> bool:
        """Whether workers decide from what is published."""
        return self._file.url is not None

    async def keep_learning(self) -> None:
        """Do so until it is cancelled."""
        work = [self.inbox.keep_taking()]
        if self.has_workers:
            work.append(self.publisher.keep_publishing())

        await asyncio.gather(*work)

    def close(self) -> None:
        """Close its sessions."""
        self.inbox.close()
        self.publisher.close()
