"""The service killed again and again under many clients: what it answered is there, and is true."""

import os
import random
import re
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import httpx
import msgspec
import pytest
from services import PATIENCE, Served, specification

from mobandits.logs import Store
from mobandits_service import server
from mobandits_service.compiling import play_a_round

sys.path.insert(0, str(Path(__file__).parent.parent.parent.parent / "tests"))

from sharing import forks

AGENT = "/v1/agents/router"
CLIENTS = 12
LONGEST = 5.0  # seconds of a round


class Forked:
    """The service in a fork of this process, which has loaded all that is compiled."""

    def __init__(self, folder):
        self.path = folder / "router.db"
        self.process = None
        self.url = None

    def start(self):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                spec = msgspec.structs.replace(specification(), port=0)
                server.serve(spec, self.path, lambda line: os.write(writing, line.encode() + b"\n"))
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writing)
        self.process = child
        with os.fdopen(reading) as pipe:
            self.url = re.search(r"http://[^\s,]+", pipe.readline()).group()
        until = time.monotonic() + PATIENCE
        while httpx.get(f"{self.url}/health/ready", timeout=PATIENCE).status_code != 200:
            assert time.monotonic() < until
            time.sleep(0.01)

    def end(self, number=signal.SIGTERM):
        os.kill(self.process, number)
        _, status = os.waitpid(self.process, 0)
        self.process = None
        return os.waitstatus_to_exitcode(status), ""

    def __exit__(self, *error):
        if self.process is not None:
            self.end(signal.SIGKILL)


class Command(Served):
    """The service as `mobandits serve` starts it, which takes seconds."""

    def __init__(self, folder):
        super().__init__(folder)
        self.file.write_text("log_requests = false\n" + self.file.read_text())


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
            if event.kind == "decide":
                decisions[event.key] = event
            else:
                rewards.setdefault(str(event.id), {}).update(event.rewards)
    counts = [0, 0]
    for client in clients:
        for key, answer in client.decided.items():
            event = decisions[key]
            found = (str(event.id), names[event.arm], event.propensity)
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


def wait_for_answers(clients, rng):
    """A random moment, after a random number of answers: a busy machine is slow to give them."""
    wanted = rng.randint(0, 600)
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        answered = sum(len(client.decided) + len(client.rewarded) for client in clients)
        if answered >= wanted:
            break
        time.sleep(0.002)
    time.sleep(rng.uniform(0.0, 0.02))


def check_rounds(folder, service, seed, rounds):
    """Kill a service so often under its clients, and look each time at what is left."""
    rng = random.Random(seed)
    play_a_round(specification().agents["router"])
    path = folder / "router.db"
    clients = []
    totals = [0, 0]
    service.start()
    try:
        for turn in range(rounds):
            clients = [Client(number, turn, service.url) for number in range(CLIENTS)]
            for client in clients:
                client.start()
            wait_for_answers(clients, rng)
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
    assert totals[0] > 5 * rounds
    return totals


@forks
def test_four_kills_lose_nothing(tmp_path):
    check_rounds(tmp_path, Forked(tmp_path), 0, 4)


@pytest.mark.slow
@forks
def test_sixty_kills_lose_nothing(tmp_path):
    check_rounds(tmp_path, Forked(tmp_path), 1, 60)


@pytest.mark.slow
def test_kills_of_the_command_lose_nothing(tmp_path):
    check_rounds(tmp_path, Command(tmp_path), 2, 15)
