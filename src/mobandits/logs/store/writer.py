"""The connection that writes: transactions of one call, or of a group of calls."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mobandits.errors import LogError
from mobandits.logs.events import Decide, Event
from mobandits.logs.store.connection import connect, explained
from mobandits.logs.store.content import decision_of_key
from mobandits.logs.store.rows import Statement
from mobandits.logs.store.session import Session
from mobandits.logs.store.transactions import execute_all

SYNCHRONOUS = {"disk": "FULL", "system": "NORMAL", "buffered": "NORMAL"}
GROUP_EVENTS = 256  # of "buffered": a commit costs as much as ten events
GROUP_SECONDS = 0.01

# Connections that a parent process goes on using; see `Writer.leave_to_parent`.
_of_parents: list[Session] = []


class Writer:
    """Writes into a store; it is not locked itself, and called by one thread at a time.

    Args:
        path: of the store.
        durability: as of the store.
        lock: held by whoever calls; the timer of a group takes it.
        lock_timeout: as of the store.

    Attributes:
        connection: to the store.
        failure: why nothing can be written any more; None while it can.

    Raises:
        LogError: as `connect`.
    """

    def __init__(
        self,
        path: Path,
        durability: str,
        lock: contextlib.AbstractContextManager[Any],
        lock_timeout: float,
    ) -> None:
        self.connection = connect(
            path, synchronous=SYNCHRONOUS[durability], lock_timeout=lock_timeout
        )
        self.failure: str | None = None
        self._path = path
        self._lock = lock
        self._is_grouping = durability == "buffered"
        self._waiting = 0  # events of the group that is open
        self._timer: threading.Timer | None = None
        self._is_done = False

    def write(
        self,
        statements: Iterable[Statement],
        events: Sequence[Event],
        note: Callable[[], None] | None = None,
    ) -> None:
        """Run some statements: all of them or none; in the open group where calls are grouped.

        Args:
            statements: SQL and its values.
            events: that they append.
            note: called once they are written.

        Raises:
            LogError: where one is refused, or cannot be written.
        """
        if self._is_grouping:
            self._write_in_group(statements, len(events))
        else:
            self.write_alone(statements)
        if note is not None:
            note()

    def _write_in_group(self, statements: Iterable[Statement], count: int) -> None:
        connection = self.connection
        with self._undoing("ROLLBACK TO call"):
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
                self._start_timer()
            connection.execute("SAVEPOINT call")
            execute_all(connection, statements)
            connection.execute("RELEASE call")
        self._waiting += count
        if self._waiting >= GROUP_EVENTS:
            self.flush()

    def write_alone(self, statements: Iterable[Statement]) -> None:
        """Run some statements in a transaction of their own, after the open group.

        Raises:
            LogError: where one is refused, or cannot be written.
        """
        self.flush()
        connection = self.connection
        with self._undoing("ROLLBACK"):
            connection.execute("BEGIN IMMEDIATE")
            execute_all(connection, statements)
            connection.execute("COMMIT")

    def decision_with_key(self, agent: int, key: str) -> Decide | None:
        """As of `GroupedWriter`; what is not committed yet is read by the connection as well."""
        return decision_of_key(self.connection, agent, key, str(self._path))

    def flush(self) -> None:
        """Commit the open group.

        Raises:
            LogError: where it cannot be written.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting or self.connection.in_transaction:
            with self._undoing("ROLLBACK"):
                self.connection.execute("COMMIT")
        self._waiting = 0

    def close(self) -> None:
        """Commit the open group, and close the connection.

        Raises:
            LogError: where it cannot be written.
        """
        try:
            if self.failure is None:
                self.flush()
        finally:
            self._is_done = True
            with explained(self._path):
                self.connection.close()

    def leave_to_parent(self) -> None:
        """In the child of a fork: the connection must not be used here, and not even be closed.

        Closing it would write and remove the log that the parent uses.
        """
        self._is_done = True
        self._timer = None
        _of_parents.append(self.connection)  # kept, or collecting it would close it

    @contextlib.contextmanager
    def _undoing(self, undo: str) -> Iterator[None]:
        """Take back what fails inside; after what cannot be, nothing more is written."""
        try:
            yield
        except BaseException as error:
            self._take_back(undo, error)
            if isinstance(error, sqlite3.IntegrityError):
                raise
            if isinstance(error, sqlite3.Error):
                raise LogError(f"{self._path} cannot be written to: {error}") from error
            raise

    def _take_back(self, undo: str, error: BaseException) -> None:
        connection = self.connection
        # SQLite may have taken back all of it already, as it does on a full disk.
        if connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                connection.execute(undo)
                if undo != "ROLLBACK":
                    connection.execute("RELEASE call")
                    return
        if connection.in_transaction:
            # The call's part could not be taken back alone, so the group goes with it.
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        if self._waiting or connection.in_transaction:
            # Calls have returned whose events are lost now: what their agent knows is not here.
            self.failure = f"{self._waiting} events could not be written: {error}"
            self._waiting = 0

    def _start_timer(self) -> None:
        self._timer = threading.Timer(GROUP_SECONDS, self._flush_in_time)
        self._timer.daemon = True
        self._timer.start()

    def _flush_in_time(self) -> None:
        """Called by the timer, in a thread of its own: an error waits for the next call."""
        with self._lock, contextlib.suppress(LogError):
            if not self._is_done and self.failure is None:
                self.flush()
