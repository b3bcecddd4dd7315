"""The calls of the service, as requests and answers; clients send and receive them."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from mobandits.client.choice import Choice
from mobandits.service.messages import Decide, DecideBatch, Decided, Observed, Preference

Answer = TypeVar("Answer")


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
    """An answer of the service."""
    return msgspec.json.decode(content, type=kind)
