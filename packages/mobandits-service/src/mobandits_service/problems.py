"""Errors as answers: problem details of RFC 9457, with the field, the rule and the value."""

import math
import re
import time
from typing import Any

import msgspec
from starlette.responses import Response

from mobandits.errors import BudgetError, DamagedError, LogError
from mobandits.support.naming import shortened
from mobandits_client.messages import BUDGET

MEDIA_TYPE = "application/problem+json"
UNTYPED = "about:blank"  # the title and the status say all
TITLES = {
    400: "The request is not understood",
    401: "A key is needed",
    403: "The key does not allow this",
    404: "There is no such thing",
    405: "The method is not allowed",
    409: "It contradicts what is known",
    412: "It was changed meanwhile",
    413: "The body is too large",
    422: "A value does not fit",
    429: "A limit is reached",
    431: "The headers are too large",
    499: "The client has hung up",
    500: "The service failed",
    503: "The service cannot answer now",
}
# Errors of the library read "field must be rule, got value".
WORDED = re.compile(r"(?P<field>\S+) (?P<rule>must .+), got (?P<value>.+)", re.DOTALL)


class Problem(Exception):  # noqa: N818 - the term of RFC 9457
    """A request that cannot be answered.

    Args:
        status: of HTTP.
        detail: one line.
        retry_after: in seconds, where trying again may help.
        kind: the type of RFC 9457.
        title: what kind of problem it is; None: what its status means.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        retry_after: int | None = None,
        kind: str = UNTYPED,
        title: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = shortened(detail)
        self.retry_after = retry_after
        self.title = title or TITLES.get(status, "The request failed")


def problem_of(error: Exception) -> Problem:
    """The problem that an exception of the library stands for.

    Example:
        >>> problem_of(ValueError("key must be a text, got 7")).status
        422
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, BudgetError):
        return Problem(429, str(error), seconds_until(error.renews), BUDGET)
    if isinstance(error, LogError):
        may_pass = Problem(503, str(error), retry_after=1)
        return damage(error) if isinstance(error, DamagedError) else may_pass
    if isinstance(error, msgspec.DecodeError) and not isinstance(error, msgspec.ValidationError):
        return Problem(400, f"the body must be JSON, got: {error}")
    if isinstance(error, ValueError):
        return Problem(422, str(error))

    # What it says may hold anything: it is logged, and not told.
    return Problem(500, "see the log of the service")


def damage(error: DamagedError) -> Problem:
    """The problem of a store that is not as it was written: to try again does not help.

    Example:
        >>> damage(DamagedError("/srv/router.db", "event 7 is missing")).detail
        'the log is damaged: event 7 is missing'
    """
    # The path of the store means nothing to a client.
    return Problem(500, f"the log is damaged: {error.what}", title="The log is damaged")


def seconds_until(renews: float | None) -> int | None:
    """Whole seconds until a budget renews, at least one; None where it never does.

    Args:
        renews: when it does, in seconds of the clock.
    """
    if renews is None:
        return None

    left = renews - time.time()
    return max(1, math.ceil(left))


def answer_to(problem: Problem) -> Response:
    """The response that tells a problem."""
    content: dict[str, Any] = {
        "type": problem.kind,
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
    }
    worded = WORDED.fullmatch(problem.detail)
    if worded is not None:
        content |= worded.groupdict()

    headers = {}
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)

    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"

    body = msgspec.json.encode(content)

    return Response(body, problem.status, headers, MEDIA_TYPE)
