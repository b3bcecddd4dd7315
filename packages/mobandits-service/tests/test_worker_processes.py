"""`mobandits serve --workers N`: calls over HTTP, processes that end, and what is refused."""

import os
import signal

import httpx
import pytest
from service_checks import check_replay, wait_for
from services import CONTEXT, PATIENCE, ROUTER
from test_worker_kills import check_kept, check_kills, is_learning
from worker_services import ServedByWorkers, is_alive

from mobandits.cli import program as cli
from mobandits.support.numbering import is_of_worker

pytest_plugins = ("databases",)
pytestmark = pytest.mark.postgres

NOTING = {"policy": {"name": "scalarized-ucb1"}, "propensity": "none"}
DOUBLING = {"name": "doubling", "recipe": ROUTER["policy"], "first": 4}
AGENT = "/v1/agents/router"


def is_by_worker(client):
    """Whether the next decision is a worker's."""
    answer = client.post(f"{AGENT}/decide", json={"context": CONTEXT})
    assert answer.status_code == 200, answer.text
    return is_of_worker(int(answer.json()["decision"]))


def test_a_service_with_workers(tmp_path, address, postgres):
    """One service for all of it: its processes take seconds to start."""
    with (
        ServedByWorkers(tmp_path, address) as service,
        httpx.Client(base_url=service.url, timeout=PATIENCE) as client,
    ):
        first = client.post(f"{AGENT}/decide", json={"context": CONTEXT}).json()
        # An agent that has seen no context is the learner's.
        assert int(first["decision"]) == 0
        check_calls(client)
        check_without_learner(service, client)
        talking = check_kills(service, address, postgres, rounds=2, clients=4, seed=0)
        check_without_database(client, postgres)

        # A parent that is killed takes all of its processes with it.
        children = list(service.children())
        assert len(children) == 3
        os.kill(service.process.pid, signal.SIGKILL)
        service.process.wait(PATIENCE)
        wait_for(lambda: not any(is_alive(child) for child in children))

    # They ended gracefully.
    decisions, rewards = check_kept(address, talking)
    check_replay(address, postgres)
    assert min(decisions, rewards) > 10


def check_calls(client):
    """Those of workers, and those of the learner."""
    wait_for(lambda: is_by_worker(client))
    body = {"context": CONTEXT, "key": "k1"}
    decided = client.post(f"{AGENT}/decide", json=body).json()
    assert client.post(f"{AGENT}/decide", json=body).json() == {**decided, "replayed": True}
    other = {"context": [0.0, 0.0, 1.0], "key": "k1"}
    assert client.post(f"{AGENT}/decide", json=other).status_code == 422
    rewards = f"{AGENT}/decisions/{decided['decision']}/rewards"
    assert client.post(rewards, json={"quality": 0.5}).json()["missing"] == ["cost"]
    assert client.post(rewards, json={"quality": 0.5}).json()["repeated"]
    assert client.post(rewards, json={"quality": 0.75}).status_code == 409
    assert client.post(f"{AGENT}/decisions/99/rewards", json={"cost": 1.0}).status_code == 404
    batch = client.post(f"{AGENT}/decide_batch", json={"contexts": [CONTEXT] * 3}).json()
    items = [
        {"decision": each["decision"], "rewards": {"quality": 1.0, "cost": 0.0}}
        for each in batch["decisions"]
    ]
    items += [{"key": "k1", "rewards": {"cost": 0.25}}, {"key": "k9", "rewards": {}}, items[0]]
    outcomes = client.post(f"{AGENT}/rewards", json=items).json()
    assert [each.get("refused") is None for each in outcomes] == [True] * 4 + [False, True]
    assert outcomes[5]["rewarded"]["repeated"]

    # What is the learner's: it knows all of it a moment later.
    def is_recorded():
        answer = client.get(f"{AGENT}/decisions/{decided['decision']}")
        return answer.is_success and answer.json()["rewards"] == {"quality": 0.5, "cost": 0.25}

    wait_for(is_recorded)
    assert client.get(AGENT).json()["learned"] >= 4
    explained = client.post(f"{AGENT}/decide?explain=1", json={"context": CONTEXT}).json()
    assert len(explained["explanation"]["estimates"]) == 4
    assert client.post(f"{AGENT}/decide?foo=1", json={"context": CONTEXT}).status_code == 422
    inactive = client.post(f"{AGENT}/decide", json={**body, "active": False})
    assert inactive.status_code == 422
    assert client.get("/").status_code == 200
    assert "mobandits_decisions_total" in client.get("/metrics").text
    assert client.get("/openapi.json").json()["openapi"].startswith("3.1")
    assert client.get(f"{AGENT}/decide").status_code == 405
    assert client.put(f"{AGENT}/arms/medium", json={"like": "small"}).status_code == 201
    eligible = {"context": CONTEXT, "eligible": ["medium"]}
    assert client.post(f"{AGENT}/decide", json=eligible).json()["arm"] == "medium"
    lexicographic = {"order": {"name": "lexicographic"}}
    assert client.put(f"{AGENT}/preference", json=lexicographic).status_code == 200

    shown = client.get(AGENT).json()["preference"]
    wait_for(
        lambda: (
            client.post(f"{AGENT}/decide", json={"context": CONTEXT}).json()["preference"] == shown
        )
    )
    assert len(client.get(f"{AGENT}/snapshot").content) > 1000
    wrong = {**ROUTER, "budgets": [{"objective": "cost", "limit": 1.0}]}
    refused = client.put("/v1/agents/other", json=wrong)
    assert refused.status_code == 422, refused.text


def check_without_learner(service, client):
    """Workers go on, and what is the learner's waits for the next one."""
    learner, _ = service.roles()
    os.kill(learner, signal.SIGKILL)
    wait_for(lambda: not is_alive(learner))
    answers = [client.post(f"{AGENT}/decide", json={"context": CONTEXT}) for _ in range(5)]
    assert all(answer.is_success for answer in answers)
    number = answers[-1].json()["decision"]
    told = client.post(f"{AGENT}/decisions/{number}/rewards", json={"quality": 0.5})
    assert told.is_success
    refused = client.get(AGENT)
    assert refused.status_code == 503
    assert "learner" in refused.json()["detail"]
    assert refused.headers["Retry-After"]
    wait_for(lambda: client.get(f"{AGENT}/decisions/{number}").is_success)


def check_without_database(client, postgres):
    """Nothing is decided; afterwards all goes on."""
    postgres.stop()
    try:
        for _ in range(3):
            refused = client.post(f"{AGENT}/decide", json={"context": CONTEXT})
            assert refused.status_code == 503, refused.text
        assert client.get("/health/ready").status_code == 503
    finally:
        postgres.start()

    def decided():
        answer = client.post(f"{AGENT}/decide", json={"context": CONTEXT})
        return answer.json()["decision"] if answer.is_success else None

    number = wait_for(decided)
    wait_for(lambda: is_learning(client.base_url))
    # It has opened its sessions again, and can write a snapshot in the end.
    wait_for(lambda: client.get(f"{AGENT}/decisions/{number}").is_success)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({**NOTING, "features": 0}, "ScalarizedUcb1, which notes how"),
        ({"policy": DOUBLING}, "Doubling, which plays in stages"),
        ({"budgets": [{"objective": "cost", "limit": 1.0, "most": 0.1}]}, "budgets must be none"),
    ],
)
def test_what_copies_cannot_do_is_refused_by_name(tmp_path, address, capsys, more, said):
    service = ServedByWorkers(tmp_path, address, **more)
    assert cli.call(["serve", str(service.file), "--workers", "2"]) == 2
    assert said in capsys.readouterr().err


def test_workers_need_a_store_that_they_can_share(tmp_path, address, capsys):
    service = ServedByWorkers(tmp_path, address)
    store = ["--store", str(tmp_path / "log.db")]
    assert cli.call(["serve", str(service.file), "--workers", "2", *store]) == 2
    assert "--workers 2 needs a store in PostgreSQL, got" in capsys.readouterr().err
