"""Calls that show what a change would do, before it is made."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import Preview, PreviewWanted
from mobandits_service.calls.requests import AGENT, answer, body_of, hosted_of, runtime_of
from mobandits_service.operations import Operation
from mobandits_service.preview import preview


async def preview_preference(request: Request) -> Response:
    """`POST /v1/agents/{agent}/preference/preview`: what another preference would have played."""
    hosted = hosted_of(request)
    wanted = await body_of(request, PreviewWanted)
    # What was answered is on disk; the last calls of others may not be yet.
    await runtime_of(request).settlements.settled()
    found = await asyncio.to_thread(preview, hosted, wanted.order, wanted.recent)

    return answer(found)


OPERATIONS = [
    Operation(
        "POST",
        f"{AGENT}/preference/preview",
        preview_preference,
        "read",
        PreviewWanted,
        Preview,
    ),
]
