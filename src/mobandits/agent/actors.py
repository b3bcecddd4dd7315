"""Actor of a change, as the log names it: the key of a service's caller; none in a program."""

from contextvars import ContextVar

# Of the call that runs: threads that a call starts by `asyncio.to_thread` have its value.
ACTOR: ContextVar[str | None] = ContextVar("actor", default=None)
