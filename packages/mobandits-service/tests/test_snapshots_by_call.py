"""The state of an agent, taken away and brought back by calls."""

from services import CONTEXT, ROUTER, ask, specification

from mobandits.agent import Agent

AGENT = "/v1/agents/router"
PLACE = f"{AGENT}/snapshot"


async def rounds(client, count):
    """The answers to some decisions, each of which is rewarded."""
    found = []
    for number in range(count):
        context = [1.0, number / count, 0.5]
        decided = (await client.post(f"{AGENT}/decide", json={"context": context})).json()
        found.append((decided["arm"], decided["propensity"]))
        rewards = {"quality": number / count, "cost": 0.25}
        place = f"{AGENT}/decisions/{decided['decision']}/rewards"
        assert (await client.post(place, json=rewards)).status_code == 200
    return found


def test_an_agent_goes_back_to_a_snapshot(tmp_path):
    async def talk(client, running):
        await rounds(client, 10)
        await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        data = (await client.get(PLACE)).content
        order = {"order": "lexicographic"}
        await client.put(f"{AGENT}/preference", json=order)
        first = await rounds(client, 10)
        changed = await client.put(PLACE, content=data)
        assert changed.status_code == 200
        assert changed.json()["preference"].startswith("Pareto")
        assert changed.json()["decisions"] == 21
        again = await rounds(client, 10)
        assert again != first
        twin = Agent.from_bytes(data)
        expected = twin.decide([1.0, 0.0, 0.5])
        assert again[0] == (expected.arm, expected.propensity)
        # A decision from before is rewarded as if nothing had happened.
        late = await client.post(f"{AGENT}/decisions/10/rewards", json={"cost": 0.5})
        assert late.json()["status"] == "waiting"
        return (await client.get(PLACE)).content, (await client.get(AGENT)).json()

    before = ask(tmp_path / "log", talk)

    async def later(client, running):
        return (await client.get(PLACE)).content, (await client.get(AGENT)).json()

    assert ask(tmp_path / "log", later) == before


def test_what_is_no_snapshot_of_it_is_refused(tmp_path):
    other = specification(router={**ROUTER, "arms": ["small", "huge"]}).agents["router"].agent()
    costly = specification(router={**ROUTER, "objectives": ["quality", "cost"]})

    async def talk(client, running):
        await rounds(client, 3)
        before = (await client.get(PLACE)).content
        wrong = await client.put(PLACE, content=other.to_bytes())
        assert wrong.status_code == 409
        assert "same arms" in wrong.json()["detail"]
        directions = await client.put(PLACE, content=costly.agents["router"].agent().to_bytes())
        assert directions.status_code == 409
        for content in (b"", b"{}", before[:-1]):
            broken = await client.put(PLACE, content=content)
            assert broken.status_code == 422
            assert broken.json()["detail"].startswith("the body ")
        # Larger than the bodies of other calls may be.
        large = await client.put(PLACE, content=b"x" * (2**20 + 1))
        assert large.status_code == 422
        assert (await client.get(PLACE)).content == before

    ask(tmp_path / "log", talk)
