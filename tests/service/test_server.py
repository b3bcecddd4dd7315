"""The service as a process: started, killed, started again, and ended."""

import signal
import subprocess
import sys

import httpx
import pytest
from services import PATIENCE, Served

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
        assert second.returncode == 2
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
        assert "context" not in said


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
