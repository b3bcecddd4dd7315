"""Runs in folders: any interruption, the same bytes in the end; whatever does not belong is refused."""

import ast
import contextlib
import hashlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from twins.tiny import Plain, Tiny

import mobandits
from mobandits.compiling.backend import mode
from mobandits.simulation import FolderError, Results, simulate
from mobandits.simulation.folder import Folder
from mobandits.simulation.manifest import REMEDY, first_difference
from mobandits.simulation.trial import SCHEMA
from mobandits.spec import load
from mobandits.support.files import locked

ROOT = Path(__file__).parent.parent.parent
SMALL = {
    "rounds": 40,
    "trials": 3,
    "seed": 5,
    "record": 4,
    "metrics": ["reward", "plays"],
    "workers": 1,
}


def small(out, **change):
    arguments = {
        "policies": {"a": Plain(), "b": Plain(0.5)},
        "environment": Tiny(),
        **SMALL,
        **change,
    }
    return simulate(**arguments, out=out)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    small(out)
    return (out / "results.parquet").read_bytes()


class Killed(BaseException):
    """Not an error that anybody handles."""


@contextlib.contextmanager
def killed_at(monkeypatch, operation):
    """Every operation on files is counted, and the n-th one is the last; a file that is being written stays half."""
    count = 0

    def counted(function, *, half=False):
        def call(*args, **kwargs):
            nonlocal count
            count += 1
            if count >= operation:
                if half and stat.S_ISREG(os.fstat(args[0]).st_mode):
                    os.ftruncate(args[0], os.fstat(args[0]).st_size // 2)
                raise Killed
            return function(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", counted(os.fsync, half=True))
        patch.setattr(os, "replace", counted(os.replace))
        for name in ("unlink", "rmdir", "mkdir"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        yield lambda: count


@pytest.fixture
def played(monkeypatch):
    """The trials that were played, in order."""
    module = sys.modules["mobandits.simulation.threads"]
    original, trials = module.play_trial, []

    def play_trial(setup, trial, after_block):
        frame = original(setup, trial, after_block)
        trials.append(trial)
        return frame

    monkeypatch.setattr(module, "play_trial", play_trial)
    return trials


@pytest.mark.long
def test_a_kill_at_any_file_operation_leaves_no_trace(tmp_path, monkeypatch, undisturbed, played):
    operation, finished = 0, False
    while not finished:
        operation += 1
        out = tmp_path / str(operation)
        played.clear()
        with killed_at(monkeypatch, operation):
            try:
                small(out)
                finished = True
            except Killed:
                pass
        kept = (
            {int(p.stem.split("-")[1]) for p in out.glob("parts/trial-*.parquet")}
            if out.exists()
            else set()
        )
        table_was_there = (out / "results.parquet").exists()
        before = list(played)
        small(out)
        again = played[len(before) :]
        assert not set(again) & kept
        assert not (table_was_there and again)
        assert (out / "results.parquet").read_bytes() == undisturbed
        assert sorted(p.name for p in out.iterdir()) == ["manifest.json", "results.parquet"]
    assert operation > 20


def test_a_run_may_be_killed_again_and_again(tmp_path, monkeypatch, undisturbed):
    for operation in (4, 7, 5, 9, 3, 6, 8, 4, 5, 7):
        with killed_at(monkeypatch, operation), contextlib.suppress(Killed):
            small(tmp_path)
    small(tmp_path)
    assert (tmp_path / "results.parquet").read_bytes() == undisturbed


@pytest.mark.long
def test_more_trials_extend_a_run_and_a_kill_on_the_way_loses_nothing(
    tmp_path, monkeypatch, undisturbed, played
):
    for operation in range(1, 30, 3):
        out = tmp_path / str(operation)
        small(out, trials=2)
        played.clear()
        with killed_at(monkeypatch, operation), contextlib.suppress(Killed):
            small(out)
        small(out)
        assert sorted(set(played)) == [2]
        assert (out / "results.parquet").read_bytes() == undisturbed


def test_a_finished_run_is_read_and_not_played_again(tmp_path, undisturbed, played):
    first = small(tmp_path).table
    manifest = (tmp_path / "manifest.json").read_bytes()
    played.clear()
    again = small(tmp_path, workers=2)
    assert played == []
    assert again.table.equals(first)
    assert (tmp_path / "manifest.json").read_bytes() == manifest


def test_the_manifest_says_everything(tmp_path):
    small(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["status"] == "finished"
    assert manifest["specification"]["policies"] == {
        "a": "Plain(epsilon=0.1)",
        "b": "Plain(epsilon=0.5)",
    }
    assert manifest["specification"]["record"] == [10, 20, 30, 40]
    assert manifest["versions"].keys() >= {"mobandits", "numpy", "numba", "polars", "python"}
    assert manifest["machine"].keys() == {"system", "processor", "cores"}
    assert manifest["wall_seconds"] > 0
    assert len(manifest["results_sha256"]) == 64


def test_the_clock_starts_with_the_first_trial(tmp_path, monkeypatch):
    """Runs that share threads wait for each other, and that is not their time."""
    now = [50.0]
    monkeypatch.setattr("mobandits.simulation.folder.time.perf_counter", lambda: now[0])
    with Folder(tmp_path, {"trials": 2}) as store:
        for now[0] in (100.0, 103.0):
            store.begin()
        now[0] = 107.25
        store.write(pl.DataFrame(schema=SCHEMA))
    assert json.loads((tmp_path / "manifest.json").read_text())["wall_seconds"] == 7.25


SCRIPT = """
import sys, time
from twins.tiny import Plain, Tiny
from mobandits.simulation import simulate
print("ready", flush=True)
simulate({"a": Plain(), "b": Plain(0.5)}, Tiny(), rounds=8000, trials=6, seed=5, record=4, metrics=["reward", "plays"],
         workers=2, out=sys.argv[1])
"""


@pytest.mark.long
def test_a_process_killed_at_some_moment_resumes(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)}
    arguments = [sys.executable, "-c", SCRIPT]
    for pause in (0.15, 0.35):
        child = subprocess.Popen(
            [*arguments, tmp_path / "a"], env=environment, stdout=subprocess.PIPE, text=True
        )
        child.stdout.readline()
        time.sleep(pause)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    for name in ("a", "b"):
        subprocess.run(
            [*arguments, tmp_path / name], env=environment, check=True, capture_output=True
        )
    assert (tmp_path / "a" / "results.parquet").read_bytes() == (
        tmp_path / "b" / "results.parquet"
    ).read_bytes()


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(out, message, **change):
    before = contents(out) if out.is_dir() else None
    with pytest.raises(FolderError, match=message) as caught:
        small(out, **change)
    assert "\n" not in str(caught.value)
    assert before is None or contents(out) == before


def test_another_specification_is_refused_with_key_and_values(tmp_path):
    small(tmp_path)
    refused(tmp_path, "holds a run with rounds = 40, now 50", rounds=50)
    refused(tmp_path, "holds a run with seed = 5, now 6", seed=6)
    refused(
        tmp_path,
        "holds a run with trials = 3, now 2: choose another folder .trials may only grow",
        trials=2,
    )
    refused(tmp_path, "holds a run with policies.b = .*, now absent", policies={"a": Plain()})
    refused(
        tmp_path, "order of policies = a, b, now b, a", policies={"b": Plain(0.5), "a": Plain()}
    )
    refused(tmp_path, r"environment = Tiny\(arms=4.*, now Tiny\(arms=5", environment=Tiny(arms=5))


def test_foreign_and_changed_folders_are_refused(tmp_path, monkeypatch):
    foreign, file = tmp_path / "foreign", tmp_path / "file"
    foreign.mkdir()
    (foreign / "letter.txt").write_text("dear reader")
    refused(
        foreign,
        "foreign is not empty and has no manifest.json.*found a folder with letter.txt; choose another",
    )
    file.write_text("dear reader")
    refused(file, "file cannot be made a folder: it is a text file; choose another folder")
    for name, content, message in (
        (
            "a",
            "{",
            "manifest.json is not the manifest of a run: expected JSON, found Expecting property name",
        ),
        (
            "b",
            "[]",
            "manifest.json is not the manifest of a run: expected an object with format, kind, sessions",
        ),
        (
            "c",
            '{"format": 9, "kind": "run", "status": "", "specification": {}, "versions": {}, "sessions": []}',
            "has format 9",
        ),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(content)
        refused(tmp_path / name, message)


def test_changed_tables_are_refused(tmp_path, monkeypatch):
    small(tmp_path)
    table = tmp_path / "results.parquet"
    whole = table.read_bytes()
    before = hashlib.sha256(whole).hexdigest()[:12]
    table.write_bytes(whole[:-7] + b"garbage")
    after = hashlib.sha256(table.read_bytes()).hexdigest()[:12]
    refused(
        tmp_path,
        f"results.parquet was changed after the run: .* SHA-256 {before}, and the file {after}; run it",
    )
    table.unlink()
    refused(tmp_path, "results.parquet is missing")

    out = tmp_path / "parts"
    with killed_at(monkeypatch, 9), contextlib.suppress(Killed):
        small(out)
    part = out / "parts" / "trial-000000.parquet"
    original = part.read_bytes()
    part.write_bytes(original[: len(original) // 2])
    refused(
        out,
        "trial-000000.parquet cannot be read as a Parquet file .*: run it again into another folder",
    )
    part.rename(out / "parts" / "trial-000002.parquet")
    (out / "parts" / "trial-000002.parquet").write_bytes(original)
    refused(
        out,
        "trial-000002.parquet must hold the trials 2, found 0: run it again into another folder",
    )
    pl.DataFrame({"item": ["tea"], "price": [2.5]}).write_parquet(
        out / "parts" / "trial-000002.parquet"
    )
    refused(
        out,
        "not a table of results: expected the columns experiment String.*, found item String, price Float64",
    )


@pytest.mark.long
def test_what_is_not_ours_is_never_to_be_removed():
    """Whatever is in the way is a user's own: messages say what was expected and found, and point elsewhere."""
    advice = re.compile(r"\b(remove|delete|rm|unlink|erase)\b", re.IGNORECASE)
    source = Path(mobandits.__file__).parent
    texts = {
        f"{path.name}:{node.lineno}": node.value
        for path in source.rglob("*.py")
        for raised in ast.walk(ast.parse(path.read_text()))
        if isinstance(raised, ast.Raise)
        for node in ast.walk(raised)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert len(texts) > 300
    assert [where for where, text in texts.items() if advice.search(text)] == []
    assert not advice.search(REMEDY)


def test_what_is_no_run_is_named_for_what_it_is(tmp_path):
    small(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    (tmp_path / "spec.toml").write_text("rounds = 3")
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "000000.jsonl").write_text("{}")
    for name, found in (
        ("nowhere", "nothing"),
        ("empty", "an empty folder"),
        ("spec.toml", "a text file"),
        ("log", "a folder with 000000.jsonl, as a journal of version 0.1 has"),
        ("run/results.parquet", f"a Parquet file; give its folder, {tmp_path / 'run'}"),
    ):
        with pytest.raises(FolderError) as caught:
            Results.read(tmp_path / name)
        wanted = f"{tmp_path / name} has no manifest.json, so it is not the folder of a run: found {found}"
        assert str(caught.value) == wanted


def test_a_run_is_specified_as_it_was():
    plan = load(ROOT / "examples" / "linear.toml").plan(rounds=60, trials=2)
    golden = (ROOT / "tests" / "data" / "linear_specification.json").read_text()
    assert json.loads(json.dumps(plan.specification())) == json.loads(golden)


def test_trials_of_two_versions_are_not_mixed(tmp_path):
    small(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["versions"]["numba"] = "0.1"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert len(small(tmp_path).table)  # nothing left to compute
    refused(tmp_path, "was begun with numba 0.1, now", trials=4)


@pytest.mark.long
@pytest.mark.parametrize("compiling", [None, "plain", "optimised", "interpreted"])
def test_a_run_continues_in_another_mode_of_compiling(tmp_path, compiling):
    small(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    del manifest["versions"]["compiling"]  # as in manifests from before modes were noted
    if compiling is not None:
        manifest["versions"]["compiling"] = compiling
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert small(tmp_path, trials=4).table.equals(small(None, trials=4).table)
    assert json.loads((tmp_path / "manifest.json").read_text())["versions"]["compiling"] == mode()


def test_two_runs_do_not_share_a_folder(tmp_path):
    with locked(tmp_path), pytest.raises(FolderError, match="is in use by another run"):
        small(tmp_path)
    small(tmp_path)


def test_results_are_written_and_read(tmp_path):
    results = small(None)
    results.write(tmp_path / "new")
    assert Results.read(tmp_path / "new").table.equals(results.table)
    assert Results.read(tmp_path / "new").specification == results.specification
    assert small(tmp_path / "new").table.equals(results.table)  # a folder like any other
    with pytest.raises(FolderError, match=r"has no manifest.json"):
        Results.read(tmp_path)
    with pytest.raises(FolderError, match="not empty"):
        results.write(tmp_path)


def test_an_unfinished_run_cannot_be_read(tmp_path, monkeypatch):
    with killed_at(monkeypatch, 9), contextlib.suppress(Killed):
        small(tmp_path)
    with pytest.raises(FolderError, match="holds an unfinished run"):
        Results.read(tmp_path)


def test_difference_finds_the_first_place():
    assert first_difference({"a": 1}, {"a": 1}) is None
    assert first_difference({"a": 1}, {"a": 1, "b": 2}) == ("b", "absent", "2")
    assert first_difference({"a": [1]}, {"a": [1, 2]}) == ("a", "[1]", "[1, 2]")
    assert first_difference({"a": 1}, {"a": 1.0}) == ("a", "1", "1.0")
