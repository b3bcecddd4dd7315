"""Clients whose requests a function of a test answers."""

import httpx
import msgspec

from mobandits_client import AsyncClient, Client
from mobandits_client.httpx_sender import WaitingHttpx

CONTEXT = [1.0, 0.2, 0.7]
PATIENCE = 300.0  # seconds: a machine may be busy
DECIDED = {"decision": "3", "arm": "large", "propensity": 0.5, "error": 0.0}
DECIDED |= {"front": None, "preference": "", "replayed": False}
OWN = {"own_arm": "large", "own_propensity": 0.25}
PATIENT = {"timeout": PATIENCE, "pause": 0.0}


class Failing:
    """A service that fails as it is told, and then answers."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        if self.failures:
            failure = self.failures.pop(0)
            if isinstance(failure, Exception):
                raise failure
            # Anew: an answer is read once.
            headers = dict(failure.headers)
            return httpx.Response(failure.status_code, headers=headers, content=failure.content)
        if request.url.path.endswith("/decisions"):
            taken = {"adopted": {"decision": "4", "replayed": False, **OWN}}
            return httpx.Response(200, json=[taken] * len(msgspec.json.decode(request.content)))
        return httpx.Response(200, json=DECIDED | {"replayed": len(self.requests) > 1})


def asking(service, **options):
    """A client whose requests a function answers."""
    client = Client("http://service", "router", **PATIENT | options)
    client._http = WaitingHttpx(sender_of(client, service))

    return client


def asking_meanwhile(service, **options):
    """Likewise, to be awaited."""
    client = AsyncClient("http://service", "router", **PATIENT | options)
    client._http = sender_of(client, service)

    return client


def sender_of(client, service):
    return httpx.AsyncClient(base_url=client.url, transport=httpx.MockTransport(service))


async def awaited(coroutine):
    return await coroutine
