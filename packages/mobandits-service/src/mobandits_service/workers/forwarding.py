"""Calls that are the learner's, passed on to it by a worker, and its answers passed back."""

import contextlib
from collections.abc import AsyncIterator

import httpx
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from mobandits_service.addresses import visitor_address
from mobandits_service.calls.agents import MOST_STATE_BYTES
from mobandits_service.calls.requests import too_large
from mobandits_service.problems import Problem
from mobandits_service.workers.copies import Copies

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 120.0  # such as for a preference whose order is compiled
# Of a connection, and not of a request; and what the worker itself puts on every answer.
OWN = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
        b"x-request-id",
        b"traceparent",
    )
)
# These say who asks, and are passed on.
OF_REQUESTS = frozenset((b"x-request-id", b"traceparent"))
# These say how long a body is.
FRAMING = frozenset(("content-length", "transfer-encoding"))


class Forwarding:
    """The connections of a worker to the learner.

    Args:
        copies: say where the learner is.
    """

    def __init__(self, copies: Copies) -> None:
        self._copies = copies
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        # No proxy of the environment: the learner is on this machine.
        self._client = httpx.AsyncClient(timeout=timeout, trust_env=False)

    async def answer(self, request: Request) -> Response:
        """What the learner answers.

        Raises:
            Problem: where no learner answers.
        """
        # As it was sent: names of agents may have characters of their own there.
        target = request.scope["raw_path"]
        query = request.scope["query_string"]
        if query:
            target += b"?" + query
        url = httpx.URL(self._copies.learner_url()).copy_with(raw_path=target)
        left_out = OWN - OF_REQUESTS
        headers = [(name, value) for name, value in request.headers.raw if name not in left_out]
        if not request.app.state.runtime.authorisation.is_open:
            # The learner sees this process in place of the visitor. Without keys it would take the
            # request for one that came through a proxy, and nobody logs in.
            address = visitor_address(request)
            headers.append((b"x-forwarded-for", address.encode("latin-1")))
        # What was read by a call that only the learner can answer.
        content = getattr(request.state, "content", None)
        if content is None and not FRAMING.isdisjoint(request.headers):
            content = limited_parts(request)
        asked = self._client.build_request(request.method, url, headers=headers, content=content)
        try:
            answered = await self._client.send(asked, stream=True)
        except httpx.TransportError as error:
            # Its answer may be lost, and the call may have been done: as of any server.
            rule = f"the learner does not answer now: {type(error).__name__}"
            raise Problem(503, rule, retry_after=1) from error

        response = StreamingResponse(
            whole_body(answered), answered.status_code, background=BackgroundTask(answered.aclose)
        )
        response.raw_headers = [
            (name.lower(), value) for name, value in answered.headers.raw if name.lower() not in OWN
        ]

        return response

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def limited_parts(request: Request) -> AsyncIterator[bytes]:
    """The body of a request as it comes, of which no more is read than any call takes.

    Raises:
        Problem: where it has more.
    """
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_STATE_BYTES:
            raise too_large(MOST_STATE_BYTES)
        yield part


async def whole_body(answered: httpx.Response) -> AsyncIterator[bytes]:
    """The body of an answer, as it comes; it ends where the learner does."""
    with contextlib.suppress(httpx.StreamClosed):
        async for part in answered.aiter_raw():
            yield part
