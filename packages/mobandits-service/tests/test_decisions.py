"""Pages of decisions, against the slow way: all decisions one by one, filtered in Python."""

import asyncio
import itertools

import numpy as np
import pytest
from services import CONTEXT, ROUTER, ask, specification

AGENT = "/v1/agents/router"
LIST = f"{AGENT}/decisions"
REWARDS = {"quality": 0.5, "cost": 0.25}


async def filled(client, seed=0, count=30):
    """Decisions of all kinds: rewarded in part or whole, inactive, abandoned, observed, keyed."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        kind = rng.integers(7)
        if kind == 0:
            observed = [{"context": CONTEXT, "arm": "large", "propensity": 0.5}]
            await client.post(LIST, json=observed)
        else:
            body = {"context": CONTEXT, "active": kind not in (1, 2, 4)}
            if kind == 3:
                body |= {"key": f"k{number}", "eligible": ["small"]}
            await client.post(f"{AGENT}/decide", json=body)
        place = f"{LIST}/{number}"
        if kind in (1, 5):
            assert (await client.post(f"{place}/rewards", json=REWARDS)).status_code == 200
        if kind == 6:
            await client.post(f"{place}/rewards", json={"cost": 0.25})
        if kind == 2:
            await client.post(f"{place}/activate")
            if rng.integers(2):
                await client.post(f"{place}/abandon")
        if kind == 4:
            await client.post(f"{place}/abandon")


async def walked(client, **query):
    """All decisions of a list, page by page, and the sizes of its pages."""
    found = []
    sizes = []
    while True:
        page = (await client.get(LIST, params=query)).json()
        found += page["decisions"]
        sizes.append(len(page["decisions"]))
        if page["next"] is None:
            return found, sizes
        query["after"] = page["next"]


@pytest.mark.long
def test_a_session_keeps_its_arm(tmp_path):
    """Each turn is a decision of its own, with its context, for the arm of the first one."""
    store = tmp_path / "store"
    sticky = specification(router={**ROUTER, "sticky": 300})

    def turn(context, spec=sticky, **more):
        body = {"context": context, "session": "abc", **more}

        async def talk(client, _running):
            return (await client.post(f"{AGENT}/decide?explain=1", json=body)).json()

        return ask(store, talk, spec)

    first = turn(CONTEXT)
    assert first["propensity"] < 1.0
    # Also after a restart.
    for number in (1, 2):
        later = turn([1.0, 0.1 * number, 0.3])
        assert later["decision"] == str(number)
        assert (later["arm"], later["propensity"]) == (first["arm"], 1.0)
        assert "Its session has kept it since decision 0." in later["explanation"]["sentence"]

    other = next(arm for arm in ROUTER["arms"] if arm != first["arm"])
    assert turn(CONTEXT, eligible=[other])["arm"] == other
    assert turn(CONTEXT)["arm"] == other
    refused = turn(CONTEXT, specification())
    assert (refused["status"], refused["field"]) == (422, "session")


def is_wanted(decision, wanted):
    return all(decision[name] == value for name, value in wanted.items())


def as_listed(decision):
    """A decision that was looked up, without what lists leave out."""
    assert decision["context"]
    return decision | {"context": None, "preference": None}


@pytest.mark.long
def test_pages_are_what_the_slow_way_gives(tmp_path, monkeypatch):
    # Several queries per page, as of thousands of decisions.
    monkeypatch.setattr("mobandits.logs.store.pages.MOST_AT_ONCE", 4)
    monkeypatch.setattr("mobandits.logs.store.lookup.MOST_AT_ONCE", 4)

    async def talk(client, running):
        await filled(client)
        singly = [as_listed((await client.get(f"{LIST}/{n}")).json()) for n in range(30)]
        assert {each["status"] for each in singly} == {"waiting", "settled"}
        assert {each["active"] for each in singly} == {True, False}
        values = {
            "arm": [None, "small", "large"],
            "status": [None, "waiting", "settled"],
            "made_by": [None, "us", "observed"],
        }
        for chosen in itertools.product(*values.values()):
            pairs = zip(values, chosen, strict=True)
            wanted = {name: value for name, value in pairs if value is not None}
            expected = [each for each in singly if is_wanted(each, wanted)]
            for limit in (3, 1000):
                found, sizes = await walked(client, limit=limit, **wanted)
                assert found == expected
                assert all(size == limit for size in sizes[:-1])
                newest, _ = await walked(client, limit=limit, order="newest", **wanted)
                assert newest == expected[::-1]
        return singly

    before = ask(tmp_path / "log", talk)

    async def later(client, running):
        found, _ = await walked(client)
        assert found == before

    ask(tmp_path / "log", later)


def test_activity_and_status_follow_what_is_told(tmp_path):
    async def talk(client, running):
        async def looks():
            found = (await client.get(f"{LIST}/0")).json()
            return found["status"], found["active"]

        body = {"context": CONTEXT, "active": False}
        await client.post(f"{AGENT}/decide", json=body)
        assert await looks() == ("waiting", False)
        await client.post(f"{LIST}/0/activate")
        assert await looks() == ("waiting", True)
        await client.post(f"{LIST}/0/abandon")
        assert await looks() == ("settled", True)

    ask(tmp_path / "log", talk)


def test_rewards_by_default_settle_in_the_list_as_well(tmp_path):
    quality = {"name": "quality", "default": 0.0, "after": 1e-6}
    spec = specification(router={**ROUTER, "objectives": [quality], "arms": ["a", "b"]})

    async def talk(client, running):
        await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        await asyncio.sleep(0.001)
        await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        page = (await client.get(LIST, params={"status": "settled"})).json()
        assert [each["decision"] for each in page["decisions"]] == ["0"]
        assert page["decisions"][0]["rewards"] == {}

    ask(tmp_path / "log", talk, spec)


@pytest.mark.long
@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("limit=0", 422),
        ("limit=1001", 422),
        ("limit=x", 422),
        ("limit=1&limit=2", 422),
        ("arm=huge", 422),
        ("arm=null", 422),
        ("status=open", 422),
        ("order=random", 422),
        ("afer=3", 422),
        ("after=x", 404),
        ("after=7", 200),
        ("", 200),
    ],
)
def test_queries_that_do_not_fit_are_refused(tmp_path, query, status):
    async def talk(client, running):
        found = await client.get(f"{LIST}?{query}")
        assert found.status_code == status
        if status == 200:
            assert found.json() == {"decisions": [], "next": None}

    ask(tmp_path / "log", talk)


def test_nothing_is_listed_of_an_agent_that_is_not_ready(tmp_path):
    async def talk(client, running):
        running.agents.named("router").status = "starting"
        for place in (LIST, f"{LIST}/0", f"{LIST}/0/explanation"):
            found = await client.get(place)
            assert found.status_code == 503
            assert found.headers["retry-after"]

    ask(tmp_path / "log", talk)


def test_a_page_of_a_long_log_is_found_by_its_index(tmp_path):
    async def talk(client, running):
        await filled(client, count=5)
        running.file.committer.flush()
        plans = []
        connection = running.file._reading
        for order in ("", " DESC"):
            query = "SELECT id FROM decisions WHERE agent = ? AND id > ? AND arm = ?"
            rows = connection.execute(
                f"EXPLAIN QUERY PLAN {query} ORDER BY id{order} LIMIT 3", (1, 2, 0)
            )
            plans += [row[-1] for row in rows]
        assert all("SEARCH" in plan for plan in plans), plans
        assert not any("TEMP B-TREE" in plan for plan in plans), plans

    ask(tmp_path / "log", talk)
