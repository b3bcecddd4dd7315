"""Agents that are opened while others are called."""

import asyncio
import threading

import pytest
from services import CONTEXT, PATIENCE, ROUTER, client_of, served, specification

from mobandits.agent import Agent
from mobandits.logs.store import SharedFile, Store
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.runtime import ServiceRuntime

TWO = {"router": ROUTER, "second": ROUTER}


async def until(condition):
    for _ in range(int(PATIENCE / 0.01)):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to that")


def test_an_agent_that_is_opened_slowly_keeps_nobody_waiting(tmp_path, monkeypatch):
    gate = threading.Event()
    original = HostedAgent._load

    def load_slowly(self, *, has_failed):
        if self.name == "second" and self.generation > 1:
            assert gate.wait(PATIENCE)
        original(self, has_failed=has_failed)

    monkeypatch.setattr(HostedAgent, "_load", load_slowly)
    with served(tmp_path / "log", specification(**TWO)) as running:

        async def whole():
            async with client_of(running) as client:
                slow = running.agents.named("second")
                slow.status = "failed: for once"
                running.agents.begin_opening()
                await until(lambda: slow.status == "starting")
                # Asked for once more, as every second: it is not opened twice.
                running.agents.begin_opening()
                refused = await client.post("/v1/agents/second/decide", json={"context": CONTEXT})
                assert refused.status_code == 503
                assert refused.headers["retry-after"]
                for place in ("decisions", "decisions/0", "snapshot", "decisions/0/explanation"):
                    found = await client.get(f"/v1/agents/second/{place}")
                    assert found.status_code == 503
                keyed = [{"key": "k", "rewards": {"cost": 0.5}}]
                told = await client.post("/v1/agents/second/rewards", json=keyed)
                assert told.status_code == 503
                assert (await client.get("/v1/agents")).status_code == 200
                assert (await client.get("/health/ready")).status_code == 503
                for _ in range(5):
                    body = {"context": CONTEXT}
                    answer = await client.post("/v1/agents/router/decide", json=body)
                    assert answer.status_code == 200
                gate.set()
                await until(lambda: slow.is_ready)
                answer = await client.post("/v1/agents/second/decide", json={"context": CONTEXT})
                assert answer.json()["decision"] == "0"

        try:
            asyncio.run(whole())
        finally:
            gate.set()


def test_a_call_that_was_made_before_an_agent_was_opened_again_is_not_saved(tmp_path):
    with served(tmp_path / "log") as running:

        async def whole():
            async with client_of(running) as client:
                hosted = running.agents.named("router")
                settled = running.settlements.settled

                async def settled_late():
                    # What the call wrote is lost, and its agent is back before it is answered.
                    await settled()
                    await asyncio.to_thread(hosted.open)

                running.settlements.settled = settled_late
                body = {"context": CONTEXT}
                answer = await client.post("/v1/agents/router/decide", json=body)
                assert answer.status_code == 503
                assert "opened again" in answer.json()["detail"]

        asyncio.run(whole())


@pytest.mark.long
def test_a_service_keeps_its_agents_open_by_itself(tmp_path, monkeypatch):
    monkeypatch.setattr("mobandits_service.runtime.RETRY_SECONDS", 0.01)
    monkeypatch.setattr("mobandits_service.runtime.play_a_round", lambda *_: None)
    running = ServiceRuntime(specification(**TWO), SharedFile(tmp_path / "log"))

    async def whole():
        keeping = asyncio.create_task(running.keep_ready())
        await until(running.agents.all_ready)
        hosted = running.agents.named("router")
        before = hosted.generation
        hosted.status = "failed: for once"
        await until(running.agents.all_ready)
        assert hosted.generation == before + 1
        keeping.cancel()

    asyncio.run(whole())
    running.stop()


def test_snapshots_are_read_without_the_lock_of_the_file(tmp_path):
    """While an agent is made of a large one, the others of the file go on."""
    agent: Agent = specification().agents["router"].agent()
    with SharedFile(tmp_path / "log", "system") as file, Store(file) as store:
        store.describe({"arms": ["small", "large"], "objectives": ["quality"]})
        store.snapshot(agent.to_bytes())
        snapshots = store.snapshots()
        next(snapshots)
        taken = []
        thread = threading.Thread(target=lambda: taken.append(file.agent_names()))
        thread.start()
        thread.join(PATIENCE)
        assert taken == [["agent"]]
        snapshots.close()
