"""`mobandits serve --demo`: prompts arrive, all that they brought is on disk, and it ends when told to."""

import functools
import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import threading

import httpx
import numpy as np
import pytest
from service_checks import wait_for
from services import PATIENCE, Served, toml

from mobandits.cli import program as cli
from mobandits_service.demo import command, traffic
from mobandits_service.demo.history import DECISIONS
from mobandits_service.demo.prompts import PromptTable
from mobandits_service.specification import read_specification

STATE = "/v1/agents/router"
WITHOUT_REWARDS = """
SELECT count(*) FROM decisions d WHERE (SELECT count(*) FROM rewards r
    WHERE r.agent = d.agent AND r.decision = d.id) < 2
"""


def rows(path, query):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def few_prompts():
    rng = np.random.default_rng(3)
    quality = rng.random((10, 2))
    return PromptTable(("small", "large"), rng.random((10, 3)), quality, 0.01 * quality + 0.001)


@pytest.fixture
def hurried(monkeypatch):
    """As many prompts as the service takes, with grades that come a moment later."""
    monkeypatch.setattr(traffic, "PER_SECOND", 1000.0)
    monkeypatch.setattr(traffic, "GRADE_SECONDS", 0.05)


# Grades that no service takes any more are dropped at the end, and that is said.
@pytest.mark.filterwarnings("ignore::mobandits_client.ServiceWarning")
def test_traffic_ends_by_itself_when_stopped_and_when_the_service_is_gone(
    tmp_path, hurried, monkeypatch
):
    """Whatever ends it, all grades were reported before."""
    lines = []
    with Served(tmp_path) as service:
        sent = traffic.Traffic(few_prompts(), "router", lines.append, most=30)
        sent.start(service.url)
        sent._thread.join(PATIENCE)
        assert not sent._thread.is_alive()
        sent.stop()
        assert state_of(service.url)["decisions"] == 30
        assert lines[0].startswith("prompts arrive now")
        assert lines[-1].startswith("no more prompts after 30 decisions: that is the most")
        assert rows(tmp_path / "router.db", WITHOUT_REWARDS) == [(0,)]

        # No grade is due before it is stopped.
        monkeypatch.setattr(traffic, "GRADE_SECONDS", 1e6)
        sent = traffic.Traffic(few_prompts(), "router", lines.append)
        sent.start(service.url)
        wait_for(lambda: state_of(service.url)["waiting"] >= 5)
        sent.stop()
        state = state_of(service.url)
        assert state["waiting"] == 0
        assert lines[-1] == f"no more prompts after {state['decisions'] - 30} decisions"
        assert rows(tmp_path / "router.db", WITHOUT_REWARDS) == [(0,)]

        monkeypatch.setattr(traffic, "MOST_FAILURES", 2)
        monkeypatch.setattr(traffic, "SECONDS_BEFORE_RETRY", 0.01)
        lines.clear()
        sent = traffic.Traffic(few_prompts(), "router", lines.append)
        sent.start(service.url)
        wait_for(lambda: state_of(service.url)["waiting"] >= 5)
        service.end(signal.SIGKILL)
        sent._thread.join(PATIENCE)
        assert not sent._thread.is_alive()
        assert lines[1].startswith("a call failed, and is tried again")
        assert "the service takes them no more" in lines[-1]


@pytest.mark.parametrize(
    "signals",
    [
        [signal.SIGINT],
        # Twice on one store: it goes on where it was.
        pytest.param([signal.SIGTERM, signal.SIGINT], marks=pytest.mark.slow),
    ],
)
def test_the_demonstration_serves_prompts_until_it_is_told_to_end(tmp_path, signals):
    program = [sys.executable, "-m", "mobandits", "serve", "--demo", "--port", "0"]
    before = 0
    for number in signals:
        asked = [*program, "--store", str(tmp_path)]
        process = subprocess.Popen(
            asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
        )
        try:
            said = read_until(process.stdout, "serving http://")
            url = said[-1].split()[1].rstrip(",")
            made = max(before, DECISIONS)
            wait_for(functools.partial(has_made, url, made + 20))
            assert state_of(url)["learned"] > made
            os.kill(process.pid, number)
            rest, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()
        assert process.returncode == (130 if number == signal.SIGINT else 0), errors
        assert "no more prompts after" in rest
        assert any(str(tmp_path / "router.db") in line for line in said)
        ((before,),) = rows(tmp_path / "router.db", "SELECT count(*) FROM decisions")
        assert before >= made + 20
        assert rows(tmp_path / "router.db", WITHOUT_REWARDS) == [(0,)]

    times = [at for (at,) in rows(tmp_path / "router.db", "SELECT at FROM decisions ORDER BY id")]
    assert times == sorted(times)
    assert 3000.0 < times[DECISIONS - 1] - times[0] < 3600.0


def state_of(url):
    try:
        return httpx.get(f"{url}{STATE}", timeout=PATIENCE).json()
    except httpx.TransportError:
        return {}


def has_made(url, decisions):
    return state_of(url).get("decisions", 0) >= decisions


def read_until(stream, start):
    """The lines of a process, until one begins so."""
    alarm = threading.Timer(PATIENCE, stream.close)
    alarm.start()
    try:
        said = []
        for line in stream:
            said.append(line.rstrip())
            if line.startswith(start):
                return said
    finally:
        alarm.cancel()
    raise AssertionError(said)


def test_the_file_of_the_demonstration_is_one_that_is_served(tmp_path):
    prompts = few_prompts()
    file = tmp_path / "router.toml"
    for _ in range(2):  # one that is there already is taken
        command._write_file(file, prompts)
    agent = read_specification(file).agents["router"]
    assert agent.arms == ["small", "large"]
    assert agent.features == 3
    assert not read_specification(file).log_requests


def test_files_of_others_are_left_alone(tmp_path):
    file = tmp_path / "router.toml"
    file.write_text(f"x = {toml('mine')}")
    with pytest.raises(ValueError, match="must be a new file or the demonstration's"):
        command._write_file(file, few_prompts())
    assert "mine" in file.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve"], "FILE must be given, or --demo"),
        (["serve", "x.toml", "--demo"], "--demo must go without FILE, got x.toml"),
        (["serve", "--demo", "--check"], "--demo must go without --check"),
    ],
)
def test_it_is_a_file_or_the_demonstration(arguments, said, capsys):
    assert cli.call(arguments) == 2
    assert said in capsys.readouterr().err


def test_the_extra_is_named_where_it_is_missing(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("mobandits_service.demo.prompts.LlmRouting", Missing)
    assert cli.call(["serve", "--demo", "--store", str(tmp_path / "router.db")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "needs the extra `data`" in line
    assert list(tmp_path.iterdir()) == []


class Missing:
    """An environment whose data are not installed."""

    max_rounds = 10

    def __init__(self, **_):
        pass

    def problem(self, *_):
        from mobandits.support.optional import missing_extra  # noqa: PLC0415

        raise missing_extra("LlmRouting", "data")


def test_where_decisions_go(tmp_path):
    assert command._store_in(tmp_path) == tmp_path / "router.db"
    assert command._store_in(tmp_path / "mine.db") == tmp_path / "mine.db"
    first, second = (command._store_in(None) for _ in itertools.repeat(None, 2))
    assert first != second
    for each in (first, second):
        each.parent.rmdir()
