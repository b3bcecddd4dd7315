"""Calls that show what a change would do, before it is made."""

import asyncio

from mobandits_client.messages import Preview, PreviewWanted
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import AGENT
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.preview import preview
from mobandits_service.runtime import ServiceRuntime


async def preview_preference(
    runtime: ServiceRuntime, hosted: HostedAgent, body: PreviewWanted
) -> Preview:
    """`POST /v1/agents/{agent}/preference/preview`: what another preference would have played."""
    # What was answered is on disk; the last calls of others may not be yet.
    await runtime.settlements.settled()
    return await asyncio.to_thread(preview, hosted, body.order, body.recent)


OPERATIONS = [operation("POST", f"{AGENT}/preference/preview", preview_preference, "read")]
