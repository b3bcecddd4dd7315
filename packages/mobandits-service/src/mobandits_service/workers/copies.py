"""What a worker knows of its store: the agents as they were published, the keys, and the learner."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator

from mobandits.errors import LogError
from mobandits.logs.address import Address
from mobandits.logs.store.keys import Key, keys_of
from mobandits.support.naming import quoted
from mobandits_service.postgres.connection import PostgresConnection
from mobandits_service.postgres.own_session import OwnSession
from mobandits_service.postgres.publications import (
    CHANNEL,
    LearnerPlace,
    Version,
    learner_place,
    publication_of,
    published_versions,
)
from mobandits_service.problems import Problem
from mobandits_service.workers.agent_copy import AgentCopy

LOG = logging.getLogger("mobandits.service")
LOOK_SECONDS = 0.1  # between looks, where nobody notifies
WAIT_SECONDS = 0.01  # between looks whether another state is there
RETRY_SECONDS = 1.0
STARTING = "the worker has not seen its store yet"


class Copies:
    """Copies of all agents that a learner publishes, kept up to date by a thread.

    Args:
        address: of the store.
        incarnation: says which one the worker has by now; None: it cannot write.
        expected: names of agents that will be published, if they are not yet.

    Attributes:
        path: the address.
        failure: why nothing is seen of the store; None where it is.
    """

    def __init__(
        self,
        address: Address,
        incarnation: Callable[[], int | None],
        expected: Collection[str] = (),
    ) -> None:
        self.path = address
        self._expected = expected
        self._incarnation = incarnation
        self._session = OwnSession(address, "watches", [f"LISTEN {CHANNEL}"])
        self._asking = OwnSession(address, "asks")
        self._by_name: dict[str, AgentCopy] = {}
        self._unusable: dict[str, Version] = {}
        self._keys: list[Key] = []
        self._place: LearnerPlace | None = None
        self.failure: str | None = STARTING
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mobandits-copies", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._is_ending.set()
        if self._thread.is_alive():
            self._thread.join()
        self._session.close()
        self._asking.close()

    # --- what is known

    def __iter__(self) -> Iterator[AgentCopy]:
        return iter(list(self._by_name.values()))

    def named(self, name: str) -> AgentCopy:
        """The copy of an agent.

        Raises:
            Problem: where no agent of this name is published.
        """
        copy = self._by_name.get(name)
        if copy is not None:
            return copy
        if self.failure is not None:
            raise Problem(503, self.failure, retry_after=1)
        if name in self._expected:
            raise Problem(503, f"agent {quoted(name)} is starting", retry_after=1)

        raise Problem(404, f"there is no agent {quoted(name)}")

    def all_keys(self) -> list[Key]:
        """The keys of the store.

        Raises:
            LogError: where they could not be read.
        """
        if self.failure is not None:
            raise LogError(self.failure)

        return self._keys

    def learner_url(self) -> str:
        """Where the learner answers.

        Raises:
            Problem: where there is none on this machine.
        """
        place = self._place
        if place is None or place.url is None:
            raise Problem(503, "there is no learner now", retry_after=1)
        if place.host != socket.gethostname():
            raise Problem(503, f"the learner is on {place.host}: ask there", retry_after=1)

        return place.url

    async def behind_another(self, copy: AgentCopy, patience: float) -> None:
        """Wait until an agent is behind another fence than a copy, or some seconds have passed."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            present = self._by_name.get(copy.name)
            if present is None or present.version.fence != copy.version.fence:
                return
            await asyncio.sleep(WAIT_SECONDS)

    async def is_behind(self, copy: AgentCopy) -> bool:
        """Whether an agent is published behind another fence than its copy.

        Raises:
            LogError: where the database cannot be asked.
        """
        versions = await asyncio.to_thread(self._asking.ask, published_versions)
        number_and_version = versions.get(copy.name)
        if number_and_version is None:
            return False

        _, version = number_and_version

        return version.fence != copy.version.fence

    # --- looking

    def _run(self) -> None:
        while not self._is_ending.is_set():
            try:
                self._session.ask(self._look)
                self._session.ask(wait_for_notice)
            except LogError as error:
                self.failure = str(error)
                self._is_ending.wait(RETRY_SECONDS)
            except Exception as error:
                LOG.exception("the store cannot be looked at")
                self.failure = f"the store cannot be looked at: {error}"
                self._is_ending.wait(RETRY_SECONDS)

    def _look(self, connection: PostgresConnection) -> None:
        self._place = learner_place(connection)
        self._keys = keys_of(connection)
        incarnation = self._incarnation()
        versions = published_versions(connection)
        if incarnation is not None:
            for name, (number, version) in versions.items():
                if self._is_wanted(name, version, incarnation):
                    self._load(connection, name, number, incarnation)

        for name in self._by_name.keys() - versions.keys():
            del self._by_name[name]
        self.failure = None if incarnation is not None else STARTING

    def _is_wanted(self, name: str, version: Version, incarnation: int) -> bool:
        """Whether a published state is another one than that of the copy, and may be usable."""
        if self._unusable.get(name) == version:
            return False

        known = self._by_name.get(name)
        if known is None:
            return True

        return known.version != version or known.incarnation != incarnation

    def _load(
        self, connection: PostgresConnection, name: str, number: int, incarnation: int
    ) -> None:
        publication = publication_of(connection, number)
        if publication is None:
            return

        before = self._by_name.get(name)
        try:
            copy = AgentCopy(name, number, publication, incarnation, before)
        except Exception:
            # Such as one that another version of the library wrote: the others are looked at.
            LOG.exception("what is published of agent %s cannot be used", name)
            self._unusable[name] = publication.version
            return

        self._by_name[name] = copy


def wait_for_notice(connection: PostgresConnection) -> None:
    """Wait until a learner has published something, or a moment has passed."""
    notices = connection.session.notifies(timeout=LOOK_SECONDS, stop_after=1)
    for _ in notices:
        return
