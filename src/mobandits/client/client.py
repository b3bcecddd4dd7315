"""The client of the decision service for programs that wait for answers."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import httpx

from mobandits.client.agent_client import AgentClient, headers_of
from mobandits.client.calls import Call
from mobandits.client.choice import Choice
from mobandits.client.conversations import Conversation, Result
from mobandits.client.failures import may_pass, refused, unanswered, wait_before
from mobandits.client.plain_http import Answer, sender_to
from mobandits.errors import ServiceError
from mobandits.service.messages import (
    AgentState,
    Explained,
    Observed,
    ObservedOutcome,
    Recorded,
    Rewarded,
)


class Client(AgentClient):
    """An agent of the decision service.

    Every decision has a key, so a call whose answer was lost is tried again without a second
    decision. Rewards may be told twice. With a fallback, `decide` returns also where the service
    does not answer: it is the fallback arm, marked as such; the client reports it as an observed
    decision, with the rewards that it was told meanwhile, as soon as the service answers again.
    What the service refuses, as where a budget is used up, is an error all the same.

    Args:
        url: of the service.
        agent: whose decisions are asked for.
        key: from `mobandits keys add`; None: the service needs none.
        fallback: the arm to play where the service does not answer; None: an error.
        timeout: in seconds, of one attempt.
        attempts: of a call, at least 1.

    Raises:
        ServiceError: by calls that the service refuses, or does not answer.
    """

    def __init__(
        self,
        url: str,
        agent: str,
        *,
        key: str | None = None,
        fallback: str | None = None,
        timeout: float = 2.0,
        attempts: int = 3,
    ) -> None:
        super().__init__(url, agent, fallback, attempts)
        self._http = sender_to(self.url, timeout, headers_of(key))

    def decide(
        self,
        context: Any = None,
        eligible: Sequence[str] | None = None,
        *,
        key: str | None = None,
        active: bool = True,
    ) -> Choice:
        """The arm to play now; see `mobandits.Agent.decide`.

        Args:
            context: numbers in order, {arm: numbers}, or {column: value}; arrays are fine.
            eligible: the arms that may be played; None: all.
            key: of the call; None: a new one.
            active: False where it is not yet sure that the arm will be played.
        """
        conversation = self._talk.decide(context, eligible, key, active)
        return self._run(conversation)

    def decide_batch(
        self, contexts: Sequence[Any], eligible: Sequence[str] | None = None
    ) -> list[Choice]:
        """A decision per context, all in one moment."""
        conversation = self._talk.decide_batch(contexts, eligible)
        return self._run(conversation)

    def reward(self, choice: Choice, rewards: Mapping[str, float]) -> Rewarded | None:
        """Tell what a choice brought, all of it or a part.

        Returns:
            what the service says; None where the choice is a fallback that is still to be reported.
        """
        conversation = self._talk.reward(choice, rewards)
        return self._run(conversation)

    def observe(self, observed: Sequence[Observed]) -> list[ObservedOutcome]:
        """Have the agent learn from decisions that somebody else made.

        Returns:
            for each what the agent would have done, or why it was refused.
        """
        conversation = self._talk.observe(observed)
        return self._run(conversation)

    def activate(self, choice: Choice) -> None:
        """A choice that was inactive takes effect."""
        conversation = self._talk.activate(choice)
        return self._run(conversation)

    def abandon(self, choice: Choice) -> None:
        """Nothing will come of a choice."""
        conversation = self._talk.abandon(choice)
        return self._run(conversation)

    def decision(self, number: str) -> Recorded:
        """A decision as it was, with its rewards."""
        conversation = self._talk.recorded(number)
        return self._run(conversation)

    def explain(self, number: str) -> Explained:
        """Why the agent would decide so, by what it believes now."""
        conversation = self._talk.explained(number)
        return self._run(conversation)

    def state(self) -> AgentState:
        """The agent as it is now."""
        conversation = self._talk.state()
        return self._run(conversation)

    def set_preference(self, order: Any) -> AgentState:
        """Compare arms by another order from now on: its name, or {"name": ..., parameters}."""
        conversation = self._talk.set_preference(order)
        return self._run(conversation)

    def flush(self) -> None:
        """Report the fallbacks that the service does not know of; they are kept where it fails."""
        conversation = self._talk.flush()
        return self._run(conversation)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---

    def _run(self, conversation: Conversation[Result]) -> Result:
        """Send what a conversation says, and return what it comes to."""
        try:
            call = next(conversation)
            while True:
                try:
                    answer = self._send(call)
                except ServiceError as error:
                    call = conversation.throw(error)
                else:
                    call = conversation.send(answer)
        except StopIteration as end:
            result: Result = end.value
            return result

    def _send(self, call: Call) -> bytes:
        """The answer to a request, which is tried again where that may help."""
        response: Answer | httpx.Response | None = None
        failure: ServiceError | None = None
        for attempt in range(self._attempts):
            if attempt > 0:
                time.sleep(wait_before(attempt, response))
            try:
                response = self._http.request(call.method, call.path, content=call.body)
            except httpx.TransportError as error:
                response = None
                failure = unanswered(error, self.url)
                continue
            if response.is_success:
                return response.content

            failure = refused(response)
            if not may_pass(response):
                break

        assert failure is not None  # noqa: S101 - there was an attempt
        raise failure
