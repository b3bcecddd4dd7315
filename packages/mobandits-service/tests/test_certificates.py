"""The certificate of an agent's arms, by the sums of its store and by its whole log."""

import asyncio

import pytest
from services import CONTEXT, PATIENCE, ask, specification

import mobandits as mob

AGENT = "/v1/agents/pages"
PAGES = {
    "policy": {"name": "with-floor", "recipe": {"name": "mol-ucb", "scale": 0.3}, "epsilon": 1.0},
    "arms": ["good", "cheap", "poor"],
    "features": 3,
    "objectives": [
        {"name": "rating", "low": 1.0, "high": 5.0},
        {"name": "cost", "minimise": True, "low": 0.0, "high": 2.0},
    ],
}
MEANS = {"good": (4.6, 0.8), "cheap": (2.0, 0.2), "poor": (1.6, 1.8)}


def decide_and_learn(running, rounds):
    agent = running.agents.named("pages").agent
    for t in range(rounds):
        decision = agent.decide(CONTEXT)
        rating, cost = MEANS[decision.arm]
        wave = 0.2 * (t % 3 - 1)
        agent.learn(decision.id, {"rating": rating + wave, "cost": cost - wave})
    running.file.committer.flush()


async def counted(client, is_counted):
    """The answer when the store's sums have all rewards, which takes about a second."""
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await client.get(f"{AGENT}/certificate")
            if is_counted(answer):
                return answer
            await asyncio.sleep(0.05)


@pytest.mark.long
def test_it_is_that_of_the_log(tmp_path):
    """The sums of the store against every reward, read again."""

    async def talk(client, running):
        decide_and_learn(running, 600)
        strict = await counted(client, lambda answer: answer.json()["rounds"] == 600)
        tolerant = await client.get(f"{AGENT}/certificate?epsilon=0.3&delta=0.2")
        return strict.json(), tolerant.json()

    answers = ask(tmp_path / "log", talk, specification(pages=PAGES))
    log = mob.logs.read(tmp_path / "log", agent="pages")
    for answer in answers:
        found = mob.identify(None, log, answer["delta"], answer["epsilon"])
        for name in ("inside", "outside", "undecided", "front"):
            assert answer[name] == list(getattr(found, name))
        assert answer["rounds"] == found.rounds == 600

    assert answers[1]["outside"] == ["poor"]
    assert answers[1]["inside"] == ["good", "cheap"]


def test_an_agent_without_rewards_has_decided_nothing(tmp_path):
    async def talk(client, running):
        return (await client.get(f"{AGENT}/certificate")).json()

    answer = ask(tmp_path / "log", talk, specification(pages=PAGES))
    assert answer["undecided"] == PAGES["arms"]
    assert answer["rounds"] == 0


@pytest.mark.parametrize(
    ("query", "says"),
    [("delta=0", "delta"), ("delta=1", "delta"), ("epsilon=-1", "epsilon"), ("alpha=1", "alpha")],
)
def test_what_is_refused(tmp_path, query, says):
    async def talk(client, running):
        return await client.get(f"{AGENT}/certificate?{query}")

    answer = ask(tmp_path / "log", talk, specification(pages=PAGES))
    assert answer.status_code == 422
    assert says in answer.text


def test_rewards_outside_of_their_range_are_refused(tmp_path):
    unranged = {**PAGES, "objectives": ["rating", PAGES["objectives"][1]]}

    async def talk(client, running):
        decide_and_learn(running, 5)
        return await counted(client, lambda answer: answer.status_code != 200)

    answer = ask(tmp_path / "log", talk, specification(pages=unranged))
    assert answer.status_code == 422
    assert "rewards of rating must lie in [0, 1]" in answer.json()["detail"]
