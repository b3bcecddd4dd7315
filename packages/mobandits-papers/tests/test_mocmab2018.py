"""The experiments of mocmab2018: small runs, kinds of claims, and its tables of means."""

import json

import numpy as np
import polars as pl
import pytest

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Shape
from mobandits.environments import Bumps, DisplayAds
from mobandits.policies import CpUcb1, MocMab, ParetoUcb1
from mobandits.simulation.play import play
from mobandits_papers.catalogue import EXPERIMENTS
from mobandits_papers.claims import Claim, in_order
from mobandits_papers.experiment import Computed, Run, RunOptions
from mobandits_papers.mocmab2018 import ads, common_scale, figures, lexicographic, remarks, shared
from mobandits_papers.mocmab2018 import experiments as mocmab2018
from mobandits_papers.outcome import Outcome
from mobandits_papers.reproduce import reproduce

OURS = {one.id: one for one in mocmab2018.EXPERIMENTS}
BOTH = ("MOC-MAB", "CD-UCB1")
FIVE = 5  # times two trials, so that there are intervals


@pytest.mark.parametrize("name", OURS)
def test_every_experiment_runs_and_judges_all_its_claims(name, tmp_path):
    """Small: what comes out decides nothing, but claims have numbers and figures have files."""
    page = reproduce([name], tmp_path, rounds=60, trials=2, workers=1)
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert [one["id"] for one in claims] == [one.id for one in OURS[name].claims]
    counts = {"mocmab2018/table1": {1}, "mocmab2018/cost": {1, 2}}  # numbers kept are no trials
    trials = counts.get(name, {2})
    assert all(
        part["trials"] in trials and np.isfinite(part["measured"])
        for one in claims
        for part in one["parts"]
    )
    drawn = {path.stem for path in page.parent.glob("figures/*.png")}
    assert drawn == {f"{name.replace('/', '-')}-{plot.name}" for plot in OURS[name].plots}


def test_the_catalogue_has_all_of_them_and_ids_are_their_own():
    assert OURS.keys() <= EXPERIMENTS.keys()
    claims = [claim.id for one in OURS.values() for claim in one.claims]
    assert len(set(claims)) == len(claims)
    assert all(claim.id.startswith(f"{one.id}/") for one in OURS.values() for claim in one.claims)


def test_the_papers_scale():
    """Rounds, trials and cells per side of the three figures, as the paper has them."""
    for name, rounds, trials, sides in (
        ("fig1", 100_000, 100, 10),
        ("fig2", 1_000_000, 20, 16),
        ("fig3", 4_681_992, 5, 9),
    ):
        (run,) = OURS[f"mocmab2018/{name}"].runs
        assert (run.rounds, run.trials) == (rounds, trials)
        shape = run.environment.problem(rounds, np.random.default_rng(0)).shape
        assert MocMab().bind(shape).cells.per_side == sides


def test_every_policy_has_the_papers_seven_scales_in_figure_1():
    (run,) = OURS["mocmab2018/fig1"].runs
    scales = [1, 1 / 5, 1 / 10, 1 / 15, 1 / 20, 1 / 25, 1 / 30]
    assert len(run.rows) == 6
    for row, tuned in run.rows.items():
        assert [recipe.scale for recipe in tuned.grid.values()] == scales, row
        assert (tuned.component, tuned.highest) == (0, False)


def test_the_grids_of_the_channels_and_of_the_advertisements():
    """As the pages say: who has all seven scales, and on how many trials they are chosen."""
    for name in ("fig2", "fig2-rate"):
        (run,) = OURS[f"mocmab2018/{name}"].runs
        for row, tuned in run.rows.items():
            assert [recipe.scale for recipe in tuned.grid.values()] == list(
                shared.SCALES.values()
            ), row
        assert any(
            "All six policies have the paper's seven scales" in text
            for text in OURS[f"mocmab2018/{name}"].about
        )
    fig3 = OURS["mocmab2018/fig3"]
    sizes = {row: len(tuned.grid) for row, tuned in fig3.runs[0].rows.items()}
    assert sizes == {
        "MOC-MAB": 7,
        "CD-UCB1": 4,
        **dict.fromkeys(("CP-UCB1", "CS-UCB1", "P-UCB1", "S-UCB1"), 2),
    }
    assert fig3.runs[0].tuning_trials == 1
    assert any("CD-UCB1 has 1, 1/5, 1/10 and 1/30" in text for text in fig3.about)


def test_beta_of_the_advertisements():
    grid = OURS["mocmab2018/fig3"].runs[0].rows["MOC-MAB"].grid
    assert {recipe.beta for recipe in grid.values()} == {0.1}


def test_a_log_can_take_the_place_of_the_stand_in(request):
    log = DisplayAds(str(request.config.rootpath / "tests" / "data" / "r6a_sample.gz"))
    run = ads.display_run(log, log.max_rounds, trials=1)
    assert run.recipes().keys() == OURS["mocmab2018/fig3"].runs[0].recipes().keys()
    assert "synthetic" not in run.place
    assert "SYNTHETIC" in OURS["mocmab2018/fig3"].about[0]


def outcome(totals, rounds=100):
    """An outcome of one run in which rows earn (per trial) totals of two objectives."""
    table = [
        ("w", row, trial, at, "reward", i, value * at / rounds)
        for row, trials in totals.items()
        for trial, pair in enumerate(trials)
        for i, value in enumerate(pair)
        for at in (rounds // 2, rounds)
    ]
    columns = ["environment", "policy", "trial", "round", "metric", "component", "value"]
    frame = pl.DataFrame(table, columns, orient="row")
    return Outcome(frame, {"w": "w"}, {("w", row): row for row in totals})


def claim_of(parts, revise=None, kind="paper", note=""):
    return Claim("p/x/a", "s", "t", "r", parts, note=note, kind=kind, revise=revise)


def test_unbeaten_wants_a_lead_in_one_objective_over_everybody():
    claim = claim_of(shared.at_chosen_scales({"CD-UCB1": ()}))
    ahead_once = outcome(
        {"MOC-MAB": FIVE * [(10, 30), (11, 31)], "CD-UCB1": FIVE * [(20, 20), (21, 20)]}
    )
    (part,) = claim.parts(ahead_once)
    assert part.holds
    assert part.measured == pytest.approx(100 * (30.5 / 20 - 1))
    assert part.said == "lead of MOC-MAB over CD-UCB1, other objective, %"
    beaten = outcome(
        {"MOC-MAB": FIVE * [(10, 19), (11, 18)], "CD-UCB1": FIVE * [(20, 20), (21, 20)]}
    )
    assert claim.judge(beaten)["verdict"] == "not reproduced"
    few = outcome({"MOC-MAB": [(10, 30), (11, 31)], "CD-UCB1": [(20, 20), (21, 20)]})
    assert claim.judge(few)["verdict"] == "reported"


def test_no_lead_is_found_by_looking_at_two_objectives():
    """Of two equals, many times: leads are found about as often as by one test of 5 %, at most."""
    claim = claim_of(shared.at_chosen_scales({"CD-UCB1": ()}))
    rng, found = np.random.default_rng(0), 0
    for _ in range(100):
        totals = {row: rng.normal(100.0, 10.0, (20, 2)).tolist() for row in BOTH}
        found += bool(claim.parts(outcome(totals))[0].holds)
    assert found <= 10


def spread_out(totals):
    """An outcome with MOC-MAB and CD-UCB1 at scale 1, whose table has their other scales too."""
    found = outcome(totals)
    chosen = {("w", row): shared.scaled(row, "1") for row in BOTH}
    table = pl.concat(part for parts in found._parts.values() for part in parts.values())
    return Outcome(table, {"w": "w"}, chosen)


SCALED = {
    "MOC-MAB, scale = 1": FIVE * [(20, 30), (21, 31)],
    "MOC-MAB, scale = 1/5": FIVE * [(10, 50), (11, 51)],
    "CD-UCB1, scale = 1": FIVE * [(40, 20), (41, 20)],
    "CD-UCB1, scale = 1/5": FIVE * [(30, 40), (31, 41)],
    "CD-UCB1, scale = 1/10": FIVE * [(30, 30), (31, 31)],
}
GRID = {"CD-UCB1": ("1", "1/5", "1/10")}


def test_scales_that_were_not_chosen_are_named_where_they_beat_moc_mab():
    """CD-UCB1 at 1/5 is better in both objectives; at 1/10 one of them is a tie."""
    chosen, named = shared.at_chosen_scales(GRID), shared.beaten_by(GRID)
    entry = claim_of(chosen, named, note="First.").judge(spread_out(SCALED))
    assert entry["verdict"] == "reproduced"
    assert (
        entry["note"]
        == "First. Of the other algorithms' grids, these scales beat it in both objectives: "
        "CD-UCB1 at 1/5."
    )
    better = SCALED | {"CD-UCB1, scale = 1/5": FIVE * [(30, 25), (31, 26)]}
    entry = claim_of(chosen, named).judge(spread_out(better))
    assert (
        entry["note"]
        == "No scale of the other algorithms' grids is clearly ahead of it in both objectives."
    )
    few = {row: trials[:2] for row, trials in SCALED.items()}
    assert claim_of(chosen, named).judge(spread_out(few))["note"] == ""


def test_every_scale_of_the_others_is_compared():
    entry = claim_of(shared.at_every_scale(GRID), kind="ours").judge(spread_out(SCALED))
    assert (entry["kind"], entry["verdict"], entry["holds"]) == ("ours", "reported", False)
    holds = {part["said"]: part["holds"] for part in entry["parts"]}
    assert holds == {
        "lead of MOC-MAB over CD-UCB1, scale = 1, other objective, %": True,
        "lead of MOC-MAB over CD-UCB1, scale = 1/5, other objective, %": False,
        "lead of MOC-MAB over CD-UCB1, scale = 1/10, other objective, %": False,
    }
    (first, *_) = entry["parts"]
    assert first["measured"] == pytest.approx(100 * (30.5 / 20 - 1))


def test_all_policies_at_one_scale_are_compared():
    parts = shared.at_one_scale({"CD-UCB1": ("1", "1/5")})
    entry = claim_of(parts, kind="ours").judge(spread_out(SCALED))
    assert (entry["kind"], entry["holds"]) == ("ours", True)
    names = [part["said"] for part in entry["parts"]]
    assert names[1] == "lead of MOC-MAB, scale = 1/5 over CD-UCB1, scale = 1/5, other objective, %"
    assert entry["parts"][1]["measured"] == pytest.approx(100 * (50.5 / 40.5 - 1))


def scaled_rewards(at_scale):
    """Rewards of MOC-MAB and CP-UCB1 in five trials: 30 % apart at chosen scales, else as given."""
    levels = {"MOC-MAB": 130.0, "CP-UCB1": 100.0}
    for scale in shared.SCALES:
        levels[f"MOC-MAB, scale = {scale}"] = at_scale.get(scale, 150.0)
        levels[f"CP-UCB1, scale = {scale}"] = 100.0
    frame = [
        ("w", row, trial, 9, "reward", 0, value * (1.0 + 0.001 * trial))
        for row, value in levels.items()
        for trial in range(FIVE)
    ]
    columns = ["environment", "policy", "trial", "round", "metric", "component", "value"]
    table = pl.DataFrame(frame, columns, orient="row")
    return Outcome(table, {"w": "w"}, {("w", row): row for row in ("MOC-MAB", "CP-UCB1")})


@pytest.mark.parametrize(("percent", "holds"), [(12.0, True), (35.0, False), (55.0, False)])
def test_percentages_are_compared_at_one_scale(percent, holds):
    """The paper has 10 %: 20 points off with chosen scales, and 2, 25 or 45 with scale 1."""
    found = scaled_rewards({"1": 100.0 + percent})
    targets = [common_scale.Target("CP-UCB1", 0, 10.0)]
    parts, revise = common_scale.nearer_at_one_scale(targets), common_scale.distances(targets)
    entry = claim_of(parts, revise, "ours", "A note.").judge(found)
    assert (entry["kind"], entry["verdict"], entry["holds"]) == ("ours", "reported", holds)
    assert entry["measured"] == pytest.approx(20.0 - (percent - 10.0))
    assert (
        f"20 points off with chosen scales, and with one scale for all {percent - 10:.0f} at 1, "
        in (entry["note"])
    )
    assert entry["note"].startswith("A note. ")


TEXTS = {"id": "p/x/y", "claim": "c", "target": "t", "rule": "r"}


def ordered(*groups):
    return in_order(groups, "reward", **TEXTS)


def test_an_order_fails_where_one_neighbour_does():
    totals = {
        "a": FIVE * [(30, 0), (31, 0)],
        "b": FIVE * [(20, 0), (22, 0)],
        "c": FIVE * [(10, 0), (9, 0)],
    }
    right = ordered(("a",), ("b",), ("c",))
    assert right.judge(outcome(totals))["verdict"] == "reproduced"
    wrong = ordered(("a",), ("c",), ("b",))
    entry = wrong.judge(outcome(totals))
    assert entry["verdict"] == "not reproduced"
    assert [part["holds"] for part in entry["parts"]] == [True, False]
    groups = ordered(("a",), ("b", "c"))
    assert len(groups.parts(outcome(totals))) == 2


@pytest.fixture(scope="module")
def figure_3():
    """{end of the ID: claim} of Figure 3."""
    return {claim.what: claim for claim in ads.FIG3.claims}


def test_shares_are_what_the_other_objective_lacks(figure_3):
    claim = figure_3["p-share"]
    (part,) = claim.parts(outcome({"P-UCB1": FIVE * [(0, 52), (0, 50)]}))
    assert (part.said, part.measured) == ("P-UCB1 shows, %", pytest.approx(49.0))
    assert part.holds
    assert claim.parts(outcome({"P-UCB1": FIVE * [(0, 60), (0, 61)]}))[0].holds is False
    assert claim.parts(outcome({"P-UCB1": [(0, 52), (0, 50)]}))[0].holds is None
    (part,) = figure_3["moc-share"].parts(outcome({"MOC-MAB": FIVE * [(0, 28)]}))
    assert (part.measured, part.holds) == (pytest.approx(72.0), None)


def test_clicks_are_counted_against_what_is_shown():
    """CD-UCB1 shows 80 of 100 and gets 4 clicks, a rate of 5 %; MOC-MAB gets 3 of all 5."""
    found = outcome({"CD-UCB1": FIVE * [(4, 20)], "MOC-MAB": FIVE * [(3, 30)]})
    assert ads.rate_parts(found)[0].measured == pytest.approx(5.0)
    assert ads.collected_parts(found)[0].measured == pytest.approx(60.0)


def test_alike_looks_at_both_objectives(figure_3):
    claim = figure_3["cp-like-p"]
    one, other = FIVE * [(100, 50)], FIVE * [(101, 60)]
    assert [part.holds for part in claim.parts(outcome({"P-UCB1": one, "CP-UCB1": other}))] == [
        True,
        False,
    ]
    assert claim.judge(outcome({"P-UCB1": one, "CP-UCB1": one}))["holds"] is True


def curve(row, at, values, metric="objective_regret"):
    """An outcome of one run in which a row has the same curve in six trials, up to 1 %."""
    table = [
        ("w", row, trial, t, metric, 0, v * (1 + trial / 600))
        for trial in range(6)
        for t, v in zip(at, values, strict=True)
    ]
    columns = ["environment", "policy", "trial", "round", "metric", "component", "value"]
    return Outcome(pl.DataFrame(table, columns, orient="row"), {"w": "w"}, {("w", row): row})


def test_a_regret_lasts_where_it_grows_as_before(monkeypatch):
    monkeypatch.setattr(remarks, "SIDE_ROWS", ("m",))
    at = np.arange(100, 6001, 100)
    (straight,) = remarks.lasting(curve("m", at, 2.0 * at))
    (flat,) = remarks.lasting(curve("m", at, np.log(at)))
    assert straight.measured == pytest.approx(1.0)
    assert straight.holds
    assert flat.measured == pytest.approx(np.log(1.5) / np.log(2.0))
    assert flat.holds is False


def test_slopes_are_those_of_powers():
    at = np.arange(100, 6001, 100).astype(float)
    for power, holds in ((5 / 6, True), (1.1, False)):
        (part,) = remarks.late_slopes(curve(remarks.WITH, at, at**power))
        assert part.measured == pytest.approx(power)
        assert part.holds is holds


def test_regrets_are_compared_by_ratios():
    frame = [
        ("w", row, trial, 9, "objective_regret", i, value)
        for row, pair in (("MOC-MAB", (12.0, 5.0)), ("CD-UCB1", (10.0, 20.0)))
        for trial in range(6)
        for i, value in enumerate(pair)
    ]
    columns = ["environment", "policy", "trial", "round", "metric", "component", "value"]
    found = Outcome(
        pl.DataFrame(frame, columns, orient="row"), {"w": "w"}, {("w", row): row for row in BOTH}
    )
    (ratios,) = (claim for claim in figures.FIG1.claims if claim.what == "cd-ratios")
    parts = ratios.parts(found)
    assert [part.measured for part in parts] == pytest.approx([1.2, 4.0])
    assert {part.holds for part in parts} == {None}


OF_THE_PAPER = {
    "fig1": ("moc-below-others", "cd-ahead-in-dominant", "cd-behind-in-other", "cd-ratios"),
    "fig2": ("unbeaten", "dominant-order", "moc-above-cd-in-other"),
    "lexicographic": ("coarse",),
}
EXTENDED = {
    "fig2-rate": ("dominant-order",),
    "tolerance": ("more-than-oracle", "finer-costs-less"),
    "periodic": ("slows-down",),
}
CHECKED = {
    "table1": ("rate",),
    "cost": ("steps", "cells", "rounds", "memory"),
    "lexicographic": ("one-tie", "two-ties"),
    "pareto": ("in-front", "gap"),
}
NOT_IN_THE_PAPER = {
    "fig2": ("every-scale", "one-scale", "nearer-at-scale-1"),
    "tolerance": ("never-vanishes",),
    "periodic": ("pays-02", "pays-05"),
    "more-objectives": ("second", "third"),
}


def test_kinds():
    """Verdicts are for the paper's sentences; all of Figure 3 is asked of a stand-in."""
    kinds = {
        f"mocmab2018/{name}/{what}": kind
        for kind, table in (
            ("paper", OF_THE_PAPER),
            ("extension", EXTENDED),
            ("check", CHECKED),
            ("ours", NOT_IN_THE_PAPER),
        )
        for name, several in table.items()
        for what in several
    }
    for one in OURS.values():
        for claim in one.claims:
            percentage = claim.id.rpartition("/")[2].startswith(("dominant-vs-", "other-vs-"))
            expected = (
                "stand-in"
                if one.id == "mocmab2018/fig3"
                else "paper"
                if percentage
                else kinds[claim.id]
            )
            assert claim.kind == expected, claim.id
    assert kinds.keys() <= {claim.id for one in OURS.values() for claim in one.claims}


def test_stand_ins_say_what_follows_from_the_rules():
    """Shares that coins decide say so; nothing about the log has a verdict."""
    claims = {claim.id.rpartition("/")[2]: claim for claim in OURS["mocmab2018/fig3"].claims}
    assert {claim.kind for claim in claims.values()} == {"stand-in"}
    following = {name for name, claim in claims.items() if "follows from the rules" in claim.note}
    assert following == {"p-share", "cp-share", "cp-like-p"}
    assert all("synthetic stand-in" in claim.note for claim in claims.values())
    about = OURS["mocmab2018/fig3"].about
    assert any("Claims about the log are held against the stand-in" in text for text in about)


@pytest.mark.parametrize("rate", [0.0, 0.002, 0.3, 1.0])
def test_half_of_the_rounds_are_shown_whatever_is_clicked(rate):
    """The reason why these shares have verdicts: coins decide for any click rate, even 0."""

    rounds = 3000
    rng = np.random.default_rng(0)
    shape = Shape(arms=2, features=2, objectives=2, rounds=rounds, shared=True)
    contexts = rng.random((rounds, 1, 2))
    rewards = np.zeros((rounds, 2, 2))
    rewards[:, 0, 0] = rng.random(rounds) < rate
    rewards[:, 1, 1] = 1.0
    for recipe in (ParetoUcb1(), CpUcb1(per_side=2, scale=1 / 30)):
        policy = recipe.bind(shape)
        chosen = np.empty(rounds, np.int64)
        compile_loop(play, policy)(
            policy, policy.init(), contexts, rewards, np.arange(2), rng, chosen, None
        )
        assert (chosen == 0).mean() == pytest.approx(0.5, abs=0.03)


def slow_lexicographic(means):
    best = max(map(tuple, means))
    return [tuple(row) == best for row in means]


def test_tables_of_means():
    """Against sorting tuples; and a table that the two-objective order cannot decide."""
    rng = np.random.default_rng(0)
    for kind in lexicographic.KINDS:
        for _ in range(100):
            means = lexicographic.drawn(kind, rng, 5, 3)
            assert lexicographic.degenerate(means) == (
                slow_lexicographic(means) == slow_lexicographic(means[:, :2])
            ), kind
            assert not lexicographic.off_pareto_front(means)
            assert not lexicographic.farther(means)


def test_batches_differ_and_repeat():
    (part,) = OURS["mocmab2018/lexicographic"].runs
    assert isinstance(part, Computed)
    first, again, other = (
        part.compute(0, RunOptions()),
        part.compute(0, RunOptions()),
        part.compute(1, RunOptions()),
    )
    assert first.equals(again)
    assert not first.equals(other)
    assert part.compute(0, RunOptions(seed=1))["value"].to_list() != first["value"].to_list()


def test_problems_of_three_objectives_are_what_they_are_called():
    for run in OURS["mocmab2018/more-objectives"].runs:
        assert isinstance(run, Run)
        assert isinstance(run.environment, Bumps)
        rng = np.random.default_rng(1)
        means = run.environment.problem(200, rng).block(0, 200, rng).means
        decided = [lexicographic.degenerate(table) for table in means]
        assert all(decided) if run.name == "degenerate" else not all(decided)
        assert means.shape[2] == 3


def test_the_period_makes_a_third_coordinate():
    rows = OURS["mocmab2018/periodic"].runs[0].rows
    shape = Shape(arms=4, features=2, objectives=2, rounds=100_000, shared=True)
    sides = {row: next(iter(tuned.grid.values())).bind(shape) for row, tuned in rows.items()}
    assert sides["with the period"].policy.cells.per_side == 7
    assert sides["without it"].cells.per_side == 10
