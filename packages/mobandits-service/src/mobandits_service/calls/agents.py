"""Calls that look at agents, and change what they choose among and how."""

import asyncio

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import (
    AgentList,
    AgentState,
    BudgetList,
    NewArm,
    NewPrice,
    Preference,
    PreferenceState,
    PriceList,
)
from mobandits_service.calls.requests import (
    AGENT,
    answer,
    body_of,
    content_of,
    hosted_of,
    runtime_of,
)
from mobandits_service.operations import Operation
from mobandits_service.preferences import etag_of

MOST_STATE_BYTES = 2**28  # of a snapshot: a million decisions that wait take half of it


async def agents(request: Request) -> Response:
    """`GET /v1/agents`: all agents as they are now; of a key for some agents, these."""
    seen = request.state.agents
    hosted = runtime_of(request).agents
    states = [each.state() for each in hosted if seen is None or each.name in seen]
    return answer(AgentList(states))


async def agent(request: Request) -> Response:
    """`GET /v1/agents/{agent}`: an agent as it is now."""
    return answer(hosted_of(request).state())


async def preference(request: Request) -> Response:
    """`GET /v1/agents/{agent}/preference`: the order by which arms are compared, with an ETag."""
    state = hosted_of(request).preference()
    return answer(state, etag_of(state))


async def set_preference(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/preference`: compare arms by another order from now on."""
    hosted = hosted_of(request)
    wanted = await body_of(request, Preference)
    match = request.headers.get("if-match")
    generation = await runtime_of(request).change_preference(hosted, wanted.order, match)
    etag = etag_of(hosted.preference())
    await runtime_of(request).saved(hosted, generation)

    return answer(hosted.state(), etag)


async def budget(request: Request) -> Response:
    """`GET /v1/agents/{agent}/budget`: what became of the budgets."""
    return answer(hosted_of(request).budgets())


async def add_arm(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/arms/{arm}`: one arm more, from now on."""
    hosted = hosted_of(request)
    content = await content_of(request)
    new = msgspec.json.decode(content or b"{}", type=NewArm)
    async with runtime_of(request).fenced(hosted):
        generation = hosted.generation
        is_new = hosted.add_arm(request.path_params["arm"], new.like)
    await runtime_of(request).saved(hosted, generation)

    return answer(hosted.state(), status=201 if is_new else 200)


async def remove_arm(request: Request) -> Response:
    """`DELETE /v1/agents/{agent}/arms/{arm}`: one arm less, from now on."""
    hosted = hosted_of(request)
    async with runtime_of(request).fenced(hosted):
        generation = hosted.generation
        hosted.remove_arm(request.path_params["arm"])
    await runtime_of(request).saved(hosted, generation)

    return answer(hosted.state())


async def prices(request: Request) -> Response:
    """`GET /v1/agents/{agent}/prices`: what announcements say of the costs of arms."""
    return answer(hosted_of(request).announced_prices())


async def set_price(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/prices/{arm}`: an arm costs more or less, from now on."""
    hosted = hosted_of(request)
    new = await body_of(request, NewPrice)
    arm = request.path_params["arm"]
    async with runtime_of(request).fenced(hosted):
        generation = hosted.generation
        # In a thread: the price of a unit of cost is looked up again on the log.
        await asyncio.to_thread(hosted.set_price, arm, new)
    await runtime_of(request).saved(hosted, generation)

    return answer(hosted.announced_prices())


async def snapshot(request: Request) -> Response:
    """`GET /v1/agents/{agent}/snapshot`: the file that `Agent.save` writes."""
    hosted = hosted_of(request)
    # In a thread: it waits for the disk, and is as large as what was learned.
    state = await asyncio.to_thread(hosted.agent.to_bytes)

    return Response(state, media_type="application/octet-stream")


async def set_snapshot(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/snapshot`: go on from what the agent of a snapshot had learned."""
    hosted = hosted_of(request)
    data = await content_of(request, MOST_STATE_BYTES)
    async with hosted.changing:
        generation = hosted.generation
        # In a thread: to read and check it takes long where much was learned.
        await asyncio.to_thread(hosted.take_over, data)

    await runtime_of(request).saved(hosted, generation)

    return answer(hosted.state())


OPERATIONS = [
    Operation("GET", "/v1/agents", agents, "read", answer=AgentList, lists_agents=True),
    Operation("GET", AGENT, agent, "read", answer=AgentState),
    Operation("GET", f"{AGENT}/preference", preference, "read", answer=PreferenceState),
    Operation(
        "PUT",
        f"{AGENT}/preference",
        set_preference,
        "admin",
        Preference,
        AgentState,
        failures=(412,),
    ),
    Operation("GET", f"{AGENT}/budget", budget, "read", answer=BudgetList),
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
    Operation("GET", f"{AGENT}/prices", prices, "read", answer=PriceList),
    Operation("PUT", f"{AGENT}/prices/{{arm}}", set_price, "admin", NewPrice, PriceList),
    Operation("GET", f"{AGENT}/snapshot", snapshot, "admin", answer=bytes),
    Operation("PUT", f"{AGENT}/snapshot", set_snapshot, "admin", bytes, AgentState),
]
