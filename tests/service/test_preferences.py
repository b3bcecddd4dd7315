"""The preference as a resource with an ETag, and the budgets."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from services import CONTEXT, PATIENCE, ROUTER, ask, specification

from mobandits.agent.bound_policy import BoundPolicy
from mobandits.orders import (
    ChainFilter,
    Chains,
    Chebyshev,
    Cone,
    Dominant,
    EffectivePareto,
    ExploreWide,
    Levels,
    Lexicographic,
    Pareto,
    Weighted,
)
from mobandits.service.compiling import play_a_round
from mobandits.service.hosted_agent import HostedAgent
from mobandits.service.messages import PreferenceState
from mobandits.service.preferences import etag_of, order_table
from mobandits.spec import build, catalogue

AGENT = "/v1/agents/router"
PLACE = f"{AGENT}/preference"
ORDERS = [
    ChainFilter([[0, 1], [2]]),
    Chains([[0, 1], [2]]),
    Chebyshev([1.0, 2.0], [0.5, -0.5]),
    Cone([[1.0, 0.5], [0.25, 1.0]]),
    Dominant(0.1, 0.2),
    EffectivePareto(),
    ExploreWide(Lexicographic(0.25), 0.1),
    Levels([[0, 1], [2]]),
    Lexicographic(0.5),
    Pareto(),
    Pareto([0, 2]),
    Weighted([1.0, 3.0]),
]


@pytest.mark.parametrize("order", ORDERS, ids=repr)
def test_an_order_is_built_again_from_its_table(order):
    assert build("orders", order_table(order), "order") == order


def test_every_order_has_a_table():
    assert {type(order) for order in ORDERS} == set(catalogue("orders").values())


@given(
    one=st.lists(st.floats(0.01, 10.0), min_size=2, max_size=2),
    other=st.lists(st.floats(0.01, 10.0), min_size=2, max_size=2),
)
def test_etags_are_equal_where_preferences_are(one, other):
    states = [PreferenceState(order_table(Weighted(weights)), "") for weights in (one, other)]
    tags = [etag_of(state) for state in states]
    assert (tags[0] == tags[1]) == (Weighted(one) == Weighted(other))


def test_a_preference_is_changed_only_where_it_is_the_one_that_was_seen(tmp_path):
    async def talk(client, running):
        first = await client.get(PLACE)
        assert first.json()["order"] is None
        assert first.json()["preference"].startswith("Pareto")
        tag = first.headers["etag"]
        body = {"order": {"name": "lexicographic", "tolerance": 0.25}}
        wrong = await client.put(PLACE, json=body, headers={"If-Match": '"0123"'})
        assert wrong.status_code == 412
        assert wrong.json()["title"] == "It was changed meanwhile"
        assert (await client.get(PLACE)).json() == first.json()
        changed = await client.put(PLACE, json=body, headers={"If-Match": f'"0123", {tag}'})
        assert changed.status_code == 200
        second = await client.get(PLACE)
        assert second.headers["etag"] == changed.headers["etag"] != tag
        assert second.json()["order"] == body["order"]
        # What is read can be written.
        again = await client.put(PLACE, json={"order": second.json()["order"]})
        assert again.headers["etag"] == second.headers["etag"]
        stale = await client.put(PLACE, json={"order": None}, headers={"If-Match": tag})
        assert stale.status_code == 412
        any_of = await client.put(PLACE, json={"order": None}, headers={"If-Match": "*"})
        assert any_of.headers["etag"] == tag
        return second.headers["etag"]

    ask(tmp_path / "log", talk)


def test_of_changes_at_once_one_is_made(tmp_path):
    async def talk(client, running):
        tag = (await client.get(PLACE)).headers["etag"]
        puts = []
        for tolerance in (0.125, 0.25, 0.5):
            body = {"order": {"name": "lexicographic", "tolerance": tolerance}}
            puts.append(client.put(PLACE, json=body, headers={"If-Match": tag}))
        answers = await asyncio.gather(*puts)
        assert sorted(answer.status_code for answer in answers) == [200, 412, 412]

    ask(tmp_path / "log", talk)


def test_an_order_that_was_never_played_is_compiled_in_a_child_first(tmp_path, monkeypatch):
    compiled = []
    known = set()

    def is_compiled_for(_, order):
        if order == "no such order":
            raise ValueError(order)
        return str(order) in known

    def note(step):
        def played(specification, orders):
            assert list(specification.agents) == list(orders) == ["router"]
            compiled.append((step, orders["router"]))
            known.add(str(orders["router"]))

        return played

    monkeypatch.setattr(HostedAgent, "is_compiled_for", is_compiled_for)
    monkeypatch.setattr("mobandits.service.running.compile_in_child", note("child"))
    monkeypatch.setattr("mobandits.service.running.load_compiled", note("here"))

    async def talk(client, running):
        bodies = [{"order": "lexicographic"}] * 3 + [{"order": "no such order"}]
        puts = [client.put(PLACE, json=body) for body in bodies]
        answers = await asyncio.gather(*puts)
        assert [answer.status_code for answer in answers] == [200, 200, 200, 422]
        seen = await client.post(f"{PLACE}/preview", json={"order": "pareto"})
        assert seen.status_code == 200
        # Each of them once, and the wrong one not at all.
        orders = ["lexicographic", "pareto"]
        assert compiled == [(step, order) for order in orders for step in ("child", "here")]

    ask(tmp_path / "log", talk)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 2.0, 3.0]])
def test_weights_of_another_length_are_refused_before_anything_is_compiled(
    tmp_path, monkeypatch, weights
):
    compiled = []
    for name in ("compile_in_child", "load_compiled"):
        monkeypatch.setattr(f"mobandits.service.running.{name}", lambda *_: compiled.append(_))
    # As it is in a process that has not played by weights yet.
    monkeypatch.setattr(BoundPolicy, "is_compiled_for", lambda *_: False)

    async def talk(client, running):
        for call in (client.put, client.post):
            path = PLACE if call == client.put else f"{PLACE}/preview"
            answer = await call(path, json={"order": {"name": "weighted", "weights": weights}})
            assert answer.status_code == 422
            assert answer.json()["field"] == "Weighted.weights"
        assert compiled == []

    ask(tmp_path / "log", talk)


def test_a_rehearsal_leaves_nothing_to_compile_for_an_order():
    router = specification().agents["router"]
    order = {"name": "levels", "levels": [[1], [0]]}
    built = build("orders", order, "order")
    agent = router.agent()
    agent.decide(CONTEXT)
    play_a_round(router, order)
    assert agent.core.bound.is_compiled_for(built)
    assert agent.core.bound.is_compiled_for(None)
    agent.preference = built
    assert agent.decide(CONTEXT).arm in router.arms


def test_budgets_are_told(tmp_path):
    budgets = [{"objective": "cost", "limit": 1.0, "per": "day", "most": 0.5}]
    spec = specification(router={**ROUTER, "budgets": budgets})

    async def talk(client, running):
        for number in range(2):
            await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
            if number == 0:
                await client.post(f"{AGENT}/decisions/0/rewards", json={"cost": 0.25})
        (found,) = (await client.get(f"{AGENT}/budget")).json()["budgets"]
        assert found.pop("renews") > 1e9
        expected = {"objective": "cost", "per": "day", "limit": 1.0}
        assert found == {**expected, "spent": 0.25, "reserved": 0.5, "left": 0.25}

    ask(tmp_path / "log", talk, spec)
    without = ask(tmp_path / "other", none_of)
    assert without == {"budgets": []}


async def none_of(client, running):
    return (await client.get(f"{AGENT}/budget")).json()


async def until(is_so):
    async with asyncio.timeout(PATIENCE):
        while not await is_so():
            await asyncio.sleep(0.01)


@pytest.fixture
def slow_compiler(monkeypatch):
    """What a compiler waits for that never compiled an order before."""
    released = threading.Event()
    monkeypatch.setattr(HostedAgent, "is_compiled_for", lambda *_: released.is_set())
    monkeypatch.setattr(
        "mobandits.service.running.compile_in_child", lambda *_: released.wait(PATIENCE)
    )
    yield released
    released.set()


def test_an_order_that_is_compiled_for_long_is_answered_before(tmp_path, slow_compiler):
    async def talk(client, running):
        before = (await client.get(PLACE)).json()
        running.order_patience = 0.05
        begun = await client.put(PLACE, json={"order": "lexicographic"})
        assert begun.status_code == 202
        phrase = "lexicographic: quality, then cost"
        assert begun.json()["next_preference"] == phrase
        assert (await client.get(PLACE)).json() == before
        # The agent goes on, by the order before.
        decided = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        assert decided.json()["preference"] == before["preference"]
        page = await client.get("/agents/router")
        assert f"Next: <b>{phrase}</b>" in page.text
        # A wrong one is refused at once, also while another one waits.
        assert (await client.put(PLACE, json={"order": "nope"})).status_code == 422
        slow_compiler.set()

        async def is_over():
            return (await client.get(AGENT)).json()["next_preference"] is None

        await until(is_over)
        state = (await client.get(AGENT)).json()
        assert (state["preference"], state["preference_error"]) == (phrase, None)

    ask(tmp_path / "log", talk)


def test_the_last_of_several_orders_that_wait_holds(tmp_path, slow_compiler):
    async def talk(client, running):
        running.order_patience = 0.01
        tolerances = [0.125, 0.5, 0.25]
        for tolerance in tolerances:
            body = {"order": {"name": "lexicographic", "tolerance": tolerance}}
            assert (await client.put(PLACE, json=body)).status_code == 202
        slow_compiler.set()

        async def is_the_last():
            order = (await client.get(PLACE)).json()["order"]
            return order is not None and order["tolerance"] == tolerances[-1]

        async def is_over():
            return (await client.get(AGENT)).json()["next_preference"] is None

        await until(is_the_last)
        # The last call says so a moment after its order holds.
        await until(is_over)

    ask(tmp_path / "log", talk)


def test_an_order_that_was_overtaken_says_why_it_does_not_hold(tmp_path, slow_compiler):
    async def talk(client, running):
        running.order_patience = 0.01
        tag = (await client.get(PLACE)).headers["etag"]
        for tolerance in (0.125, 0.25):
            body = {"order": {"name": "lexicographic", "tolerance": tolerance}}
            answer = await client.put(PLACE, json=body, headers={"If-Match": tag})
            assert answer.status_code == 202
        slow_compiler.set()

        async def is_refused():
            return (await client.get(AGENT)).json()["preference_error"] is not None

        await until(is_refused)
        assert (await client.get(PLACE)).json()["order"]["tolerance"] == 0.125
        running.order_patience = PATIENCE
        assert (await client.put(PLACE, json={"order": None})).status_code == 200
        assert (await client.get(AGENT)).json()["preference_error"] is None

    ask(tmp_path / "log", talk)


@pytest.mark.parametrize("wait", ["100", "respond-async, wait=100", "WAIT=100"])
def test_a_client_says_how_long_it_waits(tmp_path, slow_compiler, wait):
    header = wait if "=" in wait else f"wait={wait}"

    async def talk(client, running):
        running.order_patience = 0.0
        body = {"order": "lexicographic"}
        change = client.put(PLACE, json=body, headers={"Prefer": header})
        waiting = asyncio.create_task(change)
        await asyncio.sleep(0.05)
        assert not waiting.done()
        slow_compiler.set()
        assert (await waiting).status_code == 200

    ask(tmp_path / "log", talk)


@pytest.mark.parametrize("wait", ["", "-1", "1.5", "601", "nope", "²", "9" * 5000])
def test_a_wait_that_is_none_is_refused(tmp_path, wait):
    async def talk(client, running):
        headers = {"Prefer": f"wait={wait}".encode()}
        answer = await client.put(PLACE, json={"order": None}, headers=headers)
        assert answer.status_code == 422
        assert len(answer.json()["detail"]) <= 200

    ask(tmp_path / "log", talk)
