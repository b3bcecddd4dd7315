"""Limits of connections: the size of headers, the time of each part of a request, their number.

They hold before a key is looked at, and so for everybody. On a server without httptools (PyPy,
Windows) only the parser's own limit of headers holds.
"""

import asyncio
import contextlib
import functools
from typing import Any

from mobandits_service.joined_writes import JoinedProtocol

MOST_HEAD_BYTES = 64 * 1024  # of all headers of a request
MOST_HEADERS = 100
HEAD_SECONDS = (
    10.0  # from a request's first byte; of the first request, from the connection's start
)
BODY_SECONDS = 30.0
BODY_RATE = 16 * 1024  # bytes per second: a large body that comes at least this fast takes longer
IDLE_SECONDS = 75  # between requests
LOOK_SECONDS = 1.0  # between looks at how long a connection has taken
MOST_CONNECTIONS = 4096
RESERVE = 64  # descriptors for the store and whatever else is opened

HEAD = "head"
BODY = "body"
ANSWER = "answer"

REASONS = {
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class Connections:
    """The connections of a server, and how many of them were refused.

    Args:
        most: at once; None: as many as the process has descriptors for.

    Attributes:
        most: at once.
        present: number of those that are open.
        refused: counts by reason: "headers", "slow" or "many".
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most_connections() if most is None else most
        self.present = 0
        self.refused = {"headers": 0, "slow": 0, "many": 0}


def most_connections() -> int:
    """The number of connections that the descriptors of this process allow."""
    # Only Unix has it.
    with contextlib.suppress(ImportError):
        import resource  # noqa: PLC0415

        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if descriptors != resource.RLIM_INFINITY:
            left = descriptors - RESERVE
            return max(1, min(MOST_CONNECTIONS, left))

    return MOST_CONNECTIONS


class LimitedProtocol(JoinedProtocol):
    """The server's protocol of a connection, which ends those that take too much.

    Args:
        counted: the connections of the server.
        options: as of the server's own protocol.
    """

    def __init__(self, counted: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._counted = counted
        self._is_refused = False
        self._part = HEAD
        self._since = self.loop.time()
        self._fed_bytes = 0  # of a head that is not complete
        self._head_bytes = 0  # of its headers that are complete
        self._body_bytes = 0
        self._look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client has connected."""
        super().connection_made(transport)
        counted = self._counted
        counted.present += 1
        if counted.present > counted.most:
            self._refuse(503, "many")
            return

        self._look = self.loop.call_later(LOOK_SECONDS, self._look_at_time)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self._counted.present -= 1
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes have come."""
        if self._is_refused:
            return
        # Before they are parsed: the parser joins the parts of a long header again and again.
        if self._part is HEAD and self._fed_bytes > MOST_HEAD_BYTES:
            self._refuse(431, "headers")
            return

        super().data_received(data)
        if self._part is HEAD:
            self._fed_bytes += len(data)

    # --- what the parser finds

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._part = HEAD
        self._since = self.loop.time()
        self._fed_bytes = 0
        self._head_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header is complete."""
        self._head_bytes += len(name) + len(value)
        is_over = self._head_bytes > MOST_HEAD_BYTES or len(self.headers) >= MOST_HEADERS
        if not is_over:
            super().on_header(name, value)
        elif not self._is_refused:
            self._refuse(431, "headers")

    def on_headers_complete(self) -> None:
        """All headers of a request have come."""
        if self._is_refused:
            return

        super().on_headers_complete()
        self._part = BODY
        self._since = self.loop.time()
        self._body_bytes = 0

    def on_body(self, body: bytes) -> None:
        """A part of a body has come."""
        if self._is_refused:
            return

        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request has come whole."""
        if self._is_refused:
            return

        self._part = ANSWER
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request was answered."""
        self._since = self.loop.time()
        super().on_response_complete()

    # ---

    def _look_at_time(self) -> None:
        """End the connection where a part of a request, or the pause before one, took too long."""
        taken = self.loop.time() - self._since
        if taken > self._seconds_allowed():
            self._end_slow()
            return

        self._look = self.loop.call_later(LOOK_SECONDS, self._look_at_time)

    def _seconds_allowed(self) -> float:
        # A body that we do not read yet is not the client's to hurry.
        is_ours = self.cycle is not None and not self.cycle.response_complete
        if self._part is HEAD:
            return HEAD_SECONDS
        if self._part is BODY and not self.flow.read_paused:
            return BODY_SECONDS + self._body_bytes / BODY_RATE

        return float("inf") if is_ours else IDLE_SECONDS

    def _end_slow(self) -> None:
        is_idle = self._part is ANSWER
        is_answered = self._part is BODY and self.cycle.response_started
        if is_idle or is_answered:
            self.transport.close()
            return

        self._refuse(408, "slow")

    def _refuse(self, status: int, reason: str) -> None:
        """Answer with a status before anything else is read, and close the connection."""
        self._is_refused = True
        self._counted.refused[reason] += 1
        retry = "Retry-After: 1\r\n" if status == 503 else ""
        head = f"HTTP/1.1 {status} {REASONS[status]}\r\n{retry}"
        end = "Content-Length: 0\r\nConnection: close\r\n\r\n"
        self.transport.write((head + end).encode())
        self.transport.close()


def protocol_of(counted: Connections) -> Any:
    """The maker of a server's protocols.

    Args:
        counted: the connections of the server.
    """
    if not hasattr(JoinedProtocol, "on_header"):
        return JoinedProtocol

    return functools.partial(LimitedProtocol, counted)
