"""The page on real prompts: a router under seven budgets, played on few logs or few prompts."""

import json

import polars as pl
import pytest

import mobandits as mob
from mobandits.errors import FolderError, MissingExtraError
from mobandits.simulation import Results
from mobandits_papers.demo import demo
from mobandits_papers.experiment import RunOptions
from mobandits_papers.paretobandit2026.budgets import OPEN, budget_rows
from mobandits_papers.paretobandit2026.routing import published_routing
from mobandits_papers.paretobandit2026.source import published_source


@pytest.fixture(scope="module", autouse=True)
def data():
    try:
        return published_routing()
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The folder of a quick demonstration, and the progress that it told."""
    folder = tmp_path_factory.mktemp("quick") / "demo"
    said = []
    page = demo.run(folder, quick=True, progress=lambda done, total: said.append((done, total)))
    assert page == folder / "report.html"
    return folder, said


@pytest.fixture
def small(monkeypatch):
    """The demonstration with few prompts, few logs, and without a page."""
    monkeypatch.setattr(demo, "PROMPTS", 20)
    monkeypatch.setattr(demo, "QUICK", 2)
    monkeypatch.setattr(demo, "LOGS", 3)
    monkeypatch.setattr(demo, "demo_page", lambda *_: "")


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_one_call_leaves_a_whole_folder_and_a_second_changes_nothing(quick):
    folder, said = quick
    routed = 7 * 1824
    assert said == [(log * routed, 4 * routed) for log in range(1, 5)]
    before = files(folder)
    assert before.keys() == {
        "results.parquet",
        "manifest.json",
        "budgets.csv",
        "report.html",
        "router.agent",
        "figures/budgets.png",
        "figures/budgets.svg",
    }
    assert demo.is_finished(folder, quick=True)
    assert not demo.is_finished(folder)
    demo.run(folder, quick=True)
    assert files(folder) == before
    # The digest fits.
    assert Results.read(folder).specification["trials"] == 4


def test_the_router_keeps_every_budget_and_is_as_good_as_what_stands_beside_it(quick):
    results = pl.read_csv(quick[0] / "budgets.csv")
    assert len(results) == 7
    for row in results.iter_rows(named=True):
        assert row["low"] <= row["quality"] <= row["high"]
        assert row["quality"] >= row["mixture"] - 0.0005
        assert row["quality"] >= row["published"] - 0.0005
        assert row["spent"] <= 1.01
        assert row["most_spent"] <= 1.02


def test_a_log_has_the_numbers_of_the_experiment(data):
    options = RunOptions(rounds=30, seed=5)
    whole = budget_rows(published_source(), 1, options)
    own = demo.log_rows(data, 1, options)
    columns = ["policy", "metric", "component", "value"]
    expected = whole.filter(pl.col("policy") == OPEN).select(columns)
    found = own.filter(pl.col("policy") == OPEN).select(columns)
    assert found.rows() == expected.rows()
    dearest = own.filter(pl.col("policy") == f"always {data.models[-1]}")
    expected = [data.second.quality[:, -1].mean(), 1000.0 * data.second.dollars[:, -1].mean()]
    assert dearest["value"].to_list() == pytest.approx(expected)


def test_the_router_decides_and_learns(quick, data):
    router = mob.Agent.load(quick[0] / "router.agent")
    context = data.second.contexts[0]
    assert context.shape == (33,)
    decision = router.decide(context)
    assert decision.arm in data.models
    router.learn(decision.id, {"quality": 0.9, "cost": 0.0004})


def test_an_interrupted_run_continues_to_the_same_table(small, tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        demo.run(tmp_path / "cut", quick=True, progress=stop)
    demo.run(tmp_path / "cut", quick=True)
    demo.run(tmp_path / "whole", quick=True)
    tables = [(tmp_path / name / "results.parquet").read_bytes() for name in ("cut", "whole")]
    assert tables[0] == tables[1]


def test_a_full_run_may_follow_a_quick_one(small, tmp_path):
    demo.run(tmp_path, quick=True)
    first = pl.read_parquet(tmp_path / "results.parquet")
    demo.run(tmp_path)
    whole = pl.read_parquet(tmp_path / "results.parquet")
    assert whole.filter(pl.col("trial") < 2).equals(first)
    assert json.loads((tmp_path / "manifest.json").read_text())["specification"]["trials"] == 3
    with pytest.raises(FolderError, match="trials may only grow"):
        demo.run(tmp_path, quick=True)


def test_other_folders_are_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FolderError, match=r"is not empty and has no manifest\.json"):
        demo.run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_seed_is_checked(tmp_path):
    with pytest.raises(ValueError, match="seed must be an integer of at least 0, got -1"):
        demo.run(tmp_path / "new", seed=-1)
    assert not (tmp_path / "new").exists()
