"""All agents of a service: those of its file, and those that calls made."""

import logging
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

import msgspec

from mobandits.logs.store import SharedStore
from mobandits.logs.store.committer import Kept
from mobandits.support.naming import check_name, quoted
from mobandits_service.hosted_agent import READY, HostedAgent
from mobandits_service.problems import Problem
from mobandits_service.service_tables import HostedRow, hosted_put, hosted_rows
from mobandits_service.specification import AgentSpecification, ServiceSpecification

LOG = logging.getLogger("mobandits.service")
MOST_OPENED = 4  # at once: an agent that replays for long must not make the others wait
MOST_AGENTS = 1000
ENDED = "ended"


class HostedAgents:
    """The agents of a service, by name.

    Args:
        specification: of the service.
        file: that they all write into; it also has the agents that calls made.
    """

    def __init__(self, specification: ServiceSpecification, file: SharedStore) -> None:
        self._file = file
        self._keep = file.committer.keep
        given = specification.agents.items()
        self._by_name = {name: HostedAgent(name, agent, file) for name, agent in given}
        self._threads = ThreadPoolExecutor(MOST_OPENED, thread_name_prefix="mobandits-opening")
        self._opening: dict[str, Future[None]] = {}
        self._ended: dict[str, str] = {}  # specifications, as JSON
        if file.hold() is None:
            self.come_back(file.asked(hosted_rows))

    def __iter__(self) -> Iterator[HostedAgent]:
        # A copy: agents come and go while somebody waits between two of them.
        return iter(list(self._by_name.values()))

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
        """Whether every agent can decide soundly, but for those that a call has just made."""
        return all(hosted.health == READY or hosted.is_loading for hosted in self)

    def ready_by_number(self) -> dict[int, HostedAgent]:
        """{number in the store: agent} of those that can be used now, and are in the store."""
        ready = {}
        for hosted in self:
            number = hosted.store.number if hosted.is_ready else None
            if number is not None:
                ready[number] = hosted

        return ready

    def check_numbers(self) -> None:
        """Look whether the states of the agents have only numbers."""
        for hosted in list(self):
            hosted.check_numbers()

    def begin_opening(self) -> list[Future[None]]:
        """Open all agents that are not, each in a thread; calls of it are refused meanwhile.

        Returns:
            those that are being opened: done when an agent is ready, or says why not in its status.
        """
        for hosted in self:
            before = self._opening.get(hosted.name)
            is_being_opened = before is not None and not before.done()
            is_wanted = not hosted.is_ready and not hosted.is_loading
            if is_wanted and not is_being_opened:
                self._opening[hosted.name] = self._threads.submit(self._open_one, hosted)

        return list(self._opening.values())

    def open(self) -> None:
        """Open all agents that are not, and wait until they are, or cannot be."""
        wait(self.begin_opening())

    def stand_by(self, reason: str) -> None:
        """Close all agents, since this process must not write now.

        Args:
            reason: why.
        """
        for hosted in self:
            hosted.stand_by(reason)

    def close(self) -> None:
        """Close all agents, each with a snapshot."""
        # An agent that is being opened would come back after it was closed.
        self._threads.shutdown(cancel_futures=True)
        for hosted in self:
            hosted.close()

    # --- agents that calls make

    def add(self, name: str, specification: AgentSpecification) -> Kept | None:
        """An agent more, which is still to be opened.

        Args:
            name: of the agent.
            specification: checked.

        Returns:
            which says whether it is on disk; None where there is the same agent already.

        Raises:
            Problem: where the name is that of another agent.
            ValueError: where it is no name.
        """
        known = self._by_name.get(name)
        if known is not None and not known.is_by_call:
            raise Problem(409, f"agent {quoted(name)} is one of the file: change it there")
        if known is not None:
            _check_same(name, known.specification, specification)
            return None

        check_name("agent", name)
        if len(self._by_name) >= MOST_AGENTS:
            raise Problem(429, f"there are {MOST_AGENTS:,} agents already")

        ended = self._ended.get(name)
        if ended is not None:
            # Its log is still there, and is that of this specification alone.
            before = msgspec.json.decode(ended, type=AgentSpecification)
            _check_same(name, before, specification)
        elif name in self._file.agent_names():
            # It could not be opened with a log that others wrote, or go on as they would have.
            raise Problem(409, f"the store has decisions of another agent {quoted(name)} already")

        hosted = HostedAgent(name, specification, self._file, is_by_call=True)
        hosted.is_loading = True
        kept = self.kept_again(hosted)
        self._by_name[name] = hosted
        self._ended.pop(name, None)

        return kept

    def kept_again(self, hosted: HostedAgent) -> Kept:
        """What says whether the present specification of an agent that a call made is on disk."""
        text = msgspec.json.encode(hosted.specification).decode()
        return self._keep([hosted_put(hosted.name, text, "served")])

    def forget(self, name: str) -> None:
        """Let go of an agent that could not be kept on disk."""
        self._by_name.pop(name, None)

    def end(self, name: str) -> tuple[Kept, HostedAgent] | None:
        """An agent less; its log stays, and it may be added again.

        Returns:
            which says whether that is on disk, and the agent, which is still to be closed; None
            where it was ended already.

        Raises:
            Problem: where there is no such agent, or it is one of the file.
        """
        if name in self._ended:
            return None

        hosted = self.named(name)
        if not hosted.is_by_call:
            raise Problem(409, f"agent {quoted(name)} is one of the file: take it out there")

        text = msgspec.json.encode(hosted.specification).decode()
        kept = self._keep([hosted_put(name, text, "ended")])
        del self._by_name[name]
        self._ended[name] = text
        hosted.status = ENDED

        return kept, hosted

    def come_back(self, rows: Iterable[HostedRow]) -> None:
        """Have the agents that calls made before, in this process or in another one.

        Args:
            rows: as the store has them.
        """
        for row in rows:
            self._come_back(row)

    def _come_back(self, row: HostedRow) -> None:
        known = self._by_name.get(row.agent)
        if row.state == ENDED:
            self._ended[row.agent] = row.specification
            if known is not None and known.is_by_call:
                del self._by_name[row.agent]
            return
        if known is not None and not known.is_by_call:
            LOG.warning("agent %s was made by a call, and is now one of the file", row.agent)
            return
        try:
            specification = msgspec.json.decode(row.specification, type=AgentSpecification)
        except msgspec.MsgspecError:
            # Of a later version: the others are served all the same.
            LOG.exception("agent %s cannot be read", row.agent)
            return

        self._ended.pop(row.agent, None)
        if known is None or known.specification != specification:
            self._by_name[row.agent] = HostedAgent(
                row.agent, specification, self._file, is_by_call=True
            )

    def _open_one(self, hosted: HostedAgent) -> None:
        try:
            hosted.open()
        except Exception as error:
            hosted.status = f"failed: {error}"
            LOG.exception("agent %s cannot be opened", hosted.name)

        # A call may have ended it meanwhile.
        if self._by_name.get(hosted.name) is not hosted:
            hosted.close()
            hosted.status = ENDED


def _check_same(name: str, known: AgentSpecification, specification: AgentSpecification) -> None:
    if known != specification:
        raise Problem(409, f"agent {quoted(name)} has another specification, and keeps it")
