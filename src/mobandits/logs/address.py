"""Addresses of databases that hold stores, without their passwords."""

from pathlib import Path

from mobandits.errors import LogError

SCHEMES = ("postgresql://", "postgres://")


class Address:
    """The address of a PostgreSQL database, which messages may show.

    Args:
        url: `postgresql://USER@HOST:PORT/DATABASE`, as libpq reads it.

    Attributes:
        url: as given; it may hold a password, and is for connecting only.

    Raises:
        LogError: where the URL is ambiguous.

    Example:
        >>> str(Address("postgresql://router:secret@db.internal:5432/bandits?sslpassword=x"))
        'postgresql://router@db.internal:5432/bandits'
    """

    def __init__(self, url: str) -> None:
        scheme, _, rest = url.partition("://")
        authority, slash, database = rest.partition("?")[0].partition("/")
        user, at, host = authority.rpartition("@")
        if url.count("@") > len(at) or "@" in user:
            # libpq may take a part of a password for the host, and would name it in its errors.
            raise LogError("store must be a URL with @ once, before the host, and %40 elsewhere")

        self.url = url
        name = user.partition(":")[0]
        # Without parameters: they may hold passwords, too.
        self._shown = f"{scheme}://{name}{at}{host}{slash}{database}"

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return f"Address({self._shown!r})"

    def __fspath__(self) -> str:
        raise TypeError(f"{self} must be a file here, and is a database")


# Where a store is: its file, or its database.
Place = Path | Address


def is_address(text: object) -> bool:
    """Whether a text names a database rather than a file.

    Example:
        >>> is_address("postgresql://localhost/bandits"), is_address("router.db")
        (True, False)
    """
    return isinstance(text, str) and text.startswith(SCHEMES)


def place_of(text: "str | Place") -> Place:
    """The place that a text names: a database where it is a URL of one, else a file."""
    if isinstance(text, Address):
        return text
    if isinstance(text, str) and is_address(text):
        return Address(text)

    return Path(text)


def named_for_others(place: Place) -> str:
    """The text by which another process finds a place: `place_of` reads it.

    It may hold a password, so it is for no message.
    """
    return place.url if isinstance(place, Address) else str(place.absolute())
