"""The half of a store that opens it, and writes what an agent decides, learns and changes."""

import contextlib
import json
import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from mobandits.errors import DamagedError, LogError, LogWarning
from mobandits.logs.address import Address, Place, is_address
from mobandits.logs.arm_registry import ArmRegistry, first_arms
from mobandits.logs.events import Add, Description, Event, Fields, Remove, checked
from mobandits.logs.names import compact, decoded, encoded, name_text
from mobandits.logs.store.connection import WAIT_SECONDS, explained, reading, refuse_others
from mobandits.logs.store.content import NO_AGENT, AgentLog, AgentRow, agent_row
from mobandits.logs.store.continuity import Continuity
from mobandits.logs.store.grouped_writer import GroupedWriter
from mobandits.logs.store.ownership import Owner, claim
from mobandits.logs.store.rows import UPDATE_EVENTS, Statement, checksum, statements_of
from mobandits.logs.store.schema import broken_rule, create_tables
from mobandits.logs.store.shared_store import SharedStore
from mobandits.logs.store.writer import SYNCHRONOUS, Writer
from mobandits.support.checks import choice, number
from mobandits.support.forks import on_fork
from mobandits.support.naming import quoted, wrong_value

Durability = Literal["disk", "system", "buffered"]
KEPT_SNAPSHOTS = 3  # the last may be damaged, and the one before it as well

INSERT_AGENT = """
INSERT INTO agents (name, description, created, events, complete_after, checksum)
VALUES (?, ?, ?, 0, 0, ?)
"""
UPDATE_DESCRIPTION = "UPDATE agents SET description = ?, checksum = ? WHERE id = ?"
UPDATE_ARM = "UPDATE arms SET name = ? WHERE agent = ? AND number = ?"
INSERT_ARM = "INSERT INTO arms SELECT id, ?, ? FROM agents WHERE name = ?"
INSERT_SNAPSHOT = """
INSERT INTO snapshots VALUES (?, ?, ?, ?, ?) ON CONFLICT (agent, seq)
DO UPDATE SET at = excluded.at, state = excluded.state, checksum = excluded.checksum
"""
NO_SEQ = -1
SET_SNAPSHOT_STATE = "UPDATE snapshots SET state = ? WHERE agent = ? AND seq = ?"
DELETE_OLD_SNAPSHOTS = """
DELETE FROM snapshots WHERE agent = ? AND seq NOT IN
    (SELECT seq FROM snapshots WHERE agent = ? ORDER BY seq DESC LIMIT ?)
"""


class StoreWriting:
    """A store that is open, and what is written into it; see `Store`."""

    def __init__(
        self,
        path: str | Path | SharedStore,
        durability: Durability = "system",
        agent: str = "agent",
        *,
        lock_timeout: float = WAIT_SECONDS,
    ) -> None:
        choice("Store.durability", durability, tuple(SYNCHRONOUS))
        number("Store.lock_timeout", lock_timeout, at_least=0.0)
        if not isinstance(agent, str):
            raise wrong_value("Store.agent must be text", agent, LogError)
        if isinstance(path, str) and is_address(path):
            raise LogError(f"Store.path must be a file or a SharedDatabase, got {Address(path)}")
        self._file: SharedStore | None = None
        own: Path | None = None
        if isinstance(path, str | Path):
            own = Path(path)
            self.path: Place = own
        else:
            self._file = path
            self.path = path.path
        self.durability = durability if self._file is None else self._file.durability
        self.agent = encoded(agent, "Store.agent")
        self._lock_timeout = float(lock_timeout)
        self._threads = threading.RLock() if self._file is None else self._file.lock
        self._process = os.getpid()
        self._row = NO_AGENT
        self.last_seq = 0
        self._arms = ArmRegistry()
        # Until a call is done: an interruption leaves it unknown whether it was written.
        self._is_midway = False
        # What `in_one_call` gathers; None outside of it.
        self._held: list[Event] | None = None
        self._is_forked = False
        self._writer: Writer | GroupedWriter | None = None
        self._owner: Owner | None = None
        if own is not None:
            refuse_others(own)
            self._owner = claim(own)
        owner = self._owner if self._file is None else self._file.owner
        is_exact = self.durability != "buffered"
        self._continuity = Continuity(owner, self.agent, is_exact=is_exact)
        on_fork(self, StoreWriting.leave_to_parent)
        try:
            # Others of a shared file read by the same connection.
            with self._threads:
                self._open(own)
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
        return self.last_seq

    @contextlib.contextmanager
    def in_one_call(self) -> Iterator[list[Statement]]:
        """What is written inside is one call: all of it is on disk, or nothing.

        One thread writes meanwhile. Where it fails inside, nothing is written any more: the agent
        has done what is nowhere, and must be opened again.

        Returns:
            a list for what else belongs to the call: statements that come after the events.

        Raises:
            LogError: where the store is a file of its own, whose calls are committed one by one.
        """
        writer = self._usable()
        if not isinstance(writer, GroupedWriter):
            raise LogError(f"{self.path} must be shared to write several calls as one")
        before = self.last_seq
        more: list[Statement] = []
        events: list[Event] = []
        self._held = events
        try:
            yield more
            self.last_seq = before
            if events or more:
                with self._threads:
                    self._write(writer, events, more)
        except BaseException as error:
            writer.failure = writer.failure or f"its last events could not be written: {error}"
            raise
        finally:
            self._held = None

    def describe(self, description: Description) -> None:
        """Say what the agent's events mean; of one that is there, make sure that it is the same.

        Args:
            description: names and numbers; for `logs.read` it has the names of "arms" and
                "objectives", these as {"name": ..., "minimise": ...}.

        Raises:
            LogError: where the agent has another description, or files cannot hold this one.
        """
        with self._threads:
            row = self._agent_row()
            if row is None:
                self._introduce(description)
                return
        known = row.description
        for key in [*known, *description]:
            if key not in known or key not in description or known[key] != description[key]:
                was = quoted(known.get(key))
                now = quoted(description.get(key))
                raise LogError(
                    f"{self.path} has an agent with {key} = {was}, now {now}: choose another file"
                )

    def append(self, event: Event | Fields) -> None:
        """Keep an event; when this returns, it is as safe as `durability` promises.

        Args:
            event: a record, which is kept as it is, or a dictionary, which is checked first; see
                `mobandits.logs.events`.

        Raises:
            LogError: naming field, rule and value, or what the disk said; then nothing was kept.
        """
        self.extend([event])

    def extend(self, events: Iterable[Event | Fields]) -> None:
        """Keep several events in one transaction: all of them, or none where one is refused.

        Args:
            events: as of `append`.

        Raises:
            LogError: as `append`.
        """
        # It may call the store itself, so before anything is begun.
        listed = list(map(checked, events))
        if self._held is not None:
            self._held += listed
            self.last_seq += len(listed)
            return

        with self._threads:
            writer = self._usable()
            if self._row is NO_AGENT:
                self.describe({})
            if listed:
                self._write(writer, listed)

    def redescribe(self, description: Description, events: Iterable[Event | Fields]) -> None:
        """Keep events after which the agent is another one: all of it is kept, or none.

        Args:
            description: of the agent from now on.
            events: as of `append`.

        Raises:
            LogError: as `append`; also where there is no agent yet.
        """
        text = compact(encoded(description, "description"))
        listed = list(map(checked, events))
        with self._threads, explained(self.path):
            writer = self._usable()
            row = self._row
            if row is NO_AGENT:
                raise LogError(f"{self.path} must have a description to change it, got none")
            check = checksum(self.agent, text, row.created)
            update = (UPDATE_DESCRIPTION, (text, check, row.id))
            self._write(writer, listed, more=[update])
            self._row = row._replace(description=decoded(json.loads(text)))

    def _write(
        self,
        writer: Writer | GroupedWriter,
        listed: Sequence[Event],
        more: Sequence[Statement] = (),
    ) -> None:
        """Write some events, and what else belongs to them; the caller holds the lock."""
        number = self._row.id
        statements: list[Statement] = []
        arms = self._arms
        seq = self.last_seq
        for event in listed:
            seq += 1
            statements += statements_of(number, seq, event)
            if isinstance(event, Add | Remove):
                known = len(arms.names)
                # A copy, since the call may still be refused.
                arms = arms.copy()
                arms.follow(event)
                for name in arms.names[known:]:
                    statements.append((INSERT_ARM, (known, name_text(name), self.agent)))
                if isinstance(event, Add) and event.renames:
                    place = arms.names.index(event.arm)
                    statements.append((UPDATE_ARM, (name_text(event.arm), number, place)))

        statements.append((UPDATE_EVENTS, (seq, number)))
        statements += more
        note = self._continuity.note_after(listed, seq)
        self._is_midway = True
        try:
            writer.write(statements, listed, note)
        except Exception as error:
            self._is_midway = False
            if isinstance(error, sqlite3.IntegrityError):
                raise LogError(f"{self.path} cannot take it: {broken_rule(error)}") from error
            raise
        self.last_seq = seq
        self._arms = arms
        self._is_midway = False

    def snapshot(self, state: bytes, seq: int | None = None) -> None:
        """Keep what the agent knows: opening need not read the events before. Three are kept.

        Args:
            state: the bytes of `Agent.save`.
            seq: of the last event that it knows; None: the last one that there is.

        Raises:
            LogError: where there is no description yet, or it cannot be written.
        """
        known = self.last_seq if seq is None else seq
        # Outside of the lock: agents of one file share it, and would all have to wait.
        check = checksum(known, blob=state)
        with self._threads:
            writer = self._usable()
            number = self._row.id
            if self._row is NO_AGENT:
                raise LogError(f"{self.path} must have a description before a snapshot, got none")
            row = (number, known, time.time(), b"", check)
            old = (number, number, KEPT_SNAPSHOTS)
            statements: list[Statement] = [
                (INSERT_SNAPSHOT, row),
                (SET_SNAPSHOT_STATE, (state, number, known)),
                # Of no row. A statement that is used again keeps what it was given last, and so
                # would keep a state in memory until the next snapshot.
                (SET_SNAPSHOT_STATE, (b"", number, NO_SEQ)),
                (DELETE_OLD_SNAPSHOTS, old),
            ]
            writer.write_alone(statements)

    def flush(self) -> None:
        """Commit what "buffered" has not committed yet.

        Raises:
            LogError: where it cannot be written.
        """
        # Agents of one file share the lock, and would wait for this one's events.
        alone = self._threads if self._file is None else contextlib.nullcontext()
        with alone:
            self._usable().flush()

    def close(self) -> None:
        """Commit what waits, and let another writer in; a closed store can be closed again."""
        # What waits in a shared file is waited for without the lock, as in `flush`.
        waiting = self._writer
        if self._file is not None and waiting is not None:
            waiting.close()

        with self._threads:
            writer = self._writer
            owner = self._owner
            self._writer = None
            self._owner = None
            try:
                if writer is not None:
                    writer.close()
                    if writer.failure is None:
                        self._continuity.end(self.last_seq)
            finally:
                if owner is not None:
                    owner.close()
                if self._file is not None and writer is not None:
                    self._file.release(self.agent)

    def check_usable(self) -> None:
        """Refuse a store that takes no events.

        Raises:
            LogError: where it was closed, where a group could not be written, or where this process
                was forked from the one that opened it.
        """
        # Nearly always nothing is wrong, which is seen without waiting for anybody.
        writer = self._writer
        is_between_calls = not self._is_midway and not self._is_forked
        if is_between_calls and writer is not None and writer.failure is None:
            return

        # Another thread may be in the middle of a call, which is not interrupted.
        with self._threads:
            self._usable()

    # --- opening

    def _open(self, own: Path | None) -> None:
        """Open the file that is this store's own, or join others in what they share."""
        if self._file is not None:
            self._writer = self._file.writer_for(self.agent)
            connection = self._writer.connection
        else:
            assert own is not None  # noqa: S101 - it is one or the other
            self._writer = Writer(own, self.durability, self._threads, self._lock_timeout)
            connection = self._writer.connection
            with explained(own):
                create_tables(connection)
        row = self._agent_row()
        if row is None:
            self._warn_of_missing(None)
            return
        log = AgentLog(connection, row, str(self.path))
        with explained(self.path):
            decided = log.next_number()
            found = max(log.last_seq(), row.complete_after)
            arms = log.arms_after(row.events)
        if found != row.events:
            raise DamagedError(self.path, f"it has {found} events, and had {row.events}")
        self._arms = arms
        self._row = row
        self.last_seq = row.events
        self._warn_of_missing(row.created)
        self._begin_notes(row.created, decided)

    def _warn_of_missing(self, created: float | None) -> None:
        """Warn of events that were written once and are not there, of which SQLite knows nothing."""
        said = self._continuity.warning(created, self.last_seq)
        if said is not None:
            # Of the line that opens the store.
            warnings.warn(f"{self.path}: {said}", LogWarning, stacklevel=4)

    def _begin_notes(self, created: float, decided: int) -> None:
        event = self._continuity.begin(created, self.last_seq, decided)
        if event is not None:
            self._write(self._usable(), [event])
            self.flush()

    def _introduce(self, description: Description) -> None:
        """Make the agent's row, and those of its first arms."""
        if not isinstance(description, dict):
            raise wrong_value("description must be a dictionary", description, LogError)
        try:
            text = compact(encoded(description, "description"))
        except RecursionError as error:
            raise LogError("description must not be nested as deeply as it is") from error
        arms = first_arms(decoded(json.loads(text)), "description")
        created = time.time()
        # Before there is the agent: whoever is killed in between finds one or the other.
        self._continuity.renew(created)
        values = (self.agent, text, created, checksum(self.agent, text, created))
        statements: list[Statement] = [(INSERT_AGENT, values)]
        for position, name in enumerate(arms.names):
            statements.append((INSERT_ARM, (position, name_text(name), self.agent)))
        self._usable().write_alone(statements)
        row = self._agent_row()
        assert row is not None  # noqa: S101 - it was just written
        self._row = row
        self._arms = arms
        self._begin_notes(created, 0)

    # --- whether it can be used

    def _usable(self) -> Writer | GroupedWriter:
        if self._is_forked:
            here = f"process {os.getpid()} was forked from it"
            raise LogError(
                f"{self.path} is the store of process {self._process}, and {here}: "
                "open another one here, or close the store before the fork"
            )
        if self._writer is None:
            raise LogError(f"{self.path} is a store that was closed: open it again")
        failure = "a call was interrupted" if self._is_midway else self._writer.failure
        if failure is not None:
            raise LogError(f"{self.path}: {failure}; close the store, and open it again")
        return self._writer

    def leave_to_parent(self) -> None:
        """In the child of a fork: connection and lock are the parent's."""
        self._threads = threading.RLock()  # another thread of the parent may have held the old one
        self._is_forked = True
        if self._writer is not None:
            self._writer.leave_to_parent()
            self._writer = None
        if self._owner is not None:
            self._owner.close()  # the parent's handle stays open and locked
            self._owner = None

    # --- how it is read

    def _agent_row(self) -> AgentRow | None:
        writer = self._usable()
        # The connection of a shared file reads only what was committed.
        writer.flush()
        with explained(self.path):
            return agent_row(writer.connection, self.agent, str(self.path))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[AgentLog]:
        """What the writer's connection sees, while nobody else of this process uses it."""
        with self._threads, explained(self.path):
            yield AgentLog(self._usable().connection, self._row, str(self.path))

    @contextlib.contextmanager
    def _beside(self, *, in_slices: bool = False) -> Iterator[AgentLog]:
        """What a connection of its own sees, beside all others; arguments as of `reading`."""
        with reading(self.path, in_slices=in_slices) as connection:
            yield AgentLog(connection, self._row, str(self.path))
