"""Sessions that read one state of a store in PostgreSQL, or write its keys."""

import contextlib
from collections.abc import Iterator

from mobandits.errors import LogError
from mobandits.logs.address import Address
from mobandits.logs.store.session import Session
from mobandits_service.postgres.connection import connected
from mobandits_service.postgres.tables import create_tables, has_tables

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


@contextlib.contextmanager
def reading_database(address: Address, *, in_slices: bool = False) -> Iterator[Session]:
    """A connection that reads one state of a store, whatever is written meanwhile.

    Rows that are iterated over are fetched a block at a time.

    Args:
        address: of the database.
        in_slices: whether each query may see a later state, as of `reading`.

    Raises:
        LogError: where there is no store, or one of another version.
    """
    session = connected(address, "reads")
    try:
        if not has_tables(session, address):
            raise LogError(f"{address} must be a store, got a database without tables")
        if not in_slices:
            session.execute(BEGIN)
            session.is_streaming = True
        yield session
    finally:
        session.close()


@contextlib.contextmanager
def writing_database(address: Address) -> Iterator[Session]:
    """A connection that writes beside the owner of a store; each statement is a transaction.

    Raises:
        LogError: where the database cannot be reached, or is no store's.
    """
    session = connected(address, "keys")
    try:
        create_tables(session, address)
        yield session
    finally:
        session.close()
