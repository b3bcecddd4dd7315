"""A service that runs: its file, its agents, and who waits for the disk."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, TypeVar

from mobandits.logs.address import Address
from mobandits.logs.store import SharedStore
from mobandits_service.authorisation import Authorisation
from mobandits_service.compiling import play_a_round
from mobandits_service.evaluations import Evaluations
from mobandits_service.exporting import Exports
from mobandits_service.group_commit import Pace, Settlements
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.hosted_agents import HostedAgents
from mobandits_service.interpreter import share_among_threads, spare_what_stays
from mobandits_service.preferences import check_match, fitting_order
from mobandits_service.retention import Retention
from mobandits_service.service_tables import hosted_rows
from mobandits_service.snapshots import Snapshots
from mobandits_service.specification import AgentSpecification, ServiceSpecification
from mobandits_service.stalls import Stalls
from mobandits_service.telemetry import Telemetry

if TYPE_CHECKING:
    from mobandits_service.workers.learner import Learner

Result = TypeVar("Result")

LOG = logging.getLogger("mobandits.service")
RETRY_SECONDS = 1.0  # between attempts to open an agent whose events could not be written


class ServiceRuntime:
    """The parts of a service that runs.

    Args:
        specification: of the service.
        file: of its decisions, which it closes in the end.

    Attributes:
        file: as given.
        agents: of the service.
        settlements: of the file.
        pace: of its commits.
        queue: of the calls that wait for the disk.
        snapshots: of the agents.
        telemetry: of the service.
        authorisation: of requests.
        evaluations: of the service.
        exports: of the logs.
        retention: of their decisions.
        specification: as given.
        learner: for the workers on the same store; None: a file has none.
    """

    def __init__(self, specification: ServiceSpecification, file: SharedStore) -> None:
        self.file = file
        self.agents = HostedAgents(specification, file)
        self.settlements = Settlements(file.committer)
        self.pace = Pace(file.committer)
        self.queue = file.committer
        self.snapshots = Snapshots(self.agents, specification.snapshot_every)
        self.telemetry = Telemetry(self.agents, file)
        self.stalls = Stalls(file.committer, self.telemetry)
        self.authorisation = Authorisation(
            file,
            is_open=specification.is_open_without_keys,
            rate=specification.requests_per_second,
        )
        self.exports = Exports(file.path)
        self.retention = Retention(self.agents, specification, file.path)
        self.specification = specification
        self.learner = learner_of(self)
        self._tasks: set[asyncio.Task[Any]] = set()
        self.evaluations = Evaluations(file, self.settlements, self.begin)
        self._stands_by: str | None = None
        self._has_begun = False

    async def load(self) -> None:
        """Load what the agents play, as far as it is compiled."""
        share_among_threads()
        for hosted in self.agents:
            await self._load_one(hosted)

    async def resume_evaluations(self) -> None:
        """Go on with the evaluations that waited when the service ended."""
        try:
            await self.evaluations.resume()
        except Exception:
            LOG.exception("evaluations that waited are not gone on with")

    async def make_ready(self, hosted: HostedAgent) -> None:
        """Load what an agent plays that a call made, and open it; others decide meanwhile."""
        await self._load_one(hosted)
        hosted.is_loading = False
        self.agents.begin_opening()

    async def _load_one(self, hosted: HostedAgent, order: Any = None) -> None:
        """Load what an agent plays, as far as it is compiled and can be loaded."""
        try:
            await asyncio.to_thread(play_a_round, hosted.specification, order)
        except Exception:
            # Whoever plays it says so where that fails again.
            LOG.exception("what agent %s plays could not be loaded ahead", hosted.name)

    async def change_preference(
        self, hosted: HostedAgent, order: Any, wanted: str | None = None
    ) -> int:
        """Have an agent compare arms by another order; changes are made in the order of calls.

        Args:
            hosted: the agent.
            order: its name, or a table of its name and parameters; None: the recipe's own.
            wanted: the header `If-Match`; None: there is none.

        Returns:
            `hosted.generation` when it was made.

        Raises:
            Problem: where `If-Match` does not agree.
            ValueError: where there is no such order, or it does not fit the agent.
        """
        fitting_order(hosted.agent.core, order)
        # One after the other, so that nothing changes between what is compared and what is set.
        async with hosted.changing:
            check_match(wanted, hosted.preference())
            generation = hosted.generation
            await self._load_one(hosted, order)
            await asyncio.to_thread(hosted.set_preference, order)

        return generation

    async def saved(self, hosted: HostedAgent, generation: int) -> None:
        """Wait until what an agent wrote is on disk.

        Args:
            hosted: the agent.
            generation: what `hosted.generation` was when it was written.

        Raises:
            Problem: where it could not be written.
        """
        await self.settlements.settled()
        hosted.check_saved(generation)

    async def looked_up(self, look: Callable[..., Result], *arguments: Any) -> Result:
        """The result of a look into the store by a thread, once all that was answered is in it."""
        # The last calls of others may not be on disk yet.
        await self.settlements.settled()
        return await asyncio.to_thread(look, *arguments)

    def begin(self, work: Coroutine[Any, Any, Result]) -> "asyncio.Task[Result]":
        """Have something done while requests are answered; it is cancelled when the service ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        return task

    async def settle_down(self, opening: list[Future[None]]) -> None:
        """Wait until agents are open, or cannot be, and see to what stays in memory."""
        await asyncio.to_thread(wait, opening)
        spare_what_stays()

    async def keep_ready(self) -> None:
        """Start, and look after the agents, until it is cancelled."""
        await self.load()
        while True:
            try:
                await self.look_after()
                await asyncio.to_thread(self.agents.check_numbers)
            except Exception:
                LOG.exception("agents could not be looked after")
            await asyncio.sleep(RETRY_SECONDS)

    async def look_after(self) -> None:
        """Open the agents that are not open, where this process holds the store; else close them."""
        # In threads: to hold a store takes a network, and to close an agent its last snapshot.
        reason = await asyncio.to_thread(self.file.hold)
        if reason is not None:
            await asyncio.to_thread(self.agents.stand_by, reason)

        before = self._stands_by
        if reason != before:
            LOG.warning("%s", reason or f"this process holds {self.file.path}")
        if reason is not None:
            self._stands_by = reason
            return

        if before is not None:
            # Whoever held the store meanwhile may have made agents, or ended some.
            rows = await asyncio.to_thread(self.file.asked, hosted_rows)
            self.agents.come_back(rows)
            # Now, and not before: where they cannot be read, the next look does all of this.
            self._stands_by = None

        opening = self.agents.begin_opening()
        if before is not None or not self._has_begun:
            self._has_begun = True
            await self.resume_evaluations()
            self.begin(self.settle_down(opening))

    def check_hostable(self, specification: AgentSpecification) -> None:
        """Refuse an agent that a call makes and the service cannot have.

        Raises:
            ValueError: where the agent does not fit, or workers cannot decide for it.
        """
        specification.check_names()
        specification.agent()
        if self.learner is not None:
            self.learner.check_hostable(specification)

    @contextlib.asynccontextmanager
    async def changing(self, hosted: HostedAgent) -> AsyncIterator[None]:
        """No worker decides for an agent inside, and no other call changes it so.

        At its end, it waits until what was written inside is on disk.

        Raises:
            Problem: where it could not be written.
        """
        learner = self.learner
        fence = hosted.changing if learner is None else learner.publisher.fenced(hosted)
        async with fence:
            generation = hosted.generation
            yield
        await self.saved(hosted, generation)

    def stop(self) -> None:
        """Close the agents, each with a snapshot, and the file."""
        for task in list(self._tasks):
            task.cancel()
        if self.learner is not None:
            self.learner.close()
        self.agents.close()
        self.file.close()


def learner_of(runtime: ServiceRuntime) -> "Learner | None":
    """What takes in what workers have written; None where the store is a file, which has none."""
    if not isinstance(runtime.file.path, Address):
        return None

    # psycopg is of an extra, and only databases need it.
    from mobandits_service.postgres.shared_database import SharedDatabase  # noqa: PLC0415
    from mobandits_service.workers.learner import Learner  # noqa: PLC0415

    assert isinstance(runtime.file, SharedDatabase)  # noqa: S101 - as its address says

    return Learner(runtime.agents, runtime.file, runtime.settlements, runtime.telemetry)
