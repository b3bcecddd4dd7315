"""Calls that say, from an agent's own log, what else could have been played."""

from typing import Annotated

from starlette.responses import Response

from mobandits_client.messages import (
    Evaluation,
    EvaluationList,
    EvaluationWanted,
    Preview,
    PreviewWanted,
)
from mobandits_client.messages.base import one_of
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import AGENT, answer
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.preview import preview
from mobandits_service.runtime import ServiceRuntime

EVALUATIONS = f"{AGENT}/evaluations"


async def preview_preference(
    runtime: ServiceRuntime, hosted: HostedAgent, body: PreviewWanted
) -> Preview:
    """`POST /v1/agents/{agent}/preference/preview`: what another preference would have played."""
    return await runtime.looked_up(preview, hosted, body.order, body.recent)


async def evaluate(
    runtime: ServiceRuntime,
    hosted: HostedAgent,
    body: Annotated[EvaluationWanted, one_of("policy", "preference", "arm")],
) -> Response:
    """`POST /v1/agents/{agent}/evaluations`: evaluate another policy, preference or arm."""
    submitted = await runtime.evaluations.submit(hosted, body)

    return answer(submitted, status=202)


async def evaluations(runtime: ServiceRuntime, hosted: HostedAgent) -> EvaluationList:
    """`GET /v1/agents/{agent}/evaluations`: the last evaluations, the newest first."""
    found = await runtime.evaluations.of(hosted.name)

    return EvaluationList(found)


async def evaluation(runtime: ServiceRuntime, hosted: HostedAgent, evaluation: str) -> Evaluation:
    """`GET /v1/agents/{agent}/evaluations/{evaluation}`: an evaluation, with its result."""
    return await runtime.evaluations.named(hosted.name, evaluation)


OPERATIONS = [
    operation("POST", f"{AGENT}/preference/preview", preview_preference, "read"),
    operation("POST", EVALUATIONS, evaluate, "read", answer=Evaluation, successes=(202,)),
    operation("GET", EVALUATIONS, evaluations, "read"),
    operation("GET", f"{EVALUATIONS}/{{evaluation}}", evaluation, "read"),
]
