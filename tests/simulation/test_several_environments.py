"""Several environments in one call: the rows of a call each, told apart by name, and one comparison."""

import polars as pl
import pytest
from twins.tiny import Plain, Tiny

from mobandits.errors import FolderError
from mobandits.metrics import Reward
from mobandits.policies import RandomChoice
from mobandits.report import compare, write
from mobandits.simulation import Results, simulate

POLICIES = {"plain": Plain(), "random": RandomChoice()}
PLACES = {"own rows": Tiny(), "one row": Tiny(shared=True)}
SMALL = {"rounds": 60, "trials": 4, "seed": 5, "record": 3}


@pytest.mark.long
def test_rows_are_those_of_a_call_each():
    steps = []
    together = simulate(POLICIES, PLACES, **SMALL, progress=lambda *step: steps.append(step))
    for name, place in PLACES.items():
        alone = simulate(POLICIES, place, **SMALL).table.drop("environment")
        rows = together.table.filter(environment=name).drop("environment")
        assert rows.equals(alone)
    assert together.table["environment"].unique(maintain_order=True).to_list() == list(PLACES)
    assert {total for _, total in steps} == {2 * 4 * 60}
    done = [step for step, _ in steps]
    assert done == sorted(done)
    assert done[-1] == 2 * 4 * 60


def test_policies_are_ranked_over_all():
    results = simulate(POLICIES, PLACES, **SMALL, metrics=["reward"])
    assert results.compare().ranks["problems"].unique().to_list() == [2]
    assert "over 2 environments" in str(results)


@pytest.mark.long
def test_each_has_a_folder_and_the_table_can_be_kept(tmp_path):
    out = tmp_path / "runs"
    first = simulate(POLICIES, PLACES, **SMALL, out=out)
    assert sorted(each.name for each in out.iterdir()) == sorted(PLACES)
    again = simulate(POLICIES, PLACES, **SMALL | {"trials": 6}, out=out)
    earlier = again.table.filter(pl.col("trial") < 4)
    assert earlier.sort(earlier.columns).equals(first.table.sort(earlier.columns))

    again.write(tmp_path / "all")
    read = Results.read(tmp_path / "all")
    assert read.table.equals(again.table)
    with pytest.raises(FolderError, match="all must hold one environment to be compared, found 2"):
        compare([tmp_path / "all", out / "one row"], tmp_path / "compared")

    page = write(tmp_path / "all").read_text(encoding="utf-8")
    assert all(name in page for name in PLACES)


class Spent(Reward):
    """A metric of a user's own."""

    name = "spent"
    better = "smaller"


def test_metrics_of_others_and_the_runs_are_described():
    results = simulate(POLICIES, PLACES, **SMALL, metrics=[Spent()])
    assert results.compare().better == "smaller"
    texts = [run["environment"] for run in results.specification["runs"]]
    assert texts == [repr(place) for place in PLACES.values()]


@pytest.mark.parametrize(
    ("environments", "options", "rule"),
    [
        ({}, {}, "environment must name at least one environment, got none"),
        ({1: Tiny()}, {}, "environment must have texts as names, .*, got 1"),
        ({"a/b": Tiny()}, {"out": "runs"}, "environment must have texts as names, .*, got 'a/b'"),
        ({"a": Tiny}, {}, "environment must be an environment such as"),
    ],
)
def test_refused(environments, options, rule, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=rule):
        simulate(POLICIES, environments, **SMALL, **options)
    assert not list(tmp_path.iterdir())


def test_folders_of_something_else_are_left_alone(tmp_path):
    (tmp_path / "one row").mkdir()
    (tmp_path / "one row" / "mine.txt").write_text("mine")
    with pytest.raises(FolderError, match="one row"):
        simulate(POLICIES, PLACES, **SMALL, out=tmp_path)
