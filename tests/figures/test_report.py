import hashlib
import json
import re

import numpy as np
import polars as pl
import pytest
from page_structure import check_figures

from mobandits import report
from mobandits.errors import FolderError
from mobandits.simulation.folder import parquet
from mobandits.simulation.trial import SCHEMA
from mobandits_papers.protocol.files import theorem_checks, write_checks
from mobandits_papers.protocol.protocol import added_up, bound, doubted, event


@pytest.fixture
def folder(tmp_path, manifest):
    """Write a run's files."""

    def make(name, table, specification):
        directory = tmp_path / name
        directory.mkdir()
        data = parquet(table.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()))
        (directory / "results.parquet").write_bytes(data)
        content = manifest(specification) | {"results_sha256": hashlib.sha256(data).hexdigest()}
        content["kind"] = "demo" if name == "demo" else "run"
        (directory / "manifest.json").write_text(json.dumps(content))
        return directory

    return make


def check_page(page):
    text = page.read_text(encoding="utf-8")
    assert "://" not in text  # nothing to load, from anywhere
    assert not re.search(r'(src|srcset|href)="(?!data:|#)', text)
    check_figures(text)
    assert "nan" not in re.sub(r'"data:[^"]*"', "", text).lower().split()
    return text


@pytest.mark.long
def test_demo_page_is_whole_and_the_same_again(folder, make_demo):
    directory = folder("demo", *make_demo())
    text = check_page(report.write(directory))
    files = {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    assert {"report.html", "budgets.csv", "budgets.png", "budgets.svg"} <= set(files)
    assert "quality is 0.020 to 0.020 above the best fixed mixture" in text
    assert "and 1.001 in the worst log" in text
    assert "ParetoBandit, published" in text
    assert text.count("<figure>") == 1
    report.write(directory)
    assert {
        path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()
    } == files


def test_a_folder_of_an_unknown_kind_says_whether_something_is_to_be_installed(
    folder, make_demo, monkeypatch
):
    directory = folder("demo", *make_demo())
    file = directory / "manifest.json"
    file.write_text(file.read_text().replace('"kind": "demo"', '"kind": "dream"'))
    with pytest.raises(FolderError, match="demo holds dream, which this version has no page for"):
        report.write(directory)
    monkeypatch.setattr(report, "contributions", lambda group: [])
    with pytest.raises(FolderError, match=r"holds dream, whose page needs papers: .*-papers"):
        report.write(directory)


@pytest.mark.long
def test_demo_page_says_so_when_the_router_was_worse(folder, make_demo):
    text = report.write(folder("demo", *make_demo(gain=-0.02))).read_text()
    assert "quality is −0.020 to −0.020 above the best fixed mixture" in text


def test_a_demo_of_an_earlier_version_is_to_be_run_again(folder, make_demo):
    table, said = make_demo()
    del said["budgets"]
    with pytest.raises(FolderError, match="demo holds a demonstration of an earlier version: run"):
        report.write(folder("demo", table, said))


@pytest.mark.long
def test_any_run_has_a_page(folder, table):
    said = {"experiment": "x", "environment": "World()", "policies": {"a": "A()", "b": "B()"}}
    said |= {"rounds": 20, "trials": 3, "seed": 0, "metrics": {"pareto_regret": "ParetoRegret()"}}
    directory = folder("run", table, said)
    text = check_page(report.write(directory))
    assert (directory / "figures" / "pareto_regret.png").exists()
    for part in ("World()", "A()", "Pareto regret at round 20", "1.5 seconds", "mobandits 0"):
        assert part in text


@pytest.mark.long
def test_one_trial_has_no_interval(folder, table):
    said = {
        "experiment": "x",
        "environment": "World()",
        "policies": {},
        "rounds": 20,
        "trials": 1,
        "seed": 0,
    }
    text = check_page(report.write(folder("one", table.filter(table["trial"] == 0), said)))
    assert "One trial, so that nothing says how sure the numbers are." in text
    assert "±" not in text.partition("<table>")[2].partition("</table>")[0]


@pytest.fixture
def theorem_folder(tmp_path):
    """A folder of theorem checks of two papers, one of which has no bounds."""
    rounds = np.ones(50)
    runs = [
        [event("an <event>", "Lemma 1", 0.5, 1.0, 0.1), bound("a bound", "Theorem 1", rounds, 99.0)]
        for _ in range(3)
    ]
    several = theorem_checks("p2018", added_up("p2018", runs), runs=3, seed=7)
    doubtful = [[doubted("d", "Theorem 2", rounds, 9.0)]]
    single = theorem_checks("q2019", added_up("q2019", doubtful), runs=1, seed=7)
    for checks in (several, single._replace(curves=pl.DataFrame())):
        write_checks(tmp_path / "theorems", checks)
    return tmp_path / "theorems"


@pytest.mark.long
def test_theorem_checks_have_a_page(theorem_folder):
    report.check(theorem_folder)
    text = check_page(report.write(theorem_folder))
    assert (theorem_folder / "figures" / "p2018.svg").exists()
    assert text.count("<figure>") == 1
    assert text.index('<h2 id="p2018">') < text.index('<h2 id="q2019">')
    for part in ("an &lt;event&gt;", "Lemma 1", "3 runs: everything is as the theory", "in doubt"):
        assert part in text
    assert "3 runs, seed 7; with mobandits" in text


@pytest.mark.long
def test_other_files_beside_theorem_checks_are_passed_over(theorem_folder):
    (theorem_folder / "q2019.json").unlink()
    (theorem_folder / "notes.json").write_text("[]")
    assert '<h2 id="p2018">p2018</h2>' in report.write(theorem_folder).read_text()


@pytest.mark.long
def test_a_run_stays_a_run_whatever_lies_beside_it(folder, table, theorem_folder):
    said = {"experiment": "x", "environment": "World()", "policies": {}, "rounds": 20, "seed": 0}
    directory = folder("run", table, said | {"trials": 3})
    (directory / "p2018.json").write_bytes((theorem_folder / "p2018.json").read_bytes())
    assert "<h1>Pareto regret of 2 policies on World</h1>" in report.write(directory).read_text()


def test_curves_that_are_lost_are_told(theorem_folder):
    (theorem_folder / "p2018.parquet").write_bytes(b"")
    with pytest.raises(FolderError, match=r"p2018\.parquet cannot be read as a Parquet file"):
        report.check(theorem_folder)
