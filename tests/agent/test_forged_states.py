"""Forged files: refused in one line, or loaded and then what they say; never a hang, nor an error from the depths."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import forged_states
import numpy as np
import pytest
from state_files import DECISIONS, changed, forged, parts, start_of

import mobandits as mob
from mobandits.agent import Objective
from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Shape
from mobandits.errors import StateError
from mobandits.policies import Exp3P, MocMab, MolTs, MolUcb, ParetoTs, Pcz, RandomChoice


def report(folder, seed, tries):
    """What an interpreted process found."""
    path = [str(Path(forged_states.__file__).parent), *(p or str(Path.cwd()) for p in sys.path)]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, forged_states.__file__, str(folder), str(seed), str(tries)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def check(found):
    assert found["wrong"] == []
    assert 0.2 * found["made"] < found["loaded"] < 0.7 * found["made"]


def test_forged_files_are_refused_or_work(tmp_path):
    check(report(tmp_path, 1, 30))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 18))
def test_many_forged_files_are_refused_or_work(tmp_path, seed):
    check(report(tmp_path, seed, 300))


@pytest.fixture
def timed(tmp_path):
    """The file of an agent with a reward by default, of which the first decision still waits."""
    agent = mob.Agent(
        RandomChoice(),
        arms=2,
        features=0,
        objectives=[Objective("x", default=0.0, after=9.0), "y"],
        clock=lambda: 1.0,
    )
    agent.decide()
    agent.learn(agent.decide().id, [1.0, 2.0])
    agent.save(tmp_path / "agent")
    return (tmp_path / "agent").read_bytes()


def test_many_decisions_ago_is_not_counted_to(tmp_path, timed):
    """Nor is it where the file is honest, of an agent that has decided for years."""
    header, arrays = parts(timed)
    (tmp_path / "later").write_bytes(forged(changed(header, ("next_id",), lambda _: 2**62), arrays))
    start = time.perf_counter()
    agent = mob.Agent.load(tmp_path / "later", clock=lambda: 11.0)
    number = agent.decide().id
    assert time.perf_counter() - start < 10.0
    assert number == 2**62
    assert agent.core.pending.open[0].rewards[0] == 0.0  # its default was due
    agent.learn(number, [1.0, 2.0])
    agent.save(tmp_path / "again")
    header, arrays = parts((tmp_path / "again").read_bytes())
    (tmp_path / "last").write_bytes(forged(header, arrays))
    with pytest.raises(
        StateError, match=r"Expected `int` <= 4611686018427387904 - at `\$.next_id`"
    ):
        mob.Agent.load(tmp_path / "last")


def test_defaults_come_in_the_same_order_after_loading(tmp_path):
    """Decisions far apart, each of which has two defaults; compared with the agent that was not saved."""
    now = [0.0]
    objectives = [
        Objective("x", default=0.0, after=9.0),
        Objective("y", default=1.0, after=3.0),
        "z",
    ]
    options = {"arms": 3, "features": 0, "objectives": objectives, "clock": lambda: now[0]}
    agent = mob.Agent(RandomChoice(), **options)
    for i in range(40):
        now[0] = float(i)
        decision = agent.decide()
        if i % 7:
            agent.learn(decision.id, [0.5, 0.5, 0.5])
    agent.save(tmp_path / "agent")
    again = mob.Agent.load(tmp_path / "agent", clock=lambda: now[0])
    for i in range(40, 60):
        now[0] = float(i)
        assert again.decide() == agent.decide()
        rewards = [
            [kept.rewards for kept in each.core.pending.open.values()] for each in (again, agent)
        ]
        assert repr(rewards[0]) == repr(rewards[1])  # NaN, where nothing is known
    assert again.lessons == agent.lessons


CHANGES = [
    (MolUcb(scale=0.3), 4, -1.0, "state's seen must hold numbers in"),
    (MolUcb(scale=0.3), 0, 0.0, "state's gram must be positive on the diagonal"),
    (MolTs(scale=0.3), 0, -2.0, "state's gram must be positive on the diagonal"),
    (ParetoTs(), 0, 0.5, "state's alpha must hold numbers in"),
    (ParetoTs(), 1, -1.0, "state's beta must hold numbers in"),
    (Exp3P(check=False), 1, 2.0, "state's objective must be below 2, got 2"),
    (Exp3P(check=False), 1, 0.5, "state's objective must hold whole numbers"),
    (MocMab(per_side=2, period=7, check=False), -1, -1.0, "state's clock must hold whole numbers"),
    (
        MocMab(per_side=2, period=7, check=False),
        -1,
        2.0**54,
        "state's clock must hold whole numbers",
    ),
    (Pcz(), 1, 0.0, "state's radius must hold numbers in"),
    (Pcz(), 2, -1.0, "state's seen must hold numbers in"),
]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    ("recipe", "number", "value", "said"), CHANGES, ids=lambda value: str(value)[:40]
)
def test_counts_are_counts(tmp_path, recipe, number, value, said):
    agent = mob.Agent(recipe, arms=3, features=2, objectives=2, rounds=50)
    rng = np.random.default_rng(0)
    for _ in range(6):
        agent.learn(agent.decide(rng.random((3, 2))).id, rng.integers(0, 2, 2))
    agent.save(tmp_path / "agent")
    header, arrays = parts((tmp_path / "agent").read_bytes())
    number = number % (len(header["arrays"]) - DECISIONS) + DECISIONS
    place = start_of(header, number)
    changed_ = arrays[:place] + np.float64(value).tobytes() + arrays[place + 8 :]
    (tmp_path / "agent").write_bytes(forged(header, changed_))
    with pytest.raises(StateError, match=said):
        mob.Agent.load(tmp_path / "agent")


@pytest.mark.process
def test_arithmetic_that_fails_is_one_error(tmp_path):
    """An inverse that is none: its quadratic form is -1, and an update divides by 1 more than that."""
    agent = mob.Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
    agent.learn(agent.decide([1.0, 0.5]).id, [1.0, 2.0])
    agent.core.bound.state().inverse[:] = [[-1.0, 0.0], [0.0, 0.0]]
    said = r"MolUcb cannot compute with what it has learned: its numbers are too large, or do not fit together \(.*\)"
    with pytest.raises(ValueError, match=said):
        agent.learn(agent.decide([1.0, 0.5]).id, [1.0, 2.0])


def test_similarities_that_are_none_do_not_reach_the_compiler():
    for wrong in ("euclidean", 5, MolUcb(), Pcz):
        with pytest.raises(
            ValueError, match=r"Pcz.similarity must be None or a @compiled distance with"
        ):
            Pcz(similarity=wrong)


def test_integers_of_more_than_64_bits_do_not_reach_the_compiler():
    @compiled
    class Counts:
        number: int

    assert Counts(2**63 - 1).number == 2**63 - 1
    for wrong in (2**63, -(2**63) - 1, 10**400):
        with pytest.raises(ValueError, match=r"Counts.number must be an integer, got"):
            Counts(wrong)
    with pytest.raises(ValueError, match="must be an integer"):
        MolTs(scale=0.3, draws=2**64).bind(Shape(arms=3, features=2, objectives=2))
