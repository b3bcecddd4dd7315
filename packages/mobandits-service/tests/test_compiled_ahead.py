"""No call compiles in the event loop what could be compiled before: nobody would be answered."""

import asyncio
import threading

import pytest
from numba.core.dispatcher import Dispatcher
from services import CONTEXT, PATIENCE, ROUTER, ask, specification

from mobandits_service.compiling import MOST_FEATURES, load_compiled, with_few_features
from mobandits_service.hosted_agent import HostedAgent

AGENT = "/v1/agents/router"
PLACE = f"{AGENT}/preference"
REWARDS = {"quality": 0.5, "cost": 0.25}
OTHER = {"quality": 0.75, "cost": 0.5}


@pytest.fixture
def compiled(monkeypatch):
    """The kernels that are compiled, or loaded, from now on."""
    names = []
    real = Dispatcher.compile

    def compile_noted(dispatcher, *args):
        names.append(dispatcher.py_func.__name__)
        return real(dispatcher, *args)

    monkeypatch.setattr(Dispatcher, "compile", compile_noted)
    return names


@pytest.mark.parametrize("has_row_per_arm", [False, True])
def test_no_call_compiles_anything_after_the_start(tmp_path, compiled, has_row_per_arm):
    context = [CONTEXT, CONTEXT] if has_row_per_arm else CONTEXT
    only_small = {"small": CONTEXT} if has_row_per_arm else CONTEXT

    async def talk(client, running):
        compiled.clear()

        async def call(method, path, body=None):
            answer = await client.request(method, AGENT + path, json=body)
            assert answer.is_success, answer.text
            assert compiled == [], path
            return answer.json()

        decided = await call("POST", "/decide", {"context": context})
        await call("POST", "/decide", {"context": context, "key": "k", "active": False})
        await call("POST", "/decide", {"context": only_small, "eligible": ["small"]})
        batch = await call("POST", "/decide_batch", {"contexts": [context, context]})
        number = decided["decision"]
        await call("POST", f"/decisions/{number}/rewards", {"quality": 0.5})
        await call("POST", f"/decisions/{number}/rewards", {"cost": 0.5})
        numbers = [each["decision"] for each in batch["decisions"]]
        lessons = [{"decision": each, "rewards": OTHER} for each in numbers]
        await call("POST", "/rewards", lessons)
        observed = {"context": context, "arm": "small", "rewards": REWARDS}
        await call("POST", "/decisions", [observed, observed])
        await call("GET", f"/decisions/{number}/explanation")
        await call("GET", "")
        last = await call("POST", "/decide", {"context": context})
        agent = running.agents.named("router").agent
        # As rewards that workers were told.
        with agent.core.bound.learning_together():
            agent.learn(int(last["decision"]), REWARDS)
        assert compiled == []

    load_compiled(specification())
    ask(tmp_path / "store", talk)


def test_what_is_played_ahead_is_small(tmp_path, compiled):
    """States grow with the square of the features, and compiled code is the same."""
    large = {**ROUTER, "features": 300}
    spec = specification(router=large)
    assert with_few_features(spec.agents["router"]).features == MOST_FEATURES

    async def talk(client, running):
        compiled.clear()
        decided = await client.post(f"{AGENT}/decide", json={"context": [0.5] * 300})
        number = decided.json()["decision"]
        learned = await client.post(f"{AGENT}/decisions/{number}/rewards", json=REWARDS)
        assert learned.json()["missing"] == []
        assert compiled == []

    load_compiled(spec)
    ask(tmp_path / "store", talk, spec)


def test_others_are_answered_while_an_agent_makes_its_state(tmp_path, monkeypatch):
    released = threading.Event()
    real = HostedAgent.decide

    def decide(hosted, request):
        if hosted.name == "large":
            assert released.wait(PATIENCE)
        return real(hosted, request)

    monkeypatch.setattr(HostedAgent, "decide", decide)
    body = {"context": CONTEXT}

    async def talk(client, running):
        await client.post(f"{AGENT}/decide", json=body)
        first = [
            asyncio.create_task(client.post("/v1/agents/large/decide", json=body)) for _ in range(3)
        ]
        await asyncio.sleep(0.05)
        other = await client.post(f"{AGENT}/decide", json=body)
        assert other.status_code == 200
        assert not any(task.done() for task in first)
        released.set()
        numbers = {(await task).json()["decision"] for task in first}
        assert numbers == {"0", "1", "2"}

    ask(tmp_path / "store", talk, specification(router=ROUTER, large=ROUTER))


def test_an_explanation_compiles_nothing_after_another_order_nor_after_opening(tmp_path, compiled):
    path = tmp_path / "store"
    numbers = []

    async def change(client, running):
        body = {"order": {"name": "chains", "chains": [[1, 0]]}}
        assert (await client.put(PLACE, json=body)).status_code == 200
        decided = (await client.post(f"{AGENT}/decide", json={"context": CONTEXT})).json()
        numbers.append(decided["decision"])
        await explain(client, running)

    async def explain(client, _):
        compiled.clear()
        answer = await client.get(f"{AGENT}/decisions/{numbers[0]}/explanation")
        assert answer.status_code == 200
        assert compiled == []

    ask(path, change)
    ask(path, explain)
