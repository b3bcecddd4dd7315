"""The figures of moslb2024: what is played is what the paper describes, and its claims judge what they say."""

import functools
import json

import numpy as np
import polars as pl
import pytest
from toys import without_pages

from mobandits.simulation import prepare
from mobandits_papers import reproduce
from mobandits_papers import sequential_stopping as stopping
from mobandits_papers.catalogue import EXPERIMENTS
from mobandits_papers.claims import Claim
from mobandits_papers.described import tables_of
from mobandits_papers.experiment import More, Run, more_of
from mobandits_papers.moslb2024 import figures
from mobandits_papers.moslb2024.questions import questions_of

FIGURES = {one.id: one for one in figures.FIGURES if one.id.startswith("moslb2024/fig")}
CHAINS = [EXPERIMENTS[f"moslb2024/{name}"] for name in ("fig3", "unrounded")]
TWO_LEVELS = ((0, 1, 2), (3, 4))
THREE_LEVELS = ((0, 1, 2), (3, 4, 5), (6, 7, 8, 9))
ALPHAS = [0.01, 0.03, 0.1, 0.3, 1.0]
THEORY = "P-UCB2, theory's width"
OFF = {"bar": 0.2, "above": False}
ALMOST_LINEAR = {"bar": 0.8, "above": True}
LEVELS = {
    f"moslb2024/{name}": levels
    for figure, levels in (("fig4", TWO_LEVELS), ("fig5", THREE_LEVELS))
    for name in (figure, f"{figure}-redrawn")
}


class Curves:
    """One run, "d = 5", and the same on more problems; every row has the same curves in all components."""

    def __init__(self, components=2, **rows):
        self._components, self._rows = (
            components,
            {name.replace("_", "-"): v for name, v in rows.items()},
        )

    def runs(self):
        return ["d = 5", more_of("d = 5")]

    def components(self, run, row, metric):
        return list(range(self._components))

    def curves(self, run, row, metric, component=0):
        values = np.asarray(self._rows[row], float)
        if run != "d = 5":
            values = np.tile(values, (100 // len(values) + 1, 1))[:100]
        return np.array([1000, 2000, 3000]), values


def paces(components, options):
    """Questions on the last pace of P-UCB1."""
    return questions_of("relative_pace", [["P-UCB1"]], "level_regret", components, **options)


def asked(questions, many=True):
    """A claim on these questions."""
    claim = Claim(
        "p/x/asked",
        "c",
        "t",
        "r",
        stopping.asked(stopping.on_few, questions, ["d = 5"]),
    )
    return stopping.on_many_problems(claim, questions, ["d = 5"]) if many else claim


@pytest.mark.parametrize("name", list(FIGURES))
def test_every_figure_has_the_papers_problems(name):
    experiment = FIGURES[name]
    runs = [run for run in experiment.runs if isinstance(run, Run)]
    assert [run.name for run in runs] == ["d = 5", "d = 10", "d = 15"]
    more = [run for run in experiment.runs if isinstance(run, More)]
    assert [run.run for run in more] == ([] if "redrawn" in name else runs)
    for run, features in zip(runs, (5, 10, 15), strict=True):
        assert (run.rounds, run.trials) == (3000, 10)
        shape = run.environment.problem(10, np.random.default_rng(0)).shape
        objectives = 10 if "fig5" in name else 5
        assert (shape.arms, shape.features, shape.objectives) == (
            5 * features,
            features,
            objectives,
        )
        assert run.environment.fixed_arms == ("redrawn" not in name)


def simulated(experiment):
    return [run for run in experiment.runs if isinstance(run, Run)]


def test_the_chains_are_the_papers():
    for experiment in CHAINS:
        for run in simulated(experiment):
            recipes = run.recipes()
            assert recipes["MOSLB-PC, alpha = 0.1"].chains == ((0, 1), (2, 3, 4))
            assert recipes["P-UCB1, alpha = 0.1"].on is None
            assert recipes["P-UCB2, alpha = 0.1"].on == (0, 2)  # the first objective of each chain
            assert {metric.chains for metric in run.metrics} == {((0, 1), (2, 3, 4))}
    places = [run.environment for one in CHAINS for run in simulated(one)]
    assert [place.round_decimals for place in places] == [2] * 3 + [None] * 3


@pytest.mark.parametrize(("name", "levels"), LEVELS.items())
def test_the_levels_are_the_papers(name, levels):
    for run in simulated(EXPERIMENTS[name]):
        recipes = run.recipes()
        assert recipes["MOSLB-PL, alpha = 0.1"].levels == levels
        assert recipes["P-UCB2, alpha = 0.1"].on == levels[0]
        assert [metric.levels for metric in run.metrics] == [levels]
    assert [i for level in levels for i in level] == list(range(10 if len(levels) == 3 else 5))


def test_every_row_has_the_same_grid_and_the_same_rule():
    for experiment in [*CHAINS, *(EXPERIMENTS[name] for name in LEVELS)]:
        for run in simulated(experiment):
            plain = {THEORY} if experiment.id == "moslb2024/fig4" else set()
            assert run.rows.keys() - run.tuned().keys() == plain
            assert len(run.tuned()) == 3
            for row, tuned in run.tuned().items():
                recipes = [run.recipes()[f"{row}, {said}"] for said in tuned.grid]
                assert [recipe.alpha for recipe in recipes] == ALPHAS
                assert {recipe.delta for recipe in recipes} == {0.05}
                assert (tuned.metric, tuned.component, tuned.highest) == (
                    run.metrics[0],
                    None,
                    False,
                )


LINEAR = [[100 - t, 200 - 2 * t, 300 - 3 * t] for t in range(6)]
BENT = [[150, 160, 161 + t] for t in range(6)]


def test_slower_compares_growth_at_the_end():
    linear, bent = LINEAR, BENT
    pair = ["MOSLB-PL", "P-UCB1"]
    slower = questions_of("is_lower", [pair], "level_regret", [0, 1], reading="growth")
    claim = asked(slower)
    assert claim.judge(Curves(MOSLB_PL=bent, P_UCB1=linear))["verdict"] == "reproduced"
    swapped = claim.judge(Curves(MOSLB_PL=linear, P_UCB1=bent))
    assert swapped["verdict"] == "not reproduced"
    assert swapped["papers_trials"]["verdict"] == "not reproduced"
    assert swapped["papers_trials"]["measured"] == pytest.approx(3.5 - 97.5)


@pytest.mark.parametrize(("curves", "off", "linear"), [(LINEAR, False, True), (BENT, True, False)])
def test_levelling_off_and_being_linear(curves, off, linear):
    claims = {
        off: asked(paces((0, 1), OFF)),
        linear: asked(paces((0, 1), ALMOST_LINEAR)),
    }
    for holds, claim in claims.items():
        entry = claim.judge(Curves(P_UCB1=curves))
        assert entry["verdict"] == ("reproduced" if holds else "not reproduced")
        few = entry["papers_trials"]
        assert few["measured"] == pytest.approx(1.0 if curves is LINEAR else 3.5 / (163.5 / 3))
        assert (few["verdict"], few["interval"]) == (
            "reported",
            None,
        )  # ten problems decide no ratio
        assert [part["said"] for part in entry["parts"]] == [
            f"P-UCB1, last pace over mean pace, level {level}, d = 5, 100 problems"
            for level in (1, 2)
        ]


def test_neither_flat_nor_linear_between_the_thresholds():
    between = [[100, 200, 250]] * 6  # a pace of 50 after one of 83
    questions = [paces((0,), OFF), paces((0,), ALMOST_LINEAR)]
    entries = [asked(one).judge(Curves(P_UCB1=between)) for one in questions]
    assert {entry["verdict"] for entry in entries} == {"not reproduced"}


def test_trials_without_regret_are_flat():
    (question,) = paces((0,), OFF)
    entry = asked([question]).judge(Curves(P_UCB1=[[0, 0, 0]]))
    assert (entry["verdict"], entry["measured"], entry["interval"]) == (
        "reproduced",
        0.0,
        [0.0, 0.0],
    )
    seldom = asked([question]).judge(Curves(P_UCB1=[[0, 0, 0]] * 49 + [[10, 20, 30]]))
    assert (seldom["verdict"], seldom["measured"]) == ("not reproduced", 1.0)


@pytest.mark.parametrize("name", ["fig3", "fig4", "fig5"])
def test_everything_that_is_judged_decides_how_many_are_played(name):
    """A question that only the claims ask would be judged before its interval leaves the bar."""
    sections = {
        "fig3": ["fig3", "chains"],
        "fig4": ["fig4", "two", "levels", "level-claims"],
        "fig5": ["fig5", "three", "levels", "level-claims"],
    }
    tables = tables_of(f"moslb2024/{name}", sections[name], {})
    rows = [row for table in tables for row in table.get("questions", {}).values()]
    questions = [one for row in rows for one in questions_of(**row)]
    names = ("MOSLB_PC", "MOSLB_PL", "P_UCB1", "P_UCB2", THEORY)
    rows = dict.fromkeys(names, LINEAR)
    made = Curves(components=3, **rows)
    made.runs = lambda: ["d = 5", "d = 10", "d = 15"]
    judged_on_more = [one for one in EXPERIMENTS[f"moslb2024/{name}"].claims if one.chosen_only]
    parts = {part["said"] for claim in judged_on_more for part in claim.judge(made)["parts"]}
    runs = ("d = 5", "d = 10", "d = 15")
    assert parts == {f"{one.said}, {run}, 100 problems" for one in questions for run in runs}
    assert len(judged_on_more) >= 7


KINDS = {  # what the paper says of each figure; everything else is an extension or ours
    "fig3": {
        "pucb1-worst",
        "pucb1-worst-later-digits",
        "pucb2-good-in-digit-c0",
        "moslb-pc-slower",
        "moslb-pc-levels-off",
        "pucb1-almost-linear",
    },
    "fig4": {
        "moslb-pl-below-pucb1",
        "moslb-pl-best-on-level-1",
        "moslb-pl-below-pucb2",
        "moslb-pl-steady",
    },
    "fig5": {"moslb-pl-below-pucb2", "pucb1-fails", "pucb2-good-on-level-1", "moslb-pl-pace"},
}


@pytest.mark.parametrize("name", [*KINDS, "unrounded", "fig4-redrawn", "fig5-redrawn"])
def test_only_what_the_paper_says_of_a_figure_is_the_papers(name):
    claims = EXPERIMENTS[f"moslb2024/{name}"].claims
    papers = {claim.id.rpartition("/")[2] for claim in claims if claim.kind == "paper"}
    assert papers == KINDS.get(name, set())
    assert {claim.kind for claim in claims} <= {"paper", "extension", "ours"}
    flat = [claim for claim in claims if claim.id.endswith("moslb-pl-levels-off")]
    assert all(claim.kind == "extension" for claim in flat)  # said of MOSLB-PC


def test_the_theorys_width_is_another_reading_of_figure_4():
    """The paper leaves the baseline's width open: what fails with the chosen one has both."""
    claims = {claim.id: claim for claim in EXPERIMENTS["moslb2024/fig4"].claims}
    for what in ("moslb-pl-best-on-level-1", "moslb-pl-steady"):
        read = claims[f"moslb2024/fig4/{what}-theory"]
        assert (read.kind, claims[f"moslb2024/fig4/{what}"].kind) == ("extension", "paper")
        assert "theory" in claims[f"moslb2024/fig4/{what}"].note
        made = Curves(MOSLB_PL=LINEAR, **{THEORY: [[2 * x for x in row] for row in LINEAR]})
        made.runs = lambda: ["d = 5", "d = 10", "d = 15"]
        entry = read.judge(made)
        assert (entry["verdict"], entry["holds"]) == ("reported", True)
        assert all(THEORY in part["said"] for part in entry["parts"])
    for run in simulated(EXPERIMENTS["moslb2024/fig4"]):
        assert run.recipes()[THEORY].alpha == 1.0
        assert run.recipes()[THEORY].on == TWO_LEVELS[0]
    assert not any("theory" in one.id for one in EXPERIMENTS["moslb2024/fig5"].claims)


def test_the_drawings_are_checks():
    assert {
        claim.kind for name in ("fig1", "fig2") for claim in EXPERIMENTS[f"moslb2024/{name}"].claims
    } == {"check"}


def test_the_thresholds_of_both_are_in_the_rules():
    rules = {claim.id.rpartition("/")[2]: claim.rule for claim in CHAINS[0].claims}
    assert "below 0.2" in rules["moslb-pc-levels-off"]
    assert "above 0.8" in rules["pucb1-almost-linear"]
    assert all(
        "this threshold is ours" in rules[name]
        for name in ("moslb-pc-levels-off", "pucb1-almost-linear")
    )
    notes = {claim.id.rpartition("/")[2]: claim.note for claim in CHAINS[0].claims}
    for name in ("moslb-pc-slower", "moslb-pc-levels-off", "pucb1-almost-linear"):
        assert "pilot" in notes[name]


def test_what_is_drawn_is_in_the_manifest(tmp_path, monkeypatch):
    without_pages(monkeypatch)
    reproduce.reproduce(["moslb2024/fig2"], tmp_path, workers=1)
    (claim,) = json.loads((tmp_path / "claims.json").read_text())
    assert (claim["kind"], claim["verdict"], claim["holds"]) == ("check", "reported", True)
    (part,) = EXPERIMENTS["moslb2024/fig2"].runs
    assert part.settings["tables"] == 500
    assert [0, 2] in part.settings["above"]
    assert [0, 1] in part.settings["beside"]


def test_steadier_compares_standard_deviations():
    rng = np.random.default_rng(0)
    steady = np.tile(100.0 + rng.standard_normal((40, 1)), 3)
    wild = np.tile(100.0 + 10.0 * rng.standard_normal((40, 1)), 3)
    pairs = [["MOSLB-PL", "P-UCB1"], ["MOSLB-PL", "P-UCB2"]]
    steadier = questions_of("variance_is_lower", pairs, "level_regret", [0, 1])
    claim = asked(steadier, many=False)
    entry = claim.judge(Curves(MOSLB_PL=steady, P_UCB1=wild, P_UCB2=wild))
    assert entry["verdict"] == "reproduced"
    assert entry["measured"] == pytest.approx(wild[:, 0].std() - steady[:, 0].std())
    assert [part["said"] for part in entry["parts"]] == [
        f"{row} less MOSLB-PL, standard deviation on level {level}, d = 5"
        for row in ("P-UCB1", "P-UCB2")
        for level in (1, 2)
    ]
    assert (
        claim.judge(Curves(MOSLB_PL=wild, P_UCB1=wild, P_UCB2=steady))["verdict"]
        == "not reproduced"
    )
    assert (
        claim.judge(Curves(MOSLB_PL=wild[:1], P_UCB1=wild[:1], P_UCB2=wild[:1]))["verdict"]
        == "reported"
    )
    many = asked(steadier)
    assert many.judge(Curves(MOSLB_PL=steady, P_UCB1=wild, P_UCB2=wild))["verdict"] == "reproduced"


@pytest.mark.parametrize("name", ["fig3", "fig5"])
def test_a_tiny_run_is_judged(name, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "mobandits_papers.playing.prepare", functools.partial(prepare, compiled=False)
    )
    without_pages(monkeypatch)
    reproduce.reproduce([f"moslb2024/{name}"], tmp_path, rounds=6, trials=2, workers=1)
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert [claim["id"] for claim in claims] == [
        claim.id for claim in EXPERIMENTS[f"moslb2024/{name}"].claims
    ]
    assert all(claim["measured"] is not None for claim in claims)
    table = pl.read_parquet(tmp_path / "results.parquet")
    assert table["policy"].n_unique() == 3 * len(ALPHAS) + 3  # and the chosen ones on more problems
    digits = table.filter(
        pl.col("metric") == ("level_regret" if name == "fig5" else "chain_regret_authors")
    )
    assert digits["component"].n_unique() == 3
