"""How a learner has its workers know what it has learned."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator

from mobandits.agent.saving import encoded_state
from mobandits.agent.workers import copy_for_workers
from mobandits.logs.store.rows import Statement
from mobandits_service.group_commit import Settlements
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.hosted_agents import HostedAgents
from mobandits_service.postgres.own_session import OwnSession
from mobandits_service.postgres.publications import (
    Version,
    notify,
    only_published,
    present_fence,
    published,
    set_fence,
)
from mobandits_service.postgres.shared_database import SharedDatabase
from mobandits_service.problems import Problem
from mobandits_service.workers.inbox import Inbox

LOG = logging.getLogger("mobandits.service")
PUBLISH_SECONDS = 0.1
RETRY_SECONDS = 1.0
# Of the learner's time, publishing takes at most one part in so many: large states come less often.
PARTS = 5


class Publisher:
    """Publishes the agents of a learner where something has changed.

    Args:
        agents: of the service.
        file: that they write into.
        settlements: of the file.
        inbox: of the learner.
    """

    def __init__(
        self, agents: HostedAgents, file: SharedDatabase, settlements: Settlements, inbox: Inbox
    ) -> None:
        self._agents = agents
        self._file = file
        self._settlements = settlements
        self._inbox = inbox
        self._session = OwnSession(file.path, "publishes")
        # {agent: (its generation then, version)} of the last publications
        self._last: dict[str, tuple[int, Version]] = {}
        self._fences: dict[str, int] = {}
        self._numbers: set[int] = set()
        self._epoch = 0
        # Two at once could have an earlier state published after a later one.
        self._publishing = asyncio.Lock()

    async def keep_publishing(self) -> None:
        """Publish what changes, until it is cancelled."""
        while True:
            began = time.monotonic()
            pause = PUBLISH_SECONDS
            try:
                await self.publish()
                pause = max(pause, PARTS * (time.monotonic() - began))
            except Exception as error:  # noqa: BLE001 - workers decide from what they have
                LOG.warning("agents could not be published: %s", error)
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)

    async def publish(self) -> None:
        """Publish the agents that have changed since they were published last.

        Raises:
            LogError: where one cannot be.
        """
        async with self._publishing:
            self._begin_epoch()
            kept = []
            for hosted in self._agents:
                statement = await self._publication(hosted) if hosted.is_ready else None
                if statement is not None:
                    # Its events come before it: what they lead to is never known without them.
                    kept.append(self._file.committer.keep([statement]))

            self._withdraw_others()
            if not kept:
                return

            # Workers must not look before there is something to be seen.
            await self._settlements.settled()
            for each in kept:
                if each.failure is not None:
                    self._last.clear()
                each.check()
            await asyncio.to_thread(self._session.ask, notify)

    @contextlib.asynccontextmanager
    async def fenced(self, hosted: HostedAgent) -> AsyncIterator[None]:
        """No decision is made inside, and all that were made before are taken in.

        Raises:
            Problem: where another learner has taken the store.
            LogError: where the database cannot be asked.
        """
        async with hosted.changing:
            number = hosted.store.number
            assert number is not None  # noqa: S101 - it was opened
            epoch = self._file.epoch
            fence = await asyncio.to_thread(
                self._session.ask, lambda connection: set_fence(connection, number, epoch)
            )
            if fence is None:
                raise Problem(503, "another process learns by now", retry_after=1)
            try:
                await self._inbox.drain(hosted)
                yield
            finally:
                # Also where nothing was changed: behind the old one, workers decide nothing.
                self._fences[hosted.name] = fence

        if self._file.url is not None:
            await self.publish()

    def close(self) -> None:
        """Close the session."""
        self._session.close()

    def _begin_epoch(self) -> None:
        """Forget what was known of the database, where another process had it since."""
        if self._epoch != self._file.epoch:
            self._epoch = self._file.epoch
            self._fences.clear()
            self._last.clear()
            self._numbers.clear()

    async def _publication(self, hosted: HostedAgent) -> Statement | None:
        """What publishes an agent; None where it has not changed."""
        number = hosted.store.number
        if number is None:
            return None

        generation = hosted.generation
        if hosted.name not in self._fences:
            fence = await asyncio.to_thread(
                self._session.ask, lambda connection: present_fence(connection, number)
            )
            self._fences.setdefault(hosted.name, fence)
            # Others had their turn.
            if not hosted.is_ready or hosted.generation != generation:
                return None

        core = hosted.agent.core
        writer = core.writer
        assert writer is not None  # noqa: S101 - agents of a service have one
        version = Version(self._epoch, writer.position(), self._fences[hosted.name])
        last = (generation, version)
        if self._last.get(hosted.name) == last:
            return None

        with core.lock:
            copied = copy_for_workers(core)

        state = await asyncio.to_thread(encoded_state, copied)
        self._last[hosted.name] = last

        return published(number, version, state)

    def _withdraw_others(self) -> None:
        """Have no agent published that is none of the service any more."""
        if not self._agents.all_ready():
            return

        numbers = set(self._agents.ready_by_number())
        if numbers != self._numbers:
            self._file.committer.keep([only_published(numbers)])
            self._numbers = numbers
