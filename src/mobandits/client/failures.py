"""What a service refuses, and which failures may pass when a call is tried again."""

import httpx
import msgspec

from mobandits.client.plain_http import Answer
from mobandits.errors import ServiceError

DOWN = frozenset((502, 503, 504))
TOO_MANY = 429
FIRST_WAIT = 0.1  # seconds; doubled with every further attempt
LONGEST_WAIT = 2.0


class ProblemDetails(msgspec.Struct):
    """What the service says of a refused call, as RFC 9457 has it."""

    title: str = ""
    detail: str = ""
    field: str | None = None


def may_pass(response: Answer | httpx.Response) -> bool:
    """Whether a call may be answered otherwise when it is tried again.

    Nothing was done, or it does not matter: a key makes a second decision the first one again.
    """
    if response.status_code == TOO_MANY:
        # Without the header it is a budget that is used up, and stays so.
        return "retry-after" in response.headers

    return response.status_code in DOWN


def refused(response: Answer | httpx.Response) -> ServiceError:
    """The error of an answer that is none."""
    try:
        problem = msgspec.json.decode(response.content, type=ProblemDetails)
    except msgspec.DecodeError:  # of something between client and service
        problem = ProblemDetails(title=f"status {response.status_code}")

    message = problem.detail or problem.title

    return ServiceError(message, response.status_code, problem.field)


def unanswered(error: httpx.TransportError, url: str) -> ServiceError:
    """The error where there was no answer."""
    name = type(error).__name__
    return ServiceError(f"{url} does not answer: {error or name}")


def wait_before(attempt: int, response: Answer | httpx.Response | None) -> float:
    """Seconds before a further attempt.

    Args:
        attempt: how many there were, at least 1.
        response: the last one; None where there was none.

    Example:
        >>> wait_before(1, None), wait_before(3, None)
        (0.1, 0.4)
    """
    seconds: float = FIRST_WAIT * 2.0 ** (attempt - 1)
    asked = "" if response is None else response.headers.get("retry-after", "")
    if asked.isdecimal():
        seconds = max(seconds, float(asked))

    return min(seconds, LONGEST_WAIT)
