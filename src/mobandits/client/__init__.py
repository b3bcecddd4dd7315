"""Clients of the decision service, for programs in Python: `Client`, and `AsyncClient`.

Example:
    >>> from mobandits.client import Client
    >>> client = Client("http://127.0.0.1:8787", agent="router", fallback="small")
    >>> client
    Client(http://127.0.0.1:8787, agent='router')
    >>> client.close()
"""

from mobandits.client.async_client import AsyncClient
from mobandits.client.choice import Choice
from mobandits.client.client import Client
from mobandits.errors import ServiceError

__all__ = ["AsyncClient", "Choice", "Client", "ServiceError"]
