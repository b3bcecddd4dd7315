"""Calls that make decisions, or take those of others."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Annotated, TypeVar

from starlette.requests import Request

from mobandits_client.messages import (
    Decide,
    DecideBatch,
    Decided,
    DecidedBatch,
    DecideQuery,
    Observed,
    ObservedOutcome,
)
from mobandits_client.messages.base import AT_MOST
from mobandits_service import settling
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import (
    AGENT,
    DECISION,
    in_turns,
    refusal_of,
    with_header_key,
)
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.problems import Problem
from mobandits_service.runtime import ServiceRuntime

Asked = TypeVar("Asked")
Made = TypeVar("Made")


async def decide(
    request: Request, runtime: ServiceRuntime, hosted: HostedAgent, query: DecideQuery, body: Decide
) -> Decided:
    """`POST /v1/agents/{agent}/decide`: the arm to play now."""
    wanted = with_header_key(request, body)
    generation = hosted.generation
    if hosted.answers_at_once:
        decided = hosted.decide(wanted)
    else:
        decided = await _made_by(hosted, hosted.decide, wanted)
    # As `runtime.saved`, without a coroutine more for what is asked for most.
    await runtime.settlements.settled()
    hosted.check_saved(generation)
    runtime.telemetry.count_decision(hosted.name, decided)
    if query.explain:
        # It is made by now: what cannot be explained must not cost it.
        with contextlib.suppress(Problem, ValueError):
            number = int(decided.decision)
            # In a thread: the first one may compile.
            decided.explanation = await asyncio.to_thread(hosted.explained, number)

    return decided


async def decide_batch(
    runtime: ServiceRuntime, hosted: HostedAgent, body: DecideBatch
) -> DecidedBatch:
    """`POST /v1/agents/{agent}/decide_batch`: a decision per context."""
    generation = hosted.generation
    decided = await _made_by(hosted, hosted.decide_batch, body)
    await runtime.saved(hosted, generation)
    for each in decided:
        runtime.telemetry.count_decision(hosted.name, each)

    return DecidedBatch(decided)


async def observe(
    runtime: ServiceRuntime, hosted: HostedAgent, body: Annotated[list[Observed], AT_MOST]
) -> list[ObservedOutcome]:
    """`POST /v1/agents/{agent}/decisions`: decisions of others, an answer for each."""
    outcomes = []
    generation = hosted.generation
    async for each in in_turns(hosted, body):
        try:
            adopted = await _made_by(hosted, hosted.adopt, each)
            outcomes.append(ObservedOutcome(adopted=adopted))
        except (Problem, ValueError) as error:
            outcomes.append(ObservedOutcome(refused=refusal_of(error)))

    await runtime.saved(hosted, generation)

    return outcomes


async def activate(runtime: ServiceRuntime, hosted: HostedAgent, number: int) -> None:
    """`POST .../decisions/{decision}/activate`: it was shown."""
    settling.activate(hosted, number)
    await runtime.saved(hosted, hosted.generation)


async def abandon(runtime: ServiceRuntime, hosted: HostedAgent, number: int) -> None:
    """`POST .../decisions/{decision}/abandon`: it was never shown."""
    settling.abandon(hosted, number)
    await runtime.saved(hosted, hosted.generation)


async def _made_by(hosted: HostedAgent, call: Callable[[Asked], Made], asked: Asked) -> Made:
    """What a call of an agent returns that decides.

    The first one makes the agent's state, which may be large: that is done in a thread, and calls
    of other agents are answered meanwhile.
    """
    if hosted.answers_at_once:
        return call(asked)

    async with hosted.changing:
        return await asyncio.to_thread(call, asked)


OPERATIONS = [
    operation("POST", f"{AGENT}/decide", decide, "decide"),
    operation("POST", f"{AGENT}/decide_batch", decide_batch, "decide"),
    operation("POST", f"{AGENT}/decisions", observe, "decide"),
    operation("POST", f"{DECISION}/activate", activate, "decide"),
    operation("POST", f"{DECISION}/abandon", abandon, "decide"),
]
