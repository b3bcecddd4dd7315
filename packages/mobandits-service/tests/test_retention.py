"""Decisions older than `keep_days` leave the store of a service that runs."""

import asyncio
import time

import msgspec
import pytest
from services import CONTEXT, ask, served, specification

from mobandits.errors import SpecError
from mobandits.logs import read
from mobandits.logs.address import Address
from mobandits_service import exporting, retention
from mobandits_service.retention import DAY, check_retention, day_of
from mobandits_service.specification import read_specification

AGENT = "/v1/agents/router"
REWARDS = {"quality": 0.5, "cost": 0.25}
KEPT_DAYS = 30.0


@pytest.fixture
def in_this_process(monkeypatch):
    """The job is done here: a process takes seconds to start, and does the same."""

    async def run(job):
        return await asyncio.to_thread(exporting.perform, job)

    monkeypatch.setattr(retention, "run_job", run)


def with_retention(**more):
    return msgspec.structs.replace(specification(), keep_days=KEPT_DAYS, **more)


OLD = (KEPT_DAYS + 2.0) * DAY  # seconds


def old_decisions(running, count, *, rewarded=True):
    """Decisions that were made long ago, in the service's agent."""
    agent = running.agents.named("router").agent
    numbers = []
    made_at = time.time() - OLD
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent.core, "clock", lambda: made_at)
        for _ in range(count):
            decision = agent.decide(CONTEXT)
            numbers.append(decision.id)
            if rewarded:
                agent.learn(decision.id, REWARDS)
    return numbers


async def snapshot(running):
    """A snapshot that is on disk."""
    await running.snapshots.take(running.agents.named("router"))
    await asyncio.to_thread(running.file.committer.flush)


async def decide(client):
    answer = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
    return int(answer.json()["decision"])


async def shown(client):
    """The numbers of the decisions that there are, sorted."""
    answer = await client.get(f"{AGENT}/decisions")
    numbers = [int(each["decision"]) for each in answer.json()["decisions"]]
    return sorted(numbers)


@pytest.mark.long
@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("is_archived", [False, True])
def test_what_is_old_and_settled_leaves(tmp_path, monkeypatch, is_archived):
    path = tmp_path / "log"
    folder = tmp_path / "archives"
    spec = with_retention(archives=str(folder) if is_archived else None)

    async def talk(client, running):
        old = old_decisions(running, 5)
        waiting = old_decisions(running, 2, rewarded=False)
        await snapshot(running)
        new = await decide(client)
        await running.retention.delete_old()
        await running.retention.delete_old()  # once a day is enough
        assert await shown(client) == [*waiting, new]
        gone = await client.get(f"{AGENT}/decisions/{old[0]}")
        assert gone.status_code == 404
        # A reward that was waited for is learned, as if nothing had happened.
        late = await client.post(f"{AGENT}/decisions/{waiting[0]}/rewards", json=REWARDS)
        assert late.status_code == 200
        return old, day_of(time.time() - KEPT_DAYS * DAY)

    old, day = ask(path, talk, spec)
    if is_archived:
        archive = folder / f"router-before-{day}.parquet"
        assert read(archive).ids.tolist() == old
        assert folder.stat().st_mode & 0o077 == 0
        assert archive.stat().st_mode & 0o077 == 0
    else:
        assert not folder.exists()

    # The store opens from its snapshot, and goes on.
    with served(path, spec) as running:
        assert running.agents.named("router").is_ready


@pytest.mark.usefixtures("in_this_process")
def test_what_is_new_or_unknown_to_a_snapshot_stays(tmp_path, caplog):
    folder = tmp_path / "archives"

    async def talk(client, running):
        new = await decide(client)
        await snapshot(running)
        await running.retention.delete_old()
        assert await shown(client) == [new]
        assert list(folder.iterdir()) == []

    ask(tmp_path / "log", talk, with_retention(archives=str(folder)))

    async def before_a_snapshot(client, running):
        old = old_decisions(running, 3)
        # The store could not be opened without them.
        await running.retention.delete_old()
        assert await shown(client) == old
        assert "old decisions of agent router are not deleted" in caplog.text
        await snapshot(running)
        await running.retention.delete_old()
        assert await shown(client) == []

    ask(tmp_path / "other", before_a_snapshot, with_retention())


@pytest.mark.long
def test_a_process_does_it_while_others_decide(tmp_path):
    async def talk(client, running):
        old_decisions(running, 5)
        await snapshot(running)
        deleting = asyncio.create_task(running.retention.delete_old())
        made = []
        while not deleting.done():
            made.append(await decide(client))
            await asyncio.sleep(0.05)
        assert len(made) > 3
        left = await shown(client)
        assert left == made[: len(left)]

    ask(tmp_path / "log", talk, with_retention())


def test_a_service_without_it_deletes_nothing(tmp_path):
    async def talk(_, running):
        await asyncio.wait_for(running.retention.keep_deleting(), 1.0)

    ask(tmp_path / "log", talk)


FILE = """
{lines}
[agents.router]
policy = "mol-ucb"
arms = ["small", "large"]
objectives = ["quality"]
features = 1
"""


def test_the_file_says_it(tmp_path):
    file = tmp_path / "router.toml"
    file.write_text(FILE.format(lines='keep_days = 90\narchives = "old"'))
    found = read_specification(file)
    assert found.keep_days == 90.0
    assert found.archives == str(tmp_path.resolve() / "old")
    for lines, rule in [
        ("keep_days = 0.5", "keep_days"),
        ('archives = "old"', "archives must be given with keep_days"),
    ]:
        file.write_text(FILE.format(lines=lines))
        with pytest.raises(SpecError, match=rule):
            read_specification(file)
    with pytest.raises(SpecError, match="is a database"):
        check_retention(found, Address("postgresql://localhost/bandits"))
