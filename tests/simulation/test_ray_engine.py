"""Ray: the same table from processes, from processes that die, and from scripts; mistakes are told as ever."""

import contextlib
import importlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from twins.tiny import Plain, PlainPolicy, Tiny, TinyProblem

from mobandits.cli import program as cli
from mobandits.contracts.assumptions import UNIT_REWARDS
from mobandits.contracts.protocols import Recipe
from mobandits.errors import EngineError, InputWarning, MissingExtraError
from mobandits.metrics import LevelRegret, Reward
from mobandits.orders import Lexicographic
from mobandits.policies import MolUcb
from mobandits.simulation import PreferenceSweep, ray_engine, simulate
from mobandits.simulation.ray_engine import cluster
from mobandits.spec import catalogue

TESTS = Path(__file__).parent.parent
SMALL = {
    "rounds": 300,
    "trials": 5,
    "seed": 5,
    "record": 7,
    "metrics": ["reward", "jaccard", "pareto_regret"],
}


@pytest.fixture(scope="module")
def ray():
    """One Ray of two processes for all tests; it must find what the tests import."""
    before = os.environ.get("PYTHONPATH")
    places = [str(TESTS), str(TESTS / "simulation")]
    os.environ["PYTHONPATH"] = os.pathsep.join([*places, *filter(None, [before])])
    with cluster(None, 2):
        yield importlib.import_module("ray")
    os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)


class Own(Reward):
    """A metric of a user's own."""

    name = "own"


def test_the_table_is_that_of_threads_bit_for_bit(ray, tmp_path):
    policies = {
        "compiled": MolUcb(scale=0.3),
        "plain": Plain(),
        "read": PreferenceSweep(MolUcb(scale=0.3), {"first": Lexicographic()}),
    }
    same = {**SMALL, "metrics": [*SMALL["metrics"], Own(), LevelRegret([[0], [1]])]}
    simulate(policies, Tiny(), **same, out=tmp_path / "threads")
    for workers in (None, 1):
        simulate(
            policies, Tiny(), **same, engine="ray", workers=workers, out=tmp_path / f"ray-{workers}"
        )
    tables = [
        (tmp_path / name / "results.parquet").read_bytes()
        for name in ("threads", "ray-None", "ray-1")
    ]
    assert tables[0] == tables[1] == tables[2]


def test_progress_is_told_at_the_start_and_after_every_trial(ray):
    said = []
    simulate(Plain(), Tiny(), **SMALL, engine="ray", progress=lambda *told: said.append(told))
    assert said == [(300 * done, 1500) for done in range(6)]


@dataclass(frozen=True)
class Waiting(Tiny):
    """The first process of Ray's that comes to the second block writes down who it is, and waits."""

    file: str = ""
    driver: int = 0

    def problem(self, rounds, rng):
        return WaitingProblem(super().problem(rounds, rng), self)


@dataclass(frozen=True)
class WaitingProblem:
    problem: TinyProblem
    environment: Waiting

    @property
    def shape(self):
        return self.problem.shape

    def block(self, first, rounds, rng):
        if first > 0 and os.getpid() != self.environment.driver:
            with (
                contextlib.suppress(FileExistsError),
                Path(self.environment.file).open("x") as file,
            ):
                print(os.getpid(), file=file, flush=True)
                time.sleep(60)
        return self.problem.block(first, rounds, rng)


def kill_whoever_waits(file, killed):
    while not (file.exists() and file.read_text().endswith("\n")):
        time.sleep(0.02)
    killed.append(int(file.read_text()))
    os.kill(killed[0], signal.SIGKILL)


def test_the_trials_of_a_killed_process_are_played_again(ray, tmp_path):
    environment, killed = Waiting(file=str(tmp_path / "pid"), driver=os.getpid()), []
    undisturbed = simulate(Plain(), environment, **SMALL).table
    killer = threading.Thread(
        target=kill_whoever_waits, args=(tmp_path / "pid", killed), daemon=True
    )
    killer.start()
    table = simulate(Plain(), environment, **SMALL, engine="ray").table
    assert len(killed) == 1
    assert killed != [os.getpid()]
    assert table.equals(undisturbed)


class FailingPolicy(PlainPolicy):
    def update(self, state, x, arm, note, reward, rng):
        if state.count.sum() > 280:
            raise OWN[self.epsilon]("on purpose")
        return super().update(state, x, arm, note, reward, rng)


class UnsendableError(Exception):
    def __reduce__(self):
        raise TypeError("stays where it is")


OWN = {0.1: ZeroDivisionError, 0.2: UnsendableError}


@dataclass(frozen=True)
class Failing(Recipe):
    epsilon: float = 0.1

    def bind(self, shape):
        return FailingPolicy(shape, self.epsilon)


def test_what_fails_in_a_trial_is_told_as_with_threads(ray):
    told = []
    for engine in ("threads", "ray"):
        with pytest.raises(ZeroDivisionError) as error:
            simulate(Failing(), Tiny(), **SMALL, engine=engine)
        told.append((type(error.value), str(error.value)))
    assert told[0] == told[1] == (ZeroDivisionError, "on purpose")


def test_a_failure_that_cannot_be_sent_is_told_in_one_line(ray):
    with pytest.raises(EngineError, match=r"trial \d failed: .*Unsendable") as error:
        simulate(Failing(0.2), Tiny(), **SMALL, engine="ray")
    assert "\n" not in str(error.value)


@dataclass(frozen=True)
class Assuming(Plain):
    assumed = (UNIT_REWARDS,)

    check: bool = True


def test_warnings_come_back(ray):
    for engine in ("threads", "ray"):
        with pytest.warns(InputWarning, match=r"policy 'Assuming.*': Assuming needs rewards in"):
            simulate(Assuming(), Tiny(), **SMALL, workers=1, engine=engine)


def test_an_interruption_keeps_what_is_finished(ray, tmp_path, monkeypatch):
    module, played = ray_engine, []

    def stop(done, total):
        if done == 600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(Plain(), Tiny(), **SMALL, engine="ray", out=tmp_path, progress=stop)
    kept = sorted(path.name for path in (tmp_path / "parts").iterdir())
    assert len(kept) == 2
    result = module._result
    monkeypatch.setattr(
        module, "_result", lambda ray, done, trial: played.append(trial) or result(ray, done, trial)
    )
    table = simulate(Plain(), Tiny(), **SMALL, engine="ray", out=tmp_path).table
    assert sorted([*played, *(int(name[6:12]) for name in kept)]) == [0, 1, 2, 3, 4]
    assert table.equals(simulate(Plain(), Tiny(), **SMALL).table)


def test_other_versions_are_refused(ray, monkeypatch):
    here = ray_engine.versions()
    monkeypatch.setattr(ray_engine, "versions", lambda: here | {"numba": "0.1"})
    with pytest.raises(
        EngineError, match=r"a machine of the cluster has numba .*, and the run was begun with 0.1"
    ):
        simulate(Plain(), Tiny(), **SMALL, engine="ray")


def test_the_commands_take_it(ray, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mobandits.cli.console.write_report", lambda folder, **options: None)
    (tmp_path / "s.toml").write_text(
        'rounds = 300\ntrials = 2\nmetrics = ["reward"]\nenvironment = "linear"\n[[policies]]\nname = "random-choice"\n'
    )
    for engine in ("threads", "ray"):
        assert (
            cli.call(
                [
                    "run",
                    str(tmp_path / "s.toml"),
                    "--out",
                    str(tmp_path / engine),
                    "--engine",
                    engine,
                ]
            )
            == 0
        )
    assert capsys.readouterr().err.splitlines()[-1] == "s: 600 of 600 rounds"
    tables = [(tmp_path / engine / "results.parquet").read_bytes() for engine in ("threads", "ray")]
    assert tables[0] == tables[1]


@dataclass(frozen=True)
class Deadly(Tiny):
    """Takes every process down but one."""

    spared: int = 0

    def problem(self, rounds, rng):
        if os.getpid() != self.spared:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().problem(rounds, rng)


def test_a_trial_that_kills_every_process_is_given_up(ray, monkeypatch):
    monkeypatch.setattr(ray_engine, "RETRIES", 0)
    with pytest.raises(
        EngineError, match=r"trial [0-4] was lost, after 0 more attempts: .*"
    ) as error:
        simulate(Plain(), Deadly(spared=os.getpid()), **SMALL, engine="ray")
    assert "\n" not in str(error.value)


def test_everything_built_in_travels():
    pickle = pytest.importorskip("ray.cloudpickle")
    made = []
    for kind in ("policies", "environments", "orders", "metrics"):
        for make in catalogue(kind).values():
            with contextlib.suppress(TypeError, ValueError):  # what has no defaults
                made.append(make())
    assert len(made) > 40
    for one in made:
        again = pickle.loads(pickle.dumps(one))
        assert repr(again) == repr(one)
        assert type(again) is type(one)


SCRIPT = """
import sys
from dataclasses import dataclass
import numpy as np
from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Beliefs, Choice
import pickle

@compiled
class Part:
    number: float
    def of(self, x):
        return self.number * x

@compiled
class Whole:
    part: Part
    def of(self, x):
        return self.part.of(x) + 1.0

def ask(part, x):
    return part.of(x)

if sys.argv[1] == "send":
    from ray import cloudpickle
    sys.stdout.buffer.write(cloudpickle.dumps((ask, Whole(Part(2)))))
"""

RECEIVE = """
import sys, pickle
from mobandits.compiling.compiled import compile_loop, is_compiled
ask, whole = pickle.load(sys.stdin.buffer)
assert type(whole).__module__ == "__main__"
assert is_compiled(whole) and is_compiled(whole.part)
loop = compile_loop(ask, whole)
assert hasattr(loop, "dispatcher") and loop(whole, 3.0) == 7.0 == ask(whole, 3.0)
"""


def test_compiled_classes_of_a_script_stay_compiled(tmp_path):
    pytest.importorskip("ray")
    (tmp_path / "script.py").write_text(SCRIPT)
    sent = subprocess.run(
        [sys.executable, tmp_path / "script.py", "send"], check=True, capture_output=True
    ).stdout
    subprocess.run([sys.executable, "-c", RECEIVE], check=True, input=sent)


def test_an_absent_ray_is_told_before_anything_else(tmp_path, monkeypatch, capsys):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ray" else found(name)
    )
    message = "engine='ray' needs the extra `ray`: pip install 'mobandits[ray]'"
    with pytest.raises(MissingExtraError) as error:
        simulate("nonsense", "nonsense", rounds=1, engine="ray", out=tmp_path / "out")
    assert str(error.value) == message
    (tmp_path / "s.toml").write_text("")
    for command in (["run", str(tmp_path / "s.toml")], ["reproduce", "molts2025/fig2"]):
        assert cli.call([*command, "--out", str(tmp_path / "out"), "--engine", "ray"]) == 2
        assert capsys.readouterr() == ("", f"error: {message}\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("engine", "address", "message"),
    [
        ("rai", None, "engine: 'rai' is unknown; did you mean ray? It must be one of ray, threads"),
        (
            "threads",
            "auto",
            "address must be None with engine='threads', got 'auto'; a cluster needs engine='ray'",
        ),
        ("ray", "somewhere", "address must be 'auto' or host:port, got 'somewhere'"),
        ("ray", 6379, "address must be 'auto' or host:port, got 6379"),
    ],
)
def test_mistakes_are_refused_before_anything_else(engine, address, message):
    pytest.importorskip("ray")
    with pytest.raises(ValueError, match=re.escape(message)):
        simulate("nonsense", "nonsense", rounds=1, engine=engine, address=address)


def test_no_cluster_where_one_should_be_is_one_line(monkeypatch):
    ray = pytest.importorskip("ray")

    def nobody(*arguments, **options):
        raise ConnectionError("Ray is trying to start.\nOr not.")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", nobody)
    message = "Ray cannot be reached at address 'auto': Ray is trying to start."
    with pytest.raises(EngineError, match=f"^{re.escape(message)}$"):
        simulate(Plain(), Tiny(), **SMALL, engine="ray", address="auto")
