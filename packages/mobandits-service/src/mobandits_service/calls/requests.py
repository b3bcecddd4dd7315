"""What calls have in common: the parts of a request, and the answer once it is on disk."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits.support.naming import quoted, shortened
from mobandits_client.messages import Decide, RefusedItem
from mobandits_service.decision_names import decision_number
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.problems import Problem, problem_of

JSON = "application/json"
AGENT = "/v1/agents/{agent}"
DECISION = f"{AGENT}/decisions/{{decision}}"
MOST_BYTES = 2**20  # of a body
MOST_ITEMS = 1000  # of a list
TURN = 20  # items, which take some milliseconds: then others have their turn

Body = TypeVar("Body")
Item = TypeVar("Item")

_decoders: dict[Any, Any] = {}


async def content_of(request: Request, most: int = MOST_BYTES) -> bytes:
    """The body of a request, of which no more is read than is allowed.

    It is kept in `request.state.content`: a worker may find that only the learner can answer, and
    passes it on.

    Args:
        request: of a client.
        most: bytes that it may have.

    Raises:
        Problem: where it has more.
    """
    size = 0
    parts = []
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise too_large(most)
        parts.append(part)

    content = b"".join(parts)
    request.state.content = content

    return content


def too_large(most: int) -> Problem:
    """The refusal of a body of more than so many bytes."""
    return Problem(413, f"the body must have at most {most:,} bytes")


async def body_of(request: Request, kind: type[Body]) -> Body:
    """The body of a request, checked.

    Args:
        request: of a client.
        kind: what it must be.

    Raises:
        msgspec.DecodeError: where it is something else.
        Problem: where it is nested too deeply to be read, or is too long a list.
    """
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = msgspec.json.Decoder(kind)
        _decoders[kind] = decoder

    content = await content_of(request)
    try:
        decoded: Body = decoder.decode(content)
    except RecursionError as error:
        raise Problem(400, "the body must be JSON that is nested less deeply") from error

    if isinstance(decoded, list) and len(decoded) > MOST_ITEMS:
        # It would hold up other calls for long.
        count = f"{len(decoded):,}"
        raise Problem(422, f"the list must have at most {MOST_ITEMS:,} items, got {count}")

    return decoded


def query_of(request: Request, kind: type[Body]) -> Body:
    """The parameters behind the question mark of a request, checked.

    Args:
        request: of a client.
        kind: a type whose fields are their names.

    Raises:
        ValueError: where one is unknown, is given twice, or does not fit.
    """
    given: dict[str, str] = {}
    # Most requests have nothing behind the question mark.
    if not request.scope["query_string"]:
        return msgspec.convert(given, kind)

    for name, value in request.query_params.multi_items():
        if name in given:
            raise Problem(422, f"{shortened(name)} must be given once, got it twice")
        given[name] = value

    # Not strict: all of them are texts.
    return msgspec.convert(given, kind, strict=False)


def with_header_key(request: Request, wanted: Decide) -> Decide:
    """A request for a decision, with the key of its header.

    Raises:
        Problem: where header and body have two keys.
    """
    header = request.headers.get("idempotency-key")
    if header is None:
        return wanted
    if wanted.key not in (None, header):
        rule = f"Idempotency-Key must be the key of the body, {quoted(wanted.key)}"
        raise Problem(422, f"{rule}, got {quoted(header)}")

    wanted.key = header

    return wanted


def parts_of(request: Request, takes: Collection[str]) -> dict[str, Any]:
    """The parts of a request by the names that handlers have for them, but for what is sent.

    Args:
        request: of a client.
        takes: the parameters of its handler.

    Raises:
        Problem: where there is no such agent, or no decision can have such a number.
    """
    runtime = request.app.state.runtime
    given = request.path_params
    parts = {"request": request, "runtime": runtime, **given}
    if "hosted" in takes:
        parts["hosted"] = runtime.agents.named(given["agent"])
    if "number" in takes:
        parts["number"] = decision_number(given["decision"])

    return parts


async def in_turns(hosted: HostedAgent, items: Sequence[Item]) -> AsyncIterator[Item]:
    """The items of a list for one agent, while other calls have their turns in between.

    Raises:
        Problem: where the agent was opened again meanwhile: what was done of the list may be lost.
    """
    generation = hosted.generation
    for place, item in enumerate(items):
        if place > 0 and place % TURN == 0:
            await asyncio.sleep(0.0)
            hosted.check_saved(generation)
        yield item


def refusal_of(error: Exception) -> RefusedItem:
    """What is answered for an item of a list that was refused.

    Raises:
        Exception: what is no refusal, but a failure.
    """
    problem = problem_of(error)
    if problem.status == 500:
        raise error

    return RefusedItem(problem.status, problem.detail)


def answer(message: Any, etag: str | None = None, status: int = 200) -> Response:
    """A message as the answer to a request; a response stays as it is.

    Args:
        message: what is answered; None: nothing.
        etag: what stands for the state of the resource; None: it has none.
        status: of HTTP.
    """
    if isinstance(message, Response):
        return message
    if message is None:
        return Response(status_code=204)

    content = msgspec.json.encode(message)
    headers = None if etag is None else {"ETag": etag}

    return Response(content, status, headers, JSON)
