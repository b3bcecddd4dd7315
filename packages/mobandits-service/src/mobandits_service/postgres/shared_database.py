"""A store in PostgreSQL for all agents of one process, which commit their calls together."""

import contextlib
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Literal

from mobandits.errors import LogError
from mobandits.logs.address import Address
from mobandits.logs.store import SharedStore
from mobandits.logs.store.committer import Committer
from mobandits.logs.store.connection import explained, reading
from mobandits.logs.store.grouped_writer import GroupedWriter
from mobandits.logs.store.keys import Key, keys_of
from mobandits.logs.store.rows import Statement
from mobandits.logs.store.session import Session
from mobandits.support.forks import on_fork
from mobandits.support.naming import wrong_value
from mobandits_service.postgres.connection import PostgresConnection, connected
from mobandits_service.postgres.key_filter import DIGEST_BYTES, KeyFilter
from mobandits_service.postgres.merged_statements import merged
from mobandits_service.postgres.ownership import RELEASE, check_direct, holder, takes_lock
from mobandits_service.postgres.tables import create_tables

# What a session that writes, or waits for the lock, must not be ended by.
ENDLESS = """
SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN
    ('idle_session_timeout', 'idle_in_transaction_session_timeout', 'statement_timeout',
     'lock_timeout')
"""
# A reader may be asked by the event loop of a service, which must not stand still for long.
BRIEF = "SET statement_timeout = '5s'"
# A commit waits for the disk, and for replicas where the server is told so. Without, it survives
# the process, and what was answered in the last moment before the server crashes is lost.
ON_DISK = """
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = 'off'
"""
IN_SYSTEM = "SET synchronous_commit = off"
# Each process that takes the store has an epoch of its own. What it leaves to workers carries it,
# and is refused where another process has taken the store since.
TAKE_EPOCH = """
INSERT INTO learner VALUES (true, 1, ?, ?, ?) ON CONFLICT (only_row) DO UPDATE
SET epoch = learner.epoch + 1, host = excluded.host, url = excluded.url, since = excluded.since
RETURNING epoch
"""
SELECT_EPOCH = "SELECT epoch FROM learner"

# Digests of all keys of an agent, as `key_filter.digest` makes them, one after the other.
SELECT_DIGESTS = f"""
SELECT string_agg(substr(decode(md5(key), 'hex'), 1, {DIGEST_BYTES}), ''::bytea)
FROM decisions WHERE key IS NOT NULL AND agent = (SELECT id FROM agents WHERE name = ?)
"""  # noqa: S608 - a number of our own


class DatabaseWriter(GroupedWriter):
    """The writer of one agent into a database; see `GroupedWriter`.

    Args:
        committer: of the database.
        connection: which reads what was committed.
        path: of the database.
        keys: of clients, that decisions have.
    """

    def __init__(
        self,
        committer: Committer,
        connection: Session,
        path: Address,
        keys: KeyFilter,
    ) -> None:
        super().__init__(committer, connection, path)
        self._keys = keys

    def write(
        self,
        statements: Iterable[Statement],
        events: Iterable[Any],
        note: Callable[[], None] | None = None,
    ) -> None:
        """Have a call committed; `Committer.last_group` says when it is.

        Args:
            statements: SQL and its values.
            events: that they append.
            note: as of `GroupedWriter`.

        Raises:
            ValueError: where a text has a character that PostgreSQL does not keep.
        """
        listed = list(statements)
        texts = [value for _, values in listed for value in values if type(value) is str]
        for text in texts:
            check_kept(text)

        # One that is refused later only looks known.
        appended = list(events)
        for event in appended:
            if event.kind == "decide" and event.key is not None:
                self._keys.add(event.key)

        super().write(listed, appended, note)

    def decision_with_key(self, agent: int, key: str) -> Any:
        """As of `GroupedWriter`; the database is asked only where it may have the key.

        Raises:
            LogError: where it is damaged.
            ValueError: as `write`.
        """
        check_kept(key)
        if not self._keys.may_have(key):
            return None

        return super().decision_with_key(agent, key)


def check_kept(text: str | None) -> None:
    """Refuse what SQLite keeps and PostgreSQL does not, before it joins the calls of others.

    Raises:
        ValueError: saying so.
    """
    if text is not None and "\0" in text:
        raise wrong_value("text must be without NUL in PostgreSQL", text)


class SharedDatabase(SharedStore):
    """A store in PostgreSQL, which one process at a time writes, and others stand by to.

    `hold` takes the store where it is free, and says why where it is not. Until then, agents
    cannot be opened. A process whose session ends lets go of everything: its agents take no call
    any more, and are opened again, from what is in the database, once it holds the store again.

    Args:
        address: of the database.
        durability: "disk" or "system", as of `Store`: on "system", the server commits before its
            disk has it.

    Attributes:
        path: the address.
        durability: as given.
        lock: held by whoever reads.
        committer: commits what agents write, in groups, while the store is held.
        owner: None; a server keeps what it has committed.
        epoch: how many processes have held the store when this one took it; 0: it never did.
        url: where workers of this machine reach the process once it holds the store; None: nowhere.

    Raises:
        LogError: where the database cannot be reached, or is no store's.
    """

    path: Address

    def __init__(self, address: Address, durability: Literal["disk", "system"] = "disk") -> None:
        super().__init__(address, durability, self._look_after_failure)
        self.epoch = 0
        self.url: str | None = None
        # Held while sessions are opened and let go of: one thread at a time does that.
        self._holding = threading.RLock()
        # Held for a moment by whoever takes or lets go of the store, or makes a writer. An agent is
        # opened with `lock` held, for which a thread that lets go of the store waits.
        self._parts = threading.Lock()
        self._is_held = False
        self._writing: PostgresConnection | None = None
        # Waits for the lock, and reads keys: the event loop must not wait for a network.
        self._watching: PostgresConnection | None = None
        self._candidate: PostgresConnection | None = None
        self._lost: str | None = None
        self._keys: list[Key] = []
        self._keys_error: str | None = None
        try:
            watching = self._watch()
            self._candidate = self._candidate_beside(watching)
        except BaseException:
            self.close()
            raise

        # Connections of psycopg know their process: that of a child never ends the parent's session.
        on_fork(self, SharedDatabase.leave_to_parent)

    # --- holding it

    def hold(self) -> str | None:
        """Take the store where it is free, or see that it is still held; blocks for a moment.

        Returns:
            None where it is held; else why it is not.
        """
        with self._holding:
            if not self._is_open:
                return "the store was closed"
            try:
                return self._hold()
            except LogError as error:
                self._let_go(str(error))
                # What ended one session may have ended all: the next time begins anew.
                self._close_watching()
                return str(error)

    def _hold(self) -> str | None:
        if self._is_held:
            self._probe()
            if self._reading is None or self._reading.is_lost:
                self._lost = self._lost or f"the connection to {self.path} was lost"
            if self._lost is not None:
                # Nothing is taken again at once: agents must know that they are behind.
                raise LogError(self._lost)
            # Where only this session is lost, the next time opens another one.
            with contextlib.suppress(LogError):
                self._watch()
            self._check_epoch()
            return None

        watching = self._watch()
        if self._takes(watching):
            return None

        with explained(self.path):
            return f"waiting for the lock of {self.path}, which {holder(watching)} has"

    def _probe(self) -> None:
        """Have a group without a call committed, where there is none: a lost session is noticed."""
        committer = self.committer
        if not committer.waiting():
            with contextlib.suppress(LogError):
                committer.add(Probe(), [])

        committer.flush()

    def _check_epoch(self) -> None:
        """Refuse to go on where another process has taken the store, however it could."""
        watching = self._watching
        if watching is None:
            return

        with explained(self.path):
            epoch = watching.value(SELECT_EPOCH)
        if epoch != self.epoch:
            raise LogError(f"another process holds {self.path}: its epoch is {epoch}")

    def _watch(self) -> PostgresConnection:
        """The session that watches, after it has read the keys once more."""
        watching = self._watching
        try:
            if watching is None:
                watching = connected(self.path, "watches", [ENDLESS])
                self._watching = watching
                with explained(self.path):
                    create_tables(watching, self.path)
            with explained(self.path):
                self._keys = keys_of(watching)
            self._keys_error = None
        except LogError as error:
            self._keys_error = str(error)
            self._close_watching()
            raise

        return watching

    def _candidate_beside(self, watching: PostgresConnection) -> PostgresConnection:
        """A session that may become the one that writes."""
        candidate = connected(self.path, "writes", [ENDLESS])
        try:
            with explained(self.path):
                check_direct(candidate, watching, self.path)
        except BaseException:
            candidate.close()
            raise

        return candidate

    def _takes(self, watching: PostgresConnection) -> bool:
        """Whether the store is held from now on."""
        candidate = self._candidate
        if candidate is None:
            candidate = self._candidate_beside(watching)
            self._candidate = candidate

        with explained(self.path):
            if not takes_lock(candidate):
                return False
            # Another version of the library may have had the store meanwhile.
            create_tables(candidate, self.path)
            host = socket.gethostname()
            self.epoch = candidate.value(TAKE_EPOCH, host, self.url, time.time())
            candidate.execute(IN_SYSTEM if self.durability == "system" else ON_DISK)

        self._reading = connected(self.path, "reads", [BRIEF])
        self._lost = None
        self._writing = candidate
        self._candidate = None
        self.committer.begin(candidate, candidate.together, merged)
        with self._parts:
            self._is_held = True

        return True

    def _look_after_failure(self, error: Exception) -> None:
        """A group could not be committed: where the session is gone, no agent may go on.

        Called by the thread that commits, before anybody who waits for the group goes on.
        """
        writing = self._writing
        if writing is None or not writing.is_lost:
            return

        self._lost = f"the connection to {self.path} was lost: {error}"
        for writer in list(self._writers.values()):
            # Also those without a call in the group: what they decide from now on is nowhere.
            writer.failure = writer.failure or self._lost

    def _let_go(self, reason: str) -> None:
        """Close all sessions; what was open of agents fails from now on."""
        with self._parts:
            was_held = self._is_held
            self._is_held = False
        # Before writers fail: calls that wait are still committed, where that is possible.
        if was_held:
            self.committer.end()
        for writer in list(self._writers.values()):
            writer.failure = writer.failure or reason
        for connection in (self._writing, self._candidate):
            if connection is not None:
                # Nothing writes any more. The server would notice the end of the session later.
                with contextlib.suppress(sqlite3.Error):
                    connection.execute(RELEASE)
                connection.close()

        self._writing = None
        self._candidate = None
        with self.lock:
            if self._reading is not None:
                self._reading.close()
            self._reading = None

    def _close_watching(self) -> None:
        if self._watching is not None:
            self._watching.close()
        self._watching = None

    # --- what a service asks for

    def all_keys(self) -> list[Key]:
        """The keys of the store, as `hold` last saw them; those that were revoked as well.

        Raises:
            LogError: where they could not be read.
        """
        self.check_usable()
        if self._keys_error is not None:
            raise LogError(self._keys_error)

        return self._keys

    def close(self) -> None:
        """Wait for what is being written, and let another process in."""
        if self._process != os.getpid():
            return

        with self._holding:
            self._is_open = False
            self._let_go("the store was closed")
            self._close_watching()

    # --- what stores ask for

    def writer_for(self, agent: str) -> GroupedWriter:
        """As of `SharedStore`."""
        self.check_usable()
        before = self._reading
        with reading(self.path) as connection:
            (digests,) = connection.execute(SELECT_DIGESTS, (agent,)).fetchone()

        keys = KeyFilter(digests or b"")
        with self._parts:
            session = self._reading
            # Where it is another one, somebody else may have appended keys since.
            is_the_same = session is before
            if session is None or not (self._is_held and is_the_same):
                raise self._not_held()

            writer = DatabaseWriter(self.committer, session, self.path, keys)
            return self._joined(agent, writer)


class Probe:
    """The origin of a group that has no call of an agent."""

    failure: str | None = None
