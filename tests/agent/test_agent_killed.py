"""A program that is killed at random moments and resumes ends as if it had never been killed."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import logged_program
import pytest

from mobandits.logs import Store

STEPS, LONGEST, KILLS = 250, 60_000, 3


def run(folder, seed, calls, how, *, compiled=False):
    """Whether the process lived to its end."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(p or str(Path.cwd()) for p in sys.path)
    }
    environment["NUMBA_DISABLE_JIT"] = str(int(not compiled))
    command = [
        sys.executable,
        logged_program.__file__,
        str(folder),
        str(seed),
        str(STEPS),
        str(calls),
        how,
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr[-2000:]
    return done.returncode == 0


def ends_the_same(tmp_path, seed, how, kills, **world):
    whole, chance, killed = tmp_path / "whole", random.Random(seed), tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    assert run(whole, seed, 0, how, **world)
    died = 0
    while died < kills and not run(killed, seed, chance.randint(2000, LONGEST), how, **world):
        died += 1
    assert died > 1
    assert run(killed, seed, 0, how, **world)
    assert (whole / "end").read_bytes() == (killed / "end").read_bytes()
    events = []
    for folder in (whole, killed):
        with Store(folder / "log") as store:
            events.append([logged_program.plain(event) for event in store.events()])
    assert events[0] == events[1]
    assert {kind for kind, _ in events[0]} == {
        "decide",
        "learn",
        "add",
        "remove",
        "correct",
        "preference",
    }


@pytest.mark.parametrize("how", ["log", "state"])
def test_ends_as_if_it_had_never_been_killed(tmp_path, how):
    ends_the_same(tmp_path, 1, how, KILLS)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["log", "state"])
@pytest.mark.parametrize("seed", range(10, 18))
def test_ends_as_if_it_had_never_been_killed_often(tmp_path, seed, how):
    ends_the_same(tmp_path, seed, how, 15, compiled=seed % 2)
