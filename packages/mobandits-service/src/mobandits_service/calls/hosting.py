"""Calls that make agents, and end them."""

import asyncio

from starlette.responses import Response

from mobandits_client.messages import AgentState, Share
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import AGENT, answer
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.runtime import ServiceRuntime
from mobandits_service.specification import AgentSpecification


async def put_agent(runtime: ServiceRuntime, agent: str, body: AgentSpecification) -> Response:
    """`PUT /v1/agents/{agent}`: an agent, made once; it decides as soon as it is compiled."""
    # In a thread: to bind a policy, or to fit columns, may take longer than others should wait.
    await asyncio.to_thread(runtime.check_hostable, body)
    kept = runtime.agents.add(agent, body)
    hosted = runtime.agents.named(agent)
    # Of one that is there already too: the call that made it may not be on disk yet.
    await runtime.settlements.settled()
    if kept is not None:
        if kept.failure is not None:
            runtime.agents.forget(agent)
        kept.check()
        runtime.begin(runtime.make_ready(hosted))

    return answer(hosted.state(), status=200 if kept is None else 201)


async def delete_agent(runtime: ServiceRuntime, agent: str) -> None:
    """`DELETE /v1/agents/{agent}`: an agent that a call made ends; its log stays."""
    ended = runtime.agents.end(agent)
    await runtime.settlements.settled()
    if ended is not None:
        kept, hosted = ended
        # Its last snapshot waits for the disk.
        await asyncio.to_thread(hosted.close)
        kept.check()


async def set_share(runtime: ServiceRuntime, hosted: HostedAgent, body: Share) -> AgentState:
    """`PUT /v1/agents/{agent}/share`: the policy decides for another share from now on."""
    # In a thread: where statistics cannot be kept, all decisions are learned again.
    await asyncio.to_thread(hosted.set_share, body.share)
    # After the event in the agent's log: killed between the two, it goes back to the share before.
    kept = runtime.agents.kept_again(hosted)
    await runtime.saved(hosted, hosted.generation)
    kept.check()

    return hosted.state()


OPERATIONS = [
    operation("PUT", AGENT, put_agent, "admin", answer=AgentState, successes=(201,)),
    operation("DELETE", AGENT, delete_agent, "admin"),
    operation("PUT", f"{AGENT}/share", set_share, "admin"),
]
