"""What feature maps gain, on the page of an evaluation; and that page again from its folder."""

import json
import shutil

import numpy as np
import pytest
from worlds import linear_world

from mobandits import report
from mobandits.errors import FolderError
from mobandits.evaluation import command_arguments
from mobandits.evaluation.command import evaluate_file
from mobandits.evaluation.command_arguments import CommandLog
from mobandits.evaluation.evaluation_folder import gain_summaries
from mobandits.features import Columns, Crosses, fit
from mobandits.features.log_gains import MapsInTurn, gains_by_map, maps_of
from mobandits.policies import Features, MolUcb, Within
from mobandits.spec import recipe_named


@pytest.fixture
def log(monkeypatch):
    """What any file holds."""
    found, _ = linear_world().log(600, 0)
    monkeypatch.setattr(command_arguments, "read", lambda path, **columns: found)
    return found


@pytest.mark.long
def test_the_command_measures_maps_and_the_page_shows_them(program, log, tmp_path):
    out = tmp_path / "out"
    asked = ["--policy", "uniform", "--map", "crosses", "--map", "bins", "--estimator", "ips"]
    status, _, _ = program("evaluate", "x", *asked, "--out", out)
    assert status == 0
    kept = json.loads((out / "evaluation.json").read_text())["feature_gains"]
    assert [row["map"] for row in kept] == ["crosses", "crosses", "bins", "bins"]
    for kind in ("crosses", "bins"):
        expected = fit(log, kind, folds=5, seed=0).gains
        own = [row for row in kept if row["map"] == kind]
        for row, gain in zip(own, expected, strict=True):
            assert row["objective"] == gain.objective
            found = [row["linear"], row["mapped"], row["estimate"], row["low"], row["high"]]
            np.testing.assert_allclose(found, gain[1:6])
            assert row["sure"] == gain.is_sure
    page = (out / "report.html").read_text()
    assert "Would a feature map help?</h2>" in page

    # Once more from the files, in another place.
    again = tmp_path / "again"
    shutil.copytree(out, again)
    (again / "report.html").unlink()
    status, written, _ = program("report", again)
    assert (status, written.strip()) == (0, str(again / "report.html"))
    assert (again / "report.html").read_text() == page


@pytest.mark.long
def test_without_maps_nothing_is_measured(log, tmp_path):
    page = evaluate_file(
        CommandLog("x"), tmp_path, {"uniform": "uniform"}, recipe_named, estimators=["ips"]
    )
    assert "feature_gains" not in json.loads((tmp_path / "evaluation.json").read_text())
    assert "feature map" not in page.read_text()


def test_unknown_maps_are_one_line(program, log, tmp_path):
    asked = ["--policy", "uniform", "--map", "croses", "--out", tmp_path]
    status, out, err = program("evaluate", "x", *asked)
    assert (status, out) == (2, "")
    assert "did you mean crosses?" in err


@pytest.mark.long
def test_folders_of_earlier_versions_are_to_be_made_again(log, tmp_path):
    evaluate_file(
        CommandLog("x"), tmp_path, {"uniform": "uniform"}, recipe_named, estimators=["ips"]
    )
    (tmp_path / "front.csv").write_text('"\n"')
    with pytest.raises(FolderError, match="must hold the files that mobandits evaluate wrote"):
        report.check(tmp_path)
    (tmp_path / "front.csv").unlink()
    with pytest.raises(FolderError, match=r"has no front\.csv: run mobandits evaluate"):
        report.check(tmp_path)


def test_maps_of_recipes_are_measured_as_they_are():
    log, _ = linear_world().log(300, 1)
    recipe = Within(Features(Crosses(2), MolUcb()), {0: 0.5})
    nested = Features(Columns((0,)), Features(Crosses(2), MolUcb()))
    assert maps_of(recipe) == (Crosses(2),)
    found = gains_by_map(log, [], [recipe, MolUcb(), nested, recipe])
    name = repr(Crosses(2))
    assert list(found) == [name, f"{Columns((0,))!r}, then {name}"]
    assert found[name] == fit(log, Crosses(2)).gains
    contexts = log.contexts.reshape(-1, log.contexts.shape[-1])
    both = MapsInTurn((Columns((0,)), Crosses(2)))
    np.testing.assert_array_equal(both(contexts), Crosses(2)(contexts[:, :1]))
    assert [row["map"] for row in gain_summaries(found)][:2] == [name] * 2
