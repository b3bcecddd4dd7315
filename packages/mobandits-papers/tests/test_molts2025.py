import json

import numpy as np
import polars as pl
import pytest
from toys import Renamed

from mobandits.orders import EffectivePareto
from mobandits.policies import MolTs, MolUcb, PfiRls
from mobandits.simulation import Results
from mobandits_papers.catalogue import find
from mobandits_papers.experiment import Run, RunOptions, Tuned
from mobandits_papers.molts2025 import common_constants, computed, figures
from mobandits_papers.molts2025 import experiments as molts2025
from mobandits_papers.molts2025.theory import draws_needed, optimism
from mobandits_papers.numbers import resample
from mobandits_papers.reproduce import reproduce

METRICS = ("pareto_regret", "effective_pareto_regret", "reward")
SIMULATED = [one for one in molts2025.EXPERIMENTS if isinstance(one.runs[0], Run)]


def claims_of(folder):
    return {one["id"]: one for one in json.loads((folder / "claims.json").read_text())}


@pytest.fixture(scope="module")
def fig2(tmp_path_factory):
    out = tmp_path_factory.mktemp("fig2")
    reproduce(["molts2025/fig2"], out, rounds=40, trials=2, workers=1)
    return out


def test_the_catalogue_is_complete():
    names = [one.id for one in find(["molts2025"])]
    figures = [f"molts2025/fig{i}" for i in range(1, 14)]
    remarks = [
        f"molts2025/{name}"
        for name in (
            "optimism",
            "reward-paradox",
            "samples",
            "one-constant",
            "generalized-linear",
            "weight-selection",
        )
    ]
    assert set(figures + remarks) <= set(names)
    ids = [claim.id for one in molts2025.EXPERIMENTS for claim in one.claims]
    assert len(ids) == len(set(ids))
    assert all(
        claim.id.rpartition("/")[0] == one.id
        for one in molts2025.EXPERIMENTS
        for claim in one.claims
    )


@pytest.mark.parametrize("experiment", SIMULATED, ids=lambda one: one.id)
def test_rows_of_plots_exist_and_recipes_fit_the_problem(experiment):
    run = experiment.runs[0]
    assert {row for plot in experiment.plots for row in plot.rows} <= set(run.rows)
    shape = run.environment.problem(run.rounds, np.random.default_rng(0)).shape
    for recipe in run.recipes().values():
        recipe.bind(shape)


def test_settings_are_those_of_the_paper():
    by_figure = {
        one.figure: (one.arms, one.features, one.objectives, one.fixed) for one in figures.SETTINGS
    }
    assert by_figure[2] == (50, 5, 4, False)
    assert by_figure[12] == (200, 15, 8, False)
    assert by_figure[13] == (200, 15, 4, True)
    assert list(by_figure) == list(range(2, 14))
    for one in figures.SETTINGS:
        run = figures.figure(one).runs[0]
        assert (run.rounds, run.trials, run.metrics) == (10_000, 10, METRICS)
        assert run.environment.theta == "sphere"
        assert ("PFIwR-style reconstruction" in run.rows) is one.fixed


def test_rows_are_the_grids_and_the_theory():
    rows = figures.figure(figures.SETTINGS[9]).runs[0].rows
    assert rows["MOL-TS"] == Tuned({f"c = {c}": MolTs(scale=c) for c in (0.1, 0.3, 1, 3)})
    assert rows["MOL-TS, M = 1"].grid["c = 0.3"] == MolTs(scale=0.3, draws=1)
    assert rows["MOL-UCB, effective front"].grid["c = 3"] == MolUcb(
        scale=3.0, order=EffectivePareto()
    )
    assert rows["MOL-TS, theory c"] == MolTs(scale="theory")
    assert rows["PFIwR-style reconstruction"] == PfiRls()


SAID_OF_FIGURE_2 = {
    "lowest-pareto",
    "lowest-effective",
    "highest-reward",
    "optimistic-sampling-pareto",
    "optimistic-sampling-effective",
    "greedy-pareto",
    "greedy-effective",
    "greedy-reward",
}


def claims_in(setting):
    return figures.figure(setting).claims


@pytest.mark.parametrize("setting", figures.SETTINGS, ids=lambda one: one.name)
def test_the_papers_words_are_on_figure_2(setting):
    """Figures 3 to 13 have no text: one claim on each asks all sentences on Figure 2 of it."""
    kinds = {claim.id.rpartition("/")[2]: claim.kind for claim in claims_in(setting)}
    expected = {"pareto-below-effective": "check"}
    if setting.figure == 2:
        expected |= dict.fromkeys(SAID_OF_FIGURE_2, "paper")
    else:
        expected["sentences"] = "extension"
    if setting.fixed:
        expected |= {f"reconstruction-{what}": "ours" for what in ("pareto", "effective", "reward")}
    assert kinds == expected
    targets = {claim.target for claim in claims_in(setting) if claim.kind != "check"}
    words = "as claimed" if setting.figure == 2 else "said of Figure 2"
    assert targets == {words, *(["not in the paper"] if setting.fixed else [])}


def test_the_estimator_of_mol_ucb_is_named_wherever_it_plays():
    """It is not that of moglb2019, where the paper takes MOL-UCB from."""
    playing = [
        one
        for one in SIMULATED
        if any(isinstance(row, MolUcb) for row in one.runs[0].recipes().values())
    ]
    assert len(playing) == 12 + 2
    for one in playing:
        assert any("ridge regression" in text and "Newton steps" in text for text in one.about), (
            one.id
        )


def test_remarks_and_computed_parts_have_no_claim_of_the_paper():
    figure_names = {one.name for one in figures.SETTINGS}
    others = [one for one in molts2025.EXPERIMENTS if one.id not in figure_names]
    kinds = {claim.id: claim.kind for one in others for claim in one.claims}
    assert set(kinds.values()) == {"check", "extension", "ours"}
    assert {name for name, kind in kinds.items() if kind == "extension"} == {
        "molts2025/one-constant/together",
        *(
            f"molts2025/samples/{constant}-{regret}"
            for constant in ("c-0.1", "c-0.3", "c-1", "c-2", "c-3", "theory-c")
            for regret in ("pareto", "effective")
        ),
    }
    assert {
        name
        for name, kind in kinds.items()
        if name.startswith("molts2025/fig1/") and kind != "check"
    } == set()


def test_a_figure_is_reproduced_at_a_small_scale(fig2):
    claims = claims_of(fig2)
    assert len(claims) == len(figures.figure(figures.SETTINGS[0]).claims)
    identity = claims["molts2025/fig2/pareto-below-effective"]
    assert (identity["kind"], identity["verdict"], identity["holds"]) == ("check", "reported", True)
    assert len(claims["molts2025/fig2/pareto-below-effective"]["parts"]) == 10
    assert len(claims["molts2025/fig2/highest-reward"]["parts"]) == 2 * 4
    assert {one["trials"] for one in claims.values()} == {2}
    assert {path.stem for path in (fig2 / "runs/molts2025/fig2/figures").glob("*.png")} >= {
        "reward",
        "ablation",
    }


class Curves:
    """An outcome whose curves are given."""

    def __init__(self, least, most):
        self.both = dict(zip(figures.REGRETS, (least, most), strict=True))

    def runs(self):
        return ["run"]

    def rows(self, run):
        return ["row"]

    def curves(self, run, row, metric, component=0):
        return np.arange(1, 3), self.both[metric]


class Rows:
    """One run; every row has the same curves for all metrics and components."""

    def renamed(self, names):
        return Renamed(self, names)

    def __init__(self, rows, components=1):
        self.levels, self.many = rows, components

    def runs(self):
        return ["run"]

    def rows(self, run):
        return list(self.levels)

    def components(self, run, row, metric):
        return list(range(self.many))

    def curves(self, run, row, metric, component=0):
        return np.arange(1, 3), np.array(self.levels[row])


@pytest.mark.parametrize(
    ("most", "holds"), [([[1.0, 2.0]], True), ([[1.0, 1.9]], False), ([[0.5, 3.0]], False)]
)
def test_pareto_regret_above_the_effective_one_is_found_at_any_round(most, holds):
    (one,) = figures.never_above(Curves(np.array([[1.0, 2.0]]), np.array(most)))
    assert one.holds is holds


def test_the_paradox_names_the_constants_where_it_holds(tmp_path):
    reproduce(["molts2025/reward-paradox"], tmp_path, rounds=30, trials=5, workers=1)
    (somewhere,) = claims_of(tmp_path).values()
    table = Results.read(tmp_path / "runs/molts2025/reward-paradox").table
    totals = (
        table.filter(round=30)
        .group_by("policy", "trial", "metric")
        .agg(pl.col("value").sum())
        .pivot("metric", index=["policy", "trial"], values="value")
        .sort("trial")
    )
    greedy = totals.filter(policy="MOL-eps-Greedy")
    everywhere = []
    for row in figures.PARADOX:
        own = totals.filter(policy=row)
        leads = [(greedy[metric] - own[metric]).to_numpy() for metric in METRICS]
        intervals = [resample(lead[:, None], lambda means: means[0])[1] for lead in leads]
        if all(interval is not None and interval[0] > 0.0 for interval in intervals):
            everywhere.append(row)
    assert "pilot" in somewhere["note"]
    assert somewhere["measured"] == len(everywhere)
    assert (somewhere["kind"], somewhere["verdict"]) == ("ours", "reported")
    assert somewhere["holds"] is bool(everywhere)


@pytest.mark.slow
def test_a_figure_with_fixed_arms_is_reproduced_at_a_small_scale(tmp_path):
    reproduce(["molts2025/fig11"], tmp_path, rounds=12, trials=5, workers=1)
    claims = claims_of(tmp_path)
    (sentences,) = claims["molts2025/fig11/sentences"]["parts"]
    assert isinstance(sentences["holds"], bool)
    for what in ("pareto", "effective", "reward"):
        claim = claims[f"molts2025/fig11/reconstruction-{what}"]
        assert claim["verdict"] == "reported"
        assert len(claim["parts"]) == (8 if what == "reward" else 2)
        assert all(isinstance(part["holds"], bool) for part in claim["parts"])


@pytest.fixture(scope="module")
def fig11():
    """The verdicts where the reconstruction beats everybody, and MOL-TS all others."""
    one = figures.figure(figures.SETTINGS[9])
    rows = {name: [[1.0, 5.0]] * 5 for name in one.runs[0].rows}
    rows |= {"MOL-TS": [[1.0, 3.0]] * 5, "PFIwR-style reconstruction": [[1.0, 2.0]] * 5}
    return {claim.id: claim.judge(Rows(rows, components=4)) for claim in one.claims}


def test_sentences_are_counted_without_the_reconstruction(fig11):
    """Regrets and rewards are the same numbers: MOL-TS is below all, and greedy play as MOL-UCB."""
    claim = fig11["molts2025/fig11/sentences"]
    assert (claim["kind"], claim["verdict"], claim["holds"]) == ("extension", "reported", False)
    assert claim["measured"] == 4.0
    missing = "highest-reward, greedy-pareto, greedy-effective and greedy-reward"
    assert claim["of"] == f"sentences of 8 that hold: all but {missing}"


def test_all_sentences_may_hold():
    figure = figures.figure(figures.SETTINGS[1])
    claim = next(claim for claim in figure.claims if claim.id.endswith("/sentences"))
    few = claim.judge(Rows({name: [[1.0, 5.0]] * 2 for name in figure.runs[0].rows}))
    assert few["holds"] is None
    one = figures.sentences_on_figure_2(figures.SETTINGS[1])[0]
    rows = {"MOL-TS": 1.0, "MOL-UCB": 2.0, "MOL-eps-Greedy": 3.0}
    parts = common_constants.sentences_that_hold([one])
    (part,) = parts(Rows({name: [[0.0, end]] * 5 for name, end in rows.items()}))
    assert (part.measured, part.holds, part.said) == (1.0, True, "sentences of 1 that hold")


@pytest.mark.parametrize("what", ["pareto", "effective", "reward"])
def test_the_reconstruction_is_judged_but_only_reported(fig11, what):
    claim = fig11[f"molts2025/fig11/reconstruction-{what}"]
    assert claim["verdict"] == "reported"
    assert len(claim["parts"]) == (8 if what == "reward" else 2)
    assert all("PFIwR-style reconstruction" in part["said"] for part in claim["parts"])
    assert all(isinstance(part["holds"], bool) for part in claim["parts"])
    assert "reconstructions of ours" in claim["note"]


def test_samples_are_compared_at_equal_constants(tmp_path):
    claims = {
        claim.id: claim
        for one in molts2025.EXPERIMENTS
        for claim in one.claims
        if one.id.endswith("/samples")
    }
    assert len(claims) == 2 * 6
    claim = claims["molts2025/samples/theory-c-effective"]
    more, less = "M = 10, theory c", "M = 1, theory c"
    entry = claim.judge(Rows({more: [[1.0, 2.0]] * 5, less: [[1.0, 3.0]] * 5}))
    assert (entry["of"], entry["measured"], entry["holds"]) == (f"{less} less {more}", 1.0, True)
    assert (entry["kind"], entry["verdict"]) == ("extension", "reported")
    assert "same constant" in entry["note"]
    assert claim.judge(Rows({more: [[1.0, 3.0]] * 5, less: [[1.0, 2.0]] * 5}))["holds"] is False


# Optimistic sampling: at tuned constants M = 1 has less, as much, or more regret.
TUNED = {"not reproduced": 1.0, "reproduced": 3.0}
SAMPLING = "molts2025/fig2/optimistic-sampling-pareto"


def shared(**regrets_of_one_sample):
    """Curves in which MOL-TS has a regret of 2 with all constants, and M = 1 what is given."""
    constants = [f"c = {c:g}" for c in common_constants.CONSTANTS]
    rows = {"MOL-TS": 2.0} | {f"MOL-TS, {constant}": 2.0 for constant in constants}
    rows |= {f"MOL-TS, M = 1, {constant}": 1.0 for constant in constants}
    rows |= {name.replace("_", " "): value for name, value in regrets_of_one_sample.items()}
    return Rows({name: [[0.0, value]] * 5 for name, value in rows.items()})


def said_of_figure_2(name):
    claims = claims_in(figures.SETTINGS[0])
    return next(claim for claim in claims if claim.id == name)


def test_what_fails_with_tuned_constants_only_is_not_called_not_reproduced():
    """Which constants the paper had, it does not say; one for all rows is as good a reading."""
    claim = said_of_figure_2(SAMPLING)
    curves = shared(**{"MOL-TS, M = 1": 1.0, "MOL-TS, M = 1, c = 2": 3.0})
    entry = claim.judge(curves)
    assert (entry["verdict"], entry["holds"]) == ("reported", None)
    assert common_constants.TUNED_FAILS in entry["note"]
    assert "holds with c = 2, and not with 0.1, 0.3, 1 and 3." in entry["note"]
    assert "states no constant" in entry["rule"]


@pytest.mark.parametrize("expected", TUNED)
def test_what_holds_with_no_common_constant_keeps_its_verdict(expected):
    entry = said_of_figure_2(SAMPLING).judge(shared(**{"MOL-TS, M = 1": TUNED[expected]}))
    assert entry["verdict"] == expected
    assert "with none of c = 0.1, 0.3, 1, 2 and 3." in entry["note"]


def test_few_trials_say_nothing_on_constants(fig2):
    entry = claims_of(fig2)[SAMPLING]
    assert (entry["verdict"], entry["note"]) == ("reported", "")


def test_claims_that_hold_at_once_are_counted():
    (claim,) = find(["molts2025/one-constant"])[0].claims
    level = dict.fromkeys(figures.SHARING, 2.0)
    # Regrets and rewards are the same numbers here: MOL-TS is the lowest in all of them.
    level |= {"MOL-TS, c = 2": 1.0, "MOL-eps-Greedy": 3.0}
    entry = claim.judge(Rows({name: [[0.0, end]] * 5 for name, end in level.items()}))
    assert (entry["measured"], entry["holds"], entry["kind"]) == (7.0, False, "extension")
    assert "with c = 2: all but highest-reward" in entry["of"]
    assert "3 with c = 0.1" in entry["of"]
    few = claim.judge(Rows({name: [[0.0, end]] * 2 for name, end in level.items()}))
    assert few["holds"] is None


def test_rows_have_the_names_that_are_read_at_common_constants():
    run = figures.figure(figures.SETTINGS[0]).runs[0]
    read = {
        common_constants.named(row, c)
        for row in ("MOL-TS", "MOL-TS, M = 1", "MOL-UCB")
        for c in common_constants.CONSTANTS
    }
    recipes = run.recipes()
    assert read <= recipes.keys()
    assert recipes["MOL-TS, M = 1, c = 2"] == MolTs(scale=2.0, draws=1)
    assert recipes["MOL-UCB, c = 2"] == MolUcb(scale=2.0)


def test_the_toy_example():
    table = computed.gaps_of_arms(0, RunOptions())
    gaps = {
        metric: part["value"].to_list()
        for (metric,), part in table.partition_by("metric", as_dict=True).items()
    }
    assert gaps["pareto_gap"] == [0.0, 0.0, 0.0]
    assert gaps["effective_gap"] == pytest.approx([0.0, 0.05, 0.0])


def test_totals_of_the_toy_example():
    table = computed.totals_of_players(0, RunOptions()).filter(round=4)
    totals = {
        key: part["value"].to_list()
        for key, part in table.partition_by("policy", "metric", as_dict=True).items()
    }
    assert totals[computed.OUTER, "reward"] == [2.0, 2.0]
    assert totals[computed.MIDDLE, "reward"] == pytest.approx([1.8, 1.8])
    assert totals[computed.MIDDLE, "effective_pareto_regret"] == pytest.approx([0.2])
    assert totals[computed.OUTER, "effective_pareto_regret"] == [0.0]


def test_fig1_and_optimism_through_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(computed, "SAMPLES", 500)
    reproduce(["molts2025/fig1", "molts2025/optimism"], tmp_path, rounds=10, trials=3, workers=1)
    claims = claims_of(tmp_path)
    for what in ("middle-arm", "totals"):
        claim = claims[f"molts2025/fig1/{what}"]
        assert (claim["kind"], claim["verdict"], claim["holds"]) == ("check", "reported", True)
    assert len(claims["molts2025/optimism/lemma-1"]["parts"]) == 4


@pytest.mark.parametrize(
    ("objectives", "draws"), [(1, 1), (2, draws_needed(2)), (4, draws_needed(4))]
)
def test_samples_are_optimistic_as_often_as_the_lemma_says(objectives, draws):
    found = computed.optimistic(objectives, draws, 20, np.random.default_rng(1))
    expected = optimism(objectives, draws, computed.ABOVE_ONE)
    spread = np.sqrt(expected * (1.0 - expected) / computed.SAMPLES)
    assert found["every_objective"] == pytest.approx(expected, abs=4.0 * spread)
    assert found["weighted"] >= found["every_objective"]
