"""The preference as a resource with an ETag, and the budgets."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from services import CONTEXT, ROUTER, ask, specification

from mobandits.agent.bound_policy import BoundPolicy
from mobandits.orders import (
    ChainFilter,
    Chains,
    Chebyshev,
    Cone,
    Dominant,
    EffectivePareto,
    ExploreWide,
    Gini,
    Levels,
    Lexicographic,
    Pareto,
    Ratio,
    Weighted,
)
from mobandits.spec import build, catalogue
from mobandits_client.messages import PreferenceState
from mobandits_service.preferences import etag_of, order_table

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
    Gini([3.0, 1.0]),
    Ratio(1, 0, 0.5),
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


@pytest.mark.parametrize("weights", [[1.0], [1.0, 2.0, 3.0]])
def test_weights_of_another_length_are_refused_before_anything_is_compiled(
    tmp_path, monkeypatch, weights
):
    compiled = []
    monkeypatch.setattr(BoundPolicy, "prepare_for", lambda *_: compiled.append(_))

    async def talk(client, running):
        for call in (client.put, client.post):
            path = PLACE if call == client.put else f"{PLACE}/preview"
            answer = await call(path, json={"order": {"name": "weighted", "weights": weights}})
            assert answer.status_code == 422
            assert answer.json()["field"] == "Weighted.weights"
        assert compiled == []

    ask(tmp_path / "log", talk)


@pytest.mark.long
def test_a_ratio_is_of_rewards_in_their_own_units(tmp_path):
    order = {"name": "ratio", "numerator": "quality", "denominator": "cost", "floor": 0.25}
    cost = {"name": "cost", "minimise": True, "low": 0.0, "high": 8.0}
    policy = {"name": "mol-ucb", "scale": 1e-6}
    objectives = [{"name": "quality", "low": -8.0, "high": 8.0}, cost]
    spec = specification(router={**ROUTER, "policy": policy, "objectives": objectives})
    # 2 per dollar and 1 per dollar; on scales of [0, 1], where less is negated, the second is ahead.
    paid = {"small": {"quality": 1.0, "cost": 0.5}, "large": {"quality": 6.0, "cost": 6.0}}

    async def talk(client, running):
        for number in range(60):
            arm = ["small", "large"][number % 2]
            body = {"context": CONTEXT, "eligible": [arm]}
            await client.post(f"{AGENT}/decide", json=body)
            answer = await client.post(f"{AGENT}/decisions/{number}/rewards", json=paid[arm])
            assert answer.status_code == 200, answer.text
        swapped = {**order, "numerator": "cost", "denominator": "quality"}
        for place, call in ((PLACE, client.put), (f"{PLACE}/preview", client.post)):
            refused = await call(place, json={"order": swapped})
            assert refused.status_code == 422
            assert refused.json()["field"] == "Ratio.numerator"
        preview = await client.post(f"{PLACE}/preview", json={"order": order})
        assert preview.json()["preference_then"].startswith("largest quality per cost")
        assert (await client.put(PLACE, json={"order": order})).status_code == 200
        assert (await client.get(PLACE)).json()["order"] == {
            **order,
            "numerator": 0,
            "denominator": 1,
        }
        decision = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        return decision.json()["arm"]

    assert ask(tmp_path / "log", talk, spec) == "small"


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


def test_the_last_of_several_orders_holds(tmp_path):
    async def talk(client, running):
        puts = []
        for tolerance in (0.125, 0.5, 0.25):
            body = {"order": {"name": "lexicographic", "tolerance": tolerance}}
            puts.append(client.put(PLACE, json=body))
        answers = await asyncio.gather(*puts)
        assert [answer.status_code for answer in answers] == [200] * 3
        assert (await client.get(PLACE)).json()["order"]["tolerance"] == 0.25

    ask(tmp_path / "log", talk)


LEARNER = {"name": "mol-ucb", "scale": 0.3}
FLOORS = {
    "falling": {
        "name": "with-floor",
        "recipe": LEARNER,
        "epsilon": {"factor": 0.8, "power": 0.2},
    },
    "shares": {"name": "with-floor", "recipe": LEARNER, "shares": {"small": 0.1, "large": 0.2}},
    "violation": {
        "name": "paced",
        "recipe": {"name": "gap-weighted", "recipe": LEARNER},
        "budgets": {"cost": 0.5},
        "horizon": 100,
        "price": "violation",
    },
}


@pytest.mark.long
@pytest.mark.parametrize("policy", FLOORS.values(), ids=FLOORS)
def test_another_preference_keeps_every_probability_positive(tmp_path, policy):
    spec = specification(router={**ROUTER, "policy": policy})

    async def talk(client, running):
        told = []
        for order in ({"name": "lexicographic"}, {"name": "weighted", "weights": [1.0, 0.5]}):
            changed = await client.put(PLACE, json={"order": order})
            assert changed.status_code == 200
            for _ in range(4):
                decided = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
                answer = decided.json()
                assert 0.0 < answer["propensity"] < 1.0
                place = f"{AGENT}/decisions/{answer['decision']}/rewards"
                body = {"quality": 0.5, "cost": 0.75}
                learned = await client.post(place, json=body)
                assert learned.is_success, learned.text
                told.append(answer["propensity"])
        return told

    assert len(ask(tmp_path / "log", talk, spec)) == 8
