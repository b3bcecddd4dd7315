"""Connections to a service by plain HTTP, with nothing between a call and the socket.

What a client says is small, and so is what it hears: httpx, which is for all kinds of servers,
takes several times as long for it as the service does. It still speaks to addresses of https, and
through proxies.
"""

import http.client
import math
import socket
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit


class NoAnswer(Exception):  # noqa: N818 - a reply of its kind, which is returned as well as raised
    """Reply to a request that nobody answered, or not in time; the message says why."""


class Headers(Protocol):
    """Headers by name, whatever its case."""

    def get(self, name: str, default: str, /) -> str:
        """The value of a header, or the default."""
        ...


class Answer(NamedTuple):
    """Answer of a service, under the names that `httpx.Response` has for it.

    Attributes:
        status_code: of HTTP.
        headers: by name, whatever its case.
        content: the body.
    """

    status_code: int
    headers: Headers
    content: bytes

    @property
    def is_success(self) -> bool:
        """Whether the call was done."""
        return 200 <= self.status_code < 300


class PlainHttp:
    """A service at an address of http: calls are sent on connections that are kept.

    Threads may share it: each call has a connection of its own. The system looks up the name of a
    host in its own time; all else has one deadline.

    Args:
        url: of the service.
        headers: of all calls.

    Attributes:
        headers: as given.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        address = urlsplit(url)
        self._place = (address.hostname or "", address.port)
        self._prefix = address.path
        self.headers = dict(headers)
        # The last one first: a service closes those that are idle for long.
        self._idle: deque[_Connection] = deque()

    def request(self, method: str, path: str, content: bytes | None, seconds: float) -> Answer:
        """The answer to a call.

        Args:
            method: of HTTP.
            path: after the address of the service.
            content: the body; None: there is none.
            seconds: within which all of the answer must be there.

        Raises:
            NoAnswer: where there is no answer.
        """
        connection = self._taken()
        connection.limit_to(time.monotonic() + seconds)
        is_whole = False
        try:
            connection.request(method, self._prefix + path, content, self.headers)
            response = connection.getresponse()
            body = response.read()
            is_whole = True
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(str(error) or type(error).__name__) from error
        finally:
            # Else what is left of an answer would be taken for that of the next call.
            if not is_whole:
                connection.close()

        # One that the service has closed is closed already.
        if connection.sock is not None:
            self._idle.append(connection)

        return Answer(response.status, response.headers, body)

    def close(self) -> None:
        """Close the connections."""
        while self._idle:
            connection = self._idle.pop()
            connection.close()

    def _taken(self) -> "_Connection":
        """A connection that nobody uses, which may be a new one."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                host, port = self._place
                return _Connection(host, port)

            if connection.is_open():
                return connection
            connection.close()


class _Connection(http.client.HTTPConnection):
    """A connection that sends head and body of a request together: the other side wakes once."""

    sock: "_TimedSocket | None"

    def __init__(self, host: str, port: int | None) -> None:
        super().__init__(host, port)
        self._deadline = math.inf
        self._held: list[bytes] | None = None

    def limit_to(self, deadline: float) -> None:
        """Set the deadline of all that follows, by `time.monotonic`."""
        self._deadline = deadline
        if self.sock is not None:
            self.sock.deadline = deadline

    def connect(self) -> None:
        """Connect to the first address of the host that takes it."""
        addresses = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        failure: OSError | None = None
        for family, kind, protocol, _, address in addresses:
            made = _TimedSocket(family, kind, protocol)
            made.deadline = self._deadline
            try:
                made.connect(address)
            except OSError as error:
                made.close()
                failure = error
                continue

            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock = made
            return

        assert failure is not None  # noqa: S101 - a name has an address, or is no name
        raise failure

    def request(self, *arguments: Any, **options: Any) -> None:
        """Send a request."""
        held: list[bytes] = []
        self._held = held
        try:
            super().request(*arguments, **options)
        finally:
            self._held = None

        super().send(b"".join(held))

    def send(self, data: Any) -> None:
        """Send a part of a request, or hold it until it is whole."""
        if self._held is None:
            super().send(data)
        else:
            self._held.append(data)

    def is_open(self) -> bool:
        """Whether the other side has kept the connection, and has nothing more to say."""
        kept = self.sock
        if kept is None:
            return False

        kept.settimeout(0.0)
        try:
            kept.recv(1)
        except BlockingIOError:
            return True
        except OSError:
            return False

        return False


class _TimedSocket(socket.socket):
    """A socket with one deadline for all that is sent and read.

    The timeout of a plain one begins anew with every byte that comes.

    Attributes:
        deadline: by `time.monotonic`.
    """

    deadline: float

    def connect(self, address: Any) -> None:
        """Connect in time."""
        self._limit()
        super().connect(address)

    def recv_into(self, *arguments: Any) -> int:
        """Read in time."""
        self._limit()
        return super().recv_into(*arguments)

    def sendall(self, *arguments: Any) -> None:
        """Send in time."""
        self._limit()
        super().sendall(*arguments)

    def _limit(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0.0:
            raise TimeoutError("timed out")

        self.settimeout(left)
