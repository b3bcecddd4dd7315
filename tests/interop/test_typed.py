"""A user's program under a strict type checker: the package says that it is typed, and its annotations are complete."""

import subprocess
import sys

PROGRAM = """
from collections.abc import Hashable

import numpy as np
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
gaps: NDArray[np.float64] = mob.gaps([[1.0, 0.0]], mob.orders.Levels([[0], [1]]))
"""
MISTAKES = """
choose(recipe, [0.5])
mob.orders.Pareto(onn=[0])
mob.front([[1.0]], order="pareto")
wrong: str = agent.decide([0.5, 0.5]).id
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
    assert errors == [["wrong.py", str(first + i)] for i in range(4)], said
