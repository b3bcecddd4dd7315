"""The thread that commits: the calls of all agents that came meanwhile, in one transaction."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mobandits.errors import LogError

Statement = tuple[str, tuple[Any, ...]]


class Origin(Protocol):
    """Whose calls are committed.

    Attributes:
        failure: why nothing of it can be written any more; None while it can.
    """

    failure: str | None


@dataclass(frozen=True)
class Call:
    """What one call writes: all of it or nothing."""

    origin: Origin
    statements: list[Statement]


@dataclass(frozen=True, eq=False)
class Group:
    """Calls that are committed together.

    Attributes:
        calls: in the order in which they came.
        settled: done once they are on disk, or given up: `Origin.failure` says which.
    """

    calls: list[Call] = field(default_factory=list)
    settled: Future[None] = field(default_factory=Future)


class Committer:
    """Commits calls in groups, in a thread of its own.

    A group gathers while the one before is committed. So nobody waits for a timer, a lone call is
    committed at once, and many callers share what the disk costs.

    Args:
        connection: which nobody else writes with.
        path: of the store, for errors.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._changed = threading.Condition()
        self._gathering = Group()
        self._committing: Group | None = None
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="mobandits-commits", daemon=True)
        self._thread.start()

    def add(self, origin: Origin, statements: Iterable[Statement]) -> Group:
        """Have a call committed, after those that were added before.

        Returns:
            the group that it belongs to.
        """
        call = Call(origin, list(statements))
        with self._changed:
            group = self._gathering
            group.calls.append(call)
            self._changed.notify_all()

        return group

    def last_group(self) -> Group | None:
        """The group after which everything that was added is settled; None where it is already."""
        with self._changed:
            if self._gathering.calls:
                return self._gathering
            return self._committing

    def waiting(self) -> int:
        """How many calls are not settled yet."""
        with self._changed:
            committing = 0 if self._committing is None else len(self._committing.calls)
            return len(self._gathering.calls) + committing

    def flush(self) -> None:
        """Wait until everything that was added is settled."""
        group = self.last_group()
        if group is not None:
            group.settled.result()

    def close(self) -> None:
        """Settle what waits, and end the thread."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()

        self._thread.join()

    # --- the thread

    def _run(self) -> None:
        while True:
            group = self._next_group()
            if group is None:
                return

            self._commit(group)
            with self._changed:
                self._committing = None

            # Last: whoever waits may look at once whether anything is left.
            group.settled.set_result(None)

    def _next_group(self) -> Group | None:
        with self._changed:
            while not self._gathering.calls:
                if self._is_closing:
                    return None
                self._changed.wait()

            self._committing = self._gathering
            self._gathering = Group()

            return self._committing

    def _commit(self, group: Group) -> None:
        # What follows lost events would leave a hole in its agent's log.
        calls = [call for call in group.calls if call.origin.failure is None]
        try:
            self._in_transaction(lambda: self._execute(calls))
        except sqlite3.IntegrityError:
            # One call is at fault, and the others need not pay for it.
            self._commit_apart(calls)
        except sqlite3.Error as error:
            self._give_up(calls, error)

    def _commit_apart(self, calls: list[Call]) -> None:
        """Commit the calls of a group that cannot be committed whole, but for those at fault."""
        try:
            self._in_transaction(lambda: self._execute_apart(calls))
        except sqlite3.Error as error:
            self._give_up(calls, error)

    def _in_transaction(self, execute: Callable[[], None]) -> None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            execute()
            connection.execute("COMMIT")
        except BaseException:
            # SQLite may have taken back all of it already, as it does on a full disk.
            with contextlib.suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            raise

    def _execute(self, calls: list[Call]) -> None:
        connection = self._connection
        for call in calls:
            for sql, values in call.statements:
                connection.execute(sql, values)

    def _execute_apart(self, calls: list[Call]) -> None:
        connection = self._connection
        for call in calls:
            if call.origin.failure is not None:
                continue

            connection.execute("SAVEPOINT call")
            try:
                self._execute([call])
            except sqlite3.IntegrityError as error:
                connection.execute("ROLLBACK TO call")
                call.origin.failure = f"an event was refused: {error}"
            connection.execute("RELEASE call")

    def _give_up(self, calls: list[Call], error: sqlite3.Error) -> None:
        """Calls have changed agents whose events are not on disk: these agents must not go on."""
        for call in calls:
            call.origin.failure = f"its last events could not be written: {error}"


class GroupedWriter:
    """Writes the events of one agent into a file that it shares, in the groups of a committer.

    Args:
        committer: of the file.
        connection: which reads what was committed.
        path: of the file.

    Attributes:
        connection: as given.
        failure: why nothing can be written any more; None while it can.
    """

    def __init__(self, committer: Committer, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.failure: str | None = None
        self._committer = committer
        self._path = path
        # Decisions with a client's key, which cannot be looked up before they are committed.
        self._unsettled: dict[str, tuple[Group, dict[str, Any]]] = {}

    def write(self, statements: Iterable[Statement], events: Iterable[dict[str, Any]]) -> None:
        """Have a call committed; `SharedFile.settled` says when it is.

        Args:
            statements: SQL and its values.
            events: that they append.
        """
        group = self._committer.add(self, statements)
        for event in events:
            key = event.get("key")
            if key is not None:
                self._forget_settled()
                self._unsettled[key] = (group, event)

    def write_alone(self, statements: Iterable[Statement]) -> None:
        """As `write`, where nothing is appended."""
        self._committer.add(self, statements)

    def unsettled_decision(self, key: str) -> dict[str, Any] | None:
        """The decision of a client's key that may not be on disk yet; None where there is none."""
        found = self._unsettled.get(key)
        return None if found is None else found[1]

    def flush(self) -> None:
        """Wait until everything is on disk.

        Raises:
            LogError: where it cannot be written.
        """
        self._committer.flush()
        if self.failure is not None:
            raise LogError(f"{self._path}: {self.failure}")

    def close(self) -> None:
        """Wait until everything is on disk, or given up; the file stays open for others."""
        self._committer.flush()

    def leave_to_parent(self) -> None:
        """In the child of a fork, nothing: the file's connections are the parent's."""

    def _forget_settled(self) -> None:
        """Forget the decisions that can be looked up by now, which are the first ones."""
        for key, (group, _) in list(self._unsettled.items()):
            if not group.settled.done():
                return
            del self._unsettled[key]
