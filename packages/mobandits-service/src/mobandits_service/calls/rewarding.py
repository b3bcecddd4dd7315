"""Calls that report what decisions brought."""

from typing import Annotated

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import Rewarded, RewardOutcome, RewardsOf
from mobandits_client.messages.base import AT_MOST, Rewards
from mobandits_service.calls.requests import (
    AGENT,
    DECISION,
    JSON,
    answer,
    body_of,
    check_length,
    check_room,
    hosted_of,
    in_turns,
    refusal_of,
    runtime_of,
)
from mobandits_service.decision_names import decision_number, number_or_key
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.operations import Operation
from mobandits_service.problems import Problem
from mobandits_service.runtime import ServiceRuntime


async def reward(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decisions/{decision}/rewards`: what a decision brought."""
    runtime: ServiceRuntime = request.app.state.runtime
    hosted = runtime.agents.named(request.path_params["agent"])
    number = decision_number(request.path_params["decision"])
    check_room(runtime.file.committer.waiting())
    rewards = await body_of(request, dict[str, float])
    generation = hosted.generation
    rewarded = hosted.reward(number, rewards)
    # As `runtime.saved`, without a coroutine more for what is asked for most.
    await runtime.settlements.settled()
    hosted.check_saved(generation)
    runtime.telemetry.count_reward(hosted.name, rewarded)

    return answer(rewarded)


async def reward_several(request: Request) -> Response:
    """`POST /v1/agents/{agent}/rewards`: what several decisions brought, an answer for each."""
    hosted = hosted_of(request)
    check_room(runtime_of(request).file.committer.waiting())
    items = await body_of(request, list[RewardsOf])
    check_length(items)
    outcomes = []
    generation = hosted.generation
    async for item in in_turns(hosted, items):
        try:
            outcomes.append(RewardOutcome(rewarded=_reward_one(hosted, item)))
        except (Problem, ValueError) as error:
            outcomes.append(RewardOutcome(refused=refusal_of(error)))

    await runtime_of(request).saved(hosted, generation)
    for outcome in outcomes:
        if outcome.rewarded is not None:
            runtime_of(request).telemetry.count_reward(hosted.name, outcome.rewarded)

    return Response(msgspec.json.encode(outcomes), media_type=JSON)


def _reward_one(hosted: HostedAgent, item: RewardsOf) -> Rewarded:
    named = number_or_key(item)
    number = named if isinstance(named, int) else hosted.number_of_key(named)

    return hosted.reward(number, item.rewards)


OPERATIONS = [
    Operation("POST", f"{DECISION}/rewards", reward, "decide", Rewards, Rewarded),
    Operation(
        "POST",
        f"{AGENT}/rewards",
        reward_several,
        "decide",
        Annotated[list[RewardsOf], AT_MOST],
        list[RewardOutcome],
    ),
]
