"""Calls that look at agents, and change what they choose among and how."""

import asyncio

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits.service.calls.requests import (
    AGENT,
    JSON,
    answer,
    body_of,
    hosted_of,
    running_of,
    saved,
)
from mobandits.service.hosted_agent import as_json
from mobandits.service.messages import AgentList, AgentState, NewArm, Preference
from mobandits.service.operations import Operation


async def agents(request: Request) -> Response:
    """`GET /v1/agents`: all agents as they are now."""
    states = [hosted.state() for hosted in running_of(request).agents]
    return answer(AgentList(states))


async def agent(request: Request) -> Response:
    """`GET /v1/agents/{agent}`: an agent as it is now."""
    return answer(hosted_of(request).state())


async def set_preference(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/preference`: compare arms by another order from now on."""
    hosted = hosted_of(request)
    preference = await body_of(request, Preference)
    store = hosted.store
    # In a thread: an order that was never played is compiled, while others decide.
    await asyncio.to_thread(hosted.set_preference, preference.order)
    await saved(request, hosted, store)

    return answer(hosted.state())


async def add_arm(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/arms/{arm}`: one arm more, from now on."""
    hosted = hosted_of(request)
    content = await request.body()
    new = msgspec.json.decode(content or b"{}", type=NewArm)
    is_new = hosted.add_arm(request.path_params["arm"], new.like)
    await saved(request, hosted)

    return Response(as_json(hosted.state()), 201 if is_new else 200, media_type=JSON)


async def remove_arm(request: Request) -> Response:
    """`DELETE /v1/agents/{agent}/arms/{arm}`: one arm less, from now on."""
    hosted = hosted_of(request)
    hosted.remove_arm(request.path_params["arm"])
    await saved(request, hosted)

    return answer(hosted.state())


async def snapshot(request: Request) -> Response:
    """`GET /v1/agents/{agent}/snapshot`: the file that `Agent.save` writes."""
    state = hosted_of(request).agent.to_bytes()
    return Response(state, media_type="application/octet-stream")


OPERATIONS = [
    Operation("GET", "/v1/agents", agents, "read", answer=AgentList),
    Operation("GET", AGENT, agent, "read", answer=AgentState),
    Operation("PUT", f"{AGENT}/preference", set_preference, "admin", Preference, AgentState),
    Operation(
        "PUT",
        f"{AGENT}/arms/{{arm}}",
        add_arm,
        "admin",
        NewArm,
        AgentState,
        successes=(201,),
        is_body_optional=True,
    ),
    Operation("DELETE", f"{AGENT}/arms/{{arm}}", remove_arm, "admin", answer=AgentState),
    Operation("GET", f"{AGENT}/snapshot", snapshot, "admin", answer=bytes),
]
