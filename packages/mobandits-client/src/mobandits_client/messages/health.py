"""Whether a service lives, and is ready."""

from mobandits_client.messages.base import Message


class Live(Message):
    """The process answers."""

    live: bool


class Ready(Message):
    """Whether every agent can decide.

    Attributes:
        ready: so.
        agents: {name: "starting", "ready", or why it cannot decide, or not soundly}.
    """

    ready: bool
    agents: dict[str, str]
