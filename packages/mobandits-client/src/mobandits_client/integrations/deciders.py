"""The agents that a plugin can ask: one in this process, or one of a service."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Protocol, TypeVar, runtime_checkable

from mobandits_client.arguments import quoted
from mobandits_client.async_client import AsyncClient
from mobandits_client.choice import Choice
from mobandits_client.client import Client
from mobandits_client.errors import ServiceError
from mobandits_client.integrations.steps import Decider, Known, MadeDecision
from mobandits_client.messages import AgentState

Answer = TypeVar("Answer")

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

    def decide(self, context: Any, eligible: Any, /) -> Any:
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

    async def known(self) -> Known:
        """The agent's arms and objectives as they are now."""
        return self.known_now()

    async def decide(self, context: Any, eligible: Sequence[str], key: str) -> MadeDecision:
        """A decision of the agent."""
        return await self._run(self.decide_now, context, eligible, key)

    async def reward(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """Have the agent learn."""
        await self._run(self.reward_now, made, rewards)

    async def abandon(self, made: MadeDecision) -> None:
        """Have the agent wait no more."""
        await self._run(self.abandon_now, made)

    def known_now(self) -> Known:
        """As `known`."""
        agent = self.agent
        names = frozenset(str(objective.name) for objective in agent.objectives)

        return Known(frozenset(str(arm) for arm in agent.arms), names)

    def decide_now(self, context: Any, eligible: Sequence[str], key: str) -> MadeDecision:
        """As `decide`.

        Raises:
            ServiceError: where a budget is used up, as a service says it.
        """
        try:
            # Without the key: answers are found by a table of the plugin, in the same process.
            decision = self.agent.decide(context, eligible)
        except Exception as error:
            if getattr(error, "is_budget", False):
                raise ServiceError(str(error), is_budget=True) from error
            raise

        self._has_decided = True
        front = decision.front
        names = None if front is None else tuple(str(arm) for arm in front)

        return MadeDecision(decision.id, str(decision.arm), names)

    def reward_now(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """As `reward`."""
        self.agent.learn(made.handle, dict(rewards))

    def abandon_now(self, made: MadeDecision) -> None:
        """As `abandon`."""
        self.agent.abandon(made.handle)

    async def _run(self, call: Callable[..., Answer], *arguments: Any) -> Answer:
        if self._has_decided and not self.agent.is_logged:
            return call(*arguments)

        return await asyncio.to_thread(call, *arguments)


class ServiceDecider:
    """An agent of a service, asked by an `AsyncClient`.

    Args:
        client: of the agent.
    """

    def __init__(self, client: AsyncClient) -> None:
        self.client = client
        self._known = Known()
        self._asked = -KNOWN_FOR

    async def known(self) -> Known:
        """The agent's arms and objectives, as they were within the last minute."""
        now = time.monotonic()
        if now - self._asked >= KNOWN_FOR:
            # First, so that calls that come meanwhile do not ask as well.
            self._asked = now
            try:
                state = await self.client.state()
            except ServiceError:
                # The key may not allow it, or the service is down: what was known stays.
                return self._known
            self._known = known_of(state)

        return self._known

    async def decide(self, context: Any, eligible: Sequence[str], key: str) -> MadeDecision:
        """A decision of the service, or the client's fallback."""
        choice = await self.client.decide(context, eligible, key=key)
        return made_of(choice)

    async def reward(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """Report to the service."""
        await self.client.reward(made.handle, rewards)

    async def abandon(self, made: MadeDecision) -> None:
        """Tell the service."""
        await self.client.abandon(made.handle)

    def known_now(self) -> Known:
        """What was known last: nothing is asked."""
        return self._known

    def decide_now(self, context: Any, eligible: Sequence[str], key: str) -> MadeDecision:
        """Refused, as an asynchronous client cannot wait."""
        self._refuse()

    def reward_now(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """Refused."""
        self._refuse()

    def abandon_now(self, made: MadeDecision) -> None:
        """Refused."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ValueError(
            "decider must be a Client or an Agent for calls that wait, got AsyncClient"
        )


class WaitingServiceDecider:
    """An agent of a service, asked by a `Client`; coroutines ask it in a thread.

    Args:
        client: of the agent.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._known = Known()
        self._asked = -KNOWN_FOR

    async def known(self) -> Known:
        """As of `ServiceDecider`."""
        return await asyncio.to_thread(self.known_now)

    async def decide(self, context: Any, eligible: Sequence[str], key: str) -> MadeDecision:
        """A decision of the service, or the client's fallback."""
        return await asyncio.to_thread(self.decide_now, context, eligible, key)

    async def reward(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """Report to the service."""
        await asyncio.to_thread(self.reward_now, made, rewards)

    async def abandon(self, made: MadeDecision) -> None:
        """Tell the service."""
        await asyncio.to_thread(self.abandon_now, made)

    def known_now(self) -> Known:
        """The agent's arms and objectives, as they were within the last minute."""
        now = time.monotonic()
        if now - self._asked >= KNOWN_FOR:
            self._asked = now
            try:
                state = self.client.state()
            except ServiceError:
                return self._known
            self._known = known_of(state)

        return self._known

    def decide_now(self, context: Any, eligible: Sequence[str], key: str) -> MadeDecision:
        """As `decide`."""
        choice = self.client.decide(context, eligible, key=key)
        return made_of(choice)

    def reward_now(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """As `reward`."""
        self.client.reward(made.handle, rewards)

    def abandon_now(self, made: MadeDecision) -> None:
        """As `abandon`."""
        self.client.abandon(made.handle)


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


def made_of(choice: Choice) -> MadeDecision:
    """A client's choice as a decision for an attempt."""
    return MadeDecision(choice, choice.arm, choice.front)
