"""The client of the decision service for programs that wait for answers."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import httpx

from mobandits.client import calls
from mobandits.client.calls import Call
from mobandits.client.choice import Choice
from mobandits.client.failures import PASSING, ServiceError, refused, unanswered, wait_before
from mobandits.client.fallbacks import PREFIX, Fallbacks
from mobandits.service.messages import (
    Adopted,
    AgentState,
    Decided,
    DecidedBatch,
    Explained,
    Observed,
    Recorded,
    Rewarded,
)
from mobandits.support.naming import quoted

REPORTED = 100  # fallbacks per call


class Client:
    """An agent of the decision service.

    Every decision has a key, so a call whose answer was lost is tried again without a second
    decision. Rewards may be told twice. With a fallback, `decide` always returns: where the service
    does not answer, it is the fallback arm, marked as such; the client reports it as an observed
    decision, with the rewards that it was told meanwhile, as soon as the service answers again.

    Args:
        url: of the service.
        agent: whose decisions are asked for.
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
        fallback: str | None = None,
        timeout: float = 2.0,
        attempts: int = 3,
    ) -> None:
        self.url = url.rstrip("/")
        self.agent = agent
        self.fallback = fallback
        self._attempts = attempts
        self._fallbacks = Fallbacks()
        self._http = httpx.Client(base_url=self.url, timeout=timeout)

    def __repr__(self) -> str:
        return f"Client({self.url}, agent={quoted(self.agent)})"

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
        key = calls.new_key() if key is None else key
        call = calls.decide(self.agent, context, eligible, key, active)
        try:
            decided = calls.answered(self._send(call), Decided)
        except ServiceError as error:
            if self.fallback is None or not _may_pass(error):
                raise
            choice = Choice(self.fallback, key)
            self._fallbacks.add(choice, calls.plain(context))
            return choice

        self._report_some()

        return calls.choice_of(decided, key)

    def decide_batch(
        self, contexts: Sequence[Any], eligible: Sequence[str] | None = None
    ) -> list[Choice]:
        """A decision per context, all in one moment."""
        keys = [calls.new_key() for _ in contexts]
        call = calls.decide_batch(self.agent, contexts, eligible, keys)
        batch = calls.answered(self._send(call), DecidedBatch)
        pairs = zip(batch.decisions, keys, strict=True)

        return [calls.choice_of(decided, key) for decided, key in pairs]

    def reward(self, choice: Choice, rewards: Mapping[str, float]) -> Rewarded | None:
        """Tell what a choice brought, all of it or a part.

        Returns:
            what the service says; None where the choice is a fallback that is still to be reported.
        """
        if choice.decision is not None:
            call = calls.reward(self.agent, choice.decision, rewards)
            return calls.answered(self._send(call), Rewarded)
        if self._fallbacks.reward(choice.key, rewards):
            return None

        call = calls.reward_by_key(self.agent, PREFIX + choice.key, rewards)
        (rewarded,) = calls.answered(self._send(call), list[Rewarded])

        return rewarded

    def observe(self, observed: Sequence[Observed]) -> list[Adopted]:
        """Have the agent learn from decisions that somebody else made."""
        return calls.answered(self._send(calls.observe(self.agent, observed)), list[Adopted])

    def activate(self, choice: Choice) -> None:
        """A choice that was inactive takes effect."""
        if choice.decision is not None:
            self._send(calls.settle(self.agent, choice.decision, "activate"))

    def abandon(self, choice: Choice) -> None:
        """Nothing will come of a choice."""
        if choice.decision is not None:
            self._send(calls.settle(self.agent, choice.decision, "abandon"))

    def decision(self, number: str) -> Recorded:
        """A decision as it was, with its rewards."""
        return calls.answered(self._send(calls.recorded(self.agent, number)), Recorded)

    def explain(self, number: str) -> Explained:
        """Why the agent would decide so, by what it believes now."""
        return calls.answered(self._send(calls.explained(self.agent, number)), Explained)

    def state(self) -> AgentState:
        """The agent as it is now."""
        return calls.answered(self._send(calls.state(self.agent)), AgentState)

    def set_preference(self, order: Any) -> AgentState:
        """Compare arms by another order from now on: its name, or {"name": ..., parameters}."""
        call = calls.set_preference(self.agent, order)
        return calls.answered(self._send(call), AgentState)

    def flush(self) -> None:
        """Report the fallbacks that the service does not know of.

        Raises:
            ServiceError: where it does not answer; they are kept.
        """
        while len(self._fallbacks) > 0:
            some = self._fallbacks.take(REPORTED)
            self.observe(list(some.values()))
            self._fallbacks.forget(some)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---

    def _report_some(self) -> None:
        """Report fallbacks, now that the service answers; errors wait for the next time."""
        if len(self._fallbacks) == 0:
            return

        some = self._fallbacks.take(REPORTED)
        try:
            self.observe(list(some.values()))
        except ServiceError:
            return
        self._fallbacks.forget(some)

    def _send(self, call: Call) -> bytes:
        response: httpx.Response | None = None
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
            if response.status_code not in PASSING:
                break

        assert failure is not None  # noqa: S101 - there was an attempt
        raise failure


def _may_pass(error: ServiceError) -> bool:
    """Whether an error is of a service that is down, and not of the call."""
    return error.status is None or error.status in PASSING
