"""Calls that evaluate on an agent's own log what else could have been played."""

from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import Evaluation, EvaluationList, EvaluationWanted
from mobandits_client.messages.base import one_of
from mobandits_service.calls.requests import (
    AGENT,
    answer,
    body_of,
    hosted_of,
    runtime_of,
)
from mobandits_service.operations import Operation

EVALUATIONS = f"{AGENT}/evaluations"


async def evaluate(request: Request) -> Response:
    """`POST /v1/agents/{agent}/evaluations`: evaluate another policy, preference or arm."""
    hosted = hosted_of(request)
    wanted = await body_of(request, EvaluationWanted)
    submitted = await runtime_of(request).evaluations.submit(hosted, wanted)

    return answer(submitted, status=202)


async def evaluations(request: Request) -> Response:
    """`GET /v1/agents/{agent}/evaluations`: the last evaluations, the newest first."""
    hosted = hosted_of(request)
    found = await runtime_of(request).evaluations.of(hosted.name)

    return answer(EvaluationList(found))


async def evaluation(request: Request) -> Response:
    """`GET /v1/agents/{agent}/evaluations/{evaluation}`: an evaluation, with its result."""
    hosted = hosted_of(request)
    number = request.path_params["evaluation"]
    found = await runtime_of(request).evaluations.named(hosted.name, number)

    return answer(found)


OPERATIONS = [
    Operation(
        "POST",
        EVALUATIONS,
        evaluate,
        "read",
        Annotated[EvaluationWanted, one_of("policy", "preference", "arm")],
        Evaluation,
        successes=(202,),
    ),
    Operation("GET", EVALUATIONS, evaluations, "read", answer=EvaluationList),
    Operation("GET", f"{EVALUATIONS}/{{evaluation}}", evaluation, "read", answer=Evaluation),
]
