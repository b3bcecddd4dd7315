"""Stores that several agents of a process share, by where they are."""

from typing import Literal

from mobandits.logs.address import Address, Place, place_of
from mobandits.logs.store.shared_file import SharedFile
from mobandits.logs.store.shared_store import SharedStore


def open_shared(place: str | Place, durability: Literal["disk", "system"]) -> SharedStore:
    """A store for the agents of this process.

    Args:
        place: its file, or the URL of its database.
        durability: as of `SharedFile`.

    Raises:
        LogError: where it cannot be opened.
        MissingExtraError: where it is a database, and the extra `postgres` is not installed.
    """
    found = place_of(place)
    if isinstance(found, Address):
        # psycopg is of an extra, and only databases need it.
        from mobandits.logs.store.postgres.shared_database import SharedDatabase  # noqa: PLC0415

        return SharedDatabase(found, durability)

    return SharedFile(found, durability)
