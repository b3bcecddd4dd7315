"""Which interpreters `make test-versions` finds, without installing anything."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def versions(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("versions")


@pytest.fixture
def nothing_at_hand(versions, monkeypatch, tmp_path):
    """No interpreter on PATH, of pyenv or of uv."""
    monkeypatch.setattr(versions.shutil, "which", lambda name: None)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    return tmp_path


def test_an_interpreter_says_its_version(versions):
    assert versions.version_of(sys.executable) == THIS
    assert versions.version_of(str(ROOT / "none")) is None


def test_one_on_the_path_is_found(versions, nothing_at_hand, monkeypatch):
    found = {f"python{THIS}": sys.executable}
    monkeypatch.setattr(versions.shutil, "which", found.get)
    assert versions.find_interpreter(THIS) == sys.executable
    assert versions.find_interpreter("3.99") is None


def test_the_newest_of_pyenv_is_found(versions, nothing_at_hand):
    for patch in (2, 10):
        binaries = nothing_at_hand / "versions" / f"{THIS}.{patch}" / "bin"
        binaries.mkdir(parents=True)
        (binaries / "python").symlink_to(sys.executable)
    found = versions.find_interpreter(THIS)
    assert found == str(nothing_at_hand / "versions" / f"{THIS}.10" / "bin" / "python")


def test_a_link_that_leads_nowhere_is_not_found(versions, nothing_at_hand):
    binaries = nothing_at_hand / "versions" / f"{THIS}.1" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to(nothing_at_hand / "gone")
    assert versions.find_interpreter(THIS) is None


def test_where_none_is_there_nothing_was_tested(versions, nothing_at_hand, capsys):
    assert versions.main([]) == 1
    out = capsys.readouterr().out
    assert all(f"{version}     not at hand, not tested" in out for version in versions.SUPPORTED)


def test_what_fails_is_said_and_what_is_missing_too(versions, monkeypatch, capsys):
    monkeypatch.setattr(versions, "find_interpreter", lambda version: f"python{version}")
    results = dict.fromkeys(versions.SUPPORTED, "passed")
    monkeypatch.setattr(versions, "tested", lambda version, *_: results[version])
    assert versions.main([]) == 0
    results["3.12"] = "failed, without ray"
    assert versions.main([]) == 1
    assert "3.12     failed, without ray" in capsys.readouterr().out


def test_versions_are_chosen_by_name(versions, monkeypatch, capsys):
    monkeypatch.setattr(versions, "find_interpreter", lambda version: f"python{version}")
    asked = []
    monkeypatch.setattr(versions, "tested", lambda *told: asked.append(told) or "passed")
    assert versions.main(["3.13", "tests/orders", "-x"]) == 0
    assert asked == [("3.13", "python3.13", ["tests/orders", "-x"])]
    assert "3.12" not in capsys.readouterr().out


def test_packages_without_a_build_are_left_out_by_name(versions, monkeypatch):
    refused = {versions.EXTRAS, "vowpalwabbit"}
    monkeypatch.setattr(versions, "pip", lambda python, *names: not refused & set(names))
    assert versions.install("python") == ["vowpalwabbit"]
    refused.add(versions.LEAST_EXTRAS)
    assert versions.install("python") is None
