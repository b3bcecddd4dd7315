"""The application of a worker: the calls that it answers itself; all others are the learner's."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mobandits_client.messages import (
    Decide,
    DecideBatch,
    Decided,
    DecidedBatch,
    DecideQuery,
    Ready,
    Rewarded,
    RewardOutcome,
    RewardsOf,
)
from mobandits_client.messages.base import Rewards
from mobandits_service.application import logged_application
from mobandits_service.calls import OPERATIONS
from mobandits_service.calls.health import live, readiness
from mobandits_service.calls.operations import Handler, Operation
from mobandits_service.calls.requests import body_of, with_header_key
from mobandits_service.workers.worker_runtime import WorkerRuntime

METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]


async def decide(
    request: Request, runtime: WorkerRuntime, agent: str, query: DecideQuery
) -> Decided | Response:
    """`POST /v1/agents/{agent}/decide`: the arm to play now."""
    if query.explain:
        # The learner has what explains it.
        return await runtime.forwarding.answer(request)

    body = await body_of(request, Decide)
    wanted = with_header_key(request, body)
    decided = await runtime.worker.decide(agent, wanted)

    return decided or await runtime.forwarding.answer(request)


async def decide_batch(
    request: Request, runtime: WorkerRuntime, agent: str, body: DecideBatch
) -> DecidedBatch | Response:
    """`POST /v1/agents/{agent}/decide_batch`: a decision per context."""
    decided = await runtime.worker.decide_batch(agent, body)
    if decided is None:
        return await runtime.forwarding.answer(request)

    return DecidedBatch(decided)


async def reward(runtime: WorkerRuntime, agent: str, number: int, body: Rewards) -> Rewarded:
    """`POST /v1/agents/{agent}/decisions/{decision}/rewards`: what a decision brought."""
    return await runtime.worker.reward(agent, number, body)


async def reward_several(
    runtime: WorkerRuntime, agent: str, body: list[RewardsOf]
) -> list[RewardOutcome]:
    """`POST /v1/agents/{agent}/rewards`: what several decisions brought, an answer for each."""
    return await runtime.worker.reward_all(agent, body)


async def ready(runtime: WorkerRuntime) -> Response:
    """`GET /health/ready`: every agent can decide."""
    statuses = runtime.statuses()
    is_ready = all(status == "ready" for status in statuses.values())

    return readiness(Ready(is_ready, statuses))


async def forwarded(request: Request) -> Response:
    """All other calls: those of the learner, which looks at their keys."""
    runtime: WorkerRuntime = request.app.state.runtime
    return await runtime.forwarding.answer(request)


# By the names of the operations that they answer here; those that are asked for most come first.
ANSWERED_HERE: tuple[Handler, ...] = (decide, decide_batch, reward, reward_several, live, ready)


def operation_of_worker(handler: Handler) -> Operation:
    """An operation of a service as a worker has it: only what answers it is another one."""
    (operation,) = [each for each in OPERATIONS if each.name == handler.__name__]
    return operation._replace(handler=handler)


def application_of_worker(runtime: WorkerRuntime) -> Starlette:
    """The application of a worker.

    Args:
        runtime: its parts; they are started and stopped with the application.
    """
    routes = [operation_of_worker(handler).route() for handler in ANSWERED_HERE]
    routes.append(Route("/{path:path}", forwarded, methods=METHODS))

    # The learner counts what is decided and learned.
    return logged_application(routes, lambda _: runtime.running(), runtime)
