"""The keys of a store: who may ask a service for what.

A key is a text `mb_<id>_<secret>`, told once. The store has its digest.
"""

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Collection, Iterable
from typing import NamedTuple

from mobandits.logs.store.session import Session
from mobandits.support.checks import choice
from mobandits.support.naming import wrong_value

SCOPES = ("read", "decide", "admin")
WRITTEN = re.compile(r"mb_(?P<id>[0-9a-f]{8})_[A-Za-z0-9_-]{43}")
ID_BYTES = 4
SECRET_BYTES = 32

INSERT = "INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, NULL)"
SELECT = "SELECT id, digest, scopes, agents, label, created, revoked FROM keys ORDER BY created, id"
REVOKE = "UPDATE keys SET revoked = ? WHERE id = ? AND revoked IS NULL"


class Key(NamedTuple):
    """A key, as the store has it.

    Attributes:
        id: the part that is no secret.
        digest: SHA-256 of the whole key.
        scopes: what it allows: "read", "decide", "admin".
        agents: that it is for; None: all.
        label: for people.
        created: seconds since 1970.
        revoked: likewise; None: it is valid.
    """

    id: str
    digest: bytes
    scopes: frozenset[str]
    agents: frozenset[str] | None
    label: str
    created: float
    revoked: float | None

    def allows(self, scope: str, agent: str | None) -> bool:
        """Whether it allows something.

        Args:
            scope: what is asked for; "admin" allows everything, and "decide" to read.
            agent: of which; None: of the whole service.
        """
        if self.revoked is not None:
            return False
        if self.agents is not None and agent not in self.agents:
            return False

        weakest = SCOPES.index(scope)
        return any(SCOPES.index(own) >= weakest for own in self.scopes)


def add_key(
    connection: Session,
    label: str,
    scopes: Collection[str],
    agents: Collection[str] | None = None,
) -> str:
    """A new key, which is told only now.

    Args:
        connection: that writes into the store.
        label: for people, such as the name of an application.
        scopes: what it allows.
        agents: that it is for; None: all.

    Raises:
        ValueError: where a scope is not known, or there is none.
    """
    if not scopes:
        raise ValueError(f"scopes must have at least one of {', '.join(SCOPES)}, got none")
    for scope in scopes:
        choice("scope", scope, SCOPES)

    number = secrets.token_hex(ID_BYTES)
    key = f"mb_{number}_{secrets.token_urlsafe(SECRET_BYTES)}"
    listed = None if agents is None else json.dumps(sorted(agents))
    row = (number, digest_of(key), ",".join(sorted(scopes)), listed, label, time.time())
    connection.execute(INSERT, row)

    return key


def keys_of(connection: Session) -> list[Key]:
    """All keys, the oldest first; those that were revoked as well."""
    keys = []
    for number, digest, scopes, agents, label, created, revoked in connection.execute(SELECT):
        listed = None if agents is None else frozenset(json.loads(agents))
        allowed = frozenset(scopes.split(","))
        keys.append(Key(number, digest, allowed, listed, label, created, revoked))

    return keys


def revoke_key(connection: Session, number: str) -> None:
    """Let a key be valid no more.

    Raises:
        ValueError: where there is no valid key of this id.
    """
    changed = connection.execute(REVOKE, (time.time(), number)).rowcount
    if changed == 0:
        raise wrong_value("id must be of a key that is valid", number)


def key_named(keys: Iterable[Key], text: str) -> Key | None:
    """The key that a text is; None where it is none of them.

    The time that this takes says nothing of how much of the secret is right.
    """
    written = WRITTEN.fullmatch(text)
    if written is None:
        return None

    digest = digest_of(text)
    for key in keys:
        if key.id == written["id"] and hmac.compare_digest(key.digest, digest):
            return key

    return None


def digest_of(key: str) -> bytes:
    """Digest that the store keeps of a key. It is long and random, so no slow digest is needed."""
    return hashlib.sha256(key.encode()).digest()
