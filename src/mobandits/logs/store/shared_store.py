"""Protocol of a store that agents of one process and their service share."""

import contextlib
from collections.abc import Callable
from typing import Literal, Protocol, TypeVar

from mobandits.logs.address import Address, Place, place_of
from mobandits.logs.store.committer import Committer
from mobandits.logs.store.grouped_writer import GroupedWriter
from mobandits.logs.store.keys import Key
from mobandits.logs.store.ownership import Owner
from mobandits.logs.store.session import Session
from mobandits.logs.store.shared_file import SharedFile
from mobandits.support.guests import required_contribution

Answer = TypeVar("Answer")


class SharedStore(Protocol):
    """A store that several agents of a process write: a `SharedFile`, or a `SharedDatabase`."""

    @property
    def path(self) -> Place:
        """Place of the store, for messages."""

    @property
    def durability(self) -> str:
        """Durability of a settled call, as of `Store`."""

    @property
    def lock(self) -> contextlib.AbstractContextManager[object]:
        """Held by whoever reads."""

    @property
    def owner(self) -> Owner | None:
        """The file beside it that notes how many events agents have; None: there is none."""

    @property
    def committer(self) -> Committer:
        """Commits what agents write, in groups."""

    def hold(self) -> str | None:
        """See that this process may write, as far as that can be; called every now and then.

        Returns:
            None where it may; else why not. Agents that were open must be opened again then.
        """

    def agent_names(self) -> list[str]:
        """The agents that the store has, in the order in which they came."""

    def all_keys(self) -> list[Key]:
        """The keys of the store, those that were revoked as well."""

    def asked(self, question: Callable[[Session], Answer]) -> Answer:
        """Result of a function that reads the store, of what is on disk."""

    def close(self) -> None:
        """Wait for what is being written, and let another process in."""

    def check_usable(self) -> None:
        """Refuse a store that was closed, or is another process's."""

    def writer_for(self, agent: str) -> GroupedWriter:
        """The writer of an agent, which nobody else has open."""

    def release(self, agent: str) -> None:
        """An agent's store was closed."""


def open_shared(place: str | Place, durability: Literal["disk", "system"]) -> SharedStore:
    """A store for the agents of this process.

    Args:
        place: its file, or the URL of its database.
        durability: as of `SharedFile`.

    Raises:
        LogError: where it cannot be opened.
        MissingExtraError: where it is a database, and the service or its extra `postgres` is not installed.
    """
    found = place_of(place)
    if isinstance(found, Address):
        databases = required_contribution(
            "mobandits.databases", "a store in PostgreSQL", "postgres"
        )
        shared: SharedStore = databases.SharedDatabase(found, durability)
        return shared

    return SharedFile(found, durability)
