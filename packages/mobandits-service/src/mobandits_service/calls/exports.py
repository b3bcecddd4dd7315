"""Calls that give an agent's log away."""

import os
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from mobandits_client.messages import ExportQuery
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import AGENT
from mobandits_service.exporting import MEDIA, chunks_of
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.runtime import ServiceRuntime


async def export(runtime: ServiceRuntime, hosted: HostedAgent, query: ExportQuery) -> Response:
    """`GET /v1/agents/{agent}/export`: its log as a file of another format."""
    # Of an agent that was never opened there may be no log.
    hosted.store.check_usable()
    file = await runtime.exports.file_of(hosted.name, query)
    name = quote(f"{hosted.name}.{query.format}", safe="")
    headers = {
        "Content-Length": str(os.fstat(file.fileno()).st_size),
        "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
    }

    return StreamingResponse(chunks_of(file), headers=headers, media_type=MEDIA[query.format])


OPERATIONS = [
    operation(
        "GET",
        f"{AGENT}/export",
        export,
        "read",
        answer=bytes,
        media=tuple(MEDIA.values()),
    ),
]
