"""Calls that say how the service does."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import Live, Ready
from mobandits_service.calls.requests import answer, runtime_of
from mobandits_service.operations import Operation


async def metrics(request: Request) -> Response:
    """`GET /metrics`: counts and times, for Prometheus; of a key for some agents, theirs."""
    # In a thread: of many agents and arms it is long.
    telemetry = runtime_of(request).telemetry
    content, kind = await asyncio.to_thread(telemetry.exposition, request.state.agents)
    return Response(content, media_type=kind)


async def live(_: Request) -> Response:
    """`GET /health/live`: the process answers."""
    return answer(Live(True))


async def ready(request: Request) -> Response:
    """`GET /health/ready`: every agent can decide."""
    runtime = runtime_of(request)
    statuses = {hosted.name: hosted.health for hosted in runtime.agents}

    return readiness(Ready(runtime.agents.all_ready(), statuses))


def readiness(message: Ready) -> Response:
    """The answer to whether a service or a worker is ready; its status says it too."""
    return answer(message, status=200 if message.ready else 503)


OPERATIONS = [
    Operation("GET", "/metrics", metrics, "read", answer=str, lists_agents=True),
    # Who looks whether the service lives needs no key.
    Operation("GET", "/health/live", live, answer=Live),
    Operation("GET", "/health/ready", ready, answer=Ready),
]
