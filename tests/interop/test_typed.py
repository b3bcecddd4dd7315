"""A user's program under a strict type checker: the package says that it is typed, and its annotations are complete."""

import subprocess
import sys

PROGRAM = """
from collections.abc import Hashable
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from numpy.typing import NDArray

import mobandits as mob


def choose(agent: mob.Agent, context: list[float]) -> Hashable:
    decision: mob.Decision = agent.decide(context)
    agent.learn(decision.id, {"quality": 0.5})
    return decision.arm


recipe = mob.policies.MolUcb(scale=0.3, order=mob.orders.Lexicographic())
agent = mob.Agent(recipe, arms=["small", "large"], features=2, objectives=["quality", "saving"], seed=1)
results: mob.Results = mob.simulate(recipe, mob.environments.Linear(arms=3), rounds=10, trials=1, seed=1)
rows: int = results.table.height
front: NDArray[np.bool_] = mob.front([[1.0, 0.0], [0.0, 1.0]])
arm: str = agent.decide([0.5, 0.5]).arm
arms: tuple[str, ...] = agent.arms
choose(agent, [0.5, 0.5])
agent.preference = mob.orders.Weighted({"quality": 1})
agent.learn(0, np.array([0.5, 0.2]))
agent.learn(1, [np.float32(0.5), None])
agent.learn(2, {"quality": 1})
agent.decide_batch(pl.DataFrame({"x": [1.0]}))
agent.decide_batch([[0.5, 0.1], [0.2, 0.3]], eligible=["small"])
agent.decide_batch([{"age": 3, "country": "NO"}])
agent.decide({"small": [0.1, 0.2], "large": [0.3, 0.2]})
agent.adopt(None, "large", rewards=None)
numbered = mob.Agent(mob.policies.MolUcb(), arms=3, features=0, objectives=1)
seventh: mob.Decision[int] = mob.Agent(recipe, arms=[7, 8], features=0, objectives=2).decide()
choose(mob.Agent.load(Path("router.agent")), [0.5])
figure: Figure = results.plot("reward")
gaps: NDArray[np.float64] = mob.gaps([[1.0, 0.0]], mob.orders.Levels([[0], [1]]))
"""
MISTAKES = """
choose(recipe, [0.5])
mob.orders.Pareto(onn=[0])
mob.front([[1.0]], order="pareto")
wrong: str = agent.decide([0.5, 0.5]).id
agent.learn(0, "nope")
agent.learn(0, {"quality": "high"})
agent.decide("nope")
agent.preference = "pareto"
mob.policies.MolUcb(order="pareto")
number: int = agent.decide([0.5, 0.5]).arm
results.plot("reward").savefigure("a.pdf")
"""


def test_a_users_program(tmp_path):
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(PROGRAM + MISTAKES)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        "cache",
        "right.py",
        "wrong.py",
    ]
    said = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    first = PROGRAM.count("\n") + 2
    errors = [line.split(":")[:2] for line in said if ": error:" in line]
    expected = MISTAKES.count("\n") - 1
    assert errors == [["wrong.py", str(first + i)] for i in range(expected)], said
