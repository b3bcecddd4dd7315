"""What both clients are: an agent of a service, and the calls for it."""

from mobandits.client.conversations import Conversations
from mobandits.support.naming import quoted


class AgentClient:
    """A client of one agent.

    Args:
        url: of the service.
        agent: whose decisions are asked for.
        fallback: the arm to play where the service does not answer; None: an error.
        attempts: of a call, at least 1.

    Attributes:
        url: of the service, without a slash at its end.
        agent: as given.
    """

    def __init__(self, url: str, agent: str, fallback: str | None, attempts: int) -> None:
        self.url = url.rstrip("/")
        self.agent = agent
        self._attempts = attempts
        self._talk = Conversations(agent, fallback)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url}, agent={quoted(self.agent)})"


def headers_of(key: str | None) -> dict[str, str]:
    """The headers that show a key of the service; none without one."""
    return {} if key is None else {"Authorization": f"Bearer {key}"}
