"""Clients of the decision service, for programs in Python: `Client`, and `AsyncClient`.

Example:
    >>> from mobandits.client import Client
    >>> client = Client("http://127.0.0.1:8787", agent="router", fallback="small")
    >>> client
    Client(http://127.0.0.1:8787, agent='router')
    >>> client.close()
"""

from mobandits.errors import ServiceError
from mobandits.support.optional import missing_extra

try:
    from mobandits.client.async_client import AsyncClient
    from mobandits.client.choice import Choice
    from mobandits.client.client import Client
except ModuleNotFoundError as error:
    raise missing_extra("mobandits.client", "client") from error

__all__ = ["AsyncClient", "Choice", "Client", "ServiceError"]
