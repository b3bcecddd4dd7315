"""Tables and figures beside the page of a run, and citations on the command line."""

import json

import polars as pl
import pytest
from twins.tiny import Plain, Tiny

from mobandits import report
from mobandits.cli import program as cli
from mobandits.errors import FolderError
from mobandits.policies import RandomChoice
from mobandits.simulation import Results, simulate


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "run"
    metrics = ["pareto_regret", "reward"]
    recipes = {"a_1": Plain(), "b": RandomChoice()}
    simulate(recipes, Tiny(), rounds=30, trials=3, record=5, metrics=metrics, out=out)
    return out


def call(capsys, *arguments):
    status = cli.call([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.long
def test_report_writes_tables_and_figures_beside_the_page(run, capsys):
    status, out, _ = call(capsys, "report", run, "--latex", "--csv", "--pdf")
    assert (status, out.strip()) == (0, str(run / "report.html"))
    assert r"a\_1 & " in (run / "tables" / "results.tex").read_text()
    read = pl.read_csv(run / "tables" / "results.csv")
    assert read["policy"].to_list() == ["a_1", "b"]
    assert Results.read(run).to_csv() == (run / "tables" / "results.csv").read_text()
    names = {file.name for file in (run / "figures").glob("*.pdf")}
    assert names == {"pareto_regret.pdf", "reward.pdf"}
    before = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}
    call(capsys, "report", run, "--latex", "--csv", "--pdf")
    assert before == {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}


@pytest.mark.long
def test_only_what_was_asked_for_is_written(run, tmp_path):
    Results.read(run).write(tmp_path / "copy")
    report.write(tmp_path / "copy")
    assert not (tmp_path / "copy" / "tables").exists()
    report.write(tmp_path / "copy", csv=True)
    assert [file.name for file in (tmp_path / "copy" / "tables").iterdir()] == ["results.csv"]
    assert not list((tmp_path / "copy" / "figures").glob("*.pdf"))


def test_folders_without_such_tables_are_refused_before_anything_is_written(run, tmp_path):
    folder = tmp_path / "demo"
    Results.read(run).write(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "kind": "demo"}))
    with pytest.raises(FolderError, match="holds demo: --latex, --csv and --pdf are for runs and"):
        report.write(folder, latex=True)
    assert {file.name for file in folder.iterdir()} == {"manifest.json", "results.parquet"}


def test_cite_prints_what_runs_and_names_are_cited_as(run, capsys):
    status, out, _ = call(capsys, "cite", run, "mol-ts", "hillstrom", "mol-ts")
    assert status == 0
    lines = out.splitlines()
    assert lines.count("% MolTs: molts2025") == 1
    assert "% hillstrom: hillstrom2008" in lines
    assert "% RandomChoice: mobandits" in lines
    assert out.count("@misc{mobandits,") == 1
    assert out.endswith("}\n")


def test_cite_refuses_an_unknown_name_with_the_nearest(capsys):
    status, _, err = call(capsys, "cite", "mol-tss")
    assert status == 2
    assert "'mol-tss' is unknown; did you mean mol-ts?" in err
    assert err.count("\n") == 1
