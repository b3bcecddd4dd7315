"""The calls that a worker answers itself; all others are the learner's."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits.service.calls.agents import MOST_STATE_BYTES
from mobandits.service.calls.requests import (
    AGENT,
    DECISION,
    JSON,
    MOST_CALLS,
    answer,
    body_of,
    check_length,
    refusal_of,
)
from mobandits.service.hosted_agent import as_json
from mobandits.service.messages import (
    Decide,
    DecideBatch,
    Decided,
    DecidedBatch,
    Live,
    Ready,
    Rewarded,
    RewardOutcome,
    RewardsOf,
)
from mobandits.service.operations import Operation
from mobandits.service.problems import Problem
from mobandits.service.workers.running_worker import RunningWorker
from mobandits.service.workers.worker import number_of_text


def worker_of(request: Request) -> RunningWorker:
    """The worker that a request came to."""
    running: RunningWorker = request.app.state.running
    return running


def check_room_of(request: Request) -> None:
    """Turn a call away where too many wait already.

    Raises:
        Problem: saying so.
    """
    waiting = worker_of(request).worker.gathering.waiting()
    if waiting >= MOST_CALLS:
        raise Problem(503, f"{waiting:,} calls wait for the disk", retry_after=1)


async def decide(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decide`: the arm to play now."""
    check_room_of(request)
    wanted = await body_of(request, Decide)
    header = request.headers.get("idempotency-key")
    if header is not None and wanted.key is None:
        wanted.key = header

    running = worker_of(request)
    decided = await running.worker.decide(request.path_params["agent"], wanted)
    if decided is None:
        return await running.forwarding.answer(request)

    return answer(decided)


async def decide_batch(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decide_batch`: a decision per context."""
    check_room_of(request)
    wanted = await body_of(request, DecideBatch)
    running = worker_of(request)
    decided = await running.worker.decide_batch(request.path_params["agent"], wanted)
    if decided is None:
        return await running.forwarding.answer(request)

    return answer(DecidedBatch(decided))


async def reward(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decisions/{decision}/rewards`: what a decision brought."""
    check_room_of(request)
    number = number_of_text(request.path_params["decision"])
    rewards = await body_of(request, dict[str, float])
    worker = worker_of(request).worker

    return answer(await worker.reward(request.path_params["agent"], number, rewards))


async def reward_several(request: Request) -> Response:
    """`POST /v1/agents/{agent}/rewards`: what several decisions brought, an answer for each."""
    check_room_of(request)
    items = await body_of(request, list[RewardsOf])
    check_length(items)
    worker = worker_of(request).worker
    agent = request.path_params["agent"]
    outcomes = []
    rewarding = worker.reward_all(agent, items)
    for rewarded in await rewarding:
        if isinstance(rewarded, Rewarded):
            outcomes.append(RewardOutcome(rewarded=rewarded))
        else:
            outcomes.append(RewardOutcome(refused=refusal_of(rewarded)))

    return Response(msgspec.json.encode(outcomes), media_type=JSON)


async def live(_: Request) -> Response:
    """`GET /health/live`: the process answers."""
    return answer(Live(True))


async def ready(request: Request) -> Response:
    """`GET /health/ready`: every agent can decide."""
    statuses = worker_of(request).statuses()
    is_ready = all(status == "ready" for status in statuses.values())
    content = as_json(Ready(is_ready, statuses))

    return Response(content, 200 if is_ready else 503, media_type=JSON)


async def forwarded(request: Request) -> Response:
    """All other calls: those of the learner, which looks at their keys."""
    return await worker_of(request).forwarding.answer(request)


# The learner refuses what is too large for one of its calls.
vars(forwarded)["most_bytes"] = MOST_STATE_BYTES

OPERATIONS_OF_WORKERS = [
    Operation("POST", f"{AGENT}/decide", decide, "decide", Decide, Decided),
    Operation("POST", f"{AGENT}/decide_batch", decide_batch, "decide", DecideBatch, DecidedBatch),
    Operation("POST", f"{DECISION}/rewards", reward, "decide", dict[str, float], Rewarded),
    Operation(
        "POST",
        f"{AGENT}/rewards",
        reward_several,
        "decide",
        list[RewardsOf],
        list[RewardOutcome],
    ),
    Operation("GET", "/health/live", live, answer=Live),
    Operation("GET", "/health/ready", ready, answer=Ready),
]
