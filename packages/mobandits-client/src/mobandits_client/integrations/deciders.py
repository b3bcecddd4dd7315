"""The agents that a plugin can ask: one in this process, or one of a service."""

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from mobandits_client.arguments import quoted
from mobandits_client.async_client import AsyncClient
from mobandits_client.choice import Choice
from mobandits_client.client import Client
from mobandits_client.errors import ServiceError
from mobandits_client.integrations.steps import Decider, Known, MadeDecision, Step
from mobandits_client.messages import AgentState

KNOWN_FOR = 60.0  # seconds, until a service is asked again which arms its agent has


@runtime_checkable
class EmbeddedAgent(Protocol):
    """Agent of this process: so much of `mobandits.Agent` as a plugin needs.

    An error of it with a true `is_budget` says that a budget is used up.
    """

    @property
    def arms(self) -> Sequence[Any]:
        """The arms that there are now."""
        ...

    @property
    def objectives(self) -> Sequence[Any]:
        """The objectives of its rewards, each with a `name`."""
        ...

    @property
    def is_logged(self) -> bool:
        """Whether calls are written to a log, for which they may wait."""
        ...

    def decide(self, context: Any, eligible: Any, /, *, session: str | None = None) -> Any:
        """A decision: with `id`, `arm` and `front`."""
        ...

    def learn(self, decision_id: int, rewards: Any, /) -> Any:
        """Learn what a decision brought."""
        ...

    def abandon(self, decision_id: int, /) -> None:
        """Wait no more for what a decision brings."""
        ...


class EmbeddedDecider:
    """An agent of this process.

    In coroutines it is called directly, which takes microseconds. Its first decision, which may
    compile, and all calls of an agent with a log, which may wait for the disk, go to a thread.

    Args:
        agent: which decides.
    """

    def __init__(self, agent: EmbeddedAgent) -> None:
        self.agent = agent
        self._has_decided = False

    async def awaited(self, step: Step) -> Any:
        """What the agent answers, in this thread where that takes no time."""
        is_quick = self._has_decided and not self.agent.is_logged
        if is_quick or step.name == "known":
            return self.waited(step)

        return await asyncio.to_thread(self.waited, step)

    def waited(self, step: Step) -> Any:
        """What the agent answers."""
        return getattr(self, step.name)(*step.arguments)

    def known(self) -> Known:
        """The agent's arms and objectives as they are now."""
        agent = self.agent
        names = frozenset(str(objective.name) for objective in agent.objectives)

        return Known(frozenset(str(arm) for arm in agent.arms), names)

    def decide(
        self, context: Any, eligible: Sequence[str], key: str, session: str | None
    ) -> MadeDecision:
        """A decision of the agent.

        Raises:
            ServiceError: where a budget is used up, as a service says it.
        """
        try:
            # Without the key: answers are found by a table of the plugin, in the same process.
            decision = self.agent.decide(context, eligible, session=session)
        except Exception as error:
            if getattr(error, "is_budget", False):
                raise ServiceError(str(error), is_budget=True) from error
            raise

        self._has_decided = True
        front = decision.front
        names = None if front is None else tuple(str(arm) for arm in front)

        return MadeDecision(decision.id, str(decision.arm), names)

    def reward(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """Have the agent learn."""
        self.agent.learn(made.handle, dict(rewards))

    def abandon(self, made: MadeDecision) -> None:
        """Have the agent wait no more."""
        self.agent.abandon(made.handle)


class _OfService:
    """The client of an agent of a service, and what is known of the agent.

    Args:
        client: of the agent.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._known = Known()
        self._asked = -KNOWN_FOR

    def _is_due(self) -> bool:
        """Whether it was not asked within the last minute which arms the agent has; now it is."""
        now = time.monotonic()
        is_due = now - self._asked >= KNOWN_FOR
        if is_due:
            # First, so that calls that come meanwhile do not ask as well.
            self._asked = now

        return is_due

    def _called(self, step: Step) -> Any:
        """What the client answers to any other step; of an `AsyncClient`, to be awaited."""
        call = getattr(self.client, step.name)
        if step.name == "decide":
            context, eligible, key, session = step.arguments
            return call(context, eligible, key=key, session=session)

        made, *rest = step.arguments

        return call(made.handle, *rest)


class ServiceDecider(_OfService):
    """An agent of a service, asked by an `AsyncClient`.

    Args:
        client: of the agent.
    """

    async def awaited(self, step: Step) -> Any:
        """What the service answers, or the client's fallback."""
        if step.name != "known":
            answer = await self._called(step)
            return as_made(answer)

        if self._is_due():
            # The key may not allow it, or the service is down: what was known stays.
            with contextlib.suppress(ServiceError):
                state = await self.client.state()
                self._known = known_of(state)

        return self._known

    def waited(self, step: Step) -> Any:
        """What was known last; other steps are refused, as an asynchronous client cannot wait."""
        if step.name == "known":
            return self._known

        raise ValueError(
            "decider must be a Client or an Agent for calls that wait, got AsyncClient"
        )


class WaitingServiceDecider(_OfService):
    """An agent of a service, asked by a `Client`; coroutines ask it in a thread.

    Args:
        client: of the agent.
    """

    async def awaited(self, step: Step) -> Any:
        """As `waited`."""
        return await asyncio.to_thread(self.waited, step)

    def waited(self, step: Step) -> Any:
        """As `awaited` of `ServiceDecider`."""
        if step.name != "known":
            answer = self._called(step)
            return as_made(answer)

        if self._is_due():
            with contextlib.suppress(ServiceError):
                state = self.client.state()
                self._known = known_of(state)

        return self._known


def decider_of(given: EmbeddedAgent | AsyncClient | Client) -> Decider:
    """The decider of an agent or a client.

    Raises:
        ValueError: where it is neither.
    """
    if isinstance(given, AsyncClient):
        return ServiceDecider(given)
    if isinstance(given, Client):
        return WaitingServiceDecider(given)
    if isinstance(given, EmbeddedAgent):
        return EmbeddedDecider(given)

    raise ValueError(f"decider must be an Agent, AsyncClient or Client, got {quoted(given)}")


def known_of(state: AgentState) -> Known:
    """The arms and objectives of a service's agent; none are known before it is ready."""
    if not state.objectives:
        return Known()

    names = frozenset(each.name for each in state.objectives)

    return Known(frozenset(state.arms), names)


def as_made(answer: Any) -> Any:
    """A client's answer; where it is a choice, as the decision for an attempt."""
    if isinstance(answer, Choice):
        return MadeDecision(answer, answer.arm, answer.front)

    return answer
