"""Calls that say how the service does."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import Live, Ready
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import answer
from mobandits_service.runtime import ServiceRuntime


async def metrics(request: Request, runtime: ServiceRuntime) -> Response:
    """`GET /metrics`: counts and times, for Prometheus; of a key for some agents, theirs."""
    # In a thread: of many agents and arms it is long.
    telemetry = runtime.telemetry
    content, kind = await asyncio.to_thread(telemetry.exposition, request.state.agents)
    return Response(content, media_type=kind)


async def live() -> Live:
    """`GET /health/live`: the process answers."""
    return Live(True)


async def ready(runtime: ServiceRuntime) -> Response:
    """`GET /health/ready`: every agent can decide."""
    statuses = {hosted.name: hosted.health for hosted in runtime.agents}

    return readiness(Ready(runtime.agents.all_ready(), statuses))


def readiness(message: Ready) -> Response:
    """The answer to whether a service or a worker is ready; its status says it too."""
    return answer(message, status=200 if message.ready else 503)


OPERATIONS = [
    operation("GET", "/metrics", metrics, "read", answer=str, lists_agents=True),
    # Who looks whether the service lives needs no key.
    operation("GET", "/health/live", live),
    operation("GET", "/health/ready", ready, answer=Ready),
]
