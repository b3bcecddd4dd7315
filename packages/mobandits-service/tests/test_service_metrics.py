"""Metrics that are found when somebody asks, or where calls are committed."""

import asyncio
import math
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from services import CONTEXT, PATIENCE, ask

from mobandits_service.recent_arms import RECENT, RecentArms
from mobandits_service.stalls import BEAT, Moment, cause_of

AGENT = "/v1/agents/router"


async def metrics_of(client):
    """{name with labels: number}."""
    text = (await client.get("/metrics")).text
    pairs = [line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#"]
    return {name: float(number) for name, number in pairs}


@pytest.mark.long
@given(
    arms=st.lists(st.sampled_from("abcd"), max_size=20),
    many=st.sampled_from([1, 2, RECENT]),
)
def test_entropy_is_that_of_the_last_decisions(arms, many):
    recent = RecentArms()
    for arm in arms * many:
        recent.add(arm)
    last = (arms * many)[-RECENT:]
    shares = np.array([last.count(arm) / len(last) for arm in set(last)])
    assert math.isclose(recent.entropy(), -sum(shares * np.log2(shares)), abs_tol=1e-12)


def test_commits_entropy_and_the_age_of_snapshots(tmp_path):
    async def talk(client, running):
        hosted = running.agents.named("router")
        name = 'mobandits_snapshot_age_seconds{agent="router"}'
        assert name not in await metrics_of(client)
        arms = []
        for _ in range(12):
            body = {"context": CONTEXT}
            arms.append((await client.post(f"{AGENT}/decide", json=body)).json()["arm"])
        hosted.agent.checkpoint()
        running.file.committer.flush()
        found = await metrics_of(client)
        assert 0.0 <= found[name] < 120.0
        recent = RecentArms()
        for arm in arms:
            recent.add(arm)
        assert found['mobandits_arms_entropy{agent="router"}'] == recent.entropy()
        commits = found["mobandits_commit_seconds_count"]
        assert commits == found["mobandits_commit_calls_count"]
        assert commits >= 12
        # Every decision, the snapshot, and nothing twice.
        assert found["mobandits_commit_calls_sum"] >= 13
        assert found["mobandits_commit_seconds_sum"] > 0.0

    ask(tmp_path / "log", talk)


def stalls_of(found, what):
    return sum(
        number
        for name, number in found.items()
        if name.startswith("mobandits_stalls_total") and f'what="{what}"' in name
    )


def test_a_loop_that_is_held_is_counted_and_its_stacks_are_logged(tmp_path, caplog):
    async def talk(client, running):
        watch = asyncio.create_task(running.stalls.keep_beating())
        await asyncio.sleep(2 * BEAT)
        hold_the_loop(1.0)
        found = {}
        while stalls_of(found, "loop") == 0.0:
            await asyncio.sleep(BEAT)
            found = await metrics_of(client)
        assert found["mobandits_loop_lag_seconds_count"] > 0.0
        assert found["mobandits_loop_lag_seconds_sum"] > 0.5
        watch.cancel()

    def hold_the_loop(seconds):
        time.sleep(seconds)

    with caplog.at_level("WARNING", "mobandits.service"):
        ask(tmp_path / "log", talk)
    told = [record.getMessage() for record in caplog.records]
    stacks = next(text for text in told if text.startswith("the loop stands still"))
    assert "hold_the_loop" in stacks
    assert "mobandits-commits:" in stacks
    assert any(text.startswith("the loop stood still for") for text in told)


def test_a_commit_that_is_held_is_counted(tmp_path):
    held = threading.Event()

    def hold(calls, seconds):
        held.wait(PATIENCE)

    async def talk(client, running):
        watch = asyncio.create_task(running.stalls.keep_beating())
        running.file.committer.observer = hold
        call = client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        decided = asyncio.create_task(call)
        await asyncio.sleep(1.0)
        held.set()
        found = {}
        while stalls_of(found, "commit") == 0.0:
            await asyncio.sleep(BEAT)
            found = await metrics_of(client)
        assert (await decided).status_code == 200
        watch.cancel()

    ask(tmp_path / "log", talk)


def moments(seconds, processor, late):
    return Moment(5.0, 1.0, 0.5), Moment(5.0 + seconds, 1.0 + processor, 0.5 + late)


@pytest.mark.parametrize(
    ("processor", "late", "cause"),
    [(0.9, 0.9, "program"), (0.1, 0.1, "program"), (0.1, 0.9, "machine")],
)
def test_the_machine_is_blamed_where_it_kept_the_watch_waiting_too(processor, late, cause):
    assert cause_of(*moments(1.0, processor, late)) == cause


def test_an_observer_that_fails_does_not_end_the_commits(tmp_path):
    async def talk(client, running):
        def fail(calls, seconds):
            raise RuntimeError("no")

        running.file.committer.observer = fail
        for _ in range(2):
            answer = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
            assert answer.status_code == 200

    ask(tmp_path / "log", talk)


def test_a_clock_that_was_ahead_is_counted(tmp_path):
    async def talk(client, running):
        ahead = 'mobandits_clock_ahead_seconds{agent="router"}'
        times = 'mobandits_clock_ahead_total{agent="router"}'
        found = await metrics_of(client)
        assert (found[ahead], found[times]) == (0.0, 0.0)
        core = running.agents.named("router").agent.core
        core.now = time.time() + 10_000.0
        for _ in range(2):
            await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        found = await metrics_of(client)
        assert 9_000.0 < found[ahead] <= 10_000.0
        assert found[times] == 1.0

    ask(tmp_path / "log", talk)
