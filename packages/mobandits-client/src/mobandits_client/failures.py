"""What a service refuses, which failures may pass, and which mean that it is down."""

import msgspec

from mobandits_client.arguments import shortened
from mobandits_client.errors import ServiceError
from mobandits_client.messages import BUDGET
from mobandits_client.plain_http import Answer, NoAnswer

DOWN = frozenset((502, 503, 504))
TIMED_OUT = 408
TOO_MANY = 429
FIRST_WAIT = 0.1  # seconds; doubled with every further attempt


class Refusal(msgspec.Struct):
    """So much of `messages.ProblemDetails` as a client reads; what proxies answer may lack all of it."""

    type: str = ""
    title: str = ""
    detail: str = ""
    field: str | None = None


def is_down(failure: ServiceError) -> bool:
    """Whether a service, or a proxy before it, was not there to answer."""
    return failure.status is None or failure.status in DOWN


def may_pass(failure: ServiceError, reply: Answer | NoAnswer) -> bool:
    """Whether a call may be answered otherwise when it is tried again within its time.

    Nothing was done, or it does not matter: a key makes a second decision the first one again.
    """
    is_too_fast = failure.status == TOO_MANY and not failure.is_budget
    # Without the header it is not known when it would not be too fast.
    return is_down(failure) or (is_too_fast and wish_of(reply) is not None)


def is_refusal(failure: ServiceError) -> bool:
    """Whether a service has understood a call, and says no: no fallback is played then.

    Example:
        >>> is_refusal(ServiceError("context must fit", 422)), is_refusal(ServiceError("?", 500))
        (True, False)
    """
    status = failure.status
    if status is None or not 400 <= status < 500:
        return False
    if status == TOO_MANY:
        # A fallback arm may cost as well, and the limit of a budget is hard.
        return failure.is_budget

    return status != TIMED_OUT


def refused(response: Answer) -> ServiceError:
    """The error of an answer that is none."""
    try:
        problem = msgspec.json.decode(response.content, type=Refusal)
    except (msgspec.DecodeError, UnicodeDecodeError):  # of something between client and service
        problem = Refusal()

    status = response.status_code
    message = problem.detail or problem.title or f"status {status}"
    is_budget = problem.type == BUDGET

    return ServiceError(shortened(message), status, problem.field, is_budget=is_budget)


def unanswered(error: NoAnswer, url: str) -> ServiceError:
    """The error where there was no answer."""
    return ServiceError(f"{url} does not answer: {error}")


def wait_after(attempt: int, reply: Answer | NoAnswer) -> float:
    """Seconds between an attempt that has failed and the next one.

    Args:
        attempt: its number, from 1.
        reply: to it, which may say for how long to wait.

    Example:
        >>> no_answer = NoAnswer("refused")
        >>> wait_after(1, no_answer), wait_after(3, no_answer)
        (0.1, 0.4)
    """
    seconds: float = FIRST_WAIT * 2.0 ** (attempt - 1)
    wish = wish_of(reply)

    return seconds if wish is None else max(seconds, wish)


def wish_of(reply: Answer | NoAnswer) -> float | None:
    """Seconds for which a reply asks to wait; None where it does not."""
    if isinstance(reply, NoAnswer):
        return None

    asked = reply.headers.get("retry-after", "")
    return float(asked) if asked.isdecimal() else None
