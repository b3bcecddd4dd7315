"""A line of JSON per request, and how long it took: never a context, and never a reward."""

import itertools
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mobandits_service.tracing import REQUEST_ID, TRACE, marks_of

UNROUTED = "none"  # of a request that goes nowhere

Count = Callable[[str, int, float], None]


class RequestLog:
    """Counts, times and logs requests, and gives each an id.

    A client's `X-Request-Id` is taken over, so that lines of several services can be joined. So is
    a valid `traceparent`, which is answered as it came.

    Args:
        app: what answers.
        count: is told of each its call, status and seconds; None: nobody is.
        is_written: whether each request has a line on stderr.
    """

    def __init__(self, app: ASGIApp, count: Count | None, *, is_written: bool) -> None:
        self._app = app
        self._count = count
        self._is_written = is_written
        self._process = secrets.token_hex(4)
        self._numbers = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        began = time.perf_counter()
        given, trace = marks_of(scope["headers"])
        number = given or f"{self._process}{next(self._numbers)}".encode()
        status = 500  # where it fails before it is answered

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (REQUEST_ID, number)]
                if trace is not None:
                    message["headers"].append((TRACE, trace))
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - began
            endpoint = scope.get("endpoint")
            call = getattr(endpoint, "__name__", UNROUTED)
            if self._count is not None:
                self._count(call, status, seconds)
            if self._is_written:
                write_line(scope, call, number, trace, status, seconds)


def write_line(
    scope: Scope, call: str, number: bytes, trace: bytes | None, status: int, seconds: float
) -> None:
    """Write the line of a request that was answered."""
    line: dict[str, Any] = {
        "at": time.time(),
        "request": number.decode(),
        "call": call,
        "agent": scope.get("path_params", {}).get("agent"),
        "status": status,
        "ms": round(1000.0 * seconds, 3),
    }
    if trace is not None:
        line["trace"] = trace.decode()
    sys.stderr.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stderr.buffer.flush()
