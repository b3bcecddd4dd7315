"""Actor of a change, as the log names it: the key of a service's caller; none in a program."""

from contextvars import ContextVar

# Of the call that runs: threads that a call starts by `asyncio.to_thread` have its value.
ACTOR: ContextVar[str | None] = ContextVar("actor", default=None)


def changed_by() -> dict[str, str]:
    """The field of an event that says who has brought it about; empty where nobody is known.

    Example:
        >>> changed_by()
        {}
    """
    actor = ACTOR.get()
    return {} if actor is None else {"by": actor}
