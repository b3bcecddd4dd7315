"""Snapshots that a service takes while its agents go on."""

import asyncio
import threading
import time

import msgspec
import pytest
from services import CONTEXT, PATIENCE, ROUTER, client_of, served, specification

from mobandits.agent import Agent, saving
from mobandits.logs.store import SharedFile, Store
from mobandits_service import snapshots
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.problems import Problem
from mobandits_service.specification import ServiceSpecification


def test_an_agent_has_a_snapshot_after_so_many_events(tmp_path):
    async def play():
        with served(tmp_path / "a.db") as running:
            hosted = running.agents.named("router")
            taking = snapshots.Snapshots(running.agents, every=6)
            async with client_of(running) as client:
                for _ in range(5):
                    await client.post("/v1/agents/router/decide", json={"context": CONTEXT})
                assert not taking.is_due(hosted)

                await client.post("/v1/agents/router/decide", json={"context": CONTEXT})
                assert taking.is_due(hosted)
                await taking.take_due()
                await running.settlements.settled()

            assert not taking.is_due(hosted)
            newest = hosted._store.latest_snapshot()
            assert newest.seq == 6
            assert newest.state == hosted.agent.to_bytes()

    asyncio.run(play())


def test_few_events_have_a_snapshot_after_some_time(tmp_path, monkeypatch):
    async def play():
        with served(tmp_path / "a.db") as running:
            hosted = running.agents.named("router")
            taking = snapshots.Snapshots(running.agents, every=10_000)
            hosted.agent.decide(CONTEXT)
            assert not taking.is_due(hosted)

            now = time.monotonic()
            monkeypatch.setattr(
                snapshots.time, "monotonic", lambda: now + snapshots.LONGEST_SECONDS + 1.0
            )
            assert taking.is_due(hosted)
            await taking.take_due()
            assert not taking.is_due(hosted)

    asyncio.run(play())


def test_a_state_that_was_copied_is_written_as_it_was(tmp_path):
    """What the agent does before its state is encoded is replayed, and not in the snapshot."""
    path = tmp_path / "a.db"
    with served(path) as running:
        core = running.agents.named("router").agent.core
        agent = running.agents.named("router").agent
        numbers = [agent.decide(CONTEXT).id for _ in range(20)]
        agent.learn(numbers[0], {"quality": 0.5})
        agent.learn(numbers[1], {"quality": 0.5, "cost": 0.25})
        before = agent.to_bytes()
        copied = core.writer.copy_for_snapshot(core)
        for number in numbers[2:9]:
            agent.learn(number, {"quality": 1.0, "cost": 0.5})
        agent.decide(CONTEXT)
        after = agent.to_bytes()
        core.writer.keep_snapshot(copied)
        running.file.committer.flush()
        newest = core.writer.store.latest_snapshot()
        assert newest.state == before
        assert newest.seq == copied.header.logged == 22
        core.writer.store.close()  # without the snapshot that closing the agent takes
        running.agents.named("router")._agent = None

    with served(path) as running:
        assert running.agents.named("router").agent.to_bytes() == after


def test_a_snapshot_that_fails_is_only_a_warning(tmp_path, monkeypatch, caplog):
    async def play():
        with served(tmp_path / "a.db") as running:
            hosted = running.agents.named("router")
            taking = snapshots.Snapshots(running.agents, every=1)
            hosted.agent.decide(CONTEXT)

            def refuse(*_):
                raise OSError("no room")

            with monkeypatch.context() as patched:
                patched.setattr(hosted.agent.core.writer.store, "snapshot", refuse)
                await taking.take_due()
            assert "agent router has no new snapshot: no room" in caplog.text

            await taking.take_due()
            await running.settlements.settled()
            assert hosted._store.latest_snapshot().seq == 1

    asyncio.run(play())


def test_agents_of_a_service_leave_snapshots_to_it(tmp_path):
    """An agent of its own takes them in the call after which they are due, and holds the loop."""
    spec = specification().agents["router"]
    with SharedFile(tmp_path / "a.db", "system") as file:
        hosted = HostedAgent("router", spec, file)
        hosted.open()
        writer = hosted.agent.core.writer
        for _ in range(30):
            hosted.agent.decide(CONTEXT)
        assert writer._next_snapshot > 2**60
        assert writer.events_since_snapshot() == 30
        hosted.close()
        with Store(file, agent="router") as store:
            assert store.latest_snapshot().seq == 30


@pytest.mark.parametrize("value", [0, -1, "often"])
def test_a_number_of_events_is_asked_for(value):
    content = {"agents": {"router": ROUTER}, "snapshot_every": value}
    with pytest.raises(msgspec.ValidationError, match="snapshot_every"):
        msgspec.convert(content, ServiceSpecification)


def test_more_decisions_than_one_slice_are_written(monkeypatch):
    monkeypatch.setattr(saving, "SLICE", 7)
    agent = specification().agents["router"].agent()
    numbers = [agent.decide(CONTEXT).id for _ in range(50)]
    agent.learn(numbers[3], {"quality": 0.5})
    for number in numbers[10:30]:
        agent.learn(number, [0.5, 0.25])

    data = agent.to_bytes()
    monkeypatch.setattr(saving, "SLICE", 1000)
    assert agent.to_bytes() == data
    again = Agent.from_bytes(data)
    assert again.to_bytes() == data
    assert again.waiting == 30


def test_a_call_in_another_thread_is_no_interrupted_one(tmp_path):
    """A preference is set in a thread: calls that are answered meanwhile look at the same store."""
    with served(tmp_path / "a.db") as running:
        hosted = running.agents.named("router")
        writer = hosted._store._writer
        is_writing = threading.Event()
        may_go_on = threading.Event()
        write = writer.write

        def slow_write(*call):
            is_writing.set()
            may_go_on.wait(PATIENCE)
            write(*call)

        writer.write = slow_write
        deciding = threading.Thread(target=hosted.agent.decide, args=(CONTEXT,))
        deciding.start()
        assert is_writing.wait(PATIENCE)
        checking = threading.Thread(target=lambda: found.append(checked(hosted)))
        found = []
        checking.start()
        checking.join(0.1)
        may_go_on.set()
        for thread in (checking, deciding):
            thread.join(PATIENCE)
        assert found == [None]
        assert hosted.is_ready


def checked(hosted):
    """Why calls of an agent cannot be answered; None where they can."""
    try:
        return hosted.check_saved()
    except Problem as problem:
        return problem.detail
