"""The examples at the end of every command's help, run as they stand."""

import dataclasses
import shlex

import numpy as np
import pytest

import mobandits as mob
from mobandits.cli import program as cli
from mobandits.compiling import session
from mobandits.policies import RandomChoice
from mobandits.suite.definition import load_suite
from mobandits_papers.check_theorems import check_theorems

# In place of the file that examples name, which takes longer.
SPEC = """
rounds = 30
trials = 5
metrics = ["reward"]
environment = "linear"
policies = ["random-choice"]
"""
SERVICE = """
[agents.router]
policy = "random-choice"
arms = ["a", "b"]
objectives = ["click"]
"""
ALL = [(command.name, example) for command in cli.COMMANDS for example in command.examples]


@pytest.fixture
def folder(tmp_path):
    """A folder with the files that examples name."""
    folder = tmp_path
    (folder / "examples").mkdir()
    (folder / "examples" / "linear.toml").write_text(SPEC)
    rng = np.random.default_rng(0)
    rows = [f"{'ab'[rng.integers(2)]},{rng.integers(2)},{rng.random()},0.5" for _ in range(200)]
    (folder / "log.csv").write_text("\n".join(["item,click,age,p", *rows]) + "\n")
    store = folder / "agent.db"
    asked = {"arms": ["a", "b"], "features": 2, "objectives": ["click"], "seed": 1}
    with mob.Agent(RandomChoice(), **asked, log=store, propensity="exact") as agent:
        for _ in range(200):
            decision = agent.decide(rng.random(2) / 2)
            agent.learn(decision.id, [rng.random()])
    asked["objectives"] = ["quality", mob.Objective("cost", minimise=True)]
    with mob.Agent(RandomChoice(), **asked, log=folder / "paid.db", propensity="exact") as agent:
        for _ in range(200):
            decision = agent.decide(rng.random(2) / 2)
            size = ["a", "b"].index(decision.arm)
            agent.learn(decision.id, {"quality": rng.random() + size, "cost": 0.1 + size})
    (folder / "router.toml").write_text(SERVICE)
    (folder / "mine.toml").write_text('[[policies]]\nlabel = "mine"\nname = "random-choice"\n')
    return folder


@pytest.fixture
def quick(monkeypatch):
    """What takes minutes is not played, or is played on a small scale."""

    def page_of(out, **options):
        return out / "report.html"

    def few(paper, runs, **options):
        return check_theorems(paper, runs=2, rounds=100, **options)

    monkeypatch.setattr(session, "is_compiled", lambda policy: False)
    monkeypatch.setattr("mobandits_papers.demo.demo.run", page_of)
    monkeypatch.setattr(
        "mobandits_papers.reproduce.reproduce", lambda ids, out, **options: page_of(out)
    )
    monkeypatch.setattr("mobandits_papers.check_theorems.check_theorems", few)
    suite = load_suite("MOB-1", "development")
    first = dataclasses.replace(suite.settings[0], rounds=20)
    small = dataclasses.replace(suite, settings=[first], trials=2)
    monkeypatch.setattr("mobandits.suite.definition.load_suite", lambda *_, **__: small)
    monkeypatch.setattr("mobandits_service.command.serve", lambda *asked: None)
    monkeypatch.setattr("mobandits_service.demo.command.serve_demo", lambda **asked: None)
    for name in ("precompile_agent", "precompile_simulation"):
        monkeypatch.setattr(f"mobandits.precompile.{name}", lambda *recipes: "compiled")


def test_examples_do_what_they_say(folder, quick, monkeypatch, capsys):
    """They run one after the other, in one test: some draw what others made."""
    monkeypatch.chdir(folder)
    for name, example in ALL:
        program, *arguments = shlex.split(example)
        assert (program, arguments[0]) == ("mobandits", name)
        status = cli.call(arguments)
        assert status == 0, f"{example}\n{capsys.readouterr().err}"
