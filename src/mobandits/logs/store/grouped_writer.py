"""The writer of one agent into a file that it shares with others of its process."""

import weakref
from collections.abc import Callable, Iterable

from mobandits.errors import LogError
from mobandits.logs.address import Place
from mobandits.logs.events import Decide, Event
from mobandits.logs.store.committer import Committer, Group
from mobandits.logs.store.content import decision_of_key
from mobandits.logs.store.rows import Statement
from mobandits.logs.store.session import Session


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

    def __init__(self, committer: Committer, connection: Session, path: Place) -> None:
        self.connection = connection
        self.failure: str | None = None
        self._committer = committer
        self._path = path
        # The last group with a call of this agent; gone once it is settled, with all that it wrote.
        self._last: weakref.ref[Group] | None = None
        # Decisions with a client's key, which cannot be looked up before they are committed.
        self._unsettled: dict[str, tuple[Group, Decide]] = {}

    def write(
        self,
        statements: Iterable[Statement],
        events: Iterable[Event],
        note: Callable[[], None] | None = None,
    ) -> None:
        """Have a call committed; `Committer.last_group` says when it is.

        Args:
            statements: SQL and its values.
            events: that they append.
            note: called once they are on disk, unless a later call of the group has one as well.
        """
        group = self._committer.add(self, statements, note)
        self._last = weakref.ref(group)
        self._forget_settled()
        for event in events:
            if isinstance(event, Decide) and event.key is not None:
                self._unsettled[event.key] = (group, event)

    def write_alone(self, statements: Iterable[Statement]) -> None:
        """As `write`, where nothing is appended."""
        group = self._committer.add(self, statements)
        self._last = weakref.ref(group)

    def decision_with_key(self, agent: int, key: str) -> Decide | None:
        """The decision of a client's key, whether it is on disk yet or not; None: there is none.

        Args:
            agent: its number in the file.
            key: of the client.

        Raises:
            LogError: where it is damaged.
        """
        # Before the file: it may be committed in between.
        unsettled = self._unsettled.get(key)
        if unsettled is not None:
            _, event = unsettled
            return event

        return decision_of_key(self.connection, agent, key, str(self._path))

    def flush(self) -> None:
        """Wait until everything that the agent wrote is on disk; others may go on writing.

        Raises:
            LogError: where it cannot be written.
        """
        self._wait()
        if self.failure is not None:
            raise LogError(f"{self._path}: {self.failure}")

    def close(self) -> None:
        """Wait until all of it is on disk, or given up; the file stays open for others."""
        self._wait()

    def leave_to_parent(self) -> None:
        """In the child of a fork, nothing: the file's connections are the parent's."""

    def _wait(self) -> None:
        group = None if self._last is None else self._last()
        if group is not None:
            self._committer.wait_for(group)

    def _forget_settled(self) -> None:
        """Forget the decisions that can be looked up by now, which are the first ones."""
        unsettled = self._unsettled
        while unsettled:
            key = next(iter(unsettled))
            group, _ = unsettled[key]
            if not group.settled.done():
                return
            del unsettled[key]
