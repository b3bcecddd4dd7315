"""The thread that commits: the calls of all agents that came meanwhile, in one transaction."""

import contextlib
import itertools
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from mobandits.errors import LogError
from mobandits.logs.address import Place
from mobandits.logs.store.appending import Few, appended, gathered, prepare_appending
from mobandits.logs.store.rollup import Rollup
from mobandits.logs.store.rows import Statement
from mobandits.logs.store.session import Session
from mobandits.logs.store.transactions import execute_all, undone_on_error


class Origin(Protocol):
    """Whose calls are committed.

    Attributes:
        failure: why nothing of it can be written any more; None while it can.
    """

    failure: str | None


class Call(NamedTuple):
    """Statements of one call, written all or none.

    Attributes:
        origin: whose call it is.
        statements: SQL and its values.
        note: called once it is on disk, unless a later call of its group and origin has one.
    """

    origin: Origin
    statements: list[Statement]
    note: Callable[[], None] | None = None


@dataclass(frozen=True, eq=False)
class Group:
    """Calls that are committed together.

    Attributes:
        calls: in the order in which they came.
        settled: done once they are on disk, or given up: `Origin.failure` says which.
    """

    calls: list[Call] = field(default_factory=list)
    settled: Future[None] = field(default_factory=Future)


def ignore(error: Exception) -> None:
    """Default failure hook; does nothing."""


class Committer:
    """Commits calls in groups, in a thread of its own, from `begin` to `end`.

    A group gathers while the one before is committed. So nobody waits for a timer, a lone call is
    committed at once, and many callers share what the disk costs. Where a `pacer` is set, it says
    when a group has gathered for long enough.

    Args:
        path: of the store, for errors.
        after_failure: is called with the error when a group was given up, before it is settled.

    Attributes:
        observer: told of every group how many calls it had, and how many seconds its commit took,
            by the thread that commits; None: nobody.
        pacer: called at the first call of a group, by whoever made it; the group is committed
            after the next `start`, or once somebody waits for it. None: groups start at once.
    """

    def __init__(self, path: Place, after_failure: Callable[[Exception], None] = ignore) -> None:
        self._path = path
        self._after_failure = after_failure
        # Taken by itself where nobody waits: a condition passes every call on.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._gathering = Group()
        self._committing: Group | None = None
        # Whether the thread may take the group that gathers; never where that has no calls.
        self._is_due = False
        self._is_closing = True  # so that nothing is added before it begins
        self.pacer: Callable[[], None] | None = None
        self.observer: Callable[[int, float], None] | None = None

    def begin(
        self,
        connection: Session,
        together: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext,
        few: Few = appended,
    ) -> None:
        """Take calls from now on; once more after `end` is no error.

        Args:
            connection: which nobody else writes with.
            together: sends the statements inside without waiting for each, where that saves time.
            few: makes few statements of those of many calls, as of `gathered`.
        """
        self._connection = connection
        self._few = few
        self._together = together
        # Sums are counted by statements that need answers, and so apart from such a group.
        self._is_together = together is not contextlib.nullcontext
        if not self._is_together:
            prepare_appending(connection)
        self._rollup = Rollup(connection)
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="mobandits-commits", daemon=True)
        self._thread.start()

    def add(
        self,
        origin: Origin,
        statements: Iterable[Statement],
        note: Callable[[], None] | None = None,
    ) -> Group:
        """Have a call committed, after those that were added before.

        Args:
            origin: whose call it is.
            statements: SQL and its values.
            note: as of `Call`.

        Returns:
            the group that it belongs to.

        Raises:
            LogError: where nothing is committed.
        """
        call = Call(origin, list(statements), note)
        with self._lock:
            if self._is_closing:
                rule = "must be open, and held by this process, to be written to"
                raise LogError(f"{self._path} {rule}; it is not, or was closed meanwhile")

            group = self._gathering
            is_first = not group.calls
            group.calls.append(call)

        # The thread waits for the first one; it takes the others along.
        if is_first:
            pacer = self.pacer or self.start
            pacer()

        return group

    def start(self) -> None:
        """Have what has gathered committed as soon as the thread can."""
        with self._lock:
            if self._gathering.calls:
                self._is_due = True
                self._changed.notify_all()

    def gathered(self) -> int:
        """Number of calls that have gathered for the next group."""
        return len(self._gathering.calls)

    def last_group(self) -> Group | None:
        """The group after which everything that was added is settled; None where it is already."""
        with self._lock:
            if self._gathering.calls:
                return self._gathering
            return self._committing

    def waiting(self) -> int:
        """Number of calls that are not settled yet."""
        with self._lock:
            committing = 0 if self._committing is None else len(self._committing.calls)
            return len(self._gathering.calls) + committing

    def flush(self) -> None:
        """Wait until everything that was added is settled."""
        group = self.last_group()
        if group is not None:
            self.wait_for(group)

    def wait_for(self, group: Group) -> None:
        """Wait until a group is settled."""
        self.start()
        group.settled.result()

    def keep(self, statements: Iterable[Statement]) -> "Kept":
        """Have something committed that is no event of an agent.

        Args:
            statements: SQL and its values.

        Returns:
            which says, once the group is settled, whether it is on disk.

        Raises:
            LogError: as `add`.
        """
        kept = Kept(self._path)
        self.add(kept, statements)

        return kept

    def end(self) -> None:
        """Settle what waits, and end the thread."""
        with self._lock:
            self._is_closing = True
            self._is_due = bool(self._gathering.calls)
            self._changed.notify_all()

        self._thread.join()

    # --- the thread

    def _run(self) -> None:
        while True:
            group = self._next_group()
            if group is None:
                self._count_events()
                return

            if not group.calls:
                self._count_events()
                continue

            self._timed_commit(group)
            _call_notes(group)
            with self._lock:
                self._committing = None

            self._rollup.note()
            # Whoever waits may look at once whether anything is left.
            group.settled.set_result(None)
            if self._is_together and self._rollup.is_due():
                self._count_events()

    def _next_group(self) -> Group | None:
        with self._lock:
            while not self._is_due:
                if self._is_closing:
                    return None
                seconds = None if self._gathering.calls else self._rollup.wait_seconds()
                if seconds == 0.0:
                    # Nobody calls: there is time to count what was appended.
                    return Group()
                self._changed.wait(seconds)

            self._committing = self._gathering
            self._gathering = Group()
            self._is_due = False

            return self._committing

    def _timed_commit(self, group: Group) -> None:
        began = time.perf_counter()
        self._commit(group)
        observer = self.observer
        if observer is not None:
            seconds = time.perf_counter() - began
            # It must not end the thread that all wait for.
            with contextlib.suppress(Exception):
                observer(len(group.calls), seconds)

    def _commit(self, group: Group) -> None:
        # What follows lost events would leave a hole in its agent's log.
        calls = [call for call in group.calls if call.origin.failure is None]
        every = itertools.chain.from_iterable(call.statements for call in calls)
        try:
            statements = gathered(every, self._few)
            connection = self._connection
            if self._is_together:
                self._in_transaction(lambda: execute_all(connection, statements), self._together)
            elif self._rollup.is_due():
                self._in_transaction(lambda: self._execute_and_count(statements))
            elif len(statements) == 1:
                # Alone, it is a transaction of its own.
                execute_all(connection, statements)
            else:
                self._in_transaction(lambda: execute_all(connection, statements))
        except sqlite3.IntegrityError:
            # One call is at fault, and the others need not pay for it.
            self._commit_apart(calls)
        except Exception as error:  # noqa: BLE001 - else the thread ends, and all wait for ever
            self._give_up(calls, error)

    def _commit_apart(self, calls: list[Call]) -> None:
        """Commit the calls of a group that cannot be committed whole, but for those at fault."""
        try:
            self._in_transaction(lambda: self._execute_apart(calls))
        except Exception as error:  # noqa: BLE001 - as `_commit`
            self._give_up(calls, error)

    def _in_transaction(
        self,
        execute: Callable[[], None],
        together: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext,
    ) -> None:
        connection = self._connection
        # What fails inside may be told only at its end: nothing is committed before, and what was
        # begun is taken back after it.
        with undone_on_error(connection), together():
            connection.execute("BEGIN IMMEDIATE")
            execute()
            connection.execute("COMMIT")

    def _execute_and_count(self, statements: Iterable[Statement]) -> None:
        execute_all(self._connection, statements)
        self._rollup.count()

    def _count_events(self) -> None:
        """Count some of the events that were appended, where no group is there to do it with."""
        try:
            if self._rollup.is_anything_left():
                self._in_transaction(self._rollup.count)
        except Exception as error:  # noqa: BLE001 - no call depends on it
            self._rollup.put_off(error)

    def _execute_apart(self, calls: list[Call]) -> None:
        connection = self._connection
        for call in calls:
            if call.origin.failure is not None:
                continue

            connection.execute("SAVEPOINT call")
            try:
                execute_all(connection, call.statements)
            except sqlite3.IntegrityError as error:
                connection.execute("ROLLBACK TO call")
                call.origin.failure = f"an event was refused: {error}"
            connection.execute("RELEASE call")

    def _give_up(self, calls: list[Call], error: Exception) -> None:
        """Calls have changed agents whose events are not on disk: these agents must not go on."""
        for call in calls:
            call.origin.failure = f"its last events could not be written: {error}"

        self._after_failure(error)


def _call_notes(group: Group) -> None:
    """Call the last note of each origin whose calls are on disk."""
    last = {call.origin: call.note for call in group.calls if call.note is not None}
    for origin, note in last.items():
        if origin.failure is None:
            note()


class Kept:
    """Something beside events that a service has given to the disk.

    Args:
        path: of the store.

    Attributes:
        failure: why it could not be written; None where it was, or is not settled yet.
    """

    def __init__(self, path: Place) -> None:
        self.failure: str | None = None
        self._path = path

    def check(self) -> None:
        """Refuse to go on where it could not be written; of use once its group is settled.

        Raises:
            LogError: saying why.
        """
        if self.failure is not None:
            raise LogError(f"{self._path}: {self.failure}")
