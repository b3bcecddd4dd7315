"""Decisions that somebody else made: learned from, and compared with what the agent would do."""

import asyncio

import numpy as np
import pytest
from services import CONTEXT, ask, specification

from mobandits.agent import Agent
from mobandits_service.calls.requests import MOST_ITEMS, TURN

AGENT = "/v1/agents/router"
LIST = f"{AGENT}/decisions"
REWARDS = {"quality": 0.5, "cost": 0.25}


def test_an_item_that_is_refused_keeps_no_other_from_counting(tmp_path):
    twin = specification().agents["router"].agent()

    async def talk(client, running):
        observed = [
            {"context": CONTEXT, "arm": "large", "propensity": 0.5, "rewards": REWARDS},
            {"context": CONTEXT, "arm": "huge"},
            {"context": CONTEXT, "arm": "small", "key": "seen"},
            {"context": [1.0], "arm": "small"},
            {"context": CONTEXT, "arm": "small", "propensity": 2.0},
            {"context": CONTEXT, "arm": "small", "key": "seen"},
            {"context": CONTEXT, "arm": "large", "key": "seen"},
        ]
        outcomes = (await client.post(LIST, json=observed)).json()
        adopted = [each["adopted"] for each in outcomes]
        assert [each is None for each in adopted] == [False, True, False, True, True, False, True]
        assert [each["decision"] for each in adopted if each] == ["0", "1", "1"]
        assert [each["replayed"] for each in adopted if each] == [False, False, True]
        for each in outcomes:
            if each["refused"] is not None:
                assert each["refused"]["status"] == 422
                assert "must" in each["refused"]["detail"]

        twin.adopt(CONTEXT, "large", propensity=0.5, rewards=REWARDS)
        twin.adopt(CONTEXT, "small")
        expected = twin.decide(CONTEXT)
        decided = (await client.post(f"{AGENT}/decide", json={"context": CONTEXT})).json()
        assert (decided["arm"], decided["propensity"]) == (expected.arm, expected.propensity)
        found = (await client.get(f"{LIST}/0")).json()
        assert found["made_by"] == "observed"
        assert found["rewards"] == REWARDS

    ask(tmp_path / "log", talk)


@pytest.mark.long
def test_the_answer_says_what_the_agent_would_have_done(tmp_path):
    rng = np.random.default_rng(3)

    async def talk(client, running):
        agent = running.agents.named("router").agent
        for number in range(30):
            context = rng.random(3).tolist()
            before = agent.to_bytes()
            arm = ["small", "large"][rng.integers(2)]
            rewards = {"quality": rng.random(), "cost": rng.random()}
            body = {"context": context, "arm": arm, "rewards": rewards, "key": str(number)}
            (outcome,) = (await client.post(LIST, json=[body])).json()
            found = outcome["adopted"]
            # The slow way: a copy of the agent decides, and says how probable its arm was.
            made = Agent.from_bytes(before).decide(context)
            expected = made.propensity if made.arm == arm else 1.0 - made.propensity
            assert abs(found["own_propensity"] - expected) < 1e-12
            likeliest = arm if expected >= 0.5 else ({"small", "large"} - {arm}).pop()
            if expected != 0.5:
                assert found["own_arm"] == likeliest

            (again,) = (await client.post(LIST, json=[body])).json()
            assert again["adopted"] == {**found, "replayed": True}
        return found, body

    found, body = ask(tmp_path / "log", talk)

    async def later(client, running):
        (again,) = (await client.post(LIST, json=[body])).json()
        assert again["adopted"] == {**found, "replayed": True}

    ask(tmp_path / "log", later)


@pytest.mark.long
def test_others_have_their_turns_during_a_long_list(tmp_path):
    async def talk(client, running):
        item = {"context": CONTEXT, "arm": "large", "rewards": REWARDS}
        long = asyncio.create_task(client.post(LIST, json=[item] * MOST_ITEMS))
        asked = asyncio.create_task(client.post(f"{AGENT}/decide", json={"context": CONTEXT}))
        pending = running.agents.named("router").agent.core.pending
        made = [pending.made]
        while not long.done():
            await asyncio.sleep(0.0)
            made.append(pending.made)
        # This loop has its turn after every few items, and so has every other call.
        assert TURN <= max(np.diff(made)) <= TURN + 1
        outcomes = (await long).json()
        numbers = [int(each["adopted"]["decision"]) for each in outcomes]
        decided = int((await asked).json()["decision"])
        assert numbers[0] < decided < numbers[-1]
        assert numbers == sorted(numbers)
        assert len(set(numbers)) == MOST_ITEMS
        refused = await client.post(LIST, json=[item] * (MOST_ITEMS + 1))
        assert refused.status_code == 422

    ask(tmp_path / "log", talk)
