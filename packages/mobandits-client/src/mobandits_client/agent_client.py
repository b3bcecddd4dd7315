"""What both clients are: an agent of a service, and the calls for it."""

import os
from typing import Any

from mobandits_client.arguments import quoted
from mobandits_client.outbox import Outbox
from mobandits_client.request_flow import Conversations
from mobandits_client.sending import SendingRules


class AgentClient:
    """A client of one agent; its parameters are those of `Client`.

    Attributes:
        url: of the service, without a slash at its end.
        agent: whose decisions are asked for.
    """

    def __init__(
        self,
        url: str,
        agent: str,
        *,
        key: str | None = None,
        fallback: str | None = None,
        timeout: float = 2.0,
        attempts: int = 3,
        pause: float = 2.0,
        queue: str | os.PathLike[str] | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.agent = agent
        self._rules = SendingRules(self.url, timeout, attempts, pause)
        self._outbox = Outbox(agent, queue)
        self._talk = Conversations(agent, fallback, self._outbox)
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = self._sender(headers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url}, agent={quoted(self.agent)})"

    @property
    def unreported(self) -> int:
        """How many fallbacks and rewards the service does not know of yet."""
        return len(self._outbox)

    def _sender(self, headers: dict[str, str]) -> Any:
        """What sends its calls, all of them with these headers."""
        raise NotImplementedError
