import hashlib
import json
import re

import polars as pl
import pytest

from mobandits import report
from mobandits.simulation.files import parquet
from mobandits.simulation.trial import SCHEMA


@pytest.fixture
def folder(tmp_path, manifest):
    """Write a run's files."""

    def make(name, table, specification):
        directory = tmp_path / name
        directory.mkdir()
        data = parquet(table.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()))
        (directory / "results.parquet").write_bytes(data)
        content = manifest(specification) | {"results_sha256": hashlib.sha256(data).hexdigest()}
        (directory / "manifest.json").write_text(json.dumps(content))
        return directory

    return make


def check_page(page):
    text = page.read_text(encoding="utf-8")
    assert "://" not in text  # nothing to load, from anywhere
    assert not re.search(r'(src|srcset|href)="(?!data:)', text)
    assert text.count("<img") == text.count('alt="') == text.count("<figure>")
    assert "nan" not in re.sub(r'"data:[^"]*"', "", text).lower().split()
    return text


def test_demo_page_is_whole_and_the_same_again(folder, make_demo):
    directory = folder("demo", *make_demo())
    text = check_page(report.write(directory))
    files = {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    assert {
        "report.html",
        "cost_quality.png",
        "cost_quality.svg",
        "regret.svg",
        "model_use.svg",
        "context_gain.svg",
    } <= set(files)
    assert "Context helped L." in text
    assert "Chosen &lt;before&gt;." in text
    assert text.count("<h2>") >= 8
    report.write(directory)
    assert {
        path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()
    } == files


def test_demo_page_says_so_when_context_did_not_help(folder, make_demo):
    text = report.write(folder("demo", *make_demo(gain=-0.02))).read_text()
    assert "Context did not help L: it hurt." in text
    assert "For a stated preference, context did not help." in text


def test_any_run_has_a_page(folder, table):
    said = {"experiment": "x", "environment": "World()", "policies": {"a": "A()", "b": "B()"}}
    said |= {"rounds": 20, "trials": 3, "seed": 0, "metrics": {"pareto_regret": "ParetoRegret()"}}
    directory = folder("run", table, said)
    text = check_page(report.write(directory))
    assert (directory / "figures" / "pareto_regret.png").exists()
    for part in ("World()", "A()", "Pareto regret at round 20", "1.5 seconds", "mobandits 0"):
        assert part in text


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
    assert '<td class="number"></td>' in text
