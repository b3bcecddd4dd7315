"""Counts of runs as an experiment: rows, verdicts and the figure. The real runs: -m slow."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from toys import without_pages

from mobandits.comparison.pairs import wilson_interval
from mobandits.simulation import FolderError
from mobandits_papers import check_theorems as protocols
from mobandits_papers.catalogue import EXPERIMENTS
from mobandits_papers.check_theorems import PAPERS
from mobandits_papers.experiment import RunOptions
from mobandits_papers.pages.claim_texts import remarks
from mobandits_papers.pages.paper_figures import bounds_data
from mobandits_papers.pages.regret_bounds import NAMES
from mobandits_papers.protocol.protocol import (
    Finding,
    bound,
    doubted,
    event,
    expectation,
    inequality,
    on_the_event,
)
from mobandits_papers.reproduce import reproduce

EVENTS = [
    "MOSLB-PL: every theta in its ellipsoid, at all times",
    "MOSLB-PC, two chains: every theta in its ellipsoid, at all times",
    "MOSLB-PC, one chain: every theta in its ellipsoid, at all times",
]


def findings(run, *, rounds, seed, failing=0, violated=False, slack=1.0, exceeded=False):
    """What a run finds out: all events fail in the first runs, and an inequality is violated or not."""
    right, found = np.full(rounds, rounds * slack + 1.0), list[Finding]()
    for name in EVENTS:
        held = event(name, "s", 2.0 if run < failing else 1.0, 1.5, 0.1)
        found += on_the_event(
            held,
            lambda name=name: [
                inequality(f"{name}, gap", "s", np.ones(rounds), 0.5 if violated else 2.0),
                inequality(f"{name}, never looked at", "s", 1.0, 0.0, False),
                bound(
                    f"{name}, regret",
                    "s",
                    2.0 * np.ones(rounds) if exceeded and run == 3 else np.ones(rounds),
                    right,
                ),
                doubted(f"{name}, second digit", "s", 2.0 * np.ones(rounds), right),
            ],
        )
    return found


@pytest.fixture
def play(monkeypatch, tmp_path):
    """Reproduce the theory of moslb2024 with made-up findings, and return the verdicts and the folder."""

    def run(*, name="out", ask=None, page=False, **how):
        if not page:
            without_pages(monkeypatch)
        monkeypatch.setitem(protocols.PAPERS, "moslb2024", lambda *a, **k: findings(*a, **k, **how))
        reproduce(
            ["moslb2024/theory"], tmp_path / name, **({"trials": 20, "rounds": 10} | (ask or {}))
        )
        claims = json.loads((tmp_path / name / "claims.json").read_text())
        return {claim["id"].rpartition("/")[2]: claim for claim in claims}, tmp_path / name

    return run


@pytest.mark.long
def test_verdicts_where_everything_holds(play):
    claims, folder = play(failing=2, page=True)
    first = claims["ellipsoid-pl"]
    assert (first["kind"], first["verdict"], first["holds"]) == ("check", "reported", True)
    assert first["measured"] == pytest.approx(0.1)
    assert first["interval"] == pytest.approx(wilson_interval(0.1, 20))
    assert first["trials"] == 20
    assert claims["inequalities"]["holds"] is True
    assert [one["trials"] for one in claims["inequalities"]["parts"]] == [
        18,
        18,
        18,
    ]  # not what had no cases
    assert claims["inequalities"]["of"].endswith("gap: violations in 180 cases")
    assert (claims["bounds"]["holds"], claims["bounds"]["measured"]) == (True, 0.0)
    assert (claims["doubted"]["holds"], claims["doubted"]["measured"]) == (
        None,
        pytest.approx(20 / 11),
    )
    kinds = {name: claim["kind"] for name, claim in claims.items()}
    assert kinds == dict.fromkeys(claims, "check")
    assert {claim["verdict"] for claim in claims.values()} == {"reported"}
    text = (folder / "report.html").read_text()
    assert "Not at the paper's scale: 10 rounds and 20 trials were asked for." in text
    assert (folder / "figures" / "moslb2024-theory-bounds.png").is_file()


def test_verdicts_where_something_fails(play):
    claims, _ = play(failing=7, violated=True)  # up to 6.02 of 20 agree with a tenth
    assert claims["ellipsoid-pl"]["holds"] is False
    assert claims["inequalities"]["holds"] is False
    assert claims["inequalities"]["measured"] == 130.0
    assert claims["bounds"]["holds"] is True


def test_what_was_never_looked_at_is_named(play):
    claims, _ = play(failing=2)
    for name in EVENTS:
        assert f"{name}, never looked at" in claims["inequalities"]["note"]
    assert claims["bounds"]["note"] == ""


def test_bounds_that_are_far_away_hold_and_say_how_far(play):
    claims, _ = play(failing=2, slack=3.0)  # about a third of a bound is used up
    assert (claims["bounds"]["holds"], claims["bounds"]["measured"]) == (True, 0.0)
    assert "The largest ratio of a regret to its bound is 0.32" in claims["bounds"]["note"]


def test_a_mistake_is_spoken_of_only_where_something_is_violated(play):
    right, _ = play(failing=2, slack=3.0, name="right")
    assert all("mistake" not in remarks(claim) for claim in right.values())
    few, _ = play(ask={"trials": 1}, failing=1, name="few")  # which decides nothing
    assert all("mistake" not in remarks(claim) for claim in few.values())
    wrong, _ = play(failing=7, violated=True, name="wrong")
    told = {name for name, claim in wrong.items() if "mistake" in remarks(claim)}
    assert told == {name for name, claim in wrong.items() if claim["holds"] is False}
    assert told == {claim for claim in wrong if claim.startswith("ellipsoid")} | {"inequalities"}


def test_a_bound_that_is_exceeded_is_a_failure(play):
    claims, _ = play(exceeded=True)
    assert claims["bounds"]["holds"] is False
    assert claims["bounds"]["measured"] > 0.0


def test_nothing_to_judge_where_all_events_fail(play):
    claims, folder = play(failing=20, page=True)
    assert claims["inequalities"]["holds"] is claims["bounds"]["holds"] is None
    assert claims["inequalities"]["measured"] is None
    assert "Nothing was measured at this scale" in (folder / "report.html").read_text()


def test_one_run_decides_nothing_about_an_event(play):
    claims, _ = play(ask={"trials": 1}, failing=1)
    assert claims["ellipsoid-pl"]["holds"] is None


def test_more_runs_may_follow_and_the_rounds_stay(play):
    play(ask={"trials": 3})
    claims, folder = play(ask={"trials": 30})
    assert claims["ellipsoid-pl"]["trials"] == 30
    with pytest.raises(FolderError, match="rounds"):
        reproduce(["moslb2024/theory"], folder, trials=30, rounds=11)


def test_the_figure_draws_the_bounds_and_nothing_else(play):
    _, folder = play()
    table = pl.read_parquet(folder / "results.parquet")
    data = bounds_data(table)
    assert data["panel"].n_unique() == 6  # the doubted ones as well
    last = data.filter(pl.col("round") == 10, policy=NAMES["mean"])
    assert last["mean"].unique().sort().to_list() == [10.0, 20.0]
    assert (data.filter(policy=NAMES["bound"])["mean"] == 11.0).all()
    assert {*NAMES.values()} < {*table["policy"]}


@pytest.mark.parametrize(
    ("ratio", "holds"),
    [(0.1, True), (0.7, True), (1.5, False)],
)
def test_means_are_held_against_bounds_on_expectations(ratio, holds, monkeypatch, tmp_path):
    """A mean far below its bound holds, and one above it is a mistake; neither is a verdict."""

    def one(run, *, rounds, seed):
        return [
            expectation("expected regret", "s", np.full(rounds, ratio / rounds), 1.0 - 0.01 * run)
        ]

    without_pages(monkeypatch)
    monkeypatch.setitem(protocols.PAPERS, "pcz2018", one)
    paper = EXPERIMENTS["pcz2018/theory"]
    (claim,) = [claim for claim in paper.claims if claim.id.endswith("/expectations")]
    monkeypatch.setitem(EXPERIMENTS, "pcz2018/theory", replace(paper, claims=[claim]))
    reproduce(["pcz2018/theory"], tmp_path, trials=4, rounds=10)
    claims = {
        claim["id"].rpartition("/")[2]: claim
        for claim in json.loads((tmp_path / "claims.json").read_text())
    }
    claim = claims["expectations"]
    assert ("far below" in claim["note"]) is (ratio < 0.5)
    assert (claim["kind"], claim["verdict"], claim["holds"]) == ("check", "reported", holds)
    assert claim["measured"] == pytest.approx(
        np.mean([ratio / (1.0 - 0.01 * run) for run in range(4)])
    )


def test_the_numbers_asked_for_are_passed_on(monkeypatch):
    asked = []

    def one(run, **how):
        asked.append((run, how))
        return [event("e", "s", 0.0, 1.0, 0.1)]

    monkeypatch.setitem(protocols.PAPERS, "pcz2018", one)
    (part,) = EXPERIMENTS["pcz2018/theory"].runs
    table = part.compute(0, RunOptions(rounds=7, trials=2, seed=5, workers=1))
    assert asked == [(0, {"rounds": 7, "seed": 5}), (1, {"rounds": 7, "seed": 5})]
    assert table["round"].unique().to_list() == [7]
    asked.clear()
    part.compute(0, RunOptions(workers=1))
    assert (len(asked), asked[0][1]) == (200, {"rounds": 2000, "seed": 0})


@pytest.mark.slow
@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_the_real_names_and_verdicts(paper, tmp_path):
    reproduce([f"{paper}/theory"], tmp_path, rounds=300, trials=4)
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert {claim["verdict"] for claim in claims} == {"reported"}
    assert {claim["holds"] for claim in claims} == {True, None}
    assert all(claim["measured"] is not None for claim in claims)
