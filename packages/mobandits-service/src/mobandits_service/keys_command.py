"""`mobandits keys`: the keys of a store, made, listed and revoked, also while a service runs."""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mobandits.logs.address import Address, Place, place_of
from mobandits.logs.store.connection import connect, explained, refuse_others
from mobandits.logs.store.keys import Key, add_key, keys_of, revoke_key
from mobandits.logs.store.ownership import claim
from mobandits.logs.store.schema import create_tables, version_of
from mobandits.logs.store.session import Session


@contextlib.contextmanager
def writing(store: str | Place) -> Iterator[Session]:
    """A connection that writes keys; whoever owns the store goes on writing everything else.

    Raises:
        LogError: where the file is no store.
    """
    path = place_of(store)
    if isinstance(path, Address):
        # psycopg is of an extra, and only databases need it.
        from mobandits_service.postgres.reading import writing_database  # noqa: PLC0415

        with explained(path), writing_database(path) as session:
            yield session
        return

    refuse_others(path)
    connection = connect(path, synchronous="FULL")
    try:
        with explained(path):
            if version_of(connection) == 0:
                # Its owner would have made the tables, so that there can be none.
                with claim(path):
                    create_tables(connection)
            yield connection
    finally:
        connection.close()


def added(store: str | Place, label: str, scopes: Sequence[str], agents: Sequence[str]) -> str:
    """A new key of a store.

    Args:
        store: its file, which is made where it does not exist, or its database.
        label: for people.
        scopes: what it allows.
        agents: that it is for; none: all.

    Raises:
        ValueError: where a scope is not known.
    """
    with writing(store) as connection:
        return add_key(connection, label, scopes, agents or None)


def revoked(store: str | Place, number: str) -> None:
    """Let a key of a store be valid no more; a service that runs notices within a second.

    Raises:
        ValueError: where there is no such key.
    """
    with writing(store) as connection:
        revoke_key(connection, number)


def listed(store: str | Place) -> list[str]:
    """A line per key of a store."""
    with writing(store) as connection:
        return [line_of(key) for key in keys_of(connection)]


def line_of(key: Key) -> str:
    """A key for people: nothing of it is secret."""
    scopes = ", ".join(sorted(key.scopes))
    agents = "all agents"
    if key.agents is not None:
        agents = ", ".join(sorted(key.agents))

    created = datetime.fromtimestamp(key.created, UTC)
    since = f"since {created:%Y-%m-%d}"
    line = f"{key.id}  {key.label}: {scopes}; {agents}; {since}"
    if key.revoked is not None:
        line += ", revoked"

    return line
