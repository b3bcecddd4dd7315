"""Clients of the decision service of mobandits: `Client`, and `AsyncClient` for coroutines.

Example:
    >>> from mobandits_client import Client
    >>> client = Client("http://127.0.0.1:8787", agent="router", fallback="small")
    >>> client
    Client(http://127.0.0.1:8787, agent='router')
    >>> client.close()
"""

from typing import TYPE_CHECKING, Any

from mobandits_client.choice import Choice
from mobandits_client.client import Client
from mobandits_client.errors import ServiceError, ServiceWarning

if TYPE_CHECKING:
    from mobandits_client.async_client import AsyncClient

__all__ = ["AsyncClient", "Choice", "Client", "ServiceError", "ServiceWarning"]


def __getattr__(name: str) -> Any:
    """`AsyncClient`, loaded when it is first asked for."""
    if name != "AsyncClient":
        raise AttributeError(f"module 'mobandits_client' has no attribute {name!r}")

    # Late, since httpx takes longer to load than all that a client needs who waits.
    from mobandits_client.async_client import AsyncClient  # noqa: PLC0415

    globals()[name] = AsyncClient
    return AsyncClient


def __dir__() -> list[str]:
    """What is public, loaded or not."""
    return __all__
