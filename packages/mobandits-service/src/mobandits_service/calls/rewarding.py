"""Calls that report what decisions brought."""

from typing import Annotated

from mobandits_client.messages import Rewarded, RewardOutcome, RewardsOf
from mobandits_client.messages.base import AT_MOST, Rewards
from mobandits_service import settling
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import AGENT, DECISION, in_turns, refusal_of
from mobandits_service.decision_names import number_or_key, unknown_key
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.problems import Problem
from mobandits_service.runtime import ServiceRuntime


async def reward(
    runtime: ServiceRuntime, hosted: HostedAgent, number: int, body: Rewards
) -> Rewarded:
    """`POST /v1/agents/{agent}/decisions/{decision}/rewards`: what a decision brought."""
    generation = hosted.generation
    rewarded = settling.reward(hosted, number, body)
    # As `runtime.saved`, without a coroutine more for what is asked for most.
    await runtime.settlements.settled()
    hosted.check_saved(generation)
    runtime.telemetry.count_reward(hosted.name, rewarded)

    return rewarded


async def reward_several(
    runtime: ServiceRuntime, hosted: HostedAgent, body: Annotated[list[RewardsOf], AT_MOST]
) -> list[RewardOutcome]:
    """`POST /v1/agents/{agent}/rewards`: what several decisions brought, an answer for each."""
    outcomes = []
    generation = hosted.generation
    async for item in in_turns(hosted, body):
        try:
            outcomes.append(RewardOutcome(rewarded=_reward_one(hosted, item)))
        except (Problem, ValueError) as error:
            outcomes.append(RewardOutcome(refused=refusal_of(error)))

    await runtime.saved(hosted, generation)
    for outcome in outcomes:
        if outcome.rewarded is not None:
            runtime.telemetry.count_reward(hosted.name, outcome.rewarded)

    return outcomes


def _reward_one(hosted: HostedAgent, item: RewardsOf) -> Rewarded:
    number = number_or_key(item)
    if isinstance(number, str):
        event = hosted.store.decision_with_key(number)
        if event is None:
            raise unknown_key(number)
        number = event.id

    return settling.reward(hosted, number, item.rewards)


OPERATIONS = [
    operation("POST", f"{DECISION}/rewards", reward, "decide"),
    operation("POST", f"{AGENT}/rewards", reward_several, "decide"),
]
