"""Who may call what: keys and their scopes, the name that a service is called by, and rates."""

import time
from typing import Protocol

from starlette.requests import Request

from mobandits.agent.actors import ACTOR
from mobandits.logs.store.keys import Key, key_named
from mobandits_service.problems import Problem

MOST_BUCKETS = 10_000  # of those whose rate is limited
RELOAD_SECONDS = 1.0  # after which keys are read again: one that is revoked ends then
# Headers that proxies add: who is asked through one is asked by others than this machine.
FORWARDING = ("forwarded", "via", "x-real-ip")
FORWARDING_PREFIX = "x-forwarded-"
LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))


class HasKeys(Protocol):
    """A store, or a part of one, that knows the keys."""

    def all_keys(self) -> list[Key]:
        """The keys of the store, those that were revoked as well."""


class Authorisation:
    """The keys of a service, and how fast each may be used.

    Args:
        file: that has the keys.
        is_open: whether requests without a key are answered while the store has no key, as on the
            loopback address.
        rate: requests per second of one key, and at once twice as many; None: no limit.
    """

    def __init__(self, file: HasKeys, *, is_open: bool, rate: float | None) -> None:
        self._file = file
        self._is_open_without_keys = is_open
        self._rate = rate
        self._buckets = None if rate is None else TokenBuckets(rate)
        self._keys: list[Key] = []
        self._read_at = -RELOAD_SECONDS

    def check(self, request: Request, scope: str, *, lists_agents: bool = False) -> None:
        """Refuse a request that its key does not allow.

        Args:
            request: of a client; its `state.agents` becomes the agents that the key is for, None
                for all.
            scope: "read", "decide" or "admin".
            lists_agents: whether it is answered for as many agents as the key is for.

        Raises:
            Problem: saying why.
        """
        given = request.headers.get("authorization")
        ACTOR.set(None)
        request.state.agents = None
        if given is None and self.is_open:
            self._check_near(request, 401)
            # A page of the web has no key, and so need not be asked for its name where there is one:
            # a proxy on this machine may send the name that it is called by.
            origin = request.headers.get("origin")
            if origin is not None:
                self._check_origin(origin, request)
            return

        key = None if given is None else self._key_of(given)
        if key is None:
            raise Problem(401, "Authorization must be Bearer and a valid key")

        agent = request.path_params.get("agent")
        request.state.agents = key.agents
        agents = key.agents if lists_agents and key.agents is not None else [agent]
        if not any(key.allows(scope, each) for each in agents):
            where = "" if agent is None else f" for agent {agent}"
            raise Problem(403, f"key {key.id} does not have the scope {scope}{where}")

        self._check_rate(key)
        ACTOR.set(actor_of(key))

    # --- what pages ask for

    @property
    def is_open(self) -> bool:
        """Whether requests without a key are answered: as long as the store never had a key.

        A key that was revoked counts: to revoke the last one must not open the service to all.
        """
        return self._is_open_without_keys and not self._present_keys()

    def check_host(self, request: Request) -> None:
        """Refuse a page of the web that had its name lead to this machine (DNS rebinding).

        Raises:
            Problem: saying so, or that the request came through a proxy and needs a key.
        """
        if self.is_open:
            # Not 401, which leads to the page that asks for a key: there is none yet.
            self._check_near(request, 403)

    def key_of_text(self, text: str) -> Key | None:
        """The valid key that a text is; None where it is none."""
        key = key_named(self._present_keys(), text)
        is_valid = key is not None and key.revoked is None

        return key if is_valid else None

    def valid_key(self, number: str) -> Key | None:
        """The valid key of an id; None where there is none any more."""
        for key in self._present_keys():
            if key.id == number and key.revoked is None:
                return key

        return None

    def read_keys_again(self) -> None:
        """Know from now on what this process has just written."""
        self._read_at = -RELOAD_SECONDS

    # ---

    def _key_of(self, header: str) -> Key | None:
        kind, _, text = header.partition(" ")
        if kind.lower() != "bearer":
            return None

        return self.key_of_text(text.strip())

    def _present_keys(self) -> list[Key]:
        now = time.monotonic()
        if now - self._read_at >= RELOAD_SECONDS:
            self._keys = self._file.all_keys()
            self._read_at = now

        return self._keys

    def _check_near(self, request: Request, status: int) -> None:
        """Refuse what does not come from this machine.

        That is what came through a proxy, whose status is given, and a page of the web that had
        its name lead to this machine (DNS rebinding).
        """
        for name in request.headers:
            if name in FORWARDING or name.startswith(FORWARDING_PREFIX):
                raise Problem(status, f"a request with the header {name} must have a key")

        host = request.headers.get("host", "")
        name = host.rpartition(":")[0] if host[-1:].isdecimal() and ":" in host else host
        if host in LOOPBACK_NAMES or name in LOOPBACK_NAMES:
            return

        raise Problem(403, "Host must be a name of this machine alone, such as localhost")

    def _check_origin(self, origin: str, request: Request) -> None:
        """Refuse a page of the web that sends what it could not read the answer of."""
        # Browsers send simple requests to any address, and say which page did.
        _, _, authority = origin.partition("://")
        if authority != request.headers.get("host", ""):
            raise Problem(403, "Origin must be the service's own where no key is sent")

    def _check_rate(self, key: Key) -> None:
        buckets = self._buckets
        if buckets is not None and not buckets.take(key.id, time.monotonic()):
            raise Problem(429, f"key {key.id} is used faster than {self._rate:g} per second", 1)


class TokenBuckets:
    """A limit on how often each of many may do something.

    Of more than 10,000, the one that did so longest ago is forgotten.

    Args:
        rate: per second of each, and at once twice as many.

    Example:
        >>> buckets = TokenBuckets(0.5)
        >>> [buckets.take(name, 0.0) for name in ("a", "a", "b")]
        [True, False, True]
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._room = 2.0 * rate
        # {name: how often it may happen by now, and when that was so}, the last one last
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, name: str, now: float) -> bool:
        """Whether one of them may do it once more, at a moment in seconds."""
        left, at = self._left.pop(name, (self._room, now))
        filled = min(self._room, left + (now - at) * self._rate)
        is_allowed = filled >= 1.0
        self._left[name] = (filled - is_allowed, now)
        if len(self._left) > MOST_BUCKETS:
            del self._left[next(iter(self._left))]

        return is_allowed


def actor_of(key: Key) -> str:
    """A key as logs name whoever has changed something with it: nothing of it is secret."""
    return f"{key.label} ({key.id})"
