"""A store's file for all agents of one process, which commit their calls together."""

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from mobandits.errors import LogError
from mobandits.logs.store.committer import Committer
from mobandits.logs.store.connection import connect, connect_to_read, explained, refuse_others
from mobandits.logs.store.content import agent_rows
from mobandits.logs.store.grouped_writer import GroupedWriter
from mobandits.logs.store.keys import Key, keys_of
from mobandits.logs.store.ownership import claim
from mobandits.logs.store.schema import create_tables
from mobandits.logs.store.session import Session
from mobandits.logs.store.writer import SYNCHRONOUS
from mobandits.support.checks import choice
from mobandits.support.forks import on_fork
from mobandits.support.naming import quoted

Answer = TypeVar("Answer")


def identity(path: Path) -> tuple[int, int]:
    """The device and the number of a file, which no other file has while it is there.

    Raises:
        OSError: where there is none.
    """
    found = path.stat()
    return found.st_dev, found.st_ino


class SharedFile:
    """A store's file, open for several agents of this process.

    `Store(file, agent=name)` is the store of one of them. What an agent writes is on disk once the
    group of its last call is settled: a service answers then.

    Args:
        path: of the file; made where it does not exist.
        durability: "disk" or "system", as of `Store`.

    Attributes:
        path: of the file.
        durability: as given.
        lock: held by whoever reads.
        owner: the file beside it that says who writes.
        committer: commits what agents write, in groups.

    Raises:
        LogError: as `Store`.

    Example:
        >>> import tempfile
        >>> from mobandits.logs import Store
        >>> with SharedFile(Path(tempfile.mkdtemp()) / "router.db") as file:
        ...     objectives = [{"name": "quality", "minimise": False}]
        ...     with Store(file, agent="router") as store:
        ...         store.describe({"arms": ["small", "large"], "objectives": objectives})
        ...         store.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
        ...         file.committer.flush()
        ...     file.agent_names()
        ['router']
    """

    def __init__(self, path: str | Path, durability: Literal["disk", "system"] = "disk") -> None:
        choice("SharedFile.durability", durability, ("disk", "system"))
        self.path = Path(path)
        self.durability = durability
        self.committer = Committer(self.path)
        # Of all that reads: a connection shows what was committed before its oldest query that is
        # still running, so that one thread's query would hide from others what they have written.
        self.lock = threading.RLock()
        self._agents: set[str] = set()
        self._process = os.getpid()
        self._is_open = True
        refuse_others(self.path)
        with contextlib.ExitStack() as opened:
            self.owner = opened.enter_context(claim(self.path))
            self._connection = connect(self.path, synchronous=SYNCHRONOUS[durability])
            opened.callback(self._connection.close)
            with explained(self.path):
                create_tables(self._connection)
                self._reader = connect_to_read(self.path)
            opened.callback(self._reader.close)
            self._identity = identity(self.path)
            with explained(self.path):
                self.committer.begin(self._connection)
            self._opened = opened.pop_all()

        on_fork(self, SharedFile.leave_to_parent)

    def hold(self) -> str | None:
        """Reason why this process must not write the file; None: it may, from the first moment on.

        What is written to a file that was deleted, or that another one was put in the place of, is
        gone with the process.
        """
        try:
            found = identity(self.path)
        except OSError as error:
            return f"without its store: {self.path} was deleted or moved ({error.strerror})"

        if found != self._identity:
            return f"without its store: another file was put in the place of {self.path}"

        return None

    def agent_names(self) -> list[str]:
        """The agents that the file has, in the order in which they came."""
        self.check_usable()
        with self.lock, explained(self.path):
            return [row.name for row in agent_rows(self._reader, str(self.path))]

    def all_keys(self) -> list[Key]:
        """The keys of the file, those that were revoked as well."""
        self.check_usable()
        with self.lock, explained(self.path):
            return keys_of(self._reader)

    def asked(self, question: Callable[[Session], Answer]) -> Answer:
        """Result of a function that reads the file, of what is on disk.

        Args:
            question: is given a connection, with which it reads only.
        """
        self.check_usable()
        with self.lock, explained(self.path):
            return question(self._reader)

    def close(self) -> None:
        """Wait for what is being written, and let another process in."""
        if self._is_open and self._process == os.getpid():
            self._is_open = False
            self.committer.end()
            with explained(self.path):
                self._opened.close()

    def check_usable(self) -> None:
        """Refuse a file that was closed, or is another process's.

        Raises:
            LogError: saying so.
        """
        if self._process != os.getpid():
            raise LogError(f"{self.path} is the store of process {self._process}: open it there")
        if not self._is_open:
            raise LogError(f"{self.path} is a store that was closed: open it again")

    # --- what stores ask for

    def writer_for(self, agent: str) -> GroupedWriter:
        """The writer of an agent, which nobody else has open.

        Raises:
            LogError: where somebody has.
        """
        self.check_usable()
        if agent in self._agents:
            raise LogError(f"agent must be one that is not open already, got {quoted(agent)}")

        self._agents.add(agent)

        return GroupedWriter(self.committer, self._reader, self.path)

    def release(self, agent: str) -> None:
        """An agent's store was closed."""
        self._agents.discard(agent)

    def leave_to_parent(self) -> None:
        """In the child of a fork: connections, lock and thread are the parent's."""
        self._is_open = False
        self.owner.close()  # the parent's handle stays open and locked

    def __enter__(self) -> "SharedFile":
        return self

    def __exit__(self, *args: object) -> None:
        self.close()
