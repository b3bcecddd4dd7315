"""The table of all policies on all environments: small runs, and who plays where."""

import functools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from toys import without_pages

from mobandits import policies
from mobandits.contracts.protocols import Recipe
from mobandits.policies import ContextualZooming, Pcz, PfiRls
from mobandits.simulation import prepare
from mobandits_papers import catalogue, cross, reproduce

OURS = {one.id: one for one in cross.EXPERIMENTS}
EVERY = pytest.mark.parametrize("name", OURS)
SOME = {
    "linear": ("MOL-UCB", "P-TS"),
    "linear-fixed": ("MOL-UCB", "P-TS"),
    "generalized-linear": ("MOGLB-UCB", "uniform"),
    "bumps": ("MOC-MAB", "uniform"),
    "multichannel": ("CP-UCB1", "uniform"),
    "ridges": ("PCZ", "uniform"),
    "multi-armed": ("P-TS", "uniform"),
}


def recipes(name):
    return OURS[name].runs[0].rows


@pytest.fixture
def interpreted(monkeypatch):
    """Few rows, nothing to compile, no pages."""
    few = {}
    for name, one in OURS.items():
        run, rows = one.runs[0], SOME[name.removeprefix("cross/")]
        few[name] = replace(one, runs=[replace(run, rows={row: run.rows[row] for row in rows})])
    monkeypatch.setattr(catalogue, "EXPERIMENTS", few)
    monkeypatch.setattr(reproduce, "EXPERIMENTS", few)
    monkeypatch.setattr(
        "mobandits_papers.playing.prepare", functools.partial(prepare, compiled=False)
    )
    without_pages(monkeypatch)


@pytest.mark.long
@EVERY
def test_every_experiment_is_played(interpreted, name, tmp_path):
    reproduce.reproduce([name], tmp_path, rounds=6, trials=2, workers=1)
    table = pl.read_parquet(tmp_path / "results.parquet").filter(pl.col("round") == 6)
    measured = {plot.metric for plot in OURS[name].plots}
    assert {*table["metric"]} == measured
    assert table["value"].is_finite().all()
    assert table["policy"].n_unique() == 2


@EVERY
def test_every_policy_fits_its_environment(name):
    (run,) = OURS[name].runs
    shape = run.environment.problem(run.rounds, np.random.default_rng(0)).shape
    for row, recipe in run.rows.items():
        assert callable(recipe.bind(shape).update), row


def test_nobody_is_missing():
    playing = {type(recipe).__name__ for name in OURS for recipe in recipes(name).values()}
    public = {name for name in policies.__all__ if issubclass(getattr(policies, name), Recipe)}
    # Wrappers for horizons, drift, logs, limits and features; no learner.
    wrappers = {"Doubling", "Features", "Forgetting", "GapWeighted", "Pessimistic", "WithFloor"}
    wrappers |= {
        "Conservative",
        "Diagonal",
        "DriftAlarm",
        "Neighbours",
        "Paced",
        "PrimalDual",
        "Rollout",
    }
    wrappers |= {"Within"}
    # These identify, and do not earn.
    searchers = {"Ape", "Ege", "Elimination", "TopTwoParetoTs"}
    # Its rewards are followed by what tells of the user.
    others = {"PreferenceUcb", "SingleArm"}
    assert public - playing == {*others, *wrappers, *searchers}


def test_zooming_plays_only_where_contexts_lie_in_the_unit_cube():
    where = {
        name
        for name in OURS
        if any(isinstance(one, Pcz | ContextualZooming) for one in recipes(name).values())
    }
    assert where == {"cross/bumps", "cross/multichannel", "cross/ridges"}


def test_policies_that_drop_arms_play_only_where_arms_stay():
    where = {
        name for name in OURS if any(isinstance(one, PfiRls) for one in recipes(name).values())
    }
    assert where == {"cross/linear-fixed", "cross/generalized-linear"}


def test_recall_is_measured_only_where_arms_stay():
    where = {name for name, one in OURS.items() if "front_recall" in one.runs[0].metrics}
    assert where == {"cross/linear-fixed", "cross/generalized-linear", "cross/multi-armed"}
    assert {
        name
        for name, one in OURS.items()
        if any("ever played is not recorded" in text for text in one.about)
    } == OURS.keys() - where


def test_the_arms_of_the_ridges_are_told_apart_by_their_rows():
    rows = recipes("cross/ridges")
    assert {
        "PCZ",
        "Contextual Zooming",
        "MOC-MAB",
        "CP-UCB1",
        "CS-UCB1",
        "CD-UCB1",
        *recipes("cross/multi-armed"),
    } == set(rows)
    shape = OURS["cross/ridges"].runs[0].environment.problem(100, np.random.default_rng(0)).shape
    assert (shape.arms, shape.objectives, shape.shared) == (100, 2, False)
    assert rows["PCZ"].bind(shape).dimensions == 2


def test_links_are_known_to_whoever_can_use_them():
    rows = recipes("cross/generalized-linear")
    assert rows["MOL-TS, links"].links == rows["MOGLB-UCB"].links
    assert rows["MOL-TS"].links is None
