"""Folders that version 0.1 wrote (commit 6c81237) are read, summed up, drawn and continued by this one."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import mobandits as mob
from mobandits import report
from mobandits.simulation.manifest import check_specification
from mobandits.spec import load

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ROOT / "tests" / "data" / "version_0_1"


def test_a_run_is_read():
    results = mob.Results.read(FOLDERS / "run")
    manifest = json.loads((FOLDERS / "run" / "manifest.json").read_text())
    assert results.specification == manifest["specification"]
    assert results.table["policy"].n_unique() == len(results.specification["policies"])
    assert "policies" in repr(results)
    assert results.summary().height > 0


EVERY_KIND = {
    "run": "6 policies, 2 trials, 60 rounds, 4 metrics",
    "reproduced": "3 experiments, 2 environments, 31 policies, 1 to 2 trials, "
    "40 to 10,000,000,000,000,000 rounds, 2 metrics",
    "reproduced/runs/moglb2019/links": "2 experiments, 28 policies, 2 trials, 40 rounds, 1 metric",
    "reproduced/runs/moglb2019/links/runs/d-10": "28 policies, 2 trials, 40 rounds, 1 metric",
}


@pytest.mark.parametrize("name", EVERY_KIND)
def test_results_of_every_kind_of_folder_print_sum_up_and_plot(name):
    results = mob.Results.read(FOLDERS / name)
    assert repr(results) == f"Results({EVERY_KIND[name]})"
    table = results.table
    keys = ["experiment", "environment", "policy", "metric", "component"]
    summary = results.summary()
    assert summary.height == table.select(keys).n_unique()
    last = {
        key: rows.filter(pl.col("round") == pl.col("round").max())
        for key, rows in table.group_by(keys, maintain_order=True)
    }
    assert summary["mean"].to_list() == pytest.approx(
        [rows["value"].mean() for rows in last.values()]
    )
    assert summary["trials"].to_list() == [len(rows) for rows in last.values()]
    for metric in table["metric"].unique():
        rows = table.filter(pl.col("metric") == metric)
        figure = results.plot(metric)
        drawn = [panel for panel in figure.axes if panel.axison]
        assert len(drawn) == rows.select("experiment", "environment", "component").n_unique()


@pytest.mark.parametrize("name", ["run", "reproduced"])
def test_results_of_a_folder_are_written_into_another(name, tmp_path):
    results = mob.Results.read(FOLDERS / name)
    for _ in range(2):
        results.write(tmp_path / "copy")
        again = mob.Results.read(tmp_path / "copy")
        assert again.table.equals(results.table)
        assert again.specification == results.specification


def test_a_sweep_of_preferences_is_continued_that_was_begun_under_its_old_name():
    before = {"policies": {"a": "Readings(recipe=MolUcb())", "b": "MolUcb()"}, "trials": 2}
    now = {"policies": {"a": "PreferenceSweep(recipe=MolUcb())", "b": "MolUcb()"}, "trials": 3}
    check_specification(Path("folder"), before, now)
    other = {**now, "policies": {**now["policies"], "b": "MolTs()"}}
    with pytest.raises(mob.errors.FolderError, match=r"policies.b = MolUcb\(\), now MolTs\(\)"):
        check_specification(Path("folder"), before, other)


@pytest.mark.parametrize("name", ["run", "reproduced"])
def test_a_page_is_written(name, tmp_path):
    folder = tmp_path / name
    shutil.copytree(FOLDERS / name, folder)
    page = report.write(folder)
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert any((folder / "figures").iterdir())


def test_a_run_is_still_specified_as_it_was():
    plan = load(ROOT / "examples" / "linear.toml").plan(rounds=60, trials=2)
    before = mob.Results.read(FOLDERS / "run").specification
    assert json.loads(json.dumps(plan.specification())) == before
