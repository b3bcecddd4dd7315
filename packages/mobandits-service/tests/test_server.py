"""The service as a process: started, killed, started again, and ended."""

import json
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from services import PATIENCE, Served, specification

from mobandits.cli import program as cli
from mobandits.errors import UnavailableError
from mobandits.logs.address import place_of
from mobandits.logs.store import SharedFile, Store
from mobandits_service import server

AGENT = "/v1/agents/router"


def test_what_was_answered_survives_a_kill_and_a_graceful_end(tmp_path):
    answers = []
    with Served(tmp_path) as service:
        with httpx.Client(base_url=service.url, timeout=PATIENCE) as client:
            for n in range(40):
                body = {"context": [1.0, n / 40, 0.5], "key": f"k{n}"}
                answer = client.post(f"{AGENT}/decide", json=body).json()
                answers.append((body, answer))
                if n % 2:
                    path = f"{AGENT}/decisions/{answer['decision']}/rewards"
                    assert client.post(path, json={"quality": 0.5}).status_code == 200
            state = client.get(AGENT).json()
        second = run_serve(service.file)
        assert second.returncode == 75
        assert "in use by process" in second.stderr

        for number in (signal.SIGKILL, signal.SIGTERM):
            status, said = service.end(number)
            assert status == (-signal.SIGKILL if number == signal.SIGKILL else 0), said
            service.start()
            with httpx.Client(base_url=service.url, timeout=PATIENCE) as client:
                assert client.get(AGENT).json() == state
                for body, answer in answers:
                    again = client.post(f"{AGENT}/decide", json=body).json()
                    assert again == {**answer, "replayed": True}

        status, said = service.end()
        assert status == 0
        assert '"call":"decide"' in said
        assert '"context"' not in said  # a stall's stack may name it in code


def run_serve(*arguments):
    """What `mobandits serve` says of something that it does not serve."""
    command = [sys.executable, "-m", "mobandits", "serve", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


AGENT_TABLE = """[agents.a]
policy = 'mol-ucb'
arms = ['x', 'y']
features = 1
objectives = ['q']
"""


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("port = 0\n", "agents"),
        ("[agents.a]\npolicy = 'mol-ucb'\narms = ['x']\nobjectives = ['q']\nprt = 1", "prt"),
        ("[agents.a]\npolicy = 'mol-ubc'\narms = ['x', 'y']\nobjectives = ['q']", "mol-ucb"),
        (f"host = '0.0.0.0'\n{AGENT_TABLE}", "keys add"),
        ("[agents", "TOML"),
    ],
)
def test_a_file_that_cannot_be_served_is_refused_in_one_line(tmp_path, lines, words):
    file = tmp_path / "router.toml"
    file.write_text(lines)
    done = run_serve(file)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_a_file_is_checked_without_being_served(tmp_path):
    service = Served(tmp_path)
    done = run_serve("--check", service.file)
    assert done.returncode == 0, done.stderr
    assert "router: " in done.stdout
    assert "can be served" in done.stdout
    assert not (tmp_path / "router.db").exists()


def test_what_may_pass_has_another_status_than_a_mistake(tmp_path):
    service = Served(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_serve(service.file, "--port", str(port))
    assert done.returncode == 75
    # Beside the warning of a constant radius in dollars, which this service has.
    errors = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    assert len(errors) == 1


def test_a_start_waits_for_a_database_that_is_not_up(monkeypatch):
    attempts = []

    def opened(place, durability):
        attempts.append(place)
        if len(attempts) < 3:
            raise UnavailableError("the database system is starting up")
        return "the store"

    monkeypatch.setattr(server, "open_shared", opened)
    monkeypatch.setattr(server, "RETRY_SECONDS", 0.0)
    place = place_of("postgresql://localhost/x")
    assert server.opened_when_up(place, specification()) == "the store"
    assert len(attempts) == 3
    # A minute later it has failed; and a file that is in use is not waited for.
    monkeypatch.setattr(server, "STORE_SECONDS", -1.0)
    for store in (place, Path("router.db")):
        attempts.clear()
        with pytest.raises(UnavailableError):
            server.opened_when_up(store, specification())
        assert len(attempts) == 1


def test_a_database_that_is_down_may_be_up_later():
    connection = pytest.importorskip("mobandits_service.postgres.connection")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    # Nobody listens there any more.
    with pytest.raises(UnavailableError, match="cannot be reached"):
        connection.connected(place_of(f"postgresql://127.0.0.1:{port}/x"), "test")


@pytest.mark.parametrize("table", ["rolled", "agents", "keys"])
def test_damage_ends_a_start_in_one_line(tmp_path, capsys, table):
    """Wherever the start meets it: in what is counted for pages, in agents, or in keys."""
    store = tmp_path / "router.db"
    (tmp_path / "router.toml").write_text(
        'host = "0.0.0.0"\n[agents.router]\npolicy = "random-choice"\n'
        'arms = ["a", "b"]\nobjectives = ["click"]\n'
    )
    with SharedFile(store) as file, Store(file, agent="router") as log:
        log.describe({"arms": ["a", "b"], "objectives": ["click"]})
        log.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
    other = sqlite3.connect(store)
    query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
    (page,) = other.execute(query, (table,)).fetchone()
    other.close()
    content = bytearray(store.read_bytes())
    content[4096 * (page - 1) : 4096 * page] = bytes(4096)
    store.write_bytes(content)
    assert cli.call(["serve", str(tmp_path / "router.toml")]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"error: {store} is damaged: ")
    assert said.endswith(f"; `mobandits check {store}` says what can be saved\n")
    assert said.count("\n") == 1


def asked_wrongly(url):
    """A request that is none: the answer, and the address that it came from."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as client:
        client.sendall(b"NO REQUEST\r\n\r\n")
        answer = client.recv(1000)
        own_host, own_port = client.getsockname()
        return answer, f"{own_host}:{own_port}"


def test_a_malformed_request_is_logged_with_its_client(tmp_path):
    with Served(tmp_path) as service:
        answer, client = asked_wrongly(service.url)
        assert answer.startswith(b"HTTP/1.1 400")
        _, said = service.end()
    assert f"Invalid HTTP request received. (client {client})" in said


def test_all_of_stderr_is_json_where_the_file_asks(tmp_path):
    service = Served(tmp_path)
    service.file.write_text('log_format = "json"\n' + service.file.read_text())
    with service:
        _, client = asked_wrongly(service.url)
        assert httpx.get(f"{service.url}/v1/agents/router", timeout=PATIENCE).status_code == 200
        second = run_serve(service.file)
        _, said = service.end()
    lines = [json.loads(line) for line in said.splitlines()]
    (malformed,) = [line for line in lines if line.get("client") == client]
    assert malformed["level"] == "warning"
    assert malformed["logger"] == "uvicorn.error"
    assert any(line.get("agent") == "router" and line["status"] == 200 for line in lines)
    of_second = [json.loads(line) for line in second.stderr.splitlines()]
    assert "in use by process" in of_second[-1]["message"]
    assert second.returncode == 75
