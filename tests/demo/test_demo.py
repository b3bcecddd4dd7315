import functools
import json

import numpy as np
import polars as pl
import pytest

from mobandits.demo import demo
from mobandits.demo.hindsight import hindsight
from mobandits.environments import LlmRouting
from mobandits.simulation import FolderError, Results, simulate
from mobandits.simulation.collection import check_collection
from mobandits.simulation.trial import SCHEMA

ROUNDS = 120


@pytest.fixture
def small(monkeypatch):
    """The demonstration with few prompts, few trials, few learners, and nothing to compile."""
    monkeypatch.setattr(LlmRouting, "max_rounds", ROUNDS)
    monkeypatch.setattr(demo, "PROMPTS", ROUNDS)
    monkeypatch.setattr(demo, "QUICK", 2)
    monkeypatch.setattr(demo, "POINTS", 10)
    monkeypatch.setattr(demo, "DEPLOYED_PROMPTS", 40)
    some = {name: demo.LEARNERS[name] for name in ("MOL-UCB", "MOL-eps-Greedy")}
    monkeypatch.setattr(demo, "LEARNERS", some)
    monkeypatch.setattr(demo, "BALANCED", some)
    monkeypatch.setattr(demo, "simulate", functools.partial(simulate, compiled=False))


@pytest.fixture
def pageless(small, monkeypatch):
    """The same without figures."""
    monkeypatch.setattr(demo, "demo_page", lambda *_: "")


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_one_call_leaves_a_whole_folder_and_a_second_changes_nothing(small, tmp_path):
    said = []
    page = demo.run(
        tmp_path / "demo", quick=True, progress=lambda done, total: said.append((done, total))
    )
    assert page == tmp_path / "demo" / "report.html"
    assert said[-1] == (6 * ROUNDS, 6 * ROUNDS)
    assert [done for done, _ in said] == sorted(done for done, _ in said)
    before = files(tmp_path / "demo")
    assert {
        "results.parquet",
        "deployments.parquet",
        "manifest.json",
        "report.html",
        "figures/cost_quality.png",
        "figures/deployment.png",
    } <= before.keys()
    demo.run(tmp_path / "demo", quick=True)
    assert files(tmp_path / "demo") == before

    results = Results.read(tmp_path / "demo")  # the digest fits
    table, specification = results.table, results.specification
    policies = len(specification["rows"])
    counts = f"2 environments, {policies} policies, 1 to 2 trials, {ROUNDS} rounds, 5 metrics"
    assert repr(results) == f"Results({counts})"
    rows = table.select("environment", "policy", "metric", "component").unique()
    assert results.summary().height == rows.height
    assert len(results.plot("pareto_regret").axes) == 2
    assert {row["policy"] for row in specification["rows"]} == set(table["policy"])
    assert table["environment"].unique(maintain_order=True).to_list() == [
        specification["text"],
        specification["constant"],
    ]
    text = table.filter(pl.col("environment") == specification["text"])
    # Being read changes nothing: the reader is a MOL-UCB like any other.
    both = [
        text.filter(pl.col("policy") == name).drop("policy") for name in ("MOL-UCB", demo.READER)
    ]
    assert both[0].equals(both[1])
    again = table.filter(pl.col("environment") == specification["constant"])["policy"].unique()
    assert specification["best"] in again.to_list()
    assert len(again) == 2 + len(demo.WEIGHTS)
    plays = table.filter((pl.col("metric") == "plays") & (pl.col("round") == ROUNDS))
    assert plays.group_by("environment", "policy", "trial").agg(pl.col("value").sum())[
        "value"
    ].unique().to_list() == [ROUNDS]


def test_an_interrupted_run_continues_to_the_same_table(pageless, tmp_path):
    def stop(done, total):
        if done > total // 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        demo.run(tmp_path / "cut", quick=True, workers=1, progress=stop)
    demo.run(tmp_path / "cut", quick=True, workers=2)
    demo.run(tmp_path / "whole", quick=True, workers=1)
    tables = [(tmp_path / name / "results.parquet").read_bytes() for name in ("cut", "whole")]
    assert tables[0] == tables[1]


def test_a_full_run_may_follow_a_quick_one(pageless, tmp_path, monkeypatch):
    demo.run(tmp_path, quick=True)
    monkeypatch.setattr(demo, "TRIALS", 3)
    demo.run(tmp_path)
    assert json.loads((tmp_path / "manifest.json").read_text())["specification"]["trials"] == 3
    with pytest.raises(FolderError, match="trials may only grow"):
        demo.run(tmp_path, quick=True)


def test_other_folders_are_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FolderError, match=r"holds notes\.txt"):
        demo.run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_run_of_something_else_is_refused(tmp_path):
    said = {
        "format": 1,
        "kind": "run",
        "status": "finished",
        "specification": {"experiment": "other"},
        "versions": {},
        "sessions": [],
    }
    (tmp_path / "manifest.json").write_text(json.dumps(said))
    with pytest.raises(FolderError, match="holds a run of 'other', not of 'demo'"):
        check_collection(tmp_path, "demo")


def test_seed_is_checked(tmp_path):
    with pytest.raises(ValueError, match="seed must be an integer of at least 0, got -1"):
        demo.run(tmp_path / "new", seed=-1)
    assert not (tmp_path / "new").exists()


def test_hindsight_is_the_best_choice_per_prompt():
    environment = LlmRouting(text_features=0)
    problem = environment.problem(environment.max_rounds, np.random.default_rng(5))
    rewards = problem.block(0, environment.max_rounds, np.random.default_rng(5)).rewards
    weights = {"even": (0.5, 0.5), "quality": (1.0, 0.0)}
    table = hindsight(environment, weights, "demo")
    assert dict(table.schema) == SCHEMA
    for name, weight in weights.items():
        row = (
            table.filter((pl.col("policy") == name) & (pl.col("metric") == "reward"))
            .sort("component")["value"]
            .to_numpy()
        )
        best = sum(max(w @ np.array(weight) for w in prompt) for prompt in rewards)
        assert row @ np.array(weight) == pytest.approx(best)
    dollars = table.filter(pl.col("metric") == "dollars")["value"].to_list()
    assert (
        dollars[0]
        < dollars[1]
        < problem.quantities(0, environment.max_rounds)["dollars"][:, 2].sum()
    )


def test_best_is_the_lowest_final_regret():
    columns = ["policy", "round", "metric", "value"]
    rows = [("a", 10, "effective_pareto_regret", 3.0), ("b", 10, "effective_pareto_regret", 2.0)]
    rows += [("b", 5, "effective_pareto_regret", 9.0), ("c", 10, "effective_pareto_regret", 0.0)]
    assert demo.best_learner(pl.DataFrame(rows, columns, orient="row"), ["a", "b"]) == "b"
