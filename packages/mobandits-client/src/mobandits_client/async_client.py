"""The client of the decision service for programs that do something else meanwhile."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Self

import httpx

from mobandits_client.agent_client import AgentClient
from mobandits_client.choice import Choice
from mobandits_client.errors import ServiceError
from mobandits_client.httpx_sender import requested
from mobandits_client.messages import (
    AgentState,
    Explained,
    Observed,
    ObservedOutcome,
    Recorded,
    Rewarded,
)
from mobandits_client.plain_http import NoAnswer
from mobandits_client.request_flow import Conversation, Result
from mobandits_client.sending import Attempt, Reply


class AsyncClient(AgentClient):
    """As `Client`, with calls to be awaited.

    Args:
        url: as of `Client`, as all others.
        agent: whose decisions are asked for.
        key: from `mobandits keys add`.
        fallback: the arm to play where the service does not answer.
        timeout: in seconds, of a whole call.
        attempts: of a request, at least 1.
        pause: in seconds, for which a service that does not answer is left alone.
        queue: a file for what is to be reported.
    """

    _http: httpx.AsyncClient

    async def decide(
        self,
        context: Any = None,
        eligible: Sequence[str] | None = None,
        *,
        key: str | None = None,
        active: bool = True,
        session: str | None = None,
    ) -> Choice:
        """The arm to play now; see `decide` of an `Agent` of mobandits.

        Args:
            context: numbers in order, {arm: numbers}, or {column: value}; arrays are fine.
            eligible: the arms that may be played; None: all.
            key: of the call; None: a new one.
            active: False where it is not yet sure that the arm will be played.
            session: that keeps its arm for as long as the agent says; None: none.
        """
        conversation = self._talk.decide(context, eligible, key, active, session)
        return await self._run(conversation)

    async def decide_batch(
        self, contexts: Sequence[Any], eligible: Sequence[str] | None = None
    ) -> list[Choice]:
        """A decision per context, all in one moment."""
        conversation = self._talk.decide_batch(contexts, eligible)
        return await self._run(conversation)

    async def reward(self, choice: Choice, rewards: Mapping[str, float]) -> Rewarded | None:
        """Tell what a choice brought, all of it or a part.

        Returns:
            what the service says; None where it is to be reported later.
        """
        conversation = self._talk.reward(choice, rewards)
        return await self._run(conversation)

    async def observe(self, observed: Sequence[Observed]) -> list[ObservedOutcome]:
        """Have the agent learn from decisions that somebody else made.

        Returns:
            for each what the agent would have done, or why it was refused.
        """
        conversation = self._talk.observe(observed)
        return await self._run(conversation)

    async def activate(self, choice: Choice) -> None:
        """A choice that was inactive takes effect."""
        conversation = self._talk.activate(choice)
        return await self._run(conversation)

    async def abandon(self, choice: Choice) -> None:
        """Nothing will come of a choice."""
        conversation = self._talk.abandon(choice)
        return await self._run(conversation)

    async def decision(self, number: str) -> Recorded:
        """A decision as it was, with its rewards."""
        conversation = self._talk.recorded(number)
        return await self._run(conversation)

    async def explain(self, number: str) -> Explained:
        """Why the agent would decide so, by what it believes now."""
        conversation = self._talk.explained(number)
        return await self._run(conversation)

    async def state(self) -> AgentState:
        """The agent as it is now."""
        conversation = self._talk.state()
        return await self._run(conversation)

    async def set_preference(self, order: Any) -> AgentState:
        """Compare arms by another order from now on: its name, or {"name": ..., parameters}."""
        conversation = self._talk.set_preference(order)
        return await self._run(conversation)

    async def flush(self) -> None:
        """Report what the service does not know of; where it fails, the rest is kept."""
        self._rules.end_pause()
        while self.unreported > 0:
            await self._run(self._talk.report())

    async def close(self) -> None:
        """Report what is left within the time of one call, and close the connections.

        Warns:
            ServiceWarning: of what could not be reported, and is in no file.
        """
        self._rules.end_pause()
        with contextlib.suppress(ServiceError):
            await self._run(self._talk.report_all())
        await self._http.aclose()
        self._outbox.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    # ---

    def _sender(self, headers: dict[str, str]) -> httpx.AsyncClient:
        """What sends its calls."""
        return httpx.AsyncClient(base_url=self.url, headers=headers)

    async def _run(self, conversation: Conversation[Result]) -> Result:
        """Send what a conversation says, and return what it comes to."""
        attempts = self._rules.attempts(conversation)
        try:
            attempt = next(attempts)
            while True:
                reply = await self._reply(attempt)
                attempt = attempts.send(reply)
        except StopIteration as end:
            result: Result = end.value
            return result

    async def _reply(self, attempt: Attempt) -> Reply:
        """What comes of an attempt."""
        call = attempt.call
        if attempt.wait > 0.0:
            await asyncio.sleep(attempt.wait)
        try:
            return await requested(self._http, call.method, call.path, call.body, attempt.seconds)
        except NoAnswer as error:
            return error
