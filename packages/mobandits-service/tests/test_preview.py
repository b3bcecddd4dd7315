"""Another preference, looked at before it is set."""

import asyncio

import numpy as np
import pytest
from services import ROUTER, client_of, served, specification

from mobandits.agent import Agent
from mobandits.orders import Lexicographic
from mobandits.policies import ParetoUcb1
from mobandits_service.explaining import explanation_of
from mobandits_service.preview import preview

AGENT = "/v1/agents/router"
PREVIEW = f"{AGENT}/preference/preview"
LEXICOGRAPHIC = {"name": "lexicographic"}


def play(hosted, rounds, seed=0):
    """Decisions and rewards: `large` is better and dearer."""
    rng = np.random.default_rng(seed)
    agent = hosted.agent
    contexts = rng.random((rounds, 3))
    for context in contexts:
        decision = agent.decide(context)
        large = decision.arm == "large"
        quality = 0.4 + 0.4 * large + 0.1 * context[0] + 0.02 * rng.standard_normal()
        agent.learn(decision.id, {"quality": quality, "cost": 0.9 * large + 0.01})

    return contexts


def test_a_preview_is_what_the_agent_would_have_played(tmp_path):
    with served(tmp_path / "log") as running:
        hosted = running.agents.named("router")
        contexts = play(hosted, 60)
        running.file.committer.flush()
        before = hosted.agent.to_bytes()
        events = len(hosted.agent.core.writer.store)
        found = preview(hosted, LEXICOGRAPHIC, 40)

        # It changed neither the agent, nor its stream, nor its log.
        assert hosted.agent.to_bytes() == before
        assert len(hosted.agent.core.writer.store) == events

    # The same, asked of a copy of the whole agent one decision after the other.
    twin = Agent.from_bytes(before)
    probabilities = {}
    means = {}
    for moment, order in (("now", None), ("then", Lexicographic())):
        twin.preference = order
        shares = []
        worth = []
        for context in contexts[-40:]:
            decision = twin.decide(context)
            law = twin.core.bound.probabilities(
                decision.context, np.arange(2), np.random.default_rng(0)
            )
            shares.append(law)
            worth.append(law @ np.array(twin.explain(decision).estimates))
        probabilities[moment] = np.mean(shares, 0)
        means[moment] = np.mean(worth, 0)

    assert found.contexts == 40
    for place, share in enumerate(found.arms):
        assert share.now == pytest.approx(probabilities["now"][place], abs=1e-12)
        assert share.then == pytest.approx(probabilities["then"][place], abs=1e-12)
    for place, mean in enumerate(found.objectives):
        assert mean.now == pytest.approx(means["now"][place], rel=1e-9)
        assert mean.then == pytest.approx(means["then"][place], rel=1e-9)
    assert found.preference_then == "lexicographic: quality, then cost"
    # Quality first: the better and dearer arm, as often as the floor allows.
    assert found.arms[1].then == pytest.approx(0.95)
    assert found.moved == pytest.approx(abs(found.arms[1].then - found.arms[1].now))
    by_name = {(each.estimator, each.objective): each for each in found.estimates}
    assert set(by_name) == {(e, o) for e in ("snips", "dr") for o in ("quality", "cost")}
    for each in found.estimates:
        assert each.low <= each.then <= each.high
    cost = by_name["dr", "cost"]
    assert cost.then == pytest.approx(0.95 * 0.91 + 0.05 * 0.01, abs=0.05)


def test_the_call_answers_what_the_function_says(tmp_path):
    with served(tmp_path / "log") as running:
        hosted = running.agents.named("router")
        play(hosted, 30)

        async def talk():
            async with client_of(running) as client:
                body = {"order": LEXICOGRAPHIC, "recent": 25}
                answer = await client.post(PREVIEW, json=body)
                assert answer.status_code == 200
                assert answer.json()["contexts"] == 25
                own = await client.post(PREVIEW, json={"order": None})
                assert own.json()["moved"] == 0.0
                assert own.json()["contexts"] == 30
                for body in (
                    {"order": "lexicographical"},
                    {"order": LEXICOGRAPHIC, "recent": 0},
                    {"order": LEXICOGRAPHIC, "recent": 1001},
                    {"order": {"name": "lexicographic", "order": [0, 1, 2]}},
                    {"recent": 10},
                ):
                    refused = await client.post(PREVIEW, json=body)
                    assert refused.status_code == 422, body
                state = (await client.get(AGENT)).json()
                assert state["preference"] == "Pareto front over all objectives"
                assert state["decisions"] == 30

        asyncio.run(talk())


def test_without_decisions_a_preview_has_no_numbers(tmp_path):
    with served(tmp_path / "log") as running:
        found = preview(running.agents.named("router"), LEXICOGRAPHIC)
        assert found.contexts == 0
        assert found.moved is None
        assert [(share.now, share.then) for share in found.arms] == [(None, None)] * 2
        assert not found.estimates
        assert "got 0" in found.warnings[0]


def test_arms_that_came_and_went_are_no_obstacle(tmp_path):
    with served(tmp_path / "log") as running:
        hosted = running.agents.named("router")
        play(hosted, 10)
        hosted.agent.decide([1.0, 0.0, 0.0], eligible=["small"])
        hosted.add_arm("huge", "large")
        hosted.remove_arm("small")
        hosted.agent.decide([1.0, 0.0, 0.0])
        running.file.committer.flush()
        found = preview(hosted, LEXICOGRAPHIC)
        assert [share.arm for share in found.arms] == ["large", "huge"]
        # The one with nothing but an arm that is gone cannot be asked again.
        assert found.contexts == 11
        assert sum(share.then for share in found.arms) == pytest.approx(1.0)


def test_contexts_with_a_row_per_arm_are_asked_again_until_arms_change(tmp_path):
    with served(tmp_path / "log") as running:
        hosted = running.agents.named("router")
        rng = np.random.default_rng(0)
        for n in range(24):
            eligible = None if n % 3 else ["large"]
            decision = hosted.agent.decide(rng.random((2, 3)), eligible)
            hosted.agent.learn(decision.id, {"quality": 0.5, "cost": 0.1})
        running.file.committer.flush()
        found = preview(hosted, LEXICOGRAPHIC)
        assert found.contexts == 24
        assert found.estimates
        hosted.add_arm("huge", None)
        hosted.agent.decide(rng.random((3, 3)))
        running.file.committer.flush()
        assert preview(hosted, LEXICOGRAPHIC).contexts == 1


def test_rows_without_features_are_asked_again_and_explained(tmp_path):
    agent = Agent(ParetoUcb1(), arms=2, features=0, objectives=2, log=tmp_path / "log")
    agent.decide(np.empty((2, 0)))
    store = agent.core.writer.store
    (found,) = store.recent(1).decisions
    assert len(explanation_of(agent, store, found).estimates) == 4
    agent.close()


def test_an_agent_whose_policy_has_no_order_says_so(tmp_path):
    spec = specification(router={**ROUTER, "policy": "random-choice"})
    with (
        served(tmp_path / "log", spec) as running,
        pytest.raises(ValueError, match="preference"),
    ):
        preview(running.agents.named("router"), LEXICOGRAPHIC)
