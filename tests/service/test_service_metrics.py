"""Metrics that are found when somebody asks, or where calls are committed."""

import math
import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from services import CONTEXT, ask

from mobandits.service.recent_arms import RECENT, RecentArms

AGENT = "/v1/agents/router"


async def metrics_of(client):
    """{name with labels: number}."""
    text = (await client.get("/metrics")).text
    pairs = [line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#"]
    return {name: float(number) for name, number in pairs}


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
        running.file.flush()
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


def test_an_observer_that_fails_does_not_end_the_commits(tmp_path):
    async def talk(client, running):
        def fail(calls, seconds):
            raise RuntimeError("no")

        running.file.observe_commits(fail)
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
