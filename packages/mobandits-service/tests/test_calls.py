"""Every call of the service against the agent that it stands for."""

import asyncio
import json

import httpx
import numpy as np
import pytest
from services import CONTEXT, ROUTER, ask, served, specification

from mobandits.agent import Agent
from mobandits.agent.resize_state import arrays
from mobandits.errors import LogError
from mobandits.logs.store import SharedFile
from mobandits_client.messages import BUDGET
from mobandits_service.application import application
from mobandits_service.problems import Problem
from mobandits_service.runtime import ServiceRuntime

AGENT = "/v1/agents/router"


def test_decides_and_learns_as_the_agent_does(tmp_path):
    twin = specification().agents["router"].agent()
    rng = np.random.default_rng(0)
    contexts = rng.random((30, 3)).tolist()

    async def talk(client, running):
        for n, context in enumerate(contexts):
            expected = twin.decide(context)
            found = await client.post(f"{AGENT}/decide", json={"context": context})
            assert found.status_code == 200
            body = found.json()
            assert body["decision"] == str(expected.id)
            assert body["arm"] == expected.arm
            assert body["propensity"] == expected.propensity
            assert body["front"] == list(expected.front)
            assert not body["replayed"]
            rewards = {"quality": n / 30, "cost": 0.01 * n}
            told = await client.post(f"{AGENT}/decisions/{body['decision']}/rewards", json=rewards)
            assert told.json() == {
                "decision": body["decision"],
                "status": "settled",
                "missing": [],
                "repeated": False,
            }
            twin.learn(expected.id, rewards)
        assert running.agents.named("router").agent.lessons == twin.lessons == 30

    ask(tmp_path / "log", talk)

    async def later(client, running):
        expected = twin.decide(CONTEXT)
        found = (await client.post(f"{AGENT}/decide", json={"context": CONTEXT})).json()
        assert (found["arm"], found["propensity"]) == (expected.arm, expected.propensity)

    ask(tmp_path / "log", later)


def test_a_key_stands_for_one_decision(tmp_path):
    async def talk(client, running):
        body = {"context": CONTEXT, "key": "k1"}
        first = (await client.post(f"{AGENT}/decide", json=body)).json()
        again = (await client.post(f"{AGENT}/decide", json=body)).json()
        header = {"Idempotency-Key": "k1"}
        third = await client.post(f"{AGENT}/decide", json={"context": CONTEXT}, headers=header)
        for other in (again, third.json()):
            assert other == {**first, "replayed": True}
        changed = {"context": [0.0, 0.0, 1.0], "key": "k1"}
        refused = await client.post(f"{AGENT}/decide", json=changed)
        assert refused.status_code == 422
        assert refused.json()["field"] == "key"
        inactive = await client.post(f"{AGENT}/decide", json={**body, "active": False})
        assert inactive.status_code == 422
        assert inactive.json()["field"] == "key"
        same = await client.post(f"{AGENT}/decide", json=body, headers=header)
        assert same.json() == {**first, "replayed": True}
        another = {"Idempotency-Key": "k0"}
        both = await client.post(f"{AGENT}/decide", json=body, headers=another)
        assert both.status_code == 422
        assert both.json()["field"] == "Idempotency-Key"
        told = await client.post(
            f"{AGENT}/rewards",
            json=[
                {"key": "k1", "rewards": {"quality": 0.5}},
                {"key": "k2", "rewards": {"quality": 0.5}},
                {"rewards": {"quality": 0.5}},
            ],
        )
        one, two, three = told.json()
        assert one["rewarded"]["missing"] == ["cost"]
        assert two["refused"]["status"] == 404
        assert three["refused"]["status"] == 422
        return first

    first = ask(tmp_path / "log", talk)

    async def later(client, running):
        again = await client.post(f"{AGENT}/decide", json={"context": CONTEXT, "key": "k1"})
        assert again.json() == {**first, "replayed": True}

    ask(tmp_path / "log", later)


def test_calls_at_once_with_one_key_are_one_decision(tmp_path):
    async def talk(client, running):
        body = {"context": CONTEXT, "key": "k1"}
        posts = [client.post(f"{AGENT}/decide", json=body) for _ in range(12)]
        answers = [answer.json() for answer in await asyncio.gather(*posts)]
        assert {answer["decision"] for answer in answers} == {"0"}
        assert sum(not answer["replayed"] for answer in answers) == 1

    ask(tmp_path / "log", talk)


def test_rewards_come_once_and_in_part(tmp_path):
    async def talk(client, running):
        await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        path = f"{AGENT}/decisions/0/rewards"
        part = await client.post(path, json={"quality": 0.5})
        assert part.json()["status"] == "waiting"
        repeated = await client.post(path, json={"quality": 0.5})
        assert repeated.json() == {**part.json(), "repeated": True}
        other = await client.post(path, json={"quality": 0.25})
        assert other.status_code == 409
        whole = await client.post(path, json={"cost": 0.125})
        assert whole.json()["status"] == "settled"
        late = await client.post(path, json={"cost": 0.25})
        assert late.status_code == 409
        unknown = await client.post(path, json={"clicks": 1.0})
        assert unknown.status_code == 422
        nobody = await client.post(f"{AGENT}/decisions/7/rewards", json={"cost": 0.1})
        assert nobody.status_code == 404
        found = (await client.get(f"{AGENT}/decisions/0")).json()
        assert found["rewards"] == {"quality": 0.5, "cost": 0.125}
        assert found["arm"] in ROUTER["arms"]

    ask(tmp_path / "log", talk)


def test_rewards_of_what_an_agent_has_forgotten_are_looked_up(tmp_path):
    spec = specification(router={**ROUTER, "remembered": 0})

    async def talk(client, running):
        await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        path = f"{AGENT}/decisions/0/rewards"
        rewards = {"quality": 0.5, "cost": 0.125}
        assert (await client.post(path, json=rewards)).json()["status"] == "settled"
        repeated = await client.post(path, json=rewards)
        assert repeated.json()["repeated"]
        assert (await client.post(path, json={"cost": 0.25})).status_code == 409

    ask(tmp_path / "log", talk, spec)


def test_batches_activation_and_abandoning(tmp_path):
    async def talk(client, running):
        batch = {"contexts": [CONTEXT, [0.0, 1.0, 0.0]], "keys": ["a", None]}
        made = (await client.post(f"{AGENT}/decide_batch", json=batch)).json()["decisions"]
        assert [each["decision"] for each in made] == ["0", "1"]
        empty = await client.post(f"{AGENT}/decide_batch", json={"contexts": []})
        assert empty.status_code == 422
        hidden = {"context": CONTEXT, "active": False}
        number = (await client.post(f"{AGENT}/decide", json=hidden)).json()["decision"]
        for _ in range(2):
            shown = await client.post(f"{AGENT}/decisions/{number}/activate")
            assert shown.status_code == 204
        for _ in range(2):
            dropped = await client.post(f"{AGENT}/decisions/1/abandon")
            assert dropped.status_code == 204
        state = (await client.get(AGENT)).json()
        assert (state["decisions"], state["waiting"]) == (3, 2)
        late = await client.post(f"{AGENT}/decisions/1/rewards", json={"cost": 0.1})
        assert late.status_code == 409
        assert (await client.post(f"{AGENT}/decisions/9/activate")).status_code == 404
        assert (await client.post(f"{AGENT}/decisions/x/activate")).status_code == 404

    ask(tmp_path / "log", talk)


def test_preference_arms_explanation_and_snapshot(tmp_path):
    async def talk(client, running):
        await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        order = {"order": {"name": "lexicographic"}}
        changed = (await client.put(f"{AGENT}/preference", json=order)).json()
        assert changed["preference"] == "lexicographic: quality, then cost"
        wrong = await client.put(f"{AGENT}/preference", json={"order": "lexicographical"})
        assert wrong.status_code == 422
        why = (await client.get(f"{AGENT}/decisions/0/explanation")).json()
        assert len(why["estimates"]) == 4
        assert why["sentence"]
        assert (await client.put(f"{AGENT}/arms/huge")).status_code == 201
        assert (await client.put(f"{AGENT}/arms/huge")).status_code == 200
        assert (await client.delete(f"{AGENT}/arms/small")).status_code == 200
        assert (await client.delete(f"{AGENT}/arms/small")).status_code == 200
        state = (await client.get("/v1/agents")).json()["agents"][0]
        assert sorted(state["arms"]) == ["huge", "large"]
        gone = await client.get(f"{AGENT}/decisions/0/explanation")
        assert gone.status_code == 409
        saved = (await client.get(f"{AGENT}/snapshot")).content
        assert sorted(Agent.from_bytes(saved).arms) == ["huge", "large"]

    ask(tmp_path / "log", talk)


BAD = [
    ("POST", f"{AGENT}/decide", b'{"context": [1.0', 400),
    ("POST", f"{AGENT}/decide", b'{"cntext": [1.0]}', 422),
    ("POST", f"{AGENT}/decide", b'{"context": [1.0, 2.0]}', 422),
    ("POST", f"{AGENT}/decide", b'{"context": [1.0, 2.0, "a"]}', 422),
    ("POST", f"{AGENT}/decide", b'{"context": [1e999, 2.0, 3.0]}', 422),
    ("POST", f"{AGENT}/decide", b'{"context": [1, 2, 3], "eligible": []}', 422),
    ("POST", f"{AGENT}/decide", b'{"context": [1, 2, 3], "eligible": ["huge"]}', 422),
    ("POST", f"{AGENT}/decide", b'{"context": [1, 2, 3], "key": ""}', 422),
    ("POST", "/v1/agents/nobody/decide", b"{}", 404),
    ("GET", f"{AGENT}/decide", b"", 405),
    ("GET", "/v2", b"", 404),
    ("GET", f"{AGENT}/decisions/99999999999999999999", b"", 404),
    ("POST", f"{AGENT}/decide", b" " * (2**20 + 1), 413),
]


@pytest.mark.long
@pytest.mark.parametrize(("method", "path", "body", "status"), BAD)
def test_mistakes_are_told_and_change_nothing(tmp_path, method, path, body, status):
    async def talk(client, running):
        found = await client.request(method, path, content=body)
        assert found.status_code == status
        assert found.headers["content-type"] == "application/problem+json"
        problem = found.json()
        assert problem["status"] == status
        assert len(problem["detail"]) <= 200
        assert running.agents.named("router").agent.core.pending.next_id == 0

    ask(tmp_path / "log", talk)


def test_metrics_count_what_was_answered(tmp_path):
    async def talk(client, running):
        for n in range(3):
            await client.post(f"{AGENT}/decide", json={"context": CONTEXT, "key": str(n % 2)})
        await client.post(f"{AGENT}/decisions/0/rewards", json={"quality": 0.5})
        text = (await client.get("/metrics")).text
        counts = [
            float(line.split()[-1])
            for line in text.splitlines()
            if line.startswith("mobandits_decisions_total{")
        ]
        assert sum(counts) == 2
        assert 'mobandits_rewards_total{agent="router",outcome="waiting"} 1.0' in text
        assert 'mobandits_request_seconds_count{call="decide",status="200"} 3.0' in text
        assert 'mobandits_waiting{agent="router"} 2.0' in text

    ask(tmp_path / "log", talk)


def test_an_agent_whose_events_were_lost_is_opened_again_from_the_disk(tmp_path):
    async def talk(client, running):
        first = await client.post(f"{AGENT}/decide", json={"context": CONTEXT, "key": "0"})
        assert first.status_code == 200
        hosted = running.agents.named("router")
        writer = hosted._store._writer
        # As the committer leaves it where the disk takes nothing.
        writer.failure = "its last events could not be written: disk full"
        lost = await client.post(f"{AGENT}/decide", json={"context": CONTEXT, "key": "1"})
        assert lost.status_code == 503
        assert lost.headers["retry-after"]
        assert (await client.get("/health/ready")).status_code == 503
        running.agents.open()
        assert (await client.get("/health/ready")).status_code == 200
        again = await client.post(f"{AGENT}/decide", json={"context": CONTEXT, "key": "0"})
        assert again.json() == {**first.json(), "replayed": True}

    ask(tmp_path / "log", talk)


def test_agents_are_opened_where_what_they_play_could_not_be_loaded_ahead(
    tmp_path, monkeypatch, caplog
):
    def fail(*_):
        raise OSError("no cache")

    monkeypatch.setattr("mobandits_service.runtime.play_a_round", fail)
    running = ServiceRuntime(specification(), SharedFile(tmp_path / "log"))
    asyncio.run(running.load())
    running.agents.open()
    assert running.agents.all_ready()
    assert "no cache" in caplog.text
    running.stop()


def test_too_many_calls_that_wait_are_turned_away(tmp_path, monkeypatch):
    async def talk(client, running):
        monkeypatch.setattr(running.file.committer, "waiting", lambda: 5000)
        found = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        assert found.status_code == 503
        assert found.headers["retry-after"] == "1"

    ask(tmp_path / "log", talk)


def test_problems_are_words_of_the_library():
    assert json.loads(json.dumps(Problem(404, "x").detail)) == "x"


def test_a_decision_may_be_answered_with_its_explanation(tmp_path):
    async def talk(client, running):
        body = {"context": CONTEXT, "key": "k"}
        plain = (await client.post(f"{AGENT}/decide", json=body)).json()
        assert "explanation" not in plain
        wordy = (await client.post(f"{AGENT}/decide?explain=1", json=body)).json()
        why = (await client.get(f"{AGENT}/decisions/0/explanation")).json()
        assert wordy == {**plain, "replayed": True, "explanation": why}
        assert (await client.post(f"{AGENT}/decide?explain=false", json=body)).json() == {
            **plain,
            "replayed": True,
        }

        # What cannot be explained any more is a decision all the same.
        await client.put(f"{AGENT}/arms/huge")
        later = await client.post(f"{AGENT}/decide?explain=1", json=body)
        assert later.json() == {**plain, "replayed": True}

    ask(tmp_path / "log", talk)


def test_what_nobody_knows_behind_the_question_mark_is_refused(tmp_path):
    async def talk(client, running):
        decides = [f"{AGENT}/decide?{query}" for query in ("foo=1", "explain=perhaps", "explain")]
        rewards = [f"{AGENT}/decisions/0/rewards?explain=1"]
        for path in decides + rewards:
            answer = await client.post(path, json={"context": CONTEXT})
            assert answer.status_code == 422, path
        assert (await client.get(f"{AGENT}?x=1")).json()["field"] == "query"
        assert (await client.get(f"{AGENT}/decisions?foo=1")).status_code == 422
        assert (await client.get(AGENT)).json()["decisions"] == 0
        assert (await client.get("/health/live?probe=1")).status_code == 200

    ask(tmp_path / "log", talk)


BUDGETED = {
    **ROUTER,
    "budgets": [
        {"objective": "cost", "limit": 1.0, "per": "day", "most": {"small": 1.0, "large": 1.0}}
    ],
}


def test_a_spent_budget_is_an_ordinary_answer_that_says_when_it_renews(tmp_path, caplog):
    async def talk(client, running):
        return [await client.post(f"{AGENT}/decide", json={"context": CONTEXT}) for _ in "12"]

    with served(tmp_path / "log", specification(router=BUDGETED)) as running:

        async def whole():
            # The application raises what a server would log, and end the connection after.
            transport = httpx.ASGITransport(application(running), raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as it:
                return await talk(it, running)

        first, second = asyncio.run(whole())
    assert (first.status_code, second.status_code) == (200, 429)
    assert 0 < int(second.headers["retry-after"]) <= 86_400
    # Clients know by it that no further attempt helps.
    assert second.json()["type"] == BUDGET
    assert not caplog.records


def test_a_body_that_is_nested_deeply_is_not_understood(tmp_path):
    depth = 100_000
    body = '{"context":' + "[" * depth + "]" * depth + "}"

    async def talk(client, running):
        answer = await client.post(f"{AGENT}/decide", content=body)
        assert answer.status_code == 400
        assert "nested" in answer.json()["detail"]

    ask(tmp_path / "log", talk)


def test_a_client_that_hangs_up_is_no_failure_of_the_service(tmp_path, caplog):
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    with served(tmp_path / "log") as running:
        headers = [(b"host", b"localhost")]
        scope = {"type": "http", "method": "POST", "path": f"{AGENT}/decide"}
        scope |= {"headers": headers, "query_string": b""}
        asyncio.run(application(running)(scope, receive, send))
        text = running.telemetry.exposition()[0].decode()
    assert sent[0]["status"] == 499
    assert 'status="500"' not in text
    assert not caplog.records


def test_a_state_with_nan_is_not_ready_and_is_told(tmp_path, caplog):
    async def talk(client, running):
        assert (await client.get("/health/ready")).status_code == 200
        hosted = running.agents.named("router")
        hosted.agent.decide(CONTEXT)
        poisoned = next(a for a in arrays(hosted.agent.core.bound.state()) if a.dtype.kind == "f")
        poisoned.flat[0] = np.nan
        running.agents.check_numbers()
        running.agents.check_numbers()
        answer = await client.get("/health/ready")
        assert answer.status_code == 503
        assert "NaN" in answer.json()["agents"]["router"]
        metrics = (await client.get("/metrics")).text
        assert 'mobandits_agent_sound{agent="router"} 0.0' in metrics
        # Whether it still decides is for whoever reads this; it is logged once.
        assert len(caplog.records) == 1

    ask(tmp_path / "log", talk)


def test_names_of_arms_may_have_a_slash(tmp_path):
    async def talk(client, running):
        for name in ("openai/gpt-4", "openai%2Fgpt-4o"):
            assert (await client.put(f"{AGENT}/arms/{name}")).status_code == 201
        arms = (await client.get(AGENT)).json()["arms"]
        assert arms == ["small", "large", "openai/gpt-4", "openai/gpt-4o"]
        assert (await client.delete(f"{AGENT}/arms/openai%2Fgpt-4")).status_code == 200
        assert "openai/gpt-4" not in (await client.get(AGENT)).json()["arms"]

    ask(tmp_path / "log", talk)


@pytest.mark.long
def test_a_store_that_was_deleted_or_replaced_is_written_no_more(tmp_path):
    path = tmp_path / "log"
    aside = tmp_path / "aside"

    async def talk(client, running):
        async def statuses():
            await running.look_after()
            await running.settle_down([])
            decided = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
            return decided.status_code, (await client.get("/health/ready")).status_code

        assert await statuses() == (200, 200)
        path.rename(aside)
        assert await statuses() == (503, 503)
        path.write_bytes(b"")
        assert await statuses() == (503, 503)
        path.unlink()
        aside.rename(path)
        await running.look_after()
        for _ in range(600):
            if running.agents.all_ready():
                break
            await asyncio.sleep(0.05)
        assert await statuses() == (200, 200)

    ask(path, talk)


def test_a_hard_link_is_no_second_store(tmp_path):
    path = tmp_path / "log"
    with SharedFile(path):
        (tmp_path / "link").hardlink_to(path)
        with pytest.raises(LogError, match="one name"):
            SharedFile(tmp_path / "link")
