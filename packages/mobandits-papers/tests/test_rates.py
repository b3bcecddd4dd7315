"""The tables of rates: the bounds grow with the papers' powers, and the experiments only report it."""

import json

import pytest
from toys import without_pages

from mobandits_papers import reproduce
from mobandits_papers.catalogue import EXPERIMENTS
from mobandits_papers.rates import HORIZONS

NEAR = 0.01
POWERS = {"pcz2018": (2 / 3, 3 / 4, 4 / 5), "mocmab2018": (3 / 4, 4 / 5, 6 / 7)}


@pytest.mark.parametrize("paper", list(POWERS))
def test_bounds_grow_with_the_powers_of_the_table(paper, tmp_path, monkeypatch):
    without_pages(monkeypatch)
    reproduce.reproduce([f"{paper}/table1"], tmp_path, workers=1)
    (claim,) = json.loads((tmp_path / "claims.json").read_text())
    assert [part["measured"] for part in claim["parts"]] == pytest.approx(
        list(POWERS[paper]), abs=NEAR
    )
    assert claim["verdict"] == "reported"
    assert claim["rule"].startswith("none: the table compares with the literature")


@pytest.mark.parametrize("paper", list(POWERS))
def test_horizons_are_in_the_manifest(paper):
    (part,) = EXPERIMENTS[f"{paper}/table1"].runs
    assert part.settings["horizons"] == HORIZONS.astype(int).tolist()
