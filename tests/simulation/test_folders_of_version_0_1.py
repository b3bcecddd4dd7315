"""Folders that version 0.1 wrote (commit 6c81237) are read, summed up, drawn and continued by this one."""

import json
import shutil
from pathlib import Path

import pytest

import mobandits as mob
from mobandits import report
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
