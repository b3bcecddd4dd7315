"""Calls that make decisions, or take those of others."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Annotated, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

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
from mobandits_service.calls.requests import (
    AGENT,
    DECISION,
    JSON,
    answer,
    body_of,
    check_length,
    check_room,
    decision_of,
    decision_wanted,
    hosted_of,
    in_turns,
    is_explanation_wanted,
    refusal_of,
    runtime_of,
)
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.operations import Operation
from mobandits_service.problems import Problem
from mobandits_service.runtime import ServiceRuntime

Asked = TypeVar("Asked")
Made = TypeVar("Made")


async def decide(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decide`: the arm to play now."""
    runtime: ServiceRuntime = request.app.state.runtime
    hosted = runtime.agents.named(request.path_params["agent"])
    check_room(runtime.file.committer.waiting())
    is_explained = is_explanation_wanted(request)
    wanted = await decision_wanted(request)
    generation = hosted.generation
    if hosted.answers_at_once:
        decided = hosted.decide(wanted)
    else:
        decided = await _begun_by(hosted, hosted.decide, wanted)
    # As `runtime.saved`, without a coroutine more for what is asked for most.
    await runtime.settlements.settled()
    hosted.check_saved(generation)
    runtime.telemetry.count_decision(hosted.name, decided)
    if is_explained:
        # It is made by now: what cannot be explained must not cost it.
        with contextlib.suppress(Problem, ValueError):
            number = int(decided.decision)
            # In a thread: the first one may compile.
            decided.explanation = await asyncio.to_thread(hosted.explained, number)

    return answer(decided)


async def decide_batch(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decide_batch`: a decision per context."""
    hosted = hosted_of(request)
    check_room(runtime_of(request).file.committer.waiting())
    wanted = await body_of(request, DecideBatch)
    generation = hosted.generation
    if hosted.answers_at_once:
        decided = hosted.decide_batch(wanted)
    else:
        decided = await _begun_by(hosted, hosted.decide_batch, wanted)
    await runtime_of(request).saved(hosted, generation)
    for each in decided:
        runtime_of(request).telemetry.count_decision(hosted.name, each)

    return answer(DecidedBatch(decided))


async def observe(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decisions`: decisions of others, an answer for each."""
    hosted = hosted_of(request)
    check_room(runtime_of(request).file.committer.waiting())
    observed = await body_of(request, list[Observed])
    check_length(observed)
    outcomes = []
    generation = hosted.generation
    async for each in in_turns(hosted, observed):
        try:
            if hosted.answers_at_once:
                adopted = hosted.adopt(each)
            else:
                adopted = await _begun_by(hosted, hosted.adopt, each)
            outcomes.append(ObservedOutcome(adopted=adopted))
        except (Problem, ValueError) as error:
            outcomes.append(ObservedOutcome(refused=refusal_of(error)))

    await runtime_of(request).saved(hosted, generation)

    return Response(msgspec.json.encode(outcomes), media_type=JSON)


async def activate(request: Request) -> Response:
    """`POST .../decisions/{decision}/activate`: it was shown."""
    hosted, number = decision_of(request)
    hosted.activate(number)
    await runtime_of(request).saved(hosted, hosted.generation)

    return Response(status_code=204)


async def abandon(request: Request) -> Response:
    """`POST .../decisions/{decision}/abandon`: it was never shown."""
    hosted, number = decision_of(request)
    hosted.abandon(number)
    await runtime_of(request).saved(hosted, hosted.generation)

    return Response(status_code=204)


async def _begun_by(hosted: HostedAgent, call: Callable[[Asked], Made], asked: Asked) -> Made:
    """What an agent's first call returns that decides.

    It makes the agent's state, which may be large: that is done in a thread, and calls of other
    agents are answered meanwhile.
    """
    async with hosted.changing:
        return await asyncio.to_thread(call, asked)


OPERATIONS = [
    Operation("POST", f"{AGENT}/decide", decide, "decide", Decide, Decided, query=DecideQuery),
    Operation("POST", f"{AGENT}/decide_batch", decide_batch, "decide", DecideBatch, DecidedBatch),
    Operation(
        "POST",
        f"{AGENT}/decisions",
        observe,
        "decide",
        Annotated[list[Observed], AT_MOST],
        list[ObservedOutcome],
    ),
    Operation("POST", f"{DECISION}/activate", activate, "decide"),
    Operation("POST", f"{DECISION}/abandon", abandon, "decide"),
]
