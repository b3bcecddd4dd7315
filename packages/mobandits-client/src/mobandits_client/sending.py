"""The rules by which requests are sent: one deadline, attempts, and pauses of a service.

As the conversations of `request_flow`, they are generators: they yield what is sent next, and are sent what came of it.
So both clients follow the same rules.
"""

import time
from collections.abc import Generator
from typing import NamedTuple, TypeVar

from mobandits_client.arguments import check_count, check_seconds
from mobandits_client.breaker import Breaker
from mobandits_client.calls import Call
from mobandits_client.errors import ServiceError
from mobandits_client.failures import is_down, may_pass, refused, unanswered, wait_after
from mobandits_client.plain_http import Answer, NoAnswer
from mobandits_client.request_flow import Conversation

Result = TypeVar("Result")


class Attempt(NamedTuple):
    """A request to send.

    Attributes:
        call: the request.
        wait: seconds before it is sent.
        seconds: within which its whole answer must be there, once it is.
    """

    call: Call
    wait: float
    seconds: float


Reply = Answer | NoAnswer
Attempts = Generator[Attempt, Reply, Result]


class SendingRules:
    """How requests reach a service.

    Args:
        url: of the service.
        timeout: in seconds, of a whole call with all its attempts.
        attempts: of a request, at least 1.
        pause: in seconds, for which a service that does not answer is left alone.
    """

    def __init__(self, url: str, timeout: float, attempts: int, pause: float) -> None:
        check_seconds("timeout", timeout, may_be_zero=False)
        check_count("attempts", attempts)
        check_seconds("pause", pause, may_be_zero=True)
        self.url = url
        self._timeout = timeout
        self._most = attempts
        self._breaker = Breaker(pause)

    def attempts(self, conversation: Conversation[Result]) -> Attempts[Result]:
        """What a whole call sends, and what it comes to."""
        deadline = time.monotonic() + self._timeout
        try:
            call = next(conversation)
            while True:
                try:
                    content = yield from self._content(call, deadline)
                except ServiceError as error:
                    call = conversation.throw(error)
                else:
                    call = conversation.send(content)
        except StopIteration as end:
            result: Result = end.value
            return result

    def end_pause(self) -> None:
        """Try the service with the next call, also where it is left alone."""
        self._breaker.end_pause()

    def _content(self, call: Call, deadline: float) -> Attempts[bytes]:
        """The answer to a request, which is tried again where that may help."""
        if not self._breaker.is_let_through():
            raise ServiceError(f"{self.url} does not answer, and is left alone for a moment")

        wait = 0.0
        failure = ServiceError(f"{self.url} does not answer within {self._timeout:g} s")
        for attempt in range(1, self._most + 1):
            left = deadline - time.monotonic() - wait
            if left <= 0.0:
                break

            reply = yield Attempt(call, wait, left)
            if isinstance(reply, Answer) and reply.is_success:
                self._breaker.answered()
                return reply.content

            failure = self._failure_of(reply)
            if self._breaker.is_open or not may_pass(failure, reply):
                break
            wait = wait_after(attempt, reply)

        raise failure

    def _failure_of(self, reply: Reply) -> ServiceError:
        """Why a reply is no answer."""
        if isinstance(reply, NoAnswer):
            failure = unanswered(reply, self.url)
        else:
            failure = refused(reply)

        if is_down(failure):
            self._breaker.failed()
        else:
            self._breaker.answered()

        return failure
