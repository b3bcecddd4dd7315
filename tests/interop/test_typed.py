"""A user's program and the code of all pages under a type checker: annotations are there, and fit what users write."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
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


# Of pages, no function need be annotated; `**options` of a dictionary is of no type that mypy could check.
LENIENT = """
allow_redefinition = true
disallow_untyped_calls = false
disallow_untyped_defs = false
disallow_incomplete_defs = false
disallow_untyped_decorators = false
strict_optional = false
"""
UNPACKED = '"**dict['
UNTYPED = {
    "docs_how_to_use_other_libraries.py"
}  # Gymnasium's environments do not say what ours add


@pytest.fixture(scope="module")
def snippets():
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module("snippets")
    sys.path.remove(str(ROOT / "tools"))


@pytest.fixture(scope="module")
def files(snippets):
    """{name: code} of all pages."""
    found = {}
    for page in snippets.all_pages():
        for name, code in snippets.modules(page).items():
            assert name not in found, f"two pages have a file {name}"
            found[name] = code
    return {name: code for name, code in found.items() if name not in UNTYPED}


@pytest.fixture(scope="module")
def said(files, tmp_path_factory):
    """The lines of one strict run over the programs and the pages."""
    folder = tmp_path_factory.mktemp("typed")
    for name, code in {"right.py": PROGRAM, "wrong.py": PROGRAM + MISTAKES, **files}.items():
        (folder / name).write_text(code)
    pages = ",".join(Path(name).stem for name in files)
    settings = "[mypy]\nstrict = true\nignore_missing_imports = true\n"
    (folder / "mypy.ini").write_text(f"{settings}[mypy-{pages}]{LENIENT}")
    command = [sys.executable, "-m", "mypy", "--cache-dir", "cache", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if ": error:" in line]


def test_a_users_program(said):
    first = PROGRAM.count("\n") + 2
    expected = MISTAKES.count("\n") - 1
    errors = [line.split(":")[:2] for line in said if line.startswith(("right.py", "wrong.py"))]
    assert sorted(errors) == sorted(["wrong.py", str(first + i)] for i in range(expected)), said


def test_code_of_pages(said, files):
    assert {"README.py", "docs_quickstart.py"} <= files.keys()
    of_pages = [line for line in said if not line.startswith(("right.py", "wrong.py"))]
    assert [line for line in of_pages if UNPACKED not in line] == []
