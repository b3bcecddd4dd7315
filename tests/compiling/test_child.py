"""A machine that never compiled anything: an agent answers, a child process compiles, the agent goes over."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mobandits.compiling import child
from mobandits.compiling.backend import INTERPRETED
from mobandits.support.forks import processors

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
PATIENCE = 500.0  # seconds: a busy machine compiles for long
PROGRAM = """
import json, logging, sys, time
import numba  # before calls are timed: a busy machine takes seconds for it
import numpy as np
import mobandits as mob
from mobandits.policies import MolEpsGreedy

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(message)s")
most, seconds = int(sys.argv[1]), float(sys.argv[2])
agent = mob.Agent(MolEpsGreedy(epsilon=0.3), arms=4, features=3, objectives=2)
rng = np.random.default_rng(0)
arms = []
longest = 0.0
until = time.monotonic() + seconds
while len(arms) < most and time.monotonic() < until:
    start = time.perf_counter()
    decision = agent.decide(rng.random(3))
    agent.learn(decision.id, rng.random(2))
    longest = max(longest, time.perf_counter() - start)
    arms.append(decision.arm)
    if most == 10**9:
        # It may take a minute, in which few calls are enough.
        time.sleep(0.02)
        # Some rounds more, so that compiled code plays too.
        if len(agent.core.bound.session._dispatchers) == 2:
            most = len(arms) + 100

state = [array.tolist() for array in agent.core.bound.state()]
print(json.dumps([arms, state, len(agent.core.bound.session._dispatchers), longest]))
"""


def settings_of(cache, compiling):
    return os.environ | {
        "NUMBA_CACHE_DIR": str(cache),
        "MOBANDITS_COMPILING": compiling,
        "NUMBA_DISABLE_JIT": "0",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


def begin(cache, *arguments, compiling="auto"):
    settings = settings_of(cache, compiling)
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=settings, text=True, **pipes)


def ended(process):
    out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    return json.loads(out), said


def children_of(number):
    """The numbers of the processes that a process has started and that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it has ended meanwhile
        if int(parent) == number and state != "Z":
            found.append(int(folder.name))
    return found


def test_an_agent_goes_over_to_what_a_child_has_compiled(tmp_path):
    (arms, state, compiled, _), said = ended(begin(tmp_path, 10**9, PATIENCE))
    assert compiled == 2
    (line,) = said.splitlines()
    assert line.startswith("a child process compiles what is played in Python meanwhile")
    for compiling in ("never", "now"):
        again, said = ended(begin(tmp_path, len(arms), PATIENCE, compiling=compiling))
        assert [again[0], again[1], said] == [arms, state, ""]
    # Once more, from the cache, and no child is needed.
    (again, _, compiled, longest), said = ended(begin(tmp_path, 10**9, PATIENCE))
    both = min(len(again), len(arms))
    assert [again[:both], compiled, said] == [arms[:both], 2, ""]
    assert longest < 2.0


ONE_CALL = """
import sys
import mobandits as mob
from mobandits.policies import MolUcb

agent = mob.Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
decision = agent.decide([1.0, 0.5])
agent.learn(decision.id, [0.5, 0.25])
print("numba" in sys.modules)
"""


@pytest.mark.parametrize("compiling", ["auto", "never"])
def test_the_first_calls_do_not_need_numba(tmp_path, compiling):
    settings = settings_of(tmp_path, compiling)
    command = [sys.executable, "-c", ONE_CALL]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_process_that_ends_soon_starts_no_child(tmp_path):
    (_, _, compiled, longest), said = ended(begin(tmp_path, 20, PATIENCE))
    assert (compiled, said) == (0, "")
    assert longest < 2.0
    assert not list(tmp_path.rglob("*.nbi"))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_child_ends_with_its_parent(tmp_path, number):
    process = begin(tmp_path, 10**9, PATIENCE)
    until = time.monotonic() + PATIENCE
    while not children_of(process.pid):
        assert time.monotonic() < until
        time.sleep(0.05)
    (helper,) = children_of(process.pid)
    time.sleep(2.0)  # until it compiles
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    while Path(f"/proc/{helper}").exists():
        assert time.monotonic() < until
        time.sleep(0.05)


SIMULATION = """
import mobandits as mob

policies = {"ucb": mob.policies.MolUcb(), "greedy": mob.policies.MolEpsGreedy()}
environment = mob.environments.Linear(arms=5, features=3, objectives=2)
mob.simulate(policies, environment, rounds=10**6, trials=2, progress=False)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
def test_simulations_have_a_child_per_processor(tmp_path):
    command = [sys.executable, "-c", SIMULATION]
    process = subprocess.Popen(command, env=settings_of(tmp_path, "auto"))
    until = time.monotonic() + PATIENCE
    most = 0
    while most < min(2, processors()):
        assert time.monotonic() < until
        most = max(most, len(children_of(process.pid)))
        time.sleep(0.05)
    process.kill()
    process.wait(PATIENCE)
    while children_of(process.pid):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_one_process_at_a_time_compiles_a_loop(tmp_path):
    path = tmp_path / "cache" / "loop.lock"
    with child._locked(path):
        program = f"""
from pathlib import Path
from mobandits.compiling.child import _locked
with _locked(Path({str(path)!r})):
    print("has it")
"""
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        other = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment
        )
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(3.0)
    assert other.communicate(timeout=PATIENCE)[0] == b"has it\n"
    assert not path.exists()


HIDDEN = """
from mobandits.compiling.compiled import compiled
from mobandits.parts import BaseOrder


def first():
    @compiled
    class First(BaseOrder):
        def front(self, beliefs):
            return beliefs.mean[:, 0] >= beliefs.mean[:, 0].max()

        def gap(self, means, arm):
            return means[arm]

    return First()
"""
USER = """
import logging, queue, sys
import numpy as np
import mobandits as mob
from logging.handlers import QueueHandler
from mobandits.policies import MolEpsGreedy
from hidden import first

said = queue.Queue()
logging.getLogger("mobandits").addHandler(QueueHandler(said))
agent = mob.Agent(MolEpsGreedy(order=first()), arms=3, features=2, objectives=2)
agent.decide(np.ones(2))
print(said.get(timeout=float(sys.argv[1])).getMessage())
agent.decide(np.ones(2))
"""


def test_what_no_other_process_can_have_stays_in_python(tmp_path):
    (tmp_path / "hidden.py").write_text(HIDDEN)
    settings = {
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "MOBANDITS_COMPILING": "auto",
        "NUMBA_DISABLE_JIT": "0",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
    }
    command = [sys.executable, "-c", USER, str(PATIENCE)]
    said = subprocess.check_output(command, env=settings, text=True)
    assert said.startswith("it is played in Python from now on, in more time, as it could not be")
