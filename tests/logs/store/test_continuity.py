"""Events that are gone though SQLite finds nothing wrong: a log that was cut off, or deleted."""

import contextlib
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import mobandits as mob
from mobandits.errors import LogWarning
from mobandits.logs.events import Lost
from mobandits.logs.store import SharedFile, Store
from mobandits.policies import MolUcb

OPTIONS = {"arms": ["a", "b"], "features": 1, "objectives": ["q"], "propensity": "none"}
OTHER = {"arms": ["a"], "objectives": [{"name": "q", "minimise": False}]}


def agent_on(path, **options):
    return mob.Agent(MolUcb(scale=0.3, check=False), **OPTIONS, log=path, **options)


def decide_some(agent, count):
    numbers = []
    for i in range(count):
        decision = agent.decide([1.0])
        numbers.append(decision.id)
        if i % 2:
            agent.learn(decision.id, [0.5])

    return numbers


def as_killed(path, target, count=15):
    """The files of a process that was killed after some decisions."""
    with agent_on(path) as agent:
        decide_some(agent, count)
        for suffix in ("", "-wal", "-owner"):
            shutil.copy(f"{path}{suffix}", f"{target}{suffix}")


def cut(path, share):
    log = Path(f"{path}-wal")
    os.truncate(log, int(share * log.stat().st_size))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, None])
def test_what_a_log_has_lost_is_said_and_numbers_go_on(tmp_path, share):
    path = tmp_path / "cut.db"
    as_killed(tmp_path / "log.db", path)
    if share is None:
        Path(f"{path}-wal").unlink()
    else:
        cut(path, share)

    with pytest.warns(LogWarning, match=r"cut\.db: agent 'agent' has \d+ events, and had 22"):
        agent = agent_on(path)
    assert decide_some(agent, 2) == [15, 16]
    agent.close()
    # Said once: from now on the log itself says what is missing.
    with agent_on(path) as again:
        assert again.core.pending.next_id == 17
    with Store(path) as store:
        kinds = [event.kind for event in store.events()]
    assert kinds.count("lost") == 1


def test_a_second_loss_gives_out_no_number_of_the_first(tmp_path):
    path = tmp_path / "cut.db"
    as_killed(tmp_path / "log.db", path)
    cut(path, 0.2)
    again = tmp_path / "again.db"
    with pytest.warns(LogWarning, match="has"):
        agent = agent_on(path)
    assert decide_some(agent, 3) == [15, 16, 17]
    for suffix in ("", "-wal", "-owner"):
        shutil.copy(f"{path}{suffix}", f"{again}{suffix}")
    agent.close()
    cut(again, 0.1)
    with pytest.warns(LogWarning, match="go on from number 18"):
        agent = agent_on(again)
    assert agent.decide([1.0]).id == 18
    agent.close()


def test_an_older_copy_is_said_to_be_one(tmp_path):
    path = tmp_path / "log.db"
    copy = tmp_path / "copy.db"
    with agent_on(path) as agent:
        decide_some(agent, 4)
    shutil.copy(path, copy)
    with agent_on(path) as agent:
        decide_some(agent, 4)
    shutil.copy(copy, path)
    with pytest.warns(LogWarning, match="older copy"):
        agent = agent_on(path)
    assert agent.decide([1.0]).id == 8
    agent.close()


def test_decisions_that_time_settles_wait_through_a_loss(tmp_path):
    """Timers count from one number to the next."""
    now = [1000.0]
    objectives = [mob.Objective("q", default=0.0, after=60.0)]
    options = {**OPTIONS, "objectives": objectives, "clock": lambda: now[0]}
    path = tmp_path / "cut.db"
    recipe = MolUcb(scale=0.3, check=False)
    with mob.Agent(recipe, **options, log=tmp_path / "log.db") as agent:
        for _ in range(6):
            agent.decide([1.0])
        for suffix in ("", "-wal", "-owner"):
            shutil.copy(tmp_path / f"log.db{suffix}", f"{path}{suffix}")
    cut(path, 0.7)
    with pytest.warns(LogWarning, match="had 6"):
        agent = mob.Agent(recipe, **options, log=path)
    waiting = agent.waiting
    assert 0 < waiting < 6
    assert agent.decide([1.0]).id == 6
    now[0] += 61.0
    agent.tick()
    assert (agent.waiting, agent.lessons) == (0, waiting + 1)
    agent.close()


def test_nothing_is_said_of_a_store_that_is_whole_or_another_one(tmp_path):
    path = tmp_path / "log.db"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with agent_on(path) as agent:
                decide_some(agent, 3)
        killed = tmp_path / "killed.db"
        as_killed(tmp_path / "other.db", killed)
        with agent_on(killed) as agent:
            assert agent.decide([1.0]).id == 15
        path.unlink()
        with agent_on(path) as agent:
            assert agent.decide([1.0]).id == 0
        # Another store in its place is not an earlier state of it.
        with agent_on(tmp_path / "third.db") as agent:
            decide_some(agent, 1)
        shutil.copy(tmp_path / "third.db", killed)
        with agent_on(killed) as agent:
            assert agent.decide([1.0]).id == 1


def test_a_store_without_an_agent_of_ours_says_it_as_well(tmp_path):
    path = tmp_path / "log.db"
    with Store(path) as store:
        store.describe(OTHER)
        store.append({"kind": "decide", "id": 7, "arm": 0})
        for suffix in ("", "-owner"):
            shutil.copy(f"{path}{suffix}", tmp_path / f"cut.db{suffix}")
    with pytest.warns(LogWarning, match="go on from number 8"):
        store = Store(tmp_path / "cut.db")
    with store:
        store.describe(OTHER)
        assert list(store.events()) == [Lost(events=1, next=8)]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"4711\n",
        b"\0" * 100,
        b'%-20d\n%020d %020d %-24b "agent"\n' % (1, 9, 2**63, b"1.5"),
        b'%-20d\n%020d %020d %-24b "agent"\n' % (1, 9, 9, b"noon"),
        b'%-20d\n%020d %020d %-24b "ag\\qent"\n%020d' % (1, 9, 9, b"1.5", 3),
    ],
)
def test_notes_that_are_damaged_say_nothing(tmp_path, line):
    path = tmp_path / "log.db"
    with agent_on(path) as agent:
        decide_some(agent, 3)
    Path(f"{path}-owner").write_bytes(line)
    with agent_on(path) as agent:
        assert agent.decide([1.0]).id == 3
        shutil.copy(path, tmp_path / "copy.db")
        shutil.copy(f"{path}-owner", tmp_path / "copy.db-owner")
    with pytest.warns(LogWarning, match="go on from number 4"):
        agent = agent_on(tmp_path / "copy.db")
    agent.close()


KILLED_IN_A_GROUP = """
import os, sys
from mobandits.logs.store import SharedFile, Store
file = SharedFile(sys.argv[1], "system")
for agent in ("one", "two"):
    store = Store(file, agent=agent)
    store.describe({"arms": ["a"], "objectives": [{"name": "q", "minimise": False}]})
    for i in range(5 if agent == "one" else 3):
        store.append({"kind": "decide", "id": i, "arm": 0})
file.committer.flush()
print("settled", flush=True)
os.kill(os.getpid(), 9)
"""


def test_agents_that_share_a_file_are_noted_apart(tmp_path):
    path = tmp_path / "log.db"
    command = [sys.executable, "-c", KILLED_IN_A_GROUP, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "settled\n", done.stderr
    lines = Path(f"{path}-owner").read_text().splitlines()
    assert [(line.split()[:2], line.split()[-1]) for line in lines[1:]] == [
        ([f"{5:020}", f"{5:020}"], '"one"'),
        ([f"{3:020}", f"{3:020}"], '"two"'),
    ]
    with contextlib.suppress(FileNotFoundError):
        Path(f"{path}-wal").unlink()
    with SharedFile(path, "system") as file:
        for agent, known in (("one", 5), ("two", 3)):
            with pytest.warns(LogWarning, match=f"agent '{agent}' has 0 events, and had {known}"):
                store = Store(file, agent=agent)
            store.describe(OTHER)
            assert list(store.events()) == [Lost(events=known, next=known)]
            store.close()
