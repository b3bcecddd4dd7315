"""Parts of requests to the service, and of its answers."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from mobandits_client.arguments import quoted
from mobandits_client.choice import Choice
from mobandits_client.errors import ServiceError
from mobandits_client.messages import Decided

Answer = TypeVar("Answer")
NUMBERS = frozenset((float, int))  # of Python: JSON takes them as they are


class Call(NamedTuple):
    """A request.

    Attributes:
        method: of HTTP.
        path: after the address of the service.
        body: JSON, or None.
    """

    method: str
    path: str
    body: bytes | None = None


def path_of(agent: str, *parts: str) -> str:
    """The path of something that belongs to an agent.

    Example:
        >>> path_of("router", "decisions", "17")
        '/v1/agents/router/decisions/17'
    """
    return "/".join(["/v1/agents", *(quote(part, safe="") for part in (agent, *parts))])


def new_key() -> str:
    """A key that no other call has."""
    return uuid.uuid4().hex


def listed(eligible: Sequence[str] | None) -> list[str] | None:
    """The arms that may be played, as a message has them."""
    return None if eligible is None else list(eligible)


def plain(context: Any) -> Any:
    """A context in lists, dictionaries and numbers: arrays have `tolist`."""
    if hasattr(context, "tolist"):
        return context.tolist()
    if isinstance(context, Mapping):
        return {name: plain(value) for name, value in context.items()}
    if type(context) is list and NUMBERS.issuperset(map(type, context)):
        return context
    if isinstance(context, list | tuple):
        return [plain(value) for value in context]

    return context


def choice_of(decided: Decided, key: str) -> Choice:
    """A decision of the service, as the client hands it out."""
    return Choice(
        arm=decided.arm,
        key=key,
        decision=decided.decision,
        propensity=decided.propensity,
        front=None if decided.front is None else tuple(decided.front),
        replayed=decided.replayed,
    )


def answered(content: bytes, kind: type[Answer]) -> Answer:
    """An answer of the service.

    Raises:
        ServiceError: where it is something else, such as a page of a proxy.

    Example:
        >>> answered(b"<html>", dict)
        Traceback (most recent call last):
        mobandits_client.errors.ServiceError: the answer must be one of the service, got b'<html>'
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise not_an_answer(content) from error


def check_length(answers: Sequence[object], items: Sequence[object]) -> None:
    """Refuse answers that are not as many as what was asked."""
    if len(answers) != len(items):
        raise ServiceError(f"the answer must have {len(items)} items, got {len(answers)}")


def not_an_answer(content: bytes) -> ServiceError:
    """The error of an answer that the service did not give."""
    return ServiceError(f"the answer must be one of the service, got {quoted(content)}")
