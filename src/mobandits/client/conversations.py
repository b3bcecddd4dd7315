"""What a client says and hears in each of its calls, whoever sends it.

Each method is a generator: it yields requests, is sent the answers, and returns what the caller
gets. A `ServiceError` is thrown into it where there is no answer. So the clients that wait and
those that do not share everything but the sending.
"""

import contextlib
import logging
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeVar

from mobandits.client import calls
from mobandits.client.calls import Call
from mobandits.client.choice import Choice
from mobandits.client.failures import DOWN
from mobandits.client.fallbacks import PREFIX, Fallbacks
from mobandits.errors import ServiceError
from mobandits.service.messages import (
    AgentState,
    Decided,
    DecidedBatch,
    Explained,
    Observed,
    ObservedOutcome,
    Recorded,
    Rewarded,
)

LOG = logging.getLogger("mobandits.client")
Result = TypeVar("Result")
Conversation = Generator[Call, bytes, Result]

REPORTED = 100  # fallbacks in one call


class Conversations:
    """The calls for one agent.

    Args:
        agent: its name.
        fallback: the arm to play where the service does not answer; None: an error.
    """

    def __init__(self, agent: str, fallback: str | None) -> None:
        self.agent = agent
        self.fallback = fallback
        self._fallbacks = Fallbacks()

    def decide(
        self, context: Any, eligible: Sequence[str] | None, key: str | None, active: bool
    ) -> Conversation[Choice]:
        """The arm to play now."""
        key = calls.new_key() if key is None else key
        try:
            answer = yield calls.decide(self.agent, context, eligible, key, active)
        except ServiceError as error:
            is_down = error.status is None or error.status in DOWN
            if self.fallback is None or not is_down:
                raise
            choice = Choice(self.fallback, key, context=calls.plain(context))
            self._fallbacks.add(choice)
            return choice

        if len(self._fallbacks) > 0:
            # The service answers again. A failure now must not cost the decision: fallbacks are
            # kept for the next time.
            with contextlib.suppress(ServiceError):
                yield from self._report_some()

        return calls.choice_of(calls.answered(answer, Decided), key)

    def decide_batch(
        self, contexts: Sequence[Any], eligible: Sequence[str] | None
    ) -> Conversation[list[Choice]]:
        """A decision per context."""
        keys = [calls.new_key() for _ in contexts]
        answer = yield calls.decide_batch(self.agent, contexts, eligible, keys)
        batch = calls.answered(answer, DecidedBatch)
        pairs = zip(batch.decisions, keys, strict=True)

        return [calls.choice_of(decided, key) for decided, key in pairs]

    def reward(self, choice: Choice, rewards: Mapping[str, float]) -> Conversation[Rewarded | None]:
        """What a choice brought."""
        if choice.decision is not None:
            answer = yield calls.reward(self.agent, choice.decision, rewards)
            return calls.answered(answer, Rewarded)
        if self._fallbacks.reward(choice.key, rewards):
            return None

        number = yield from self._number_of_fallback(choice)
        answer = yield calls.reward(self.agent, number, rewards)

        return calls.answered(answer, Rewarded)

    def observe(self, observed: Sequence[Observed]) -> Conversation[list[ObservedOutcome]]:
        """Decisions that somebody else made."""
        answer = yield calls.observe(self.agent, observed)
        return calls.answered(answer, list[ObservedOutcome])

    def activate(self, choice: Choice) -> Conversation[None]:
        """A choice takes effect; a fallback has at once."""
        if choice.decision is not None:
            yield calls.settle(self.agent, choice.decision, "activate")

    def abandon(self, choice: Choice) -> Conversation[None]:
        """Nothing will come of a choice."""
        number = choice.decision
        if number is None:
            if self._fallbacks.drop(choice.key):
                return
            number = yield from self._number_of_fallback(choice)

        yield calls.settle(self.agent, number, "abandon")

    def recorded(self, number: str) -> Conversation[Recorded]:
        """A decision as it was."""
        answer = yield calls.recorded(self.agent, number)
        return calls.answered(answer, Recorded)

    def explained(self, number: str) -> Conversation[Explained]:
        """Why the agent would decide so."""
        answer = yield calls.explained(self.agent, number)
        return calls.answered(answer, Explained)

    def state(self) -> Conversation[AgentState]:
        """The agent as it is now."""
        answer = yield calls.state(self.agent)
        return calls.answered(answer, AgentState)

    def set_preference(self, order: Any) -> Conversation[AgentState]:
        """Another order by which arms are compared."""
        answer = yield calls.set_preference(self.agent, order)
        return calls.answered(answer, AgentState)

    def flush(self) -> Conversation[None]:
        """Report all fallbacks that the service does not know of."""
        while len(self._fallbacks) > 0:
            yield from self._report_some()

    # ---

    def _report_some(self) -> Conversation[None]:
        some = self._fallbacks.take(REPORTED)
        answer = yield calls.observe(self.agent, list(some.values()))
        outcomes = calls.answered(answer, list[ObservedOutcome])
        for observed, outcome in zip(some.values(), outcomes, strict=True):
            if outcome.refused is not None:
                # Once more it would be refused once more, such as for an arm that has left.
                reason = outcome.refused.detail
                LOG.warning("fallback %s was refused, and is forgotten: %s", observed.key, reason)
        self._fallbacks.forget(some)

    def _number_of_fallback(self, choice: Choice) -> Conversation[str]:
        """The number that the service gave to a fallback that was reported."""
        # The same report once more: its key makes it the same decision.
        again = Observed(context=choice.context, arm=choice.arm, key=PREFIX + choice.key)
        answer = yield calls.observe(self.agent, [again])
        (outcome,) = calls.answered(answer, list[ObservedOutcome])
        if outcome.adopted is None:
            refused = outcome.refused
            assert refused is not None  # noqa: S101 - it is one or the other
            raise ServiceError(refused.detail, refused.status)

        return outcome.adopted.decision
