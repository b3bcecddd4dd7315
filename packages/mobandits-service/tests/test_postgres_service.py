"""A service whose store is a PostgreSQL database: its answers, its standby, and what it survives."""

import asyncio
import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
import time

import httpx
import numpy as np
import polars as pl
import pytest
from service_checks import check_replay, wait_for
from services import CONTEXT, PATIENCE, Served, client_of, specification

from mobandits.cli import program as cli
from mobandits.logs import read
from mobandits.logs.store import open_shared
from mobandits_service.runtime import ServiceRuntime

pytest_plugins = ("databases",)
pytestmark = pytest.mark.postgres

AGENT = "/v1/agents/router"
CALLS = 40
REPEATED = 20  # calls of each client that are made again in the end


@contextlib.contextmanager
def running_on(place):
    """A service on a store, without a server, after its first attempt to hold it."""
    running = ServiceRuntime(specification(), open_shared(place, "disk"))
    running.file.hold()
    running.agents.open()
    try:
        yield running
    finally:
        running.stop()


def asked(place, talk):
    """What `talk(client, running)` returns."""
    with running_on(place) as running:

        async def whole():
            async with client_of(running) as client:
                return await talk(client, running)

        return asyncio.run(whole())


async def a_bit_of_everything(client, running):
    """The answers to a sequence of calls, times aside."""
    answers = []
    rng = np.random.default_rng(1)

    async def post(path, body, method="POST"):
        answer = await client.request(method, f"{AGENT}{path}", json=body)
        answers.append((answer.status_code, answer.json() if answer.content else None))

    for n in range(CALLS):
        context = rng.random(3).tolist()
        body = {"context": context, "active": n % 5 > 0}
        if n % 2:
            body["key"] = f"schlüssel {n}"
        await post("/decide", body)
        await post("/decide", body)  # with a key, the same decision; without, another
        if n % 5 == 0:
            await post(f"/decisions/{n}/activate", None)
        await post(f"/decisions/{n}/rewards", {"quality": rng.random()})
        await post(f"/decisions/{n}/rewards", {"quality": 2.0})
        await post("/rewards", [{"decision": str(n), "rewards": {"cost": 0.5}}])
        if n == CALLS // 2:
            await post("/arms/medium", {"like": "small"}, "PUT")
            await post("/preference", {"order": {"name": "lexicographic"}}, "PUT")
    observed = {"context": CONTEXT, "arm": "large", "propensity": 0.5, "key": "theirs"}
    await post("/decisions", [{**observed, "rewards": {"quality": 1.0, "cost": 0.1}}])
    await post("/decide_batch", {"contexts": rng.random((7, 3)).tolist()})
    await post("/decisions/1/abandon", None)
    await post("", None, "GET")
    decision = (await client.get(f"{AGENT}/decisions/3")).json()
    del decision["at"]
    return answers, decision


def test_answers_are_those_of_a_service_on_sqlite(tmp_path, address):
    assert asked(tmp_path / "log", a_bit_of_everything) == asked(address, a_bit_of_everything)


def test_logs_are_read_by_the_commands(tmp_path, address, capsys):
    """What the commands write of a database is what they write of a file with the same calls."""
    specs = {"address": address.url, "file": str(tmp_path / "log")}
    asked(tmp_path / "log", many_settled)
    asked(address, many_settled)
    files = {}
    for name, store in specs.items():
        folder = tmp_path / name
        agent = ["--agent", "router"]
        commands = [
            ["evaluate", store, *agent, "--policy", "arm:small", "--out", folder / "e"],
            ["monitor", store, *agent, "--no-calibration", "--out", folder / "m"],
            ["export", store, *agent, "--format", "csv", "--out", folder / "log.csv"],
        ]
        for command in commands:
            assert cli.call([str(word) for word in command]) == 0, capsys.readouterr().err
        values = (folder / "e" / "values.csv").read_bytes()
        arms = json.loads((folder / "m" / "monitor.json").read_text())["arms"]
        rows = pl.read_csv(folder / "log.csv").drop("time")
        files[name] = (values, arms, rows)

    assert files["address"][:2] == files["file"][:2]
    assert files["address"][2].equals(files["file"][2])
    delete = ["export", address.url, "--delete", "--out", str(tmp_path / "new.parquet")]
    assert cli.call(delete) == 2
    assert "delete must be of a file" in capsys.readouterr().err


async def many_settled(client, running):
    rng = np.random.default_rng(2)
    for n in range(CALLS):
        await client.post(f"{AGENT}/decide", json={"context": rng.random(3).tolist()})
        rewards = {"quality": rng.random(), "cost": 0.5}
        await client.post(f"{AGENT}/decisions/{n}/rewards", json=rewards)


def test_a_log_is_exported_by_call(tmp_path, address):
    async def talk(client, running):
        await many_settled(client, running)
        return await client.get(f"{AGENT}/export", params={"format": "csv"})

    answer = asked(address, talk)
    assert answer.status_code == 200
    assert len(answer.text.splitlines()) == CALLS + 1


def test_a_text_that_the_database_does_not_keep_is_refused_alone(address):
    async def talk(client, running):
        refused = await client.post(f"{AGENT}/decide", json={"context": CONTEXT, "key": "a\0b"})
        assert refused.status_code == 422
        assert "NUL" in refused.json()["detail"]
        assert (await client.post(f"{AGENT}/decide", json={"context": CONTEXT})).is_success

    asked(address, talk)


def test_a_database_that_goes_away_is_waited_for(address, postgres):
    async def talk(client, running):
        body = {"context": CONTEXT, "key": "k1"}
        first = (await client.post(f"{AGENT}/decide", json=body)).json()
        state = (await client.get(AGENT)).json()
        await asyncio.to_thread(postgres.stop)
        try:
            # With a new key, as what is known already could be answered.
            refused = await client.post(f"{AGENT}/decide", json={**body, "key": "k2"})
            assert refused.status_code == 503
            assert refused.headers["Retry-After"]
            await running.look_after()
            for path in (f"{AGENT}/decide", f"{AGENT}/decide"):
                refused = await client.post(path, json=body)
                assert refused.status_code == 503
            ready = await client.get("/health/ready")
            assert ready.status_code == 503
            assert (await client.get("/health/live")).status_code == 200
        finally:
            await asyncio.to_thread(postgres.start)
        until = time.monotonic() + PATIENCE
        while not running.agents.all_ready():
            assert time.monotonic() < until
            await running.look_after()
        assert (await client.get(AGENT)).json() == state
        again = (await client.post(f"{AGENT}/decide", json=body)).json()
        assert again == {**first, "replayed": True}
        assert (await client.post(f"{AGENT}/decide", json={"context": CONTEXT})).is_success

    asked(address, talk)


def test_keys_are_made_and_revoked_in_a_database(address, capsys):
    store = ["--store", address.url]
    assert cli.call(["keys", "add", "web", "--scope", "decide", *store]) == 0
    key = capsys.readouterr().out.strip()
    assert re.fullmatch(r"mb_[0-9a-f]{8}_\S{43}", key)
    assert cli.call(["keys", "list", *store]) == 0
    assert "web: decide; all agents" in capsys.readouterr().out
    with running_on(address) as running:
        (found,) = running.file.all_keys()
        assert found.revoked is None
        assert cli.call(["keys", "revoke", found.id, *store]) == 0
        running.file.hold()
        (found,) = running.file.all_keys()
        assert found.revoked is not None
    assert cli.call(["keys", "list", "--store", f"{address.url}_none"]) == 2
    assert "does not exist" in capsys.readouterr().err


class ServedOnDatabase(Served):
    """A service in a process of its own, whose decisions go to a database."""

    def __init__(self, folder, address):
        super().__init__(folder)
        content = self.file.read_text()
        self.file.write_text(f'store = "{address.url}"\n{content}')

    def launch(self):
        """Start it; it may have to stand by."""
        command = [sys.executable, "-m", "mobandits", "serve", str(self.file)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self.process.stdout.readline().decode()
        self.url = re.search(r"http://[^\s,]+", line).group()
        return self

    def status(self):
        """What /health/ready says of the agent."""
        return httpx.get(f"{self.url}/health/ready", timeout=PATIENCE).json()["agents"]["router"]


class Client(threading.Thread):
    """Decides and rewards, and remembers what it was answered, until it is told to stop."""

    def __init__(self, name, services):
        super().__init__(daemon=True)
        self.name = name
        self.services = services
        self.answers = {}
        self.rewards = {}
        self.is_stopping = False
        self.failure = None

    def run(self):
        rng = np.random.default_rng(len(self.name))
        try:
            with httpx.Client(timeout=PATIENCE) as client:
                n = 0
                while not self.is_stopping:
                    key = f"{self.name}-{n}"
                    body = {"context": rng.random(3).tolist(), "key": key}
                    answer = self.ask(client, f"{AGENT}/decide", body)
                    self.answers[key] = (body, answer)
                    rewards = {"quality": n / 1000, "cost": 0.25}
                    self.ask(client, f"{AGENT}/decisions/{answer['decision']}/rewards", rewards)
                    self.rewards[answer["decision"]] = rewards
                    n += 1
        except Exception as error:  # noqa: BLE001 - the test tells it
            self.failure = error

    def ask(self, client, path, body):
        """The answer of whichever service answers; the same call is made until one does."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for service in list(self.services):
                with contextlib.suppress(httpx.TransportError):
                    answer = client.post(service.url + path, json=body)
                    if answer.status_code == 200:
                        return answer.json()
                    assert answer.status_code == 503, answer.text
                    assert answer.headers["Retry-After"]
            time.sleep(0.02)
        raise AssertionError("nobody answered")


def put_owner_first(services):
    """Wait until one of two services has taken over, which the server gives the lock to."""

    def owner():
        return next((each for each in services if each.status() == "ready"), None)

    first = wait_for(owner, tell=lambda: [each.status() for each in services])
    services.sort(key=lambda each: each is not first)


def check_kills(tmp_path, address, rounds, clients):
    """Kill the owner of a database again and again, under clients; nothing that was answered is lost."""
    folders = iter(tmp_path / f"service-{n}" for n in range(rounds + 2))

    def launched():
        folder = next(folders)
        folder.mkdir()
        return ServedOnDatabase(folder, address).launch()

    services = [launched()]
    talking = []
    try:
        wait_for(lambda: services[0].status() == "ready")
        services.append(launched())
        talking = [Client(f"client{'x' * n}", services) for n in range(clients)]
        for each in talking:
            each.start()
        for _ in range(rounds):
            wait_for(lambda: "waiting for the lock" in services[1].status())
            known = sum(len(each.rewards) for each in talking)
            wait_for(lambda known=known: sum(len(c.rewards) for c in talking) > known + clients)
            owner = services[0]
            owner.process.send_signal(signal.SIGKILL)
            owner.process.communicate()
            services.remove(owner)
            services.append(launched())
            put_owner_first(services)
        for each in talking:
            each.is_stopping = True
            each.join(PATIENCE)
            assert each.failure is None
        with httpx.Client(base_url=services[0].url, timeout=PATIENCE) as client:
            check_answers(client, talking)
        check_log(address, talking)
    finally:
        for each in talking:
            each.is_stopping = True
        for service in services:
            service.process.terminate()
            service.process.communicate(timeout=PATIENCE)


def check_answers(client, talking):
    """Calls that are made again are answered as they were: some of each client."""
    rng = np.random.default_rng(len(talking))
    for each in talking:
        keys = rng.permutation(list(each.answers))[:REPEATED]
        for key in keys:
            body, answer = each.answers[key]
            again = client.post(f"{AGENT}/decide", json=body).json()
            assert again == {**answer, "replayed": True}


def check_log(address, talking):
    """Every decision and reward that was answered is in the log."""
    log = read(address, agent="router")
    arms = {}
    rewards = {}
    for number, arm, row in zip(log.ids.tolist(), log.arms, log.rewards, strict=True):
        arms[str(number)] = str(log.arm_names[arm])
        # In a log, more is better: costs are negated.
        rewards[str(number)] = {"quality": row[0], "cost": -row[1]}
    for each in talking:
        assert each.answers
        for _, answer in each.answers.values():
            assert arms[answer["decision"]] == answer["arm"]
        for decision, told in each.rewards.items():
            assert rewards[decision] == told


def test_killed_owners_lose_nothing_and_standbys_take_over(tmp_path, address, postgres):
    check_kills(tmp_path, address, rounds=1, clients=4)
    check_replay(address, postgres)


@pytest.mark.slow
def test_thirty_killed_owners_lose_nothing(tmp_path, address, postgres):
    check_kills(tmp_path, address, rounds=30, clients=12)
    check_replay(address, postgres)
