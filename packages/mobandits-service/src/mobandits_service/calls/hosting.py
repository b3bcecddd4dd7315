"""Calls that make agents, and end them."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import AgentState, Share
from mobandits_service.calls.requests import (
    AGENT,
    answer,
    body_of,
    hosted_of,
    runtime_of,
)
from mobandits_service.operations import Operation
from mobandits_service.specification import AgentSpecification


async def put_agent(request: Request) -> Response:
    """`PUT /v1/agents/{agent}`: an agent, made once; it decides as soon as it is compiled."""
    runtime = runtime_of(request)
    name = request.path_params["agent"]
    specification = await body_of(request, AgentSpecification)
    # In a thread: to bind a policy, or to fit columns, may take longer than others should wait.
    await asyncio.to_thread(runtime.check_hostable, specification)
    kept = runtime.agents.add(name, specification)
    hosted = runtime.agents.named(name)
    # Of one that is there already too: the call that made it may not be on disk yet.
    await runtime.settlements.settled()
    if kept is not None:
        if kept.failure is not None:
            runtime.agents.forget(name)
        kept.check()
        runtime.begin(runtime.make_ready(hosted))

    return answer(hosted.state(), status=200 if kept is None else 201)


async def delete_agent(request: Request) -> Response:
    """`DELETE /v1/agents/{agent}`: an agent that a call made ends; its log stays."""
    runtime = runtime_of(request)
    ended = runtime.agents.end(request.path_params["agent"])
    await runtime.settlements.settled()
    if ended is not None:
        kept, hosted = ended
        # Its last snapshot waits for the disk.
        await asyncio.to_thread(hosted.close)
        kept.check()

    return Response(status_code=204)


async def set_share(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/share`: the policy decides for another share from now on."""
    runtime = runtime_of(request)
    hosted = hosted_of(request)
    wanted = await body_of(request, Share)
    # In a thread: where statistics cannot be kept, all decisions are learned again.
    await asyncio.to_thread(hosted.set_share, wanted.share)
    # After the event in the agent's log: killed between the two, it goes back to the share before.
    kept = runtime.agents.kept_again(hosted)
    await runtime.saved(hosted, hosted.generation)
    kept.check()

    return answer(hosted.state())


OPERATIONS = [
    Operation(
        "PUT",
        AGENT,
        put_agent,
        "admin",
        AgentSpecification,
        AgentState,
        successes=(201,),
    ),
    Operation("DELETE", AGENT, delete_agent, "admin"),
    Operation("PUT", f"{AGENT}/share", set_share, "admin", Share, AgentState),
]
