"""The client of the decision service for programs that wait for answers."""

import contextlib
import time
import urllib.request
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from mobandits_client.agent_client import AgentClient
from mobandits_client.choice import Choice
from mobandits_client.errors import ServiceError
from mobandits_client.messages import (
    AgentState,
    Explained,
    Observed,
    ObservedOutcome,
    Recorded,
    Rewarded,
)
from mobandits_client.plain_http import NoAnswer, PlainHttp
from mobandits_client.request_flow import Conversation, Result
from mobandits_client.sending import Attempt, Reply

if TYPE_CHECKING:
    from mobandits_client.httpx_sender import WaitingHttpx


class Client(AgentClient):
    """An agent of the decision service.

    Every decision has a key, so a call whose answer was lost is tried again without a second
    decision. All attempts of a call are made within `timeout`. After three in a row that found no
    service, calls fail at once for `pause` seconds; then one of them tries it again.

    With a fallback, `decide` also returns where the service gives no answer: none at all, none in
    time, a failure, or something that is none of its answers. It is the fallback arm then, marked
    as such. What the service refuses, as where a budget is used up, is an error all the same.

    Fallbacks, and rewards that the service does not take now, are kept (10,000 of them), and
    reported in their order beside the next call that it answers. Each counts once, however often
    it is reported. With `queue` they are in a file as well, and the next client that is given it
    reports them.

    Args:
        url: of the service.
        agent: whose decisions are asked for.
        key: from `mobandits keys add`; None: the service needs none.
        fallback: the arm to play where the service does not answer; None: an error.
        timeout: in seconds, of a whole call; `flush` takes as long for every 100 reports.
        attempts: of a request, at least 1.
        pause: in seconds; 0: every call tries the service.
        queue: a file for what is to be reported, one JSON object per line; None: memory only.

    Raises:
        ServiceError: by calls that the service refuses, or does not answer.
    """

    _http: "PlainHttp | WaitingHttpx"

    def decide(
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
            what the service says; None where it is to be reported later.
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
        """Report what the service does not know of; where it fails, the rest is kept."""
        self._rules.end_pause()
        while self.unreported > 0:
            self._run(self._talk.report())

    def close(self) -> None:
        """Report what is left within the time of one call, and close the connections.

        Warns:
            ServiceWarning: of what could not be reported, and is in no file.
        """
        self._rules.end_pause()
        with contextlib.suppress(ServiceError):
            self._run(self._talk.report_all())
        self._http.close()
        self._outbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---

    def _sender(self, headers: dict[str, str]) -> "PlainHttp | WaitingHttpx":
        """What sends its calls."""
        return sender_to(self.url, headers)

    def _run(self, conversation: Conversation[Result]) -> Result:
        """Send what a conversation says, and return what it comes to."""
        attempts = self._rules.attempts(conversation)
        try:
            attempt = next(attempts)
            while True:
                reply = self._reply(attempt)
                attempt = attempts.send(reply)
        except StopIteration as end:
            result: Result = end.value
            return result

    def _reply(self, attempt: Attempt) -> Reply:
        """What comes of an attempt."""
        call = attempt.call
        if attempt.wait > 0.0:
            time.sleep(attempt.wait)
        try:
            return self._http.request(call.method, call.path, call.body, attempt.seconds)
        except NoAnswer as error:
            return error


def sender_to(url: str, headers: Mapping[str, str]) -> "PlainHttp | WaitingHttpx":
    """The sender for an address: httpx for https and through proxies, sockets otherwise.

    Args:
        url: of the service.
        headers: of all calls.
    """
    proxies = urllib.request.getproxies()
    is_direct = "http" not in proxies and "all" not in proxies
    is_plain = url.startswith("http://") and "@" not in url
    if is_direct and is_plain:
        return PlainHttp(url, headers)

    # Late: httpx takes longer to load than all of this package.
    import httpx  # noqa: PLC0415

    from mobandits_client.httpx_sender import WaitingHttpx  # noqa: PLC0415

    http = httpx.AsyncClient(base_url=url, headers=dict(headers))
    return WaitingHttpx(http)
