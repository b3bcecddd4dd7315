"""A service on a machine that never compiled anything: it answers at once, and never compiles itself."""

import asyncio

import pytest
from numba.core import event
from services import CONTEXT, ROUTER, ask, specification

from mobandits.compiling import at_hand
from mobandits_service.compiling import load_compiled

pytestmark = pytest.mark.compiled
AGENT = "/v1/agents/router"
REWARDS = {"quality": 0.5, "cost": 0.25}


class Compilers(event.Listener):
    """Notes what is compiled in this process."""

    def __init__(self):
        self.compiled = []

    def on_start(self, event):
        self.compiled.append(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event):
        pass


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """What is compiled here, where nothing is in the cache and no child process ever ends."""
    noted = Compilers()
    monkeypatch.setattr(at_hand._waiting, "everywhere", False)
    monkeypatch.setattr(at_hand._helper, "has", lambda *_: False)
    event.register("numba:compile", noted)
    yield noted.compiled
    event.unregister("numba:compile", noted)


OTHERS = {
    "ucb": {"policy": "mol-ucb"},
    "thompson": {"policy": "mol-ts", "propensity": "sampled"},
    "links": {"policy": "moglb-ucb"},
    "budgets": {"policy": {"name": "paced", "recipe": "mol-ucb", "budgets": {"cost": 0.3}}},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_no_call_waits_for_a_compiler(tmp_path, compiled, other):
    spec = specification(router=ROUTER | other)

    async def talk(client, running):
        async def call(method, path, body=None):
            answer = await client.request(method, AGENT + path, json=body)
            assert answer.is_success, answer.text
            return answer.json()

        decided = await call("POST", "/decide", {"context": CONTEXT})
        await call("POST", "/decide_batch", {"contexts": [CONTEXT, CONTEXT]})
        await call("POST", f"/decisions/{decided['decision']}/rewards", REWARDS)
        observed = {"context": CONTEXT, "arm": "small", "rewards": REWARDS}
        await call("POST", "/decisions", [observed])
        order = {"order": {"name": "lexicographic"}}
        await call("POST", "/preference/preview", order)
        changed = await call("PUT", "/preference", order)
        assert changed["preference"].startswith("lexicographic")
        decided = await call("POST", "/decide", {"context": CONTEXT})
        await call("GET", f"/decisions/{decided['decision']}/explanation")
        await call("PUT", "/arms/medium", {"like": "small"})
        await call("POST", "/decide", {"context": CONTEXT})
        await asyncio.to_thread(load_compiled, spec)

    ask(tmp_path / "store", talk, spec)
    assert compiled == []
