"""The learner's look into the inbox: what workers were answered for becomes events of the agents."""

import asyncio
import logging
from collections.abc import Iterator, Sequence

from mobandits_service.group_commit import Settlements
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.hosted_agents import HostedAgents
from mobandits_service.postgres.inbox import (
    Batch,
    NumberedDecision,
    NumberedReward,
    waiting_batch,
)
from mobandits_service.postgres.own_session import OwnSession
from mobandits_service.postgres.shared_database import SharedDatabase
from mobandits_service.telemetry import Telemetry
from mobandits_service.workers.taking_in import Taken, take_rows

LOG = logging.getLogger("mobandits.service")
POLL_SECONDS = 0.05
ALONE_SECONDS = 1.0  # where the service has no workers: others may have left something
RETRY_SECONDS = 1.0  # after the database could not be asked
MOST_ROWS = 2000  # that are read at a time
TURN = 250  # rows, which take some milliseconds: then others have their turn


class Inbox:
    """Takes in what workers have written.

    Args:
        agents: of the service.
        file: that they write into.
        settlements: of the file.
        telemetry: of the service, which counts what was taken in.
    """

    def __init__(
        self,
        agents: HostedAgents,
        file: SharedDatabase,
        settlements: Settlements,
        telemetry: Telemetry,
    ) -> None:
        self._agents = agents
        self._file = file
        self._settlements = settlements
        self._telemetry = telemetry
        self._session = OwnSession(file.path, "inbox")
        # Two that read the same rows would take them in twice.
        self._taking = asyncio.Lock()
        # Whether rows that were taken in may still be there: a look can end before they are gone.
        self._may_be_there = False

    async def keep_taking(self) -> None:
        """Take in what comes, until it is cancelled."""
        pause = ALONE_SECONDS if self._file.url is None else POLL_SECONDS
        while True:
            try:
                is_more = await self.take_some()
                await asyncio.sleep(0.0 if is_more else pause)
            except Exception as error:  # noqa: BLE001 - the rows are where they were
                LOG.warning("the inbox could not be taken in: %s", error)
                await asyncio.sleep(RETRY_SECONDS)

    async def take_some(self) -> bool:
        """Take in what there is, as far as one look goes; whether there may be more.

        Raises:
            LogError: where the database cannot be asked.
        """
        async with self._taking:
            hosted_by_number = self._agents.ready_by_number()
            if not hosted_by_number:
                return False

            if self._may_be_there:
                await self._until_gone()

            # Before the look: what an agent was opened from later may not agree with its rows.
            generation = {number: each.generation for number, each in hosted_by_number.items()}
            numbers = list(hosted_by_number)
            batch = await asyncio.to_thread(
                self._session.ask,
                lambda connection: waiting_batch(connection, numbers, MOST_ROWS),
            )
            self._may_be_there = True
            for number, hosted in hosted_by_number.items():
                await self._take_of_agent(hosted, generation[number], batch, number)

            await self._until_gone()

        return not (batch.has_all_decisions and batch.has_all_rewards)

    async def drain(self, hosted: HostedAgent) -> None:
        """Take in all that is in the inbox of one agent by now.

        Raises:
            Problem: where the agent cannot be used now.
            LogError: where the database cannot be asked.
        """
        is_more = True
        while is_more:
            hosted.check_saved()
            is_more = await self.take_some()

    def close(self) -> None:
        """Close the session."""
        self._session.close()

    async def _until_gone(self) -> None:
        """Wait until what was taken in is gone from the inbox: else it would be read again."""
        await self._settlements.settled()
        self._may_be_there = False

    async def _take_of_agent(
        self, hosted: HostedAgent, generation: int, batch: Batch, number: int
    ) -> None:
        decisions = [each for each in batch.decisions if each[1].agent == number]
        rewards = [each for each in batch.rewards if each[1].agent == number]
        for some_decisions, some_rewards in _turns(decisions, rewards):
            # It may have been opened again, or closed, while others had their turn.
            if not hosted.is_ready or hosted.generation != generation:
                return

            hosted.check_saved()
            taken = take_rows(
                hosted.agent.core,
                hosted.store,
                self._file.epoch,
                some_decisions,
                some_rewards,
                has_all_decisions=batch.has_all_decisions,
            )
            self._count(hosted.name, taken)
            await asyncio.sleep(0.0)

    def _count(self, agent: str, taken: Taken) -> None:
        """Count what became of some rows, in the service's own numbers."""
        for decision in taken.decisions:
            self._telemetry.count_decision(agent, decision)

        counts = {"learned": taken.lessons, "late": taken.late, "refused": taken.refused}
        for outcome, count in counts.items():
            self._telemetry.count_of_workers(agent, outcome, count)
        if taken.late:
            LOG.warning("agent %s: %s rewards came too late to be learned", agent, taken.late)


def _turns(
    decisions: Sequence[NumberedDecision], rewards: Sequence[NumberedReward]
) -> Iterator[tuple[Sequence[NumberedDecision], Sequence[NumberedReward]]]:
    """The rows in parts: decisions first, since rewards may be of any of them."""
    for start in range(0, len(decisions), TURN):
        yield decisions[start : start + TURN], ()
    for start in range(0, len(rewards), TURN):
        yield (), rewards[start : start + TURN]
