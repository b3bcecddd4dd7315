"""Evaluations of what else could have been played, in a child process."""

import asyncio
import signal
import time
from pathlib import Path
from typing import get_args

import httpx
import msgspec
import numpy as np
import pytest
from service_checks import wait_for
from services import PATIENCE, ROUTER, Served, client_of, served, specification

from mobandits.errors import InputWarning, LogError
from mobandits.evaluation import ConstantTarget, compare, looks_on
from mobandits.evaluation.dominance import Decision
from mobandits.logs import read
from mobandits.orders import Lexicographic
from mobandits.policies import MolUcb, WithFloor
from mobandits_client.messages import AnyTimeDecision, EvaluationWanted
from mobandits_service import evaluations as room
from mobandits_service.dashboard.evaluation_pages import IN_SHORT, VERDICTS
from mobandits_service.evaluating import evaluated
from mobandits_service.evaluation_tasks import EvaluationTask

AGENT = "/v1/agents/router"
EVALUATIONS = f"{AGENT}/evaluations"


def play(agent, rounds):
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        decision = agent.decide(rng.random(3))
        large = decision.arm == "large"
        quality = 0.4 + 0.4 * large + 0.05 * rng.standard_normal()
        agent.learn(decision.id, {"quality": quality, "cost": 0.9 * large + 0.01})


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("evaluations") / "log.db"
    with served(path) as running:
        agent = running.agents.named("router").agent
        play(agent, 200)
        # Of these the log does not know how they were chosen.
        for _ in range(3):
            agent.adopt([0.5, 0.5, 0.5], "small", rewards={"quality": 0.4, "cost": 0.01})
    return path


def task(store, **wanted):
    spec = specification().agents["router"]
    return EvaluationTask(str(store), "router", spec, EvaluationWanted(**wanted))


def test_an_arm_is_worth_what_the_library_says(store):
    result = evaluated(task(store, arm="large"))
    log = read(store, agent="router")
    log = log[~np.isnan(log.propensities)]
    twin = compare(log, {"asked": ConstantTarget("large")}, ["snips", "ips", "dr"], progress=False)
    assert result.rounds == 200
    assert any("3 decisions without a propensity" in note for note in result.notes)
    signs = {"quality": 1.0, "cost": -1.0}
    for each in result.values:
        if each.target == "asked":
            place = result.objectives.index(each.objective)
            expected = signs[each.objective] * twin["asked", each.estimator].value[place]
            assert each.value == pytest.approx(expected, rel=1e-9)
            assert each.low <= each.value <= each.high
    cost = [each for each in result.values if each.target == "asked" and each.objective == "cost"]
    # In dollars, of which less is better: not negated.
    found = [each.value for each in cost if each.estimator != "ips"]
    assert found == pytest.approx([0.91, 0.91], abs=0.02)
    assert result.diagnostics.effective_rounds <= 200
    (asked, played) = result.regions
    assert (asked.target, played.target) == ("asked", "played")
    assert np.linalg.eigvalsh(np.array(played.covariance)).min() >= -1e-12
    assert result.is_reliable == (not result.warnings)
    assert msgspec.json.decode(msgspec.json.encode(result))["shown"] in {"dr", "snips", "ips"}
    # Which needs ranges.
    assert result.any_time is None


RANGED = ROUTER | {
    "objectives": [
        {"name": "quality", "low": -1.0, "high": 2.0},
        {"name": "cost", "minimise": True, "low": 0.0, "high": 1.0},
    ]
}


def test_objectives_with_ranges_allow_a_decision_at_any_time(tmp_path):
    path = tmp_path / "log.db"
    spec = specification(router=RANGED)
    wanted = EvaluationTask(
        str(path), "router", spec.agents["router"], EvaluationWanted(arm="large")
    )
    with served(path, spec) as running:
        agent = running.agents.named("router").agent
        play(agent, 150)
        # An evaluation reads the file, which the committer writes a moment later.
        running.file.committer.flush()
        result = evaluated(wanted)
        look = looks_on(read(path, agent="router"), {"asked": ConstantTarget("large")})["asked"]
        expected = AnyTimeDecision(look.decision, look.reason, 86, look.decided_after)
        assert result.any_time == expected

        with pytest.warns(InputWarning, match="cost"):
            agent.learn(agent.decide([0.5, 0.5, 0.5]).id, {"quality": 0.4, "cost": 90.0})
        running.file.committer.flush()
        result = evaluated(wanted)
        assert result.any_time is None
        (note,) = [each for each in result.notes if "no decision at any time" in each]
        assert "rewards of 'cost' must be within" in note


@pytest.mark.long
def test_a_preference_and_a_policy_are_learned_from_the_log(store):
    first = evaluated(task(store, preference={"name": "lexicographic"}, estimators=["dr"]))
    same = {"name": "mol-ucb", "scale": 0.3, "order": {"name": "lexicographic"}}
    floor = {"name": "with-floor", "recipe": same, "epsilon": 0.1}
    second = evaluated(task(store, policy=floor, estimators=["dr"]))
    # The agent's own policy with the preference is that policy.
    assert first.values == second.values
    log = read(store, agent="router")
    log = log[~np.isnan(log.propensities)]
    recipe = WithFloor(MolUcb(scale=0.3, order=Lexicographic()), 0.1)
    found = compare(log, {"asked": recipe}, "dr", progress=False)
    by_objective = {row["objective"]: row["value"] for row in found.table().to_dicts()}
    for each in first.values:
        if each.target == "asked":
            assert each.value == by_objective[each.objective]
    assert {each.estimator for each in first.values} == {"dr"}
    with pytest.raises(LogError, match="nobody"):
        evaluated(
            EvaluationTask(
                str(store),
                "nobody",
                specification().agents["router"],
                EvaluationWanted(arm="large"),
            )
        )


async def ended(client, number):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = (await client.get(f"{EVALUATIONS}/{number}")).json()
        if found["state"] in {"done", "failed"}:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(found)


@pytest.mark.long
def test_a_job_waits_runs_in_a_child_and_is_kept(tmp_path, capfd):
    async def talk(client, running):
        play(running.agents.named("router").agent, 60)
        asked = await client.post(EVALUATIONS, json={"arm": "large", "estimators": ["snips"]})
        assert asked.status_code == 202
        assert asked.json()["state"] in {"waiting", "running"}
        found = await ended(client, asked.json()["id"])
        assert found["state"] == "done", found
        assert found["result"]["rounds"] == 60
        assert found["wanted"]["arm"] == "large"
        listed = (await client.get(EVALUATIONS)).json()["evaluations"]
        assert listed == [found]
        return found

    async def later(client, running):
        await running.evaluations.resume()
        assert (await client.get(EVALUATIONS)).json()["evaluations"] == [found]
        assert (await client.get(f"{EVALUATIONS}/0000")).status_code == 404

    found = whole(tmp_path, talk)
    whole(tmp_path, later)
    # The child has ended by itself, and not been aborted by its interpreter.
    assert capfd.readouterr().err == ""


def whole(folder, talk):
    with served(folder / "log") as running:

        async def all_of_it():
            async with client_of(running) as client:
                return await talk(client, running)

        return asyncio.run(all_of_it())


@pytest.mark.long
@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"arm": "large", "policy": "mol-ucb"},
        {"arm": "huge"},
        {"policy": "mol-ubc"},
        {"preference": "lexicographical"},
        {"preference": {"name": "weighted", "weights": [1.0, 1.0, 1.0]}},
        {"arm": "large", "estimators": []},
        {"arm": "large", "estimators": ["magic"]},
        {"arm": "large", "prt": 1},
    ],
)
def test_what_cannot_be_evaluated_is_refused_at_once(tmp_path, wanted):
    async def talk(client, running):
        refused = await client.post(EVALUATIONS, json=wanted)
        assert refused.status_code == 422, refused.text
        assert (await client.get(EVALUATIONS)).json() == {"evaluations": []}

    whole(tmp_path, talk)


def test_one_runs_at_a_time_a_hundred_wait_and_a_restart_goes_on(tmp_path, monkeypatch):
    at_once = []
    seen = []

    async def slow(_, task):
        at_once.append(task)
        seen.append(len(at_once))
        try:
            await asyncio.sleep(3600.0)
        finally:
            at_once.pop()

    monkeypatch.setattr(room, "child_answer", slow)
    monkeypatch.setattr(room, "MOST_WAITING", 3)

    async def talk(client, running):
        numbers = []
        for _ in range(4):
            answer = await client.post(EVALUATIONS, json={"arm": "large"})
            assert answer.status_code == 202
            numbers.append(answer.json()["id"])
            await asyncio.sleep(0.05)
        refused = await client.post(EVALUATIONS, json={"arm": "large"})
        assert refused.status_code == 429
        assert refused.headers["retry-after"]
        states = [
            (await client.get(f"{EVALUATIONS}/{number}")).json()["state"] for number in numbers
        ]
        assert states == ["running", "waiting", "waiting", "waiting"]
        assert seen == [1]
        return numbers

    numbers = whole(tmp_path, talk)

    async def quick(_, task):
        number = task.wanted.arm
        return msgspec.json.encode({"error": f"nothing of {number}"})

    monkeypatch.setattr(room, "child_answer", quick)

    async def later(client, running):
        await running.evaluations.resume()
        found = [await ended(client, number) for number in numbers]
        assert [each["error"] for each in found] == [room.LOST, *["nothing of large"] * 3]

    whole(tmp_path, later)


def test_a_child_that_dies_or_takes_too_long_is_a_failure(tmp_path, monkeypatch):
    async def talk(client, running):
        for answer, words in ((dead, "without a result"), (endless, "longer than")):
            monkeypatch.setattr(room, "child_answer", answer)
            asked = await client.post(EVALUATIONS, json={"arm": "large"})
            found = await ended(client, asked.json()["id"])
            assert found["state"] == "failed"
            assert words in found["error"]

    async def dead(*_):
        return b""

    async def endless(*_):
        await asyncio.sleep(3600.0)

    monkeypatch.setattr(room, "LONGEST", 0.2)
    whole(tmp_path, talk)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_child_ends_with_the_service(tmp_path, number):
    with Served(tmp_path) as service:
        with httpx.Client(base_url=service.url, timeout=PATIENCE) as client:
            # Asked before there is anything to read: the child is still starting when it is ended.
            asked = client.post(EVALUATIONS, json={"arm": "large"}).json()
            children = wait_for(lambda: children_of(service.process.pid))
        service.end(number)
        wait_for(lambda: not any(map(is_alive, children)))
        service.start()
        with httpx.Client(base_url=service.url, timeout=PATIENCE) as client:
            found = wait_for(
                lambda: (
                    (each := client.get(f"{EVALUATIONS}/{asked['id']}").json())["state"] == "failed"
                    and each
                )
            )
            assert found["error"]


def children_of(parent):
    """The processes that evaluate, of a process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_child = f"\nPPid:\t{parent}\n" in (folder / "status").read_text()
            evaluates = "mobandits_service.evaluating" in (folder / "cmdline").read_text()
        except OSError:
            continue
        if is_child and evaluates:
            found.append(int(folder.name))
    return found


def is_alive(process):
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_every_verdict_has_words_on_the_pages():
    verdicts = set(get_args(Decision))
    assert set(VERDICTS) == verdicts
    assert set(IN_SHORT) == verdicts
