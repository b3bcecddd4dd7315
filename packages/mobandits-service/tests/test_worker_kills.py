"""Workers and learners killed again and again under clients: nothing that was answered is lost."""

import os
import random
import signal
import threading
import time

import httpx
import pytest
from service_checks import check_replay, wait_for
from services import PATIENCE
from worker_services import ServedByWorkers, is_alive

from mobandits.logs.store import Store, open_shared

pytest_plugins = ("databases",)
pytestmark = pytest.mark.postgres

AGENT = "/v1/agents/router"


class Client(threading.Thread):
    """Decides and rewards, and tries each call again until it is answered.

    Attributes:
        decided: {key: (context, answer)}.
        rewarded: {decision: rewards}.
        wrong: what should not have been answered.
        retried: how many calls were tried again.
    """

    def __init__(self, number, url):
        super().__init__(daemon=True)
        self.rng = random.Random(number)
        self.name = f"client {number}"
        self.url = url
        self.decided = {}
        self.rewarded = {}
        self.wrong = []
        self.retried = 0
        self.is_stopping = False

    def run(self):
        try:
            with httpx.Client(base_url=self.url, timeout=PATIENCE) as http:
                while not self.is_stopping:
                    self.step(http)
        except Exception as error:  # noqa: BLE001 - it is looked at in the end
            self.wrong.append(repr(error))

    def step(self, http):
        key = f"{self.name}-{len(self.decided)}"
        context = [1.0, self.rng.random(), self.rng.random()]
        answer = self.answered(http, f"{AGENT}/decide", {"context": context, "key": key})
        self.decided[key] = (context, answer)
        if self.rng.random() < 0.7:
            number = answer["decision"]
            rewards = {"quality": self.rng.random(), "cost": self.rng.random()}
            if self.rng.random() < 0.2:
                del rewards["cost"]
            self.answered(http, f"{AGENT}/decisions/{number}/rewards", rewards)
            self.rewarded[number] = rewards

    def answered(self, http, path, body):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                answer = http.post(path, json=body)
            except httpx.TransportError:
                self.retried += 1
                continue
            if answer.status_code == 200:
                return answer.json()
            assert answer.status_code == 503, answer.text
            self.retried += 1
            time.sleep(0.05)
        raise AssertionError(f"{path} is not answered")


def check_kills(service, address, postgres, rounds, clients, seed):
    """Kill so often, and look what becomes of the clients; returns these."""
    rng = random.Random(seed)
    killed = {"learner": 0, "worker": 0}
    talking = [Client(number, service.url) for number in range(clients)]
    for each in talking:
        each.start()
    for turn in range(rounds):
        wanted = answers(talking) + rng.randint(20, 300)
        wait_among(talking, lambda wanted=wanted: answers(talking) > wanted)
        # First one of each: it must not be by chance that one is never killed.
        roles = ["learner", "worker"]
        role = roles[turn] if turn < len(roles) else rng.choice(roles)
        learner, workers = service.roles()
        pid = learner if role == "learner" else rng.choice(workers)
        os.kill(pid, signal.SIGKILL)
        killed[role] += 1
        wait_among(talking, lambda pid=pid: not is_alive(pid))
        # Sometimes the next one comes while this one is still starting.
        if rng.random() < 0.7:
            wait_among(talking, lambda: is_learning(service.url))
    for each in talking:
        each.is_stopping = True
        each.join(PATIENCE)
        assert not each.wrong
    wait_among(talking, lambda: is_learning(service.url))
    check_again(service.url, talking, rng)
    wait_among(talking, lambda: of_inbox(postgres, address) == (0, 0))
    retried = sum(each.retried for each in talking)
    print(f"{rounds} kills ({killed}), {retried} calls tried again")

    return talking


def answers(talking):
    return sum(len(each.decided) + len(each.rewarded) for each in talking)


def wait_among(talking, condition):
    """Come back once a condition holds, unless a client is answered what it should not be."""

    def look():
        assert not any(each.wrong for each in talking), [each.wrong for each in talking]

    wait_for(condition, look)


def is_learning(url):
    try:
        return (
            httpx.get(f"{str(url).rstrip('/')}{AGENT}", timeout=PATIENCE).json().get("status")
            == "ready"
        )
    except httpx.TransportError:
        return False


def of_inbox(postgres, address):
    query = "SELECT (SELECT count(*) FROM inbox_decisions), (SELECT count(*) FROM inbox_rewards)"
    return postgres.execute(query, str(address).rpartition("/")[2])[0]


def check_again(url, talking, rng):
    """Calls that are tried again are answered as they were."""
    with httpx.Client(base_url=url, timeout=PATIENCE) as http:
        for each in talking:
            for key in rng.sample(list(each.decided), min(20, len(each.decided))):
                context, answer = each.decided[key]
                again = http.post(f"{AGENT}/decide", json={"context": context, "key": key}).json()
                assert again == {**answer, "replayed": True}
            for number in rng.sample(list(each.rewarded), min(20, len(each.rewarded))):
                path = f"{AGENT}/decisions/{number}/rewards"
                assert http.post(path, json=each.rewarded[number]).json()["repeated"]


def check_kept(address, talking):
    """All that was answered is in the log once, as it was answered; returns the counts."""
    shared = open_shared(address, "system")
    assert shared.hold() is None
    numbers = set()
    decisions = {}
    rewards = {}
    with shared, Store(shared, agent="router") as store:
        names = store.arm_names
        for event in store.events():
            if event.kind == "decide":
                assert event.id not in numbers
                numbers.add(event.id)
                decisions[event.key] = event
            elif event.kind == "learn":
                told = rewards.setdefault(str(event.id), {})
                assert not told.keys() & event.rewards.keys()
                told.update(event.rewards)
    counts = [0, 0]
    for each in talking:
        for key, (_, answer) in each.decided.items():
            event = decisions[key]
            found = (str(event.id), names[event.arm], event.propensity)
            assert found == (answer["decision"], answer["arm"], answer["propensity"])
            counts[0] += 1
        for number, given in each.rewarded.items():
            assert given == rewards[number]
            counts[1] += 1
    print(f"{counts[0]} decisions and {counts[1]} rewards answered, 0 lost")
    return counts


@pytest.mark.slow
def test_thirty_kills_of_workers_and_learners_lose_nothing(tmp_path, address, postgres):
    with ServedByWorkers(tmp_path, address) as service:
        talking = check_kills(service, address, postgres, rounds=30, clients=12, seed=1)
        status, said = service.end()
        assert status == 0, said
    decisions, rewards = check_kept(address, talking)
    check_replay(address, postgres)
    assert min(decisions, rewards) > 300
