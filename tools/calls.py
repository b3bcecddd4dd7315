"""Count the Python functions of our packages that one call crosses, and their files.

    python tools/calls.py

A call that crosses many functions in many files is slow, and hard to follow. What is inlined by
Numba, and what libraries do, is not counted.
"""

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import httpx
import msgspec
import numpy as np

# Else agents would answer in Python until a child process has compiled.
os.environ["MOBANDITS_COMPILING"] = "now"

import mobandits as mob
import mobandits_client
import mobandits_service
from mobandits.agent import Agent
from mobandits.logs.store import SharedFile
from mobandits.policies import MolUcb
from mobandits_service.application import application
from mobandits_service.runtime import ServiceRuntime
from mobandits_service.specification import ServiceSpecification

PACKAGES = tuple(
    str(Path(package.__file__).parent) for package in (mob, mobandits_client, mobandits_service)
)
ARMS = ["small", "medium", "large"]
CONTEXT = [1.0, 0.25, 0.5]
WARMING = 20  # calls before the one that is counted
ROUTER = {
    "policy": {"name": "mol-ucb", "scale": 0.3},
    "arms": ARMS,
    "features": len(CONTEXT),
    "objectives": ["quality", {"name": "cost", "minimise": True}],
}


class Crossed(NamedTuple):
    """The functions that a call crosses.

    Attributes:
        calls: of functions of our packages.
        files: that these are in.
    """

    calls: int
    files: int


class Counter:
    """Counts calls while it is entered, in every thread that was started inside."""

    def __init__(self) -> None:
        self._calls = 0
        self._files: set[str] = set()

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        file = frame.f_code.co_filename
        if file.startswith(PACKAGES):
            self._calls += 1
            self._files.add(file)

    def __enter__(self) -> "Counter":
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def crossed(self) -> Crossed:
        """What was counted."""
        return Crossed(self._calls, len(self._files))


def counted(call: Callable[[], object]) -> Crossed:
    """What a call crosses after others of its kind."""
    for _ in range(WARMING):
        call()
    with Counter() as counter:
        call()

    return counter.crossed()


def agent_of(log: Path | None) -> Agent[str]:
    """An agent such as applications have."""
    objectives = ["quality", mob.Objective("cost", minimise=True)]
    recipe = MolUcb(scale=0.3)
    return Agent(recipe, arms=ARMS, features=len(CONTEXT), objectives=objectives, log=log)


def decide_with_an_array() -> Crossed:
    """`Agent.decide`, without a log."""
    agent = agent_of(None)
    context = np.array(CONTEXT)
    return counted(lambda: agent.decide(context))


def decide_with_a_key(folder: Path) -> Crossed:
    """`Agent.decide` with a log and a client's key."""
    with agent_of(folder / "agent.db") as agent:
        keys = iter(range(WARMING + 1))
        return counted(lambda: agent.decide(CONTEXT, key=str(next(keys))))


async def service_calls(folder: Path) -> tuple[Crossed, Crossed]:
    """`POST decide` with a key, and `POST rewards`."""
    content = {"agents": {"router": ROUTER}, "log_requests": False}
    specification = msgspec.convert(content, ServiceSpecification)
    runtime = ServiceRuntime(specification, SharedFile(folder / "service.db", "system"))
    await asyncio.to_thread(runtime.agents.open)
    transport = httpx.ASGITransport(application(runtime))
    made = []
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

            async def decide(number: int) -> None:
                body = {"context": CONTEXT, "key": str(number)}
                answer = await client.post("/v1/agents/router/decide", json=body)
                made.append(answer.json()["decision"])

            async def reward(number: int) -> None:
                body = {"quality": 0.5, "cost": 0.25}
                path = f"/v1/agents/router/decisions/{made[number]}/rewards"
                answer = await client.post(path, json=body)
                answer.raise_for_status()

            found = []
            for call in (decide, reward):
                for number in range(WARMING):
                    await call(number)
                if call is reward:
                    await decide(WARMING + 1)
                with Counter() as counter:
                    await call(WARMING)
                found.append(counter.crossed())
    finally:
        await asyncio.to_thread(runtime.stop)

    return found[0], found[1]


def main() -> None:
    """Print a table."""
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        post_decide, post_reward = asyncio.run(service_calls(folder))
        rows = {
            "decide, an array": decide_with_an_array(),
            "decide, with log and key": decide_with_a_key(folder),
            "POST decide with a key": post_decide,
            "POST rewards": post_reward,
        }

    print(f"{'call':26} functions  files")
    for name, crossed in rows.items():
        print(f"{name:26} {crossed.calls:9}  {crossed.files:5}")


if __name__ == "__main__":
    main()
