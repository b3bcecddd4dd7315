"""What a client says and hears in each of its calls, whoever sends it.

Each method is a generator: it yields requests, is sent the answers, and returns what the caller
gets. A `ServiceError` is thrown into it where there is no answer. So the clients that wait and
those that do not share everything but the sending.
"""

import logging
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from mobandits_client.calls import (
    Call,
    answered,
    check_length,
    choice_of,
    listed,
    new_key,
    not_an_answer,
    path_of,
    plain,
)
from mobandits_client.choice import Choice
from mobandits_client.errors import ServiceError
from mobandits_client.failures import is_refusal
from mobandits_client.messages import (
    AgentState,
    Decide,
    DecideBatch,
    Decided,
    DecidedBatch,
    Explained,
    Observed,
    ObservedOutcome,
    Preference,
    Recorded,
    RefusedItem,
    Rewarded,
    RewardOutcome,
    RewardsOf,
)
from mobandits_client.outbox import PREFIX, Outbox
from mobandits_client.outbox_file import Unreported

LOG = logging.getLogger("mobandits_client")
Result = TypeVar("Result")
Conversation = Generator[Call, bytes, Result]

REPORTED = 100  # fallbacks and rewards at once, at most
TOO_LARGE = 413


class Conversations:
    """The calls for one agent.

    Args:
        agent: its name.
        fallback: the arm to play where the service does not answer; None: an error.
        outbox: keeps what the service does not know of yet.
    """

    def __init__(self, agent: str, fallback: str | None, outbox: Outbox) -> None:
        self.agent = agent
        self.fallback = fallback
        self._outbox = outbox
        self._most = REPORTED

    def decide(
        self,
        context: Any,
        eligible: Sequence[str] | None,
        key: str | None,
        active: bool,
        session: str | None,
    ) -> Conversation[Choice]:
        """The arm to play now."""
        key = new_key() if key is None else key
        try:
            message = Decide(
                context=plain(context),
                eligible=listed(eligible),
                key=key,
                active=active,
                session=session,
            )
            decided = yield from self._post(message, Decided, "decide")
        except ServiceError as error:
            if self.fallback is None or is_refusal(error):
                raise
            choice = Choice(self.fallback, key, context=plain(context))
            self._outbox.add_fallback(choice)
            return choice

        yield from self._report_beside()

        return choice_of(decided, key)

    def decide_batch(
        self, contexts: Sequence[Any], eligible: Sequence[str] | None
    ) -> Conversation[list[Choice]]:
        """A decision per context."""
        keys = [new_key() for _ in contexts]
        plain_contexts = [plain(context) for context in contexts]
        message = DecideBatch(contexts=plain_contexts, eligible=listed(eligible), keys=list(keys))
        batch = yield from self._post(message, DecidedBatch, "decide_batch")
        check_length(batch.decisions, keys)
        pairs = zip(batch.decisions, keys, strict=True)

        return [choice_of(decided, key) for decided, key in pairs]

    def reward(self, choice: Choice, rewards: Mapping[str, float]) -> Conversation[Rewarded | None]:
        """What a choice brought."""
        if self._outbox.has_fallback(choice):
            self._outbox.add_rewards(choice, rewards)
            return None

        try:
            number = yield from self._number_of(choice)
            rewarded = yield from self._post(
                dict(rewards), Rewarded, "decisions", number, "rewards"
            )
        except ServiceError as error:
            if is_refusal(error):
                raise
            self._outbox.add_rewards(choice, rewards)
            return None

        yield from self._report_beside()

        return rewarded

    def observe(self, observed: Sequence[Observed]) -> Conversation[list[ObservedOutcome]]:
        """Decisions that somebody else made."""
        return (yield from self._post(list(observed), list[ObservedOutcome], "decisions"))

    def activate(self, choice: Choice) -> Conversation[None]:
        """A choice takes effect; a fallback has at once."""
        if choice.decision is not None:
            yield from self._settle(choice.decision, "activate")

    def abandon(self, choice: Choice) -> Conversation[None]:
        """Nothing will come of a choice."""
        if self._outbox.has_fallback(choice):
            self._outbox.drop(choice)
            return

        number = yield from self._number_of(choice)
        yield from self._settle(number, "abandon")

    def recorded(self, number: str) -> Conversation[Recorded]:
        """A decision as it was."""
        return (yield from self._get(Recorded, "decisions", number))

    def explained(self, number: str) -> Conversation[Explained]:
        """Why the agent would decide so."""
        return (yield from self._get(Explained, "decisions", number, "explanation"))

    def state(self) -> Conversation[AgentState]:
        """The agent as it is now."""
        return (yield from self._get(AgentState))

    def set_preference(self, order: Any) -> Conversation[AgentState]:
        """Another order by which arms are compared."""
        body = msgspec.json.encode(Preference(order))
        content = yield Call("PUT", path_of(self.agent, "preference"), body)

        return answered(content, AgentState)

    def report(self) -> Conversation[None]:
        """Report the oldest that the service does not know of."""
        some = self._outbox.take(self._most)
        try:
            yield from self._report(some)
        except ServiceError as error:
            if error.status != TOO_LARGE:
                raise
            if len(some) == 1:
                LOG.warning("a report is too large for the service, and is forgotten: %s", error)
                self._outbox.forget(some)
            self._most = max(1, len(some) // 2)
        else:
            self._outbox.forget(some)
            self._most = min(REPORTED, 2 * self._most)

    def report_all(self) -> Conversation[None]:
        """Report all that the service does not know of, within the time of one call."""
        while len(self._outbox) > 0:
            yield from self.report()

    # ---

    def _report_beside(self) -> Conversation[None]:
        """Report what waits, as the service has just answered."""
        if len(self._outbox) > 0:
            try:
                yield from self.report()
            except ServiceError as error:
                # It must not cost the call that was answered. So many may take more time than the
                # call has left.
                if error.status is None:
                    self._most = max(1, self._most // 2)

    def _report(self, some: Mapping[int, Unreported]) -> Conversation[None]:
        observed = [each.observed for each in some.values() if each.observed is not None]
        if observed:
            adopted = yield from self._post_each(observed, ObservedOutcome, "decisions")
            _say_refused(observed, adopted)

        rewards = [each.rewards for each in some.values() if each.rewards is not None]
        if rewards:
            rewarded = yield from self._post_each(rewards, RewardOutcome, "rewards")
            _say_refused(rewards, rewarded)

    def _number_of(self, choice: Choice) -> Conversation[str]:
        """The number that the service gave to a choice, which may be a fallback."""
        if choice.decision is not None:
            return choice.decision

        # The same report once more: its key makes it the same decision.
        again = Observed(context=choice.context, arm=choice.arm, key=PREFIX + choice.key)
        (outcome,) = yield from self._post_each([again], ObservedOutcome, "decisions")
        if outcome.adopted is None:
            raise _error_of(outcome.refused)

        return outcome.adopted.decision

    def _get(self, kind: type[Result], *parts: str) -> Conversation[Result]:
        """Something that belongs to the agent."""
        content = yield Call("GET", path_of(self.agent, *parts))
        return answered(content, kind)

    def _post(self, message: Any, kind: type[Result], *parts: str) -> Conversation[Result]:
        """Tell the agent something, and return what it answers."""
        body = msgspec.json.encode(message)
        content = yield Call("POST", path_of(self.agent, *parts), body)

        return answered(content, kind)

    def _post_each(
        self, items: Sequence[Any], kind: type[Result], path: str
    ) -> Conversation[list[Result]]:
        """Tell the agent several things, and return what it answers to each."""
        # A type of this call.
        answers = yield from self._post(items, list[kind], path)  # type: ignore[valid-type]
        check_length(answers, items)

        return answers

    def _settle(self, number: str, how: str) -> Conversation[None]:
        """Say of a decision that it was shown ("activate"), or never will be ("abandon")."""
        content = yield Call("POST", path_of(self.agent, "decisions", number, how))
        if content:
            raise not_an_answer(content)


def _say_refused(
    reported: Sequence[Observed | RewardsOf],
    outcomes: Sequence[ObservedOutcome | RewardOutcome],
) -> None:
    """Warn of what a service has refused of a report: it is forgotten.

    Raises:
        ServiceError: where some may be taken later.
    """
    for each, outcome in zip(reported, outcomes, strict=True):
        if outcome.refused is None:
            continue
        error = _error_of(outcome.refused)
        if not is_refusal(error):
            raise error

        # Once more it would be refused once more, such as for an arm that has left.
        LOG.warning("%s was refused, and is forgotten: %s", _named(each), error)


def _named(reported: Observed | RewardsOf) -> str:
    if isinstance(reported, Observed):
        return f"fallback {reported.key}"

    return f"reward of {reported.decision or reported.key}"


def _error_of(refused: RefusedItem | None) -> ServiceError:
    """The error of an item that was refused."""
    if refused is None:
        return ServiceError("an item of the answer must be taken or refused, got neither")

    return ServiceError(refused.detail, refused.status)
