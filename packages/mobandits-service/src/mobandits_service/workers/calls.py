"""The calls that a worker answers itself; all others are the learner's."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import (
    DecideBatch,
    DecidedBatch,
    Ready,
    Rewarded,
    RewardOutcome,
    RewardsOf,
)
from mobandits_service.calls import OPERATIONS
from mobandits_service.calls.health import live, readiness
from mobandits_service.calls.requests import (
    JSON,
    answer,
    body_of,
    check_length,
    check_room,
    decision_wanted,
    is_explanation_wanted,
    refusal_of,
)
from mobandits_service.decision_names import decision_number
from mobandits_service.operations import Handler, Operation
from mobandits_service.workers.worker_runtime import WorkerRuntime


def worker_of(request: Request) -> WorkerRuntime:
    """The worker that a request came to."""
    runtime: WorkerRuntime = request.app.state.runtime
    return runtime


async def decide(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decide`: the arm to play now."""
    runtime = worker_of(request)
    check_room(runtime.worker.gathering.waiting())
    if is_explanation_wanted(request):
        # The learner has what explains it.
        return await runtime.forwarding.answer(request)

    wanted = await decision_wanted(request)
    decided = await runtime.worker.decide(request.path_params["agent"], wanted)
    if decided is None:
        return await runtime.forwarding.answer(request)

    return answer(decided)


async def decide_batch(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decide_batch`: a decision per context."""
    runtime = worker_of(request)
    check_room(runtime.worker.gathering.waiting())
    wanted = await body_of(request, DecideBatch)
    decided = await runtime.worker.decide_batch(request.path_params["agent"], wanted)
    if decided is None:
        return await runtime.forwarding.answer(request)

    return answer(DecidedBatch(decided))


async def reward(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decisions/{decision}/rewards`: what a decision brought."""
    runtime = worker_of(request)
    check_room(runtime.worker.gathering.waiting())
    number = decision_number(request.path_params["decision"])
    rewards = await body_of(request, dict[str, float])
    rewarded = await runtime.worker.reward(request.path_params["agent"], number, rewards)

    return answer(rewarded)


async def reward_several(request: Request) -> Response:
    """`POST /v1/agents/{agent}/rewards`: what several decisions brought, an answer for each."""
    runtime = worker_of(request)
    check_room(runtime.worker.gathering.waiting())
    items = await body_of(request, list[RewardsOf])
    check_length(items)
    agent = request.path_params["agent"]
    outcomes = []
    rewarding = runtime.worker.reward_all(agent, items)
    for rewarded in await rewarding:
        if isinstance(rewarded, Rewarded):
            outcomes.append(RewardOutcome(rewarded=rewarded))
        else:
            outcomes.append(RewardOutcome(refused=refusal_of(rewarded)))

    return Response(msgspec.json.encode(outcomes), media_type=JSON)


async def ready(request: Request) -> Response:
    """`GET /health/ready`: every agent can decide."""
    statuses = worker_of(request).statuses()
    is_ready = all(status == "ready" for status in statuses.values())

    return readiness(Ready(is_ready, statuses))


async def forwarded(request: Request) -> Response:
    """All other calls: those of the learner, which looks at their keys."""
    return await worker_of(request).forwarding.answer(request)


# By the names of the operations that they answer here; those that are asked for most come first.
ANSWERED_HERE: tuple[Handler, ...] = (decide, decide_batch, reward, reward_several, live, ready)


def operation_of_worker(handler: Handler) -> Operation:
    """An operation of a service as a worker has it: only what answers it is another one."""
    (operation,) = [each for each in OPERATIONS if each.name == handler.__name__]
    return operation._replace(handler=handler)


OPERATIONS_OF_WORKERS = [operation_of_worker(handler) for handler in ANSWERED_HERE]
