"""A store's file for all agents of one process, which commit their calls together."""

import contextlib
import os
from pathlib import Path
from typing import Literal

from mobandits.logs.address import Address, Place, place_of
from mobandits.logs.store.connection import connect, connect_to_read, explained, refuse_others
from mobandits.logs.store.grouped_writer import GroupedWriter
from mobandits.logs.store.ownership import claim
from mobandits.logs.store.schema import create_tables
from mobandits.logs.store.shared_store import SharedStore
from mobandits.logs.store.writer import SYNCHRONOUS
from mobandits.support.forks import on_fork
from mobandits.support.guests import required_contribution


def identity(path: Path) -> tuple[int, int]:
    """The device and the number of a file, which no other file has while it is there.

    Raises:
        OSError: where there is none.
    """
    found = path.stat()
    return found.st_dev, found.st_ino


class SharedFile(SharedStore):
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

    path: Path

    def __init__(self, path: str | Path, durability: Literal["disk", "system"] = "disk") -> None:
        file = Path(path)
        super().__init__(file, durability)
        refuse_others(file)
        with contextlib.ExitStack() as opened:
            self.owner = opened.enter_context(claim(file))
            self._connection = connect(file, synchronous=SYNCHRONOUS[durability])
            opened.callback(self._connection.close)
            with explained(file):
                create_tables(self._connection)
                self._reading = connect_to_read(file)
            opened.callback(self._reading.close)
            self._identity = identity(file)
            with explained(file):
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

    def close(self) -> None:
        """Wait for what is being written, and let another process in."""
        if self._is_open and self._process == os.getpid():
            self._is_open = False
            self.committer.end()
            with explained(self.path):
                self._opened.close()

    def writer_for(self, agent: str) -> GroupedWriter:
        """As of `SharedStore`."""
        self.check_usable()
        writer = GroupedWriter(self.committer, self._reading, self.path)
        return self._joined(agent, writer)


def open_shared(place: str | Place, durability: Literal["disk", "system"]) -> SharedStore:
    """A store for the agents of this process.

    Args:
        place: its file, or the URL of its database.
        durability: as of `SharedFile`.

    Raises:
        LogError: where it cannot be opened.
        MissingExtraError: where it is a database, and the service or its extra `postgres` is not
            installed.
    """
    found = place_of(place)
    if isinstance(found, Address):
        databases = required_contribution(
            "mobandits.databases", "a store in PostgreSQL", "postgres"
        )
        shared: SharedStore = databases.SharedDatabase(found, durability)
        return shared

    return SharedFile(found, durability)
