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
from mobandits_service.agent_states import budget_states
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import AGENT, answer, content_of
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.preferences import etag_of
from mobandits_service.runtime import ServiceRuntime

MOST_STATE_BYTES = 2**28  # of a snapshot: a million decisions that wait take half of it


async def agents(request: Request, runtime: ServiceRuntime) -> AgentList:
    """`GET /v1/agents`: all agents as they are now; of a key for some agents, these."""
    seen = request.state.agents
    hosted = runtime.agents
    states = [each.state() for each in hosted if seen is None or each.name in seen]
    return AgentList(states)


async def agent(hosted: HostedAgent) -> AgentState:
    """`GET /v1/agents/{agent}`: an agent as it is now."""
    return hosted.state()


async def preference(hosted: HostedAgent) -> Response:
    """`GET /v1/agents/{agent}/preference`: the order by which arms are compared, with an ETag."""
    state = hosted.preference()
    return answer(state, etag_of(state))


async def set_preference(
    request: Request, runtime: ServiceRuntime, hosted: HostedAgent, body: Preference
) -> Response:
    """`PUT /v1/agents/{agent}/preference`: compare arms by another order from now on."""
    match = request.headers.get("if-match")
    generation = await runtime.change_preference(hosted, body.order, match)
    etag = etag_of(hosted.preference())
    await runtime.saved(hosted, generation)

    return answer(hosted.state(), etag)


async def budget(hosted: HostedAgent) -> BudgetList:
    """`GET /v1/agents/{agent}/budget`: what became of the budgets."""
    return BudgetList(budget_states(hosted.agent.balances))


async def add_arm(
    request: Request, runtime: ServiceRuntime, hosted: HostedAgent, arm: str
) -> Response:
    """`PUT /v1/agents/{agent}/arms/{arm}`: one arm more, from now on."""
    content = await content_of(request)
    new = msgspec.json.decode(content or b"{}", type=NewArm)
    async with runtime.changing(hosted):
        is_new = hosted.add_arm(arm, new.like)

    return answer(hosted.state(), status=201 if is_new else 200)


async def remove_arm(runtime: ServiceRuntime, hosted: HostedAgent, arm: str) -> AgentState:
    """`DELETE /v1/agents/{agent}/arms/{arm}`: one arm less, from now on."""
    async with runtime.changing(hosted):
        hosted.remove_arm(arm)

    return hosted.state()


async def prices(hosted: HostedAgent) -> PriceList:
    """`GET /v1/agents/{agent}/prices`: what announcements say of the costs of arms."""
    return hosted.announced_prices()


async def set_price(
    runtime: ServiceRuntime, hosted: HostedAgent, arm: str, body: NewPrice
) -> PriceList:
    """`PUT /v1/agents/{agent}/prices/{arm}`: an arm costs more or less, from now on."""
    async with runtime.changing(hosted):
        # In a thread: the price of a unit of cost is looked up again on the log.
        await asyncio.to_thread(hosted.set_price, arm, body)

    return hosted.announced_prices()


async def snapshot(hosted: HostedAgent) -> Response:
    """`GET /v1/agents/{agent}/snapshot`: the file that `Agent.save` writes."""
    # In a thread: it waits for the disk, and is as large as what was learned.
    state = await asyncio.to_thread(hosted.agent.to_bytes)

    return Response(state, media_type="application/octet-stream")


async def set_snapshot(
    request: Request, runtime: ServiceRuntime, hosted: HostedAgent
) -> AgentState:
    """`PUT /v1/agents/{agent}/snapshot`: go on from what the agent of a snapshot had learned."""
    data = await content_of(request, MOST_STATE_BYTES)
    async with hosted.changing:
        generation = hosted.generation
        # In a thread: to read and check it takes long where much was learned.
        await asyncio.to_thread(hosted.take_over, data)

    await runtime.saved(hosted, generation)

    return hosted.state()


OPERATIONS = [
    operation("GET", "/v1/agents", agents, "read", lists_agents=True),
    operation("GET", AGENT, agent, "read"),
    operation("GET", f"{AGENT}/preference", preference, "read", answer=PreferenceState),
    operation(
        "PUT", f"{AGENT}/preference", set_preference, "admin", answer=AgentState, failures=(412,)
    ),
    operation("GET", f"{AGENT}/budget", budget, "read"),
    operation(
        "PUT",
        f"{AGENT}/arms/{{arm}}",
        add_arm,
        "admin",
        body=NewArm,
        answer=AgentState,
        successes=(201,),
        is_body_optional=True,
    ),
    operation("DELETE", f"{AGENT}/arms/{{arm}}", remove_arm, "admin"),
    operation("GET", f"{AGENT}/prices", prices, "read"),
    operation("PUT", f"{AGENT}/prices/{{arm}}", set_price, "admin"),
    operation("GET", f"{AGENT}/snapshot", snapshot, "admin", answer=bytes),
    operation("PUT", f"{AGENT}/snapshot", set_snapshot, "admin", body=bytes),
]
