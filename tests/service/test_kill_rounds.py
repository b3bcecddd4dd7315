"""The service killed again and again under many clients: what it answered is there, and is true."""

import random
import shutil
import signal
import threading
import time
from pathlib import Path

import httpx
import pytest
from services import PATIENCE, Served, specification

from mobandits.logs import Store

AGENT = "/v1/agents/router"
CLIENTS = 12


class Client(threading.Thread):
    """A client that decides and rewards until the service is gone.

    Args:
        number: of the client.
        turn: of all clients.
        url: of the service.

    Attributes:
        asked: (key, context) of the last call, which may not have been answered.
        decided: {key: answer} of those that were.
        rewarded: {decision: rewards} likewise.
    """

    def __init__(self, number, turn, url):
        super().__init__(daemon=True)
        self.rng = random.Random(1000 * turn + number)
        self.name = f"{turn}-{number}"
        self.url = url
        self.asked = None
        self.decided = {}
        self.contexts = {}
        self.rewarded = {}
        self.wrong = []

    def run(self):
        try:
            with httpx.Client(base_url=self.url, timeout=PATIENCE) as http:
                while True:
                    self.step(http)
        except httpx.TransportError:
            return
        except Exception as error:  # noqa: BLE001 - it is looked at in the end
            self.wrong.append(repr(error))

    def step(self, http):
        key = f"{self.name}-{len(self.contexts)}"
        context = [1.0, self.rng.random(), self.rng.random()]
        self.contexts[key] = context
        answer = http.post(f"{AGENT}/decide", json={"context": context, "key": key})
        assert answer.status_code == 200, answer.text
        self.decided[key] = answer.json()
        if self.rng.random() < 0.7:
            number = answer.json()["decision"]
            rewards = {"quality": self.rng.random(), "cost": self.rng.random()}
            if self.rng.random() < 0.2:
                del rewards["cost"]
            told = http.post(f"{AGENT}/decisions/{number}/rewards", json=rewards)
            assert told.status_code == 200, told.text
            self.rewarded[number] = rewards


def check_kept(path, clients):
    """All that was answered is on disk as it was answered; returns the counts."""
    with Store(path, agent="router") as store:
        names = store.arm_names
        decisions = {}
        rewards = {}
        for event in store.events():
            if event["kind"] == "decide":
                decisions[event["key"]] = event
            else:
                rewards.setdefault(str(event["id"]), {}).update(event["rewards"])
    counts = [0, 0]
    for client in clients:
        for key, answer in client.decided.items():
            event = decisions[key]
            found = (str(event["id"]), names[event["arm"]], event["propensity"])
            assert found == (answer["decision"], answer["arm"], answer["propensity"])
            counts[0] += 1
        for number, given in client.rewarded.items():
            assert given.items() <= rewards[number].items()
            counts[1] += 1
    return counts


def replayed_state(path, folder):
    """What an agent knows that is told all of a log from its beginning."""
    copy = Path(shutil.copyfile(path, folder / "copy"))
    with Store(copy, agent="router") as store:
        store._writer.connection.execute("DELETE FROM snapshots")
        agent = specification().agents["router"].agent(log=store)
        assert agent.core.writer.replayed > 0
        state = agent.to_bytes()
        agent.close()
    copy.unlink()
    return state


def check_again(http, client, rng):
    """Calls that are tried again are answered as they were; the last one for the first time."""
    keys = rng.sample(list(client.decided), min(20, len(client.decided)))
    for key in keys:
        body = {"context": client.contexts[key], "key": key}
        again = http.post(f"{AGENT}/decide", json=body).json()
        assert again == {**client.decided[key], "replayed": True}
    numbers = rng.sample(list(client.rewarded), min(20, len(client.rewarded)))
    for number in numbers:
        told = http.post(f"{AGENT}/decisions/{number}/rewards", json=client.rewarded[number])
        assert told.json()["repeated"]
    for key in client.contexts.keys() - client.decided.keys():
        body = {"context": client.contexts[key], "key": key}
        first = http.post(f"{AGENT}/decide", json=body).json()
        again = http.post(f"{AGENT}/decide", json=body).json()
        assert again == {**first, "replayed": True}


def check_rounds(folder, seed, rounds):
    """Kill a service so often under its clients, and look each time at what is left."""
    rng = random.Random(seed)
    service = Served(folder)
    service.file.write_text("log_requests = false\n" + service.file.read_text())
    path = folder / "router.db"
    clients = []
    totals = [0, 0]
    service.start()
    try:
        for turn in range(rounds):
            clients = [Client(number, turn, service.url) for number in range(CLIENTS)]
            for client in clients:
                client.start()
            time.sleep(rng.uniform(0.05, 0.8))
            service.end(signal.SIGKILL)
            for client in clients:
                client.join(PATIENCE)
                assert not client.is_alive()
                assert not client.wrong

            counts = check_kept(path, clients)
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
            is_last = turn == rounds - 1
            # From the beginning: it takes the longer, the more there is.
            expected = replayed_state(path, folder) if turn % 10 == 3 or is_last else None

            service.start()
            with httpx.Client(base_url=service.url, timeout=PATIENCE) as http:
                if expected is not None:
                    assert http.get(f"{AGENT}/snapshot").content == expected
                for client in clients:
                    check_again(http, client, rng)
        status, said = service.end()
        assert status == 0, said
    finally:
        service.__exit__()
    print(f"{rounds} rounds: {totals[0]} decisions and {totals[1]} rewards answered, 0 lost")
    assert totals[0] > 20 * rounds
    return totals


def test_four_kills_lose_nothing(tmp_path):
    check_rounds(tmp_path, 0, 4)


@pytest.mark.slow
def test_sixty_kills_lose_nothing(tmp_path):
    check_rounds(tmp_path, 1, 60)
