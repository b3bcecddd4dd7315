"""The calls of version 1: what each takes, does and answers."""

import asyncio
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits.service.hosted_agent import HostedAgent, as_json
from mobandits.service.messages import (
    Adopted,
    AgentList,
    AgentState,
    Decide,
    DecideBatch,
    Decided,
    DecidedBatch,
    Explained,
    Live,
    NewArm,
    Observed,
    Preference,
    Ready,
    Recorded,
    RefusedReward,
    Rewarded,
    RewardOutcome,
    RewardsOf,
)
from mobandits.service.operations import Operation
from mobandits.service.problems import Problem
from mobandits.service.running import Running

JSON = "application/json"
AGENT = "/v1/agents/{agent}"
DECISION = f"{AGENT}/decisions/{{decision}}"
MOST_CALLS = 1024  # that may wait for the disk, before others are turned away
MOST_REWARDS = 1000  # in one list

Body = TypeVar("Body")

_decoders: dict[Any, Any] = {}


async def body_of(request: Request, kind: type[Body]) -> Body:
    """The body of a request, checked.

    Args:
        request: of a client.
        kind: what it must be.

    Raises:
        msgspec.DecodeError: where it is something else.
    """
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = msgspec.json.Decoder(kind)
        _decoders[kind] = decoder

    content = await request.body()
    decoded: Body = decoder.decode(content)

    return decoded


def running_of(request: Request) -> Running:
    """The service that a request came to."""
    running: Running = request.app.state.running
    return running


def hosted_of(request: Request) -> HostedAgent:
    """The agent that a request is for.

    Raises:
        Problem: where there is none.
    """
    name: str = request.path_params["agent"]
    return running_of(request).agents.named(name)


def decision_of(request: Request) -> tuple[HostedAgent, int]:
    """The agent that a request is for, and the number of its decision.

    Raises:
        Problem: where one of them is not there.
    """
    hosted = hosted_of(request)
    number = hosted.number_of(request.path_params["decision"])

    return hosted, number


async def saved(request: Request, hosted: HostedAgent) -> None:
    """Wait until what an agent wrote is on disk.

    Raises:
        Problem: where it could not be written.
    """
    await running_of(request).settlements.settled()
    hosted.check_saved()


def check_room(request: Request) -> None:
    """Turn a call away where too many wait already.

    Raises:
        Problem: saying so.
    """
    waiting = running_of(request).file.waiting()
    if waiting >= MOST_CALLS:
        raise Problem(503, f"{waiting:,} calls wait for the disk", retry_after=1)


def answer(message: msgspec.Struct) -> Response:
    """A message as the answer to a request."""
    return Response(as_json(message), media_type=JSON)


async def decide(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decide`: the arm to play now."""
    hosted = hosted_of(request)
    check_room(request)
    wanted = await body_of(request, Decide)
    header = request.headers.get("idempotency-key")
    if header is not None and wanted.key is None:
        wanted.key = header

    decided = hosted.decide(wanted)
    await saved(request, hosted)
    running_of(request).telemetry.count_decision(hosted.name, decided)

    return answer(decided)


async def decide_batch(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decide_batch`: a decision per context."""
    hosted = hosted_of(request)
    check_room(request)
    wanted = await body_of(request, DecideBatch)
    decided = hosted.decide_batch(wanted)
    await saved(request, hosted)
    for each in decided:
        running_of(request).telemetry.count_decision(hosted.name, each)

    return answer(DecidedBatch(decided))


async def observe(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decisions`: decisions that somebody else made."""
    hosted = hosted_of(request)
    check_room(request)
    observed = await body_of(request, list[Observed])
    adopted = [hosted.adopt(each) for each in observed]
    await saved(request, hosted)

    return Response(msgspec.json.encode(adopted), media_type=JSON)


async def reward(request: Request) -> Response:
    """`POST /v1/agents/{agent}/decisions/{decision}/rewards`: what a decision brought."""
    hosted, number = decision_of(request)
    check_room(request)
    rewards = await body_of(request, dict[str, float])
    rewarded = hosted.reward(number, rewards)
    await saved(request, hosted)
    running_of(request).telemetry.count_reward(hosted.name, rewarded)

    return answer(rewarded)


async def reward_several(request: Request) -> Response:
    """`POST /v1/agents/{agent}/rewards`: what several decisions brought, an answer for each."""
    hosted = hosted_of(request)
    check_room(request)
    items = await body_of(request, list[RewardsOf])
    if len(items) > MOST_REWARDS:
        raise Problem(422, f"rewards must be of at most {MOST_REWARDS:,} decisions in one call")

    outcomes = []
    for item in items:
        try:
            outcomes.append(RewardOutcome(rewarded=_reward_one(hosted, item)))
        except (Problem, ValueError) as error:
            status = error.status if isinstance(error, Problem) else 422
            outcomes.append(RewardOutcome(refused=RefusedReward(status, str(error))))

    await saved(request, hosted)
    for outcome in outcomes:
        if outcome.rewarded is not None:
            running_of(request).telemetry.count_reward(hosted.name, outcome.rewarded)

    return Response(msgspec.json.encode(outcomes), media_type=JSON)


def _reward_one(hosted: HostedAgent, item: RewardsOf) -> Rewarded:
    if (item.decision is None) == (item.key is None):
        raise Problem(422, "decision or key must be given, and not both")
    if item.decision is not None:
        number = hosted.number_of(item.decision)
    else:
        assert item.key is not None  # noqa: S101 - one of them is given
        number = hosted.number_of_key(item.key)

    return hosted.reward(number, item.rewards)


async def activate(request: Request) -> Response:
    """`POST .../decisions/{decision}/activate`: it was shown."""
    hosted, number = decision_of(request)
    hosted.activate(number)
    await saved(request, hosted)

    return Response(status_code=204)


async def abandon(request: Request) -> Response:
    """`POST .../decisions/{decision}/abandon`: it was never shown."""
    hosted, number = decision_of(request)
    hosted.abandon(number)
    await saved(request, hosted)

    return Response(status_code=204)


async def recorded(request: Request) -> Response:
    """`GET .../decisions/{decision}`: a decision as it was then, with its rewards."""
    hosted, number = decision_of(request)
    # The store shows only what is on disk. It would wait for that itself, and hold up the loop.
    await running_of(request).settlements.settled()

    return answer(hosted.recorded(number))


async def explained(request: Request) -> Response:
    """`GET .../decisions/{decision}/explanation`: why, by what the agent believes now."""
    hosted, number = decision_of(request)
    await running_of(request).settlements.settled()

    return answer(hosted.explained(number))


async def agents(request: Request) -> Response:
    """`GET /v1/agents`: all agents as they are now."""
    states = [hosted.state() for hosted in running_of(request).agents]
    return answer(AgentList(states))


async def agent(request: Request) -> Response:
    """`GET /v1/agents/{agent}`: an agent as it is now."""
    return answer(hosted_of(request).state())


async def set_preference(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/preference`: compare arms by another order from now on."""
    hosted = hosted_of(request)
    preference = await body_of(request, Preference)
    # In a thread: an order that was never played is compiled, while others decide.
    await asyncio.to_thread(hosted.set_preference, preference.order)
    await saved(request, hosted)

    return answer(hosted.state())


async def add_arm(request: Request) -> Response:
    """`PUT /v1/agents/{agent}/arms/{arm}`: one arm more, from now on."""
    hosted = hosted_of(request)
    content = await request.body()
    new = msgspec.json.decode(content or b"{}", type=NewArm)
    is_new = hosted.add_arm(request.path_params["arm"], new.like)
    await saved(request, hosted)

    return Response(as_json(hosted.state()), 201 if is_new else 200, media_type=JSON)


async def remove_arm(request: Request) -> Response:
    """`DELETE /v1/agents/{agent}/arms/{arm}`: one arm less, from now on."""
    hosted = hosted_of(request)
    hosted.remove_arm(request.path_params["arm"])
    await saved(request, hosted)

    return answer(hosted.state())


async def snapshot(request: Request) -> Response:
    """`GET /v1/agents/{agent}/snapshot`: the file that `Agent.save` writes."""
    state = hosted_of(request).agent.to_bytes()
    return Response(state, media_type="application/octet-stream")


async def metrics(request: Request) -> Response:
    """`GET /metrics`: counts and times, for Prometheus."""
    content, kind = running_of(request).telemetry.exposition()
    return Response(content, media_type=kind)


async def live(_: Request) -> Response:
    """`GET /health/live`: the process answers."""
    return answer(Live(True))


async def ready(request: Request) -> Response:
    """`GET /health/ready`: every agent can decide."""
    running = running_of(request)
    statuses = {hosted.name: hosted.status for hosted in running.agents}
    is_ready = running.agents.all_ready()
    content = as_json(Ready(is_ready, statuses))

    return Response(content, 200 if is_ready else 503, media_type=JSON)


OPERATIONS = [
    Operation("GET", "/v1/agents", agents, "read", answer=AgentList),
    Operation("GET", AGENT, agent, "read", answer=AgentState),
    Operation("POST", f"{AGENT}/decide", decide, "decide", Decide, Decided),
    Operation("POST", f"{AGENT}/decide_batch", decide_batch, "decide", DecideBatch, DecidedBatch),
    Operation("POST", f"{AGENT}/decisions", observe, "decide", list[Observed], list[Adopted]),
    Operation("GET", DECISION, recorded, "read", answer=Recorded),
    Operation("GET", f"{DECISION}/explanation", explained, "read", answer=Explained),
    Operation("POST", f"{DECISION}/rewards", reward, "decide", dict[str, float], Rewarded),
    Operation("POST", f"{DECISION}/activate", activate, "decide"),
    Operation("POST", f"{DECISION}/abandon", abandon, "decide"),
    Operation(
        "POST",
        f"{AGENT}/rewards",
        reward_several,
        "decide",
        list[RewardsOf],
        list[RewardOutcome],
    ),
    Operation("PUT", f"{AGENT}/preference", set_preference, "admin", Preference, AgentState),
    Operation("PUT", f"{AGENT}/arms/{{arm}}", add_arm, "admin", NewArm, AgentState),
    Operation("DELETE", f"{AGENT}/arms/{{arm}}", remove_arm, "admin", answer=AgentState),
    Operation("GET", f"{AGENT}/snapshot", snapshot, "admin", answer=bytes),
    Operation("GET", "/metrics", metrics, "read", answer=str),
    # Who looks whether the service lives needs no key.
    Operation("GET", "/health/live", live, answer=Live),
    Operation("GET", "/health/ready", ready, answer=Ready),
]
