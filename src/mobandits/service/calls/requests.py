"""What calls have in common: the parts of a request, and the answer once it is on disk."""

from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits.logs.store import Store
from mobandits.service.hosted_agent import HostedAgent, as_json
from mobandits.service.problems import Problem
from mobandits.service.running import Running

JSON = "application/json"
AGENT = "/v1/agents/{agent}"
DECISION = f"{AGENT}/decisions/{{decision}}"
MOST_CALLS = 1024  # that may wait for the disk, before others are turned away

Body = TypeVar("Body")

_decoders: dict[Any, Any] = {}


async def body_of(request: Request, kind: type[Body]) -> Body:
    """The body of a request, checked.

    Args:
        request: of a client.
        kind: what it must be.

    Raises:
        msgspec.DecodeError: where it is something else.
    """
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = msgspec.json.Decoder(kind)
        _decoders[kind] = decoder

    content = await request.body()
    decoded: Body = decoder.decode(content)

    return decoded


def running_of(request: Request) -> Running:
    """The service that a request came to."""
    running: Running = request.app.state.running
    return running


def hosted_of(request: Request) -> HostedAgent:
    """The agent that a request is for.

    Raises:
        Problem: where there is none.
    """
    name: str = request.path_params["agent"]
    return running_of(request).agents.named(name)


def decision_of(request: Request) -> tuple[HostedAgent, int]:
    """The agent that a request is for, and the number of its decision.

    Raises:
        Problem: where one of them is not there.
    """
    hosted = hosted_of(request)
    number = hosted.number_of(request.path_params["decision"])

    return hosted, number


async def saved(request: Request, hosted: HostedAgent, store: Store | None = None) -> None:
    """Wait until what an agent wrote is on disk.

    Args:
        request: of the call.
        hosted: the agent.
        store: that the call was written into; None: the agent's present one.

    Raises:
        Problem: where it could not be written.
    """
    # Before anything else can happen: an agent that lost events is opened again from another store
    # of the same file, which knows nothing of the loss.
    written = hosted.store if store is None else store
    await running_of(request).settlements.settled()
    hosted.check_saved(written)


def check_room(request: Request) -> None:
    """Turn a call away where too many wait already.

    Raises:
        Problem: saying so.
    """
    waiting = running_of(request).file.waiting()
    if waiting >= MOST_CALLS:
        raise Problem(503, f"{waiting:,} calls wait for the disk", retry_after=1)


def answer(message: msgspec.Struct) -> Response:
    """A message as the answer to a request."""
    return Response(as_json(message), media_type=JSON)
