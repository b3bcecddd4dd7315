"""A store of decisions: one SQLite file, which an agent writes and any tool reads."""

import contextlib
import importlib.metadata
import json
import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, Self

from mobandits.errors import LogError, LogWarning
from mobandits.logs.events import checked
from mobandits.logs.names import compact, decoded, encoded, name_text
from mobandits.logs.store import rows
from mobandits.logs.store.connection import connect, events_between, reading
from mobandits.logs.store.ownership import claim
from mobandits.logs.store.rows import Event
from mobandits.logs.store.schema import migrate
from mobandits.logs.store.write_ahead_log import commits
from mobandits.support.checks import choice
from mobandits.support.forks import on_fork
from mobandits.support.naming import quoted

Durability = Literal["disk", "system", "buffered"]
SYNCHRONOUS = {"disk": "FULL", "system": "NORMAL", "buffered": "NORMAL"}
GROUP_EVENTS = 256  # of "buffered": a commit costs as much as ten events
GROUP_SECONDS = 0.01
KEPT_SNAPSHOTS = 3  # the last may be damaged, and the one before it as well

INSERT_NEW_ARM = """
INSERT INTO arms (agent, number, name)
SELECT ?1, (SELECT count(*) FROM arms WHERE agent = ?2), ?3
WHERE NOT EXISTS (SELECT 1 FROM arms WHERE agent = ?1 AND name = ?3)
"""
DELETE_OLD_SNAPSHOTS = """
DELETE FROM snapshots WHERE agent = ? AND seq NOT IN
    (SELECT seq FROM snapshots WHERE agent = ? ORDER BY seq DESC LIMIT ?)
"""

# Connections that a parent process goes on using; see `Store._leave_to_parent`.
_of_parents: list[sqlite3.Connection] = []


class Snapshot(NamedTuple):
    """What an agent knew after some events.

    Attributes:
        seq: the last event that the state knows.
        state: the bytes of `Agent.save`.
    """

    seq: int
    state: bytes


class Store:
    """The decisions, rewards and changes of an agent in a SQLite file, in the order in which it made them.

    What `durability` promises, once a call has returned:

    - "disk": the disk has confirmed it, so it survives a loss of power.
    - "system": the operating system has it, so it survives a killed process.
    - "buffered": it is written with up to 255 others, at the latest after 10 ms. A process that is
      killed loses what it had not written yet.

    A process that is killed at any moment leaves a file that opens again with every event whose
    call had returned, and with whole transactions only. A damaged file is refused, or, where
    SQLite's own recovery gave up acknowledged transactions, a `LogWarning` says how many.

    One process writes; any number may read meanwhile, with any tool that reads SQLite. Threads may
    share a store: each call is done before the next one begins. In the child of a fork it takes
    nothing, and the parent goes on.

    Args:
        path: of the file; made where it does not exist.
        durability: "disk", "system" or "buffered".
        agent: whose events these are; a file may hold those of several.

    Raises:
        LogError: where the file is something else, damaged, of a newer version, or in use.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "router.db"
        >>> with Store(path) as store:
        ...     store.describe({"arms": ["small", "large"], "objectives": [{"name": "quality", "minimise": False}]})
        ...     store.append({"kind": "decide", "id": 0, "context": [[1.0]], "arm": 1, "propensity": 0.5})
        >>> with Store(path) as store:
        ...     store.append({"kind": "learn", "id": 0, "rewards": {"quality": 0.25}})
        ...     [event["kind"] for event in store.events()], len(store)
        (['decide', 'learn'], 2)
    """

    def __init__(
        self, path: str | Path, durability: Durability = "system", agent: str = "agent"
    ) -> None:
        choice("Store.durability", durability, tuple(SYNCHRONOUS))
        self.path = Path(path)
        self.durability = durability
        self.agent = agent
        self._threads = threading.RLock()
        self._process = os.getpid()
        self._forked = False
        self._number: int | None = None
        self._events = 0
        self._uncommitted = 0
        self._timer: threading.Timer | None = None
        self._failure: str | None = None
        self._connection: sqlite3.Connection | None = None
        self._owner: BinaryIO | None = claim(self.path)
        on_fork(self, Store._leave_to_parent)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        rule = "Store cannot be copied or pickled: one process writes"
        raise TypeError(f"{rule} into {self.path}; open it there")

    def __len__(self) -> int:
        """How many events there ever were; those that were deleted count."""
        return self._events

    @property
    def description(self) -> dict[str, Any] | None:
        """What the agent is, as `describe` was given it; None where it is new."""
        with self._threads:
            connection = self._usable()
            query = "SELECT description FROM agents WHERE name = ?"
            row = connection.execute(query, (self.agent,)).fetchone()
        return None if row is None else decoded(json.loads(row[0]))

    def describe(self, description: dict[str, Any]) -> None:
        """Say what the agent's events mean; of an agent that is there, make sure that it is the same.

        Args:
            description: names and numbers; for `logs.read` it has the names of "arms" and
                "objectives", these as {"name": ..., "minimise": ...}.

        Raises:
            LogError: where the agent has another description, or a file cannot hold this one.
        """
        with self._threads:
            known = self.description
            if known is None:
                self._introduce(description)
                return
        for key in [*known, *description]:
            if key not in known or key not in description or known[key] != description[key]:
                was = quoted(known.get(key))
                now = quoted(description.get(key))
                raise LogError(
                    f"{self.path} has an agent with {key} = {was}, now {now}: choose another file"
                )

    def append(self, event: Event) -> None:
        """Keep an event; when this returns, it is as safe as `durability` promises.

        Args:
            event: see `mobandits.logs.events`.

        Raises:
            LogError: naming field, rule and value, or what the disk said; nothing was appended then.
        """
        self.extend((event,))

    def extend(self, events: Iterable[Event]) -> None:
        """Keep several events in one transaction: all of them, or none where one is refused.

        Raises:
            LogError: as `append`.
        """
        with self._threads:
            connection = self._usable()
            if self._number is None:
                self.describe({})
            before = self._events
            grouped = self._begin(connection)
            try:
                for event in events:
                    self._insert(connection, event)
                parameters = (self._events, self._number)
                connection.execute("UPDATE agents SET events = ? WHERE id = ?", parameters)
                connection.execute("RELEASE call" if grouped else "COMMIT")
            except BaseException as error:
                self._events = before
                self._undo(connection, grouped=grouped)
                if isinstance(error, sqlite3.Error):
                    raise LogError(f"{self.path} cannot be written to: {error}") from error
                raise
            if grouped:
                self._uncommitted += self._events - before
                if self._uncommitted >= GROUP_EVENTS:
                    self._commit_group(connection)

    def events(self, after: int = 0) -> Iterator[Event]:
        """The events that came after one, in order, as they were appended; contexts are arrays.

        What is appended meanwhile is not in it. The reader has a connection of its own, so that
        others may write.

        Args:
            after: the seq of the last event that is not wanted; 0: all.

        Raises:
            LogError: where an event is damaged, missing, or was deleted.
        """
        with self._threads:
            self.flush()
            number = self._number
            last = self._events
        if number is None:
            return
        with reading(self.path) as connection:
            yield from events_between(connection, number, after, last, str(self.path))

    def snapshot(self, state: bytes) -> None:
        """Keep what the agent knows now: opening need not read the events before. The last three are kept.

        Raises:
            LogError: where there are no events yet, or it cannot be written.
        """
        with self._threads:
            self.flush()
            connection = self._usable()
            if self._number is None:
                raise LogError(f"{self.path} must have a description before a snapshot, got none")
            row = (self._number, self._events, time.time(), state, rows.checksum(blob=state))
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", row)
                connection.execute(
                    DELETE_OLD_SNAPSHOTS, (self._number, self._number, KEPT_SNAPSHOTS)
                )
                connection.execute("COMMIT")
            except BaseException as error:
                self._undo(connection, grouped=False)
                if isinstance(error, sqlite3.Error):
                    raise LogError(f"{self.path} cannot be written to: {error}") from error
                raise

    def snapshots(self) -> Iterator[Snapshot]:
        """The snapshots that are not damaged, the newest first."""
        with self._threads:
            connection = self._usable()
            query = "SELECT seq, state, checksum FROM snapshots WHERE agent = ? ORDER BY seq DESC"
            kept = connection.execute(query, (self._number,)).fetchall()
        for seq, state, check in kept:
            if check == rows.checksum(blob=state):
                yield Snapshot(seq, state)
            else:
                said = f"{self.path} has a damaged snapshot after event {seq}, which is passed over"
                warnings.warn(said, LogWarning, stacklevel=2)

    def flush(self) -> None:
        """Commit what "buffered" has not committed yet.

        Raises:
            LogError: where it cannot be written.
        """
        with self._threads:
            connection = self._usable()
            self._commit_group(connection)

    def close(self) -> None:
        """Commit what waits, and let another writer in; a closed store can be closed again."""
        with self._threads:
            connection = self._connection
            try:
                if connection is not None:
                    self._commit_group(connection)
            finally:
                self._connection = None
                if connection is not None:
                    connection.close()
                if self._owner is not None:
                    self._owner.close()
                    self._owner = None

    def check_usable(self) -> None:
        """Refuse a store that takes no events.

        Raises:
            LogError: where it was closed, where a group could not be written, or where this process
                was forked from the one that opened it.
        """
        self._usable()

    # --- opening

    def _open(self) -> None:
        acknowledged = commits(self.path)
        connection = connect(self.path, synchronous=SYNCHRONOUS[self.durability])
        self._connection = connection
        migrate(connection, importlib.metadata.version("mobandits"))
        self._warn_of_loss(connection, acknowledged)
        query = "SELECT id, events FROM agents WHERE name = ?"
        row = connection.execute(query, (self.agent,)).fetchone()
        if row is not None:
            self._number, self._events = row

    def _warn_of_loss(self, connection: sqlite3.Connection, acknowledged: list[int]) -> None:
        """Say how many transactions SQLite gave up when it recovered from its log."""
        _, recovered, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        lost = sum(frame > recovered for frame in acknowledged)
        if lost:
            said = (
                f"{self.path}: the last {lost} transactions of its log are torn or damaged, and "
                "were given up; one that was being written when its process was stopped is normal"
            )
            warnings.warn(said, LogWarning, stacklevel=5)

    def _introduce(self, description: dict[str, Any]) -> None:
        """Make the agent's row, and those of its first arms."""
        if not isinstance(description, dict):
            raise LogError(f"description must be a dictionary, got {quoted(description)}")
        connection = self._usable()
        try:
            text = compact(encoded(description, "description"))
        except RecursionError as error:
            raise LogError("description must not be nested as deeply as it is") from error
        names = [name_text(name) for name in description.get("arms", ())]
        self._commit_group(connection)
        try:
            connection.execute("BEGIN IMMEDIATE")
            cursor = connection.execute(
                "INSERT INTO agents (name, description, created, events, complete_after) "
                "VALUES (?, ?, ?, 0, 0)",
                (self.agent, text, time.time()),
            )
            number = cursor.lastrowid
            arms = [(number, position, name) for position, name in enumerate(names)]
            connection.executemany("INSERT INTO arms VALUES (?, ?, ?)", arms)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._undo(connection, grouped=False)
            raise LogError(f"{self.path} cannot be written to: {error}") from error
        self._number = number

    # --- transactions

    def _begin(self, connection: sqlite3.Connection) -> bool:
        """Begin a transaction, or a part of the group that is open; whether it is a part."""
        try:
            if self.durability != "buffered":
                connection.execute("BEGIN IMMEDIATE")
                return False
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
                self._start_timer()
            connection.execute("SAVEPOINT call")
        except sqlite3.Error as error:
            raise LogError(f"{self.path} cannot be written to: {error}") from error
        return True

    def _insert(self, connection: sqlite3.Connection, event: Event) -> None:
        """Give an event the next number and its rows."""
        number = self._number
        assert number is not None  # noqa: S101 - `extend` has introduced the agent
        # A context is checked as an array: as lists it would cost more than all the rest.
        context = event.get("context")
        plain = {key: value for key, value in event.items() if key != "context"}
        kept = checked(plain)
        seq = self._events + 1
        kind = kept["kind"]
        if kind == "decide":
            connection.execute(rows.INSERT_DECISION, rows.decision_row(number, seq, kept, context))
        elif kind == "learn":
            connection.executemany(rows.INSERT_REWARD, rows.reward_rows(number, seq, kept))
        else:
            connection.execute(rows.INSERT_CHANGE, rows.change_row(number, seq, kept))
            if kind == "add":
                connection.execute(INSERT_NEW_ARM, (number, number, name_text(kept["arm"])))
        self._events = seq

    def _commit_group(self, connection: sqlite3.Connection) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not connection.in_transaction:
            return
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            # Calls have returned that are lost now: what the agent knows is not in the file.
            self._failure = f"{self._uncommitted} events could not be written: {error}"
            self._undo(connection, grouped=False)
            raise LogError(f"{self.path}: {self._failure}") from error
        self._uncommitted = 0

    def _start_timer(self) -> None:
        self._timer = threading.Timer(GROUP_SECONDS, self._commit_in_time)
        self._timer.daemon = True
        self._timer.start()

    def _commit_in_time(self) -> None:
        """Called by the timer, in a thread of its own: an error waits for the next call."""
        with self._threads, contextlib.suppress(LogError):
            if self._connection is not None and not self._forked:
                self._commit_group(self._connection)

    def _undo(self, connection: sqlite3.Connection, *, grouped: bool) -> None:
        """Take back what a failed call has written; SQLite itself may have done so already."""
        if not connection.in_transaction:
            return
        with contextlib.suppress(sqlite3.Error):
            if grouped:
                connection.execute("ROLLBACK TO call")
                connection.execute("RELEASE call")
            else:
                connection.execute("ROLLBACK")

    def _usable(self) -> sqlite3.Connection:
        if self._forked:
            here = f"process {os.getpid()} was forked from it"
            raise LogError(
                f"{self.path} is the store of process {self._process}, and {here}: "
                "open another one here, or close the store before the fork"
            )
        if self._connection is None:
            raise LogError(f"{self.path} is a store that was closed: open it again")
        if self._failure is not None:
            raise LogError(f"{self.path}: {self._failure}; close the store, and open it again")
        return self._connection

    def _leave_to_parent(self) -> None:
        """In the child of a fork: the connection is the parent's, and must not even be closed here.

        Closing it would write and remove the log that the parent uses.
        """
        self._threads = threading.RLock()  # another thread of the parent may have held the old one
        self._forked = True
        self._timer = None
        if self._connection is not None:
            _of_parents.append(self._connection)  # kept, or collecting it would close it
            self._connection = None
        if self._owner is not None:
            self._owner.close()  # the parent's handle stays open and locked
            self._owner = None
