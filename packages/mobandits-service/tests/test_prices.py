"""Announced prices: what an arm costs changes by a call, which may be repeated."""

import asyncio
import threading

import pytest
from services import CONTEXT, PATIENCE, ROUTER, ask, served, specification

AGENT = "/v1/agents/router"
LEARNER = {"name": "mol-eps-greedy", "epsilon": 0.0, "penalty": 10.0, "intercept": 30.0}
PACED = {"name": "paced", "recipe": LEARNER, "budgets": {"cost": 0.3}}
BILLS = {"small": 0.1, "large": 2.0}


def paced():
    return specification(router={**ROUTER, "policy": PACED})


async def some_rounds(client):
    for turn in range(40):
        arm = ["small", "large"][turn % 2]
        body = {"context": CONTEXT, "eligible": [arm]}
        answer = await client.post(f"{AGENT}/decide", json=body)
        rewards = {"quality": 0.5, "cost": BILLS[arm]}
        number = answer.json()["decision"]
        await client.post(f"{AGENT}/decisions/{number}/rewards", json=rewards)


def factors(answer):
    assert answer.status_code == 200, answer.text
    return {each["arm"]: each["factor"] for each in answer.json()["prices"]}


async def believed(client):
    """{arm: the cost that the agent believes in}."""
    made = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
    number = made.json()["decision"]
    explained = await client.get(f"{AGENT}/decisions/{number}/explanation")
    estimates = explained.json()["estimates"]
    return {each["arm"]: each["estimate"] for each in estimates if each["objective"] == "cost"}


@pytest.mark.long
def test_a_price_holds_at_once_and_is_there_after_a_restart(tmp_path):
    async def talk(client, running):
        await some_rounds(client)
        before = await believed(client)
        told = await client.put(f"{AGENT}/prices/large", json={"factor": 0.25})
        assert factors(told) == {"small": 1.0, "large": 0.25}
        events = running.agents.named("router").agent.core.writer.store.last_changes(["reprice"])
        again = [
            client.put(f"{AGENT}/prices/large", json={"factor": 0.25, "objective": "cost"})
            for _ in range(3)
        ]
        for answer in await asyncio.gather(*again):
            assert factors(answer) == {"small": 1.0, "large": 0.25}
        store = running.agents.named("router").agent.core.writer.store
        assert store.last_changes(["reprice"]) == events
        after = await believed(client)
        assert after["small"] == before["small"]
        assert after["large"] == pytest.approx(before["large"] / 4.0)
        up = await client.put(f"{AGENT}/prices/large", json={"factor": 3.0})
        assert factors(up)["large"] == pytest.approx(3.0)
        assert (await believed(client))["large"] == pytest.approx(before["large"] * 3.0)

    ask(tmp_path / "log", talk, paced())

    async def later(client, running):
        assert factors(await client.get(f"{AGENT}/prices"))["large"] == pytest.approx(3.0)

    ask(tmp_path / "log", later, paced())


def test_what_does_not_fit_is_told(tmp_path):
    async def talk(client, running):
        for arm, body, status in [
            ("medium", {"factor": 0.5}, 404),
            ("large", {"factor": 0.0}, 422),
            ("large", {"factor": -1.0}, 422),
            ("large", {"factor": 1e10}, 422),
            ("large", {"factor": 0.5, "objective": "quality"}, 422),
            ("large", {"factor": 0.5, "objective": "speed"}, 422),
            ("large", {}, 422),
        ]:
            answer = await client.put(f"{AGENT}/prices/{arm}", json=body)
            assert answer.status_code == status, answer.text
        assert factors(await client.get(f"{AGENT}/prices")) == {"small": 1.0, "large": 1.0}

    ask(tmp_path / "log", talk, paced())

    async def without_prices(client, running):
        for answer in (
            await client.get(f"{AGENT}/prices"),
            await client.put(f"{AGENT}/prices/large", json={"factor": 0.5}),
        ):
            assert answer.status_code == 422
            assert "such as Paced" in answer.json()["detail"]

    ask(tmp_path / "other", without_prices)


def test_others_decide_while_the_log_is_looked_at(tmp_path, monkeypatch):
    with served(tmp_path / "log", paced()) as running:
        agent = running.agents.named("router").agent

        def looking(core):
            other = threading.Thread(target=lambda: made.append(agent.decide(CONTEXT)))
            other.start()
            other.join(PATIENCE)

        made = []
        agent.adopt(CONTEXT, "small", rewards={"quality": 0.5, "cost": 0.1})
        monkeypatch.setattr("mobandits.agent.repricing.log_at_hand", looking)
        agent.reprice("large", 0.5)
        assert len(made) == 1
