"""Base of a store that agents of one process and their service share."""

import os
import threading
from collections.abc import Callable
from typing import Any, Literal, Self, TypeVar

from mobandits.errors import LogError
from mobandits.logs.address import Place
from mobandits.logs.store.committer import Committer, ignore
from mobandits.logs.store.connection import explained
from mobandits.logs.store.content import agent_rows
from mobandits.logs.store.grouped_writer import GroupedWriter
from mobandits.logs.store.keys import Key, keys_of
from mobandits.logs.store.ownership import Owner
from mobandits.logs.store.session import Session
from mobandits.support.checks import choice
from mobandits.support.naming import wrong_value

Answer = TypeVar("Answer")


class SharedStore:
    """A store that several agents of a process write: a `SharedFile`, or a `SharedDatabase`.

    Args:
        path: of the store.
        durability: "disk" or "system", as of `Store`.
        after_failure: as of `Committer`.

    Attributes:
        path: as given.
        durability: as given.
        lock: held by whoever reads.
        owner: the file beside it that says who writes, and how many events agents have; None: there
            is none.
        committer: commits what agents write, in groups.
    """

    def __init__(
        self,
        path: Place,
        durability: Literal["disk", "system"],
        after_failure: Callable[[Exception], None] = ignore,
    ) -> None:
        choice(f"{type(self).__name__}.durability", durability, ("disk", "system"))
        self.path = path
        self.durability = durability
        # Of all that reads: a connection shows what was committed before its oldest query that is
        # still running, so that one thread's query would hide from others what they have written.
        self.lock = threading.RLock()
        self.owner: Owner | None = None
        self.committer = Committer(path, after_failure)
        self._reading: Any = None
        self._writers: dict[str, GroupedWriter] = {}
        self._process = os.getpid()
        self._is_open = True

    def hold(self) -> str | None:
        """See that this process may write, as far as that can be; called every now and then.

        Returns:
            None where it may; else why not. Agents that were open must be opened again then.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Wait for what is being written, and let another process in."""
        raise NotImplementedError

    def writer_for(self, agent: str) -> GroupedWriter:
        """The writer of an agent, which nobody else has open.

        Raises:
            LogError: where somebody has, or where another process holds the store.
        """
        raise NotImplementedError

    def agent_names(self) -> list[str]:
        """The agents that the store has, in the order in which they came."""
        rows = self.asked(lambda reader: agent_rows(reader, str(self.path)))
        return [row.name for row in rows]

    def all_keys(self) -> list[Key]:
        """The keys of the store, those that were revoked as well.

        Raises:
            LogError: where they could not be read.
        """
        return self.asked(keys_of)

    def asked(self, question: Callable[[Session], Answer]) -> Answer:
        """Result of a function that reads the store, of what is on disk.

        Args:
            question: is given a connection, with which it reads only.

        Raises:
            LogError: where another process holds the store.
        """
        self.check_usable()
        with self.lock, explained(self.path):
            if self._reading is None:
                raise self._not_held()
            return question(self._reading)

    def check_usable(self) -> None:
        """Refuse a store that was closed, or is another process's.

        Raises:
            LogError: saying so.
        """
        if self._process != os.getpid():
            raise LogError(f"{self.path} is the store of process {self._process}: open it there")
        if not self._is_open:
            raise LogError(f"{self.path} is a store that was closed: open it again")

    def release(self, agent: str) -> None:
        """An agent's store was closed."""
        self._writers.pop(agent, None)

    def leave_to_parent(self) -> None:
        """In the child of a fork: connections, lock and thread are the parent's."""
        self._is_open = False
        if self.owner is not None:
            self.owner.close()  # the parent's handle stays open and locked

    def _not_held(self) -> LogError:
        return LogError(f"{self.path} is not held by this process: `hold` says why")

    def _joined(self, agent: str, writer: GroupedWriter) -> GroupedWriter:
        """The writer of an agent that is open from now on."""
        if agent in self._writers:
            raise wrong_value("agent must be one that is not open already", agent, LogError)

        self._writers[agent] = writer

        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()
