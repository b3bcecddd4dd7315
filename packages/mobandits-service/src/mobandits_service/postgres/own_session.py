"""A session of the server that is opened when it is needed."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from mobandits.logs.address import Address
from mobandits.logs.store.connection import explained
from mobandits_service.postgres.connection import PostgresConnection, connected

Answer = TypeVar("Answer")


class OwnSession:
    """A session of the server that is opened when it is needed, and again after it failed.

    Threads may share it: one statement after the other.

    Args:
        address: of the database.
        role: what it is for, which the server shows.
        settings: statements that it begins with.
    """

    def __init__(self, address: Address, role: str, settings: Sequence[str] = ()) -> None:
        self._address = address
        self._role = role
        self._settings = settings
        self._lock = threading.Lock()
        self._connection: PostgresConnection | None = None

    def ask(self, question: Callable[[PostgresConnection], Answer]) -> Answer:
        """Result of a function that is given the connection.

        Raises:
            LogError: where the database cannot be asked.
        """
        with self._lock, explained(self._address):
            connection = self._connection
            if connection is None or connection.is_lost:
                connection = connected(self._address, self._role, self._settings)
                self._connection = connection
            try:
                return question(connection)
            except sqlite3.Error:
                # A transaction may be open, or the session lost: the next one begins anew.
                self._close()
                raise

    def close(self) -> None:
        """Close it."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        connection = self._connection
        self._connection = None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
