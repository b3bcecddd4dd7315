"""The thread of a worker that writes the inbox: the calls that came meanwhile, in one transaction."""

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from mobandits.errors import LogError
from mobandits.logs.address import Address
from mobandits.logs.store.connection import explained
from mobandits_service.group_commit import wake
from mobandits_service.postgres.connection import PostgresConnection, connected
from mobandits_service.postgres.inbox import InboxDecision, InboxReward
from mobandits_service.postgres.inbox_writer import Accepted, Answer, Earlier, InboxWriter
from mobandits_service.postgres.publications import new_incarnation
from mobandits_service.postgres.shared_database import ENDLESS, IN_SYSTEM, ON_DISK

LOG = logging.getLogger("mobandits.service")
RETRY_SECONDS = 0.5
STARTING = "the worker has not reached its store yet"


@dataclass(eq=False)
class Item:
    """What one call writes, or asks.

    Attributes:
        done: of the caller: true once there is an answer.
        decisions: that it made.
        rewards: that it reports.
        keys: (agent, key) of decisions that are looked up.
        answers: to `decisions`.
        accepted: answers to `rewards`.
        found: answers to `keys`.
        failure: why there is no answer; None: there is.
    """

    done: "asyncio.Future[None]"
    decisions: Sequence[InboxDecision] = ()
    rewards: Sequence[InboxReward] = ()
    keys: Sequence[tuple[int, str]] = ()
    answers: list[Answer] = field(default_factory=list)
    accepted: list[Accepted] = field(default_factory=list)
    found: list[Earlier | None] = field(default_factory=list)
    failure: str | None = None


class Gathering:
    """Writes the calls of a worker, group by group, by a session of its own.

    All of them are calls of one event loop.

    A session that fails is given up with the group, and another one begins as another incarnation.

    Args:
        address: of the store.
        durability: "disk" or "system", as of `SharedDatabase`.
    """

    def __init__(self, address: Address, durability: str) -> None:
        self._address = address
        self._setting = IN_SYSTEM if durability == "system" else ON_DISK
        self._changed = threading.Condition()
        self._items: list[Item] = []
        self._committing = 0
        self._is_ending = False
        self._writer: InboxWriter | None = None
        self._connection: PostgresConnection | None = None
        self._failure: str | None = STARTING
        self._thread = threading.Thread(target=self._run, name="mobandits-inbox", daemon=True)

    def start(self) -> None:
        """Begin to connect and write."""
        self._thread.start()

    def close(self) -> None:
        """Write what waits, and end."""
        with self._changed:
            self._is_ending = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def incarnation(self) -> int | None:
        """That of the worker now; None where it cannot write."""
        writer = self._writer
        return None if writer is None else writer.incarnation

    def waiting(self) -> int:
        """How many calls are not committed yet."""
        return len(self._items) + self._committing

    async def settled(
        self,
        decisions: Sequence[InboxDecision] = (),
        rewards: Sequence[InboxReward] = (),
        keys: Sequence[tuple[int, str]] = (),
    ) -> Item:
        """What was answered to a call, all of which is one transaction; arguments as of `Item`.

        Raises:
            LogError: where that is not certain, or the database cannot be asked.
        """
        done = asyncio.get_running_loop().create_future()
        item = Item(done, decisions, rewards, keys)
        with self._changed:
            failure = "the worker ends" if self._is_ending else self._failure
            if failure is not None:
                raise LogError(failure)
            self._items.append(item)
            self._changed.notify_all()

        await done
        if item.failure is not None:
            raise LogError(item.failure)

        return item

    # --- the thread

    def _run(self) -> None:
        while True:
            if self._writer is None and not self._connect():
                with self._changed:
                    if self._is_ending:
                        return
                    self._changed.wait(RETRY_SECONDS)
                continue

            group = self._next_group()
            if group is None:
                self._disconnect()
                return

            self._write(group)

    def _connect(self) -> bool:
        """Whether there is a session, and so an incarnation, from now on."""
        try:
            connection = connected(self._address, "worker", [ENDLESS, self._setting])
            self._connection = connection
            with explained(self._address):
                incarnation = new_incarnation(connection, socket.gethostname(), os.getpid())
        except LogError as error:
            self._disconnect()
            self._failure = str(error)
            return False

        self._writer = InboxWriter(connection, incarnation, str(self._address))
        self._failure = None
        LOG.info("this worker is incarnation %s", incarnation)

        return True

    def _disconnect(self) -> None:
        connection = self._connection
        self._connection = None
        self._writer = None
        if connection is not None:
            connection.close()

    def _next_group(self) -> list[Item] | None:
        with self._changed:
            while not self._items:
                if self._is_ending:
                    return None
                self._changed.wait()

            group = []
            later = []
            rewarded: set[tuple[int, int]] = set()
            for item in self._items:
                decisions = {(reward.agent, reward.decision) for reward in item.rewards}
                # Two calls of one group must not each wait for what the other brings.
                if decisions & rewarded:
                    later.append(item)
                    continue
                rewarded |= decisions
                group.append(item)

            self._items = later
            self._committing = len(group)

            return group

    def _write(self, group: list[Item]) -> None:
        try:
            with explained(self._address):
                self._write_all(group)
        except Exception as error:  # noqa: BLE001 - else the thread ends, and all wait for ever
            failure = f"the inbox could not be written: {error}"
            LOG.warning("%s", failure)
            self._failure = failure
            self._disconnect()
            for item in group:
                item.failure = failure

        self._committing = 0
        waiters = [item.done for item in group]
        waiters[0].get_loop().call_soon_threadsafe(wake, waiters)

    def _write_all(self, group: list[Item]) -> None:
        writer = self._writer
        assert writer is not None  # noqa: S101 - it is connected
        decisions = [row for item in group for row in item.decisions]
        rewards = [row for item in group for row in item.rewards]
        made, told = writer.write(decisions, rewards)
        answers = iter(made)
        accepted = iter(told)
        for item in group:
            item.answers = [next(answers) for _ in item.decisions]
            item.accepted = [next(accepted) for _ in item.rewards]
            item.found = [writer.earlier(agent, key) for agent, key in item.keys]
