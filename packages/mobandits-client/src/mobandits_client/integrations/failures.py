"""How an attempt ended: which failures are the model's, and what is measured of a call."""

# Classes of OpenAI's and LiteLLM's errors, by name: every model would have refused the request, or
# the gateway's settings are at fault.
NOT_THE_MODELS = frozenset(
    (
        "AuthenticationError",
        "BadRequestError",
        "BudgetExceededError",
        "CancelledError",
        "NotFoundError",
        "PermissionDeniedError",
        "UnprocessableEntityError",
    )
)
# These derive from some of them, and another model may do better.
STILL_THE_MODELS = frozenset(("ContentPolicyViolationError", "ContextWindowExceededError"))


def is_the_models_failure(error: BaseException | None) -> bool:
    """Whether a failure says something of the model that was called.

    Args:
        error: which the gateway met; None where it says no more than that the attempt failed.

    Example:
        >>> is_the_models_failure(TimeoutError()), is_the_models_failure(None)
        (True, True)
        >>> class BadRequestError(Exception): ...
        >>> class ContextWindowExceededError(BadRequestError): ...
        >>> is_the_models_failure(BadRequestError())
        False
        >>> is_the_models_failure(ContextWindowExceededError())
        True
    """
    names = {each.__name__ for each in type(error).__mro__}
    if names & STILL_THE_MODELS:
        return True

    return not names & NOT_THE_MODELS
