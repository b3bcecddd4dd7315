"""The calls of the service, as requests and answers; clients send and receive them."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from mobandits_client.arguments import quoted
from mobandits_client.choice import Choice
from mobandits_client.errors import ServiceError
from mobandits_client.messages import (
    Decide,
    DecideBatch,
    Decided,
    Observed,
    Preference,
    RewardsOf,
)

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


def decide(
    agent: str, context: Any, eligible: Sequence[str] | None, key: str, active: bool
) -> Call:
    """A request for a decision."""
    message = Decide(
        context=plain(context),
        eligible=None if eligible is None else list(eligible),
        key=key,
        active=active,
    )
    return Call("POST", path_of(agent, "decide"), msgspec.json.encode(message))


def decide_batch(
    agent: str, contexts: Sequence[Any], eligible: Sequence[str] | None, keys: Sequence[str]
) -> Call:
    """A request for a decision per context."""
    message = DecideBatch(
        contexts=[plain(context) for context in contexts],
        eligible=None if eligible is None else list(eligible),
        keys=list(keys),
    )
    return Call("POST", path_of(agent, "decide_batch"), msgspec.json.encode(message))


def observe(agent: str, observed: Sequence[Observed]) -> Call:
    """Decisions that somebody else made."""
    return Call("POST", path_of(agent, "decisions"), msgspec.json.encode(list(observed)))


def reward(agent: str, decision: str, rewards: Mapping[str, float]) -> Call:
    """What a decision brought."""
    body = msgspec.json.encode(dict(rewards))
    return Call("POST", path_of(agent, "decisions", decision, "rewards"), body)


def reward_several(agent: str, rewards: Sequence[RewardsOf]) -> Call:
    """What several decisions brought."""
    return Call("POST", path_of(agent, "rewards"), msgspec.json.encode(list(rewards)))


def settle(agent: str, decision: str, how: str) -> Call:
    """A decision that was shown ("activate"), or never will be ("abandon")."""
    return Call("POST", path_of(agent, "decisions", decision, how))


def set_preference(agent: str, order: Any) -> Call:
    """Another order by which arms are compared."""
    return Call("PUT", path_of(agent, "preference"), msgspec.json.encode(Preference(order)))


def recorded(agent: str, decision: str) -> Call:
    """A decision as it was."""
    return Call("GET", path_of(agent, "decisions", decision))


def explained(agent: str, decision: str) -> Call:
    """Why the agent would decide so."""
    return Call("GET", path_of(agent, "decisions", decision, "explanation"))


def state(agent: str) -> Call:
    """The agent as it is now."""
    return Call("GET", path_of(agent))


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


def answered_each(content: bytes, kind: type[Answer], items: Sequence[object]) -> list[Answer]:
    """An answer of the service to a list, with one of each of its items."""
    answers = answered(content, list[kind])  # type: ignore[valid-type] # a type of this call
    check_length(answers, items)

    return answers


def check_length(answers: Sequence[object], items: Sequence[object]) -> None:
    """Refuse answers that are not as many as what was asked."""
    if len(answers) != len(items):
        raise ServiceError(f"the answer must have {len(items)} items, got {len(answers)}")


def check_done(content: bytes) -> None:
    """Refuse an answer that says something where the service says nothing."""
    if content:
        raise not_an_answer(content)


def not_an_answer(content: bytes) -> ServiceError:
    """The error of an answer that the service did not give."""
    return ServiceError(f"the answer must be one of the service, got {quoted(content)}")
