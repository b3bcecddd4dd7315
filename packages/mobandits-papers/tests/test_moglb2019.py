"""The experiments of moglb2019: small runs, the paper's scale, and the forms of its claims."""

import functools
import json
from dataclasses import replace

import numpy as np
import pytest
from toys import without_pages

from mobandits.contracts.protocols import Shape
from mobandits.policies import ScalarizedUcb1
from mobandits.simulation import prepare
from mobandits_papers import catalogue, reproduce
from mobandits_papers.experiment import Run, RunOptions, Tuned
from mobandits_papers.moglb2019 import cost, figures
from mobandits_papers.moglb2019 import experiments as moglb2019

OURS = {one.id: one for one in moglb2019.EXPERIMENTS}
SHAPE = Shape(arms=20, features=5, objectives=5, rounds=100)


def short(run):
    """A run with two constants per grid."""
    if not isinstance(run, Run):
        return run
    rows = {
        row: replace(one, grid=dict(list(one.grid.items())[2:4])) if isinstance(one, Tuned) else one
        for row, one in run.rows.items()
    }
    return replace(run, rows=rows, tuning_trials=1)


@pytest.fixture
def interpreted(monkeypatch):
    """Small grids, nothing to compile, no pages."""
    few = {name: replace(one, runs=[short(run) for run in one.runs]) for name, one in OURS.items()}
    monkeypatch.setattr(catalogue, "EXPERIMENTS", few)
    monkeypatch.setattr(reproduce, "EXPERIMENTS", few)
    monkeypatch.setattr(
        "mobandits_papers.playing.prepare", functools.partial(prepare, compiled=False)
    )
    without_pages(monkeypatch)
    monkeypatch.setattr(cost, "compile_loop", lambda loop, policy: loop)
    monkeypatch.setattr(cost, "WINDOWS", 4)
    monkeypatch.setattr(cost, "PIECES", 2)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["moglb2019/fig1", "moglb2019/fig2", "moglb2019/fairness", "moglb2019/links"]
)
def test_every_claim_gets_numbers(interpreted, name, tmp_path):
    """Small: what comes out decides nothing."""
    reproduce.reproduce([name], tmp_path, rounds=8, trials=2, workers=1)
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert [one["id"] for one in claims] == [one.id for one in OURS[name].claims]
    assert all(part["trials"] == 2 for one in claims for part in one["parts"])
    verdicts = {one["id"].rpartition("/")[2]: one["verdict"] for one in claims}
    judged = {
        claim.id.rpartition("/")[2]
        for claim in OURS[name].claims
        if not claim.rule.startswith("none")
    }
    assert judged.issuperset(what for what, verdict in verdicts.items() if verdict != "reported")


def test_only_what_the_paper_says_is_the_papers():
    claims = {
        claim.id.removeprefix("moglb2019/"): claim for one in OURS.values() for claim in one.claims
    }
    papers = {name for name, claim in claims.items() if claim.kind == "paper"}
    assert papers == {
        "fig1/moglb-ucb-best",
        "fig2/finds-the-front-faster",
        "fig2/very-close",
        "fairness/alike",
        "fairness/one-objective-is-unfair",
        "cost/flat",
        "cost/below-refitting",
        "cost/refitting-grows",
    }
    assert all(claims[name].target != "not in the paper" for name in papers)
    checks = {name for name, claim in claims.items() if claim.kind == "check"}
    assert checks == {"rate/bound"}
    assert {claim.kind for name, claim in claims.items() if name not in papers | checks} == {"ours"}


def test_the_papers_scale():
    fig1 = OURS["moglb2019/fig1"]
    assert [(run.rounds, run.trials) for run in fig1.runs] == [(3000, 10)] * 3
    shapes = [
        run.environment.problem(run.rounds, np.random.default_rng(0)).shape for run in fig1.runs
    ]
    assert [(shape.arms, shape.features, shape.objectives) for shape in shapes] == [
        (20, 5, 5),
        (40, 10, 5),
        (60, 15, 5),
    ]
    for run in fig1.runs:
        widths = [recipe.scale for recipe in run.rows["MOGLB-UCB"].grid.values()]
        assert widths == [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
        assert run.rows["MOGLB-UCB, theory width"].scale == "theory"
        assert run.rows["S-UCB"] == ScalarizedUcb1(weights=[[0.2] * 5])


def test_figure_2_is_tuned_for_regret_and_for_the_front():
    (run,) = OURS["moglb2019/fig2"].runs
    grids = [run.rows[name] for name in ("MOGLB-UCB", "MOGLB-UCB for the front")]
    assert [(one.metric_name, one.highest) for one in grids] == [
        ("pareto_regret", False),
        ("jaccard", True),
    ]
    assert grids[0].grid == grids[1].grid


class Curves:
    """One run in which every row has the given curves (trials, points)."""

    def __init__(self, **curves):
        self._curves = {
            row.replace("_", "-"): np.array(values, float) for row, values in curves.items()
        }

    def runs(self):
        return ["r"]

    def curves(self, run, row, metric, component=0):
        values = self._curves[row]
        return np.arange(1, values.shape[1] + 1) * 10, values


@pytest.mark.parametrize(("late", "holds"), [(1.4, True), (1.6, False), (0.4, False)])
def test_a_cost_is_flat_within_bounds(late, holds):
    rows = {"MOGLB_UCB": [[1.0, 1.0, 1.0, 1.0, late, late]] * 5}
    (part,) = cost.last_over_first(Curves(**rows))
    assert part.measured == pytest.approx(late)
    assert part.holds is holds


def test_one_trial_decides_nothing_about_the_cost():
    (part,) = cost.last_over_first(Curves(MOGLB_UCB=[[1.0, 1.0, 1.0, 1.0, 9.0, 9.0]]))
    assert part.holds is None


def test_costs_are_positive_times_of_both_estimators(interpreted):
    table = cost.costs(0, RunOptions(rounds=2))
    assert table["policy"].unique(maintain_order=True).to_list() == [
        "MOGLB-UCB",
        "refitted to the history",
    ]
    assert table["round"].to_list() == [2, 4, 6, 8] * 2  # never fewer than a round per piece
    assert (table["value"] > 0.0).all()


def test_looking_at_one_objective_plays_its_best_arm():
    policy = figures.OnObjective(links=figures.LINKS, scale=0.1, objective=2).bind(SHAPE)
    assert policy.order.on.tolist() == [2]
    assert (
        policy.estimator == figures.MoglbUcb(links=figures.LINKS, scale=0.1).bind(SHAPE).estimator
    )
