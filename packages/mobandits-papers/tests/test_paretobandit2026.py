"""A router on prompts: what is played against a plain twin, scenarios, claims, files of a user's own, the command."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from mobandits.cli.program import app
from mobandits.errors import MissingExtraError
from mobandits.orders import Lexicographic, Weighted
from mobandits_papers.catalogue import find
from mobandits_papers.experiment import RunOptions
from mobandits_papers.outcome import Outcome
from mobandits_papers.pages.paper_figures import draw_last
from mobandits_papers.paretobandit2026 import published, scenarios
from mobandits_papers.paretobandit2026.budgets import MIXTURE, OPEN, RUN, budgets_experiment
from mobandits_papers.paretobandit2026.experiments import EXPERIMENTS
from mobandits_papers.paretobandit2026.routing import (
    Prompts,
    RoutingFiles,
    play,
    published_routing,
    router,
    routing_of_files,
    uniform_log,
)
from mobandits_papers.paretobandit2026.source import (
    PUBLISHED,
    QUALITY,
    SPENDING,
    middle,
    money,
    published_source,
    source_of_files,
)
from mobandits_papers.playing import RunResult
from mobandits_papers.reproduce import judge_claims, reproduce
from mobandits_papers.rows import labelled, rows_of

MODELS = ("large", "small", "middle")
WORDS = ["sum", "list", "proof", "poem", "sort", "prime", "verse", "graph", "tale", "tree"]


@pytest.fixture(scope="module")
def routing():
    try:
        return published_routing()
    except MissingExtraError as error:
        pytest.skip(str(error))


def written(path, count, seed, models=MODELS, judges=("reward",)):
    """Prompts of which those with a proof are worth the dearest model."""
    rng = np.random.default_rng(seed)
    costs = dict(zip(("small", "middle", "large", "huge"), (0.0001, 0.001, 0.02, 0.3), strict=True))
    lines = []
    for _ in range(count):
        words = list(rng.choice(WORDS, size=6))
        arms = {}
        for model in models:
            base = {"small": 0.5, "middle": 0.7, "large": 0.8, "huge": 0.85}[model]
            grade = base + (0.15 if "proof" in words and model != "small" else 0.0)
            arms[model] = {judge: grade + 0.01 * i for i, judge in enumerate(judges)}
            arms[model]["cost"] = costs[model] * float(rng.uniform(0.5, 1.5))
        lines.append(json.dumps({"prompt": " ".join(words), "arms": arms}))
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def files(tmp_path):
    return RoutingFiles(written(tmp_path / "a", 90, 0), written(tmp_path / "b", 80, 1))


def test_a_router_is_the_plain_loop(routing):
    """Decisions and answers one by one, by calls that anybody can make."""
    rng = np.random.default_rng(3)
    log = uniform_log(routing, rng)
    order = rng.permutation(len(routing.second.dollars))[:60]
    played = play(router(routing, log, 0.0003), routing, routing.second, order)
    agent = router(routing, log, 0.0003)
    for i, prompt in enumerate(order):
        decision = agent.decide(routing.second.contexts[prompt])
        arm = routing.models.index(decision.arm)
        quality = routing.second.grades[prompt, arm, 0]
        dollars = routing.second.dollars[prompt, arm]
        agent.learn(decision.id, {"quality": quality, "cost": dollars})
        assert (played.arms[i], played.quality[i], played.dollars[i]) == (arm, quality, dollars)


def test_a_log_may_have_some_models_only(routing):
    log = uniform_log(routing, np.random.default_rng(0), [0, 2])
    assert log.arm_names == (routing.models[0], routing.models[2])
    assert set(log.propensities) == {0.5}
    for row, place in enumerate(log.arms[:50]):
        model = (0, 2)[place]
        assert log.rewards[row, 0] == routing.first.grades[row, model, 0]
        assert log.rewards[row, 1] == -routing.first.dollars[row, model]


def test_the_third_phase_has_the_prompts_of_the_first(routing):
    phases = scenarios.phases_of(routing, np.random.default_rng(0), published.PROMPTS)
    assert [len(phase) for phase in phases] == [published.PHASE] * 3
    assert sorted(phases.first) == sorted(phases.third)
    assert phases.first.tolist() != phases.third.tolist()
    assert not set(phases.first) & set(phases.second)


def slow_adoption(chosen):
    """The first window from which on none is short, by looking at all of them."""
    count = len(chosen)
    for n in range(100, count + 1):
        if all(sum(chosen[m - 100 : m]) >= 5 for m in range(n, count + 1)):
            return 20 + n
    return 20 + count


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from([False] * 12 + [True]), min_size=100, max_size=300))
def test_adoption_is_that_of_a_slow_twin(chosen):
    assert scenarios.adoption(np.array(chosen)) == slow_adoption(chosen)


def test_adoption_needs_a_window():
    assert np.isnan(scenarios.adoption(np.ones(99, bool)))
    assert middle(3) == 1


def test_published_numbers_are_whole():
    assert [each.budget for each in published.BUDGETS] == list(published_source().budgets)
    assert all(0.0 < each.quality < 1.0 and each.spending <= 1.0 for each in published.BUDGETS)
    assert pytest.approx(1 / 56.25) == published.PRICE_FACTOR
    for numbers in (published.PRICE_CUT, published.REGRESSION, published.ADOPTION):
        assert set(numbers) <= set(published.SCENARIO_BUDGETS)


def test_a_price_cut_is_a_part_of_the_bills_and_is_taken_back(routing):
    """Unannounced, the first phase is the same, and announced the second is better and cheaper."""
    log = uniform_log(routing, np.random.default_rng(0))
    table = scenarios.play_price_cut(routing, log, 0.3, np.random.default_rng(1), 600)
    values = {
        (row, metric): part["value"].to_list()
        for (row, metric), part in table.partition_by("policy", "metric", as_dict=True).items()
    }
    announced, silent = (
        values[row, QUALITY] for row in (scenarios.ANNOUNCED, "Paced, not announced")
    )
    assert announced[0] == silent[0]
    assert announced[1] > silent[1]
    spent = values[scenarios.ANNOUNCED, SPENDING]
    assert spent[3] == pytest.approx(np.mean(spent[:3]))


def test_a_newcomer_joins_after_a_third(routing):
    log = uniform_log(routing, np.random.default_rng(0), [0, 2])
    table = scenarios.play_newcomer(routing, log, 0.66, np.random.default_rng(1), 540)
    assert set(table["metric"]) == {"adoption", "share", QUALITY, SPENDING}
    found = table.filter(metric="adoption")["value"].to_list()
    assert all(120 <= each <= 360 for each in found)


def outcome_of(experiment, trials, rounds):
    """What claims read, of some trials of every part."""
    options = RunOptions(rounds=rounds)
    frames = []
    places, rows = {}, {}
    for run in experiment.runs:
        places[run.name] = run.name
        for trial in range(trials):
            frame = run.compute(trial, options)
            frames.append(frame.with_columns(environment=pl.lit(run.name), trial=pl.lit(trial)))
            rows |= {(run.name, row): row for row in frame["policy"]}
    return Outcome(pl.concat(frames), places, rows)


@pytest.mark.parametrize("experiment", EXPERIMENTS[1:], ids=lambda one: one.id)
def test_claims_can_be_read_and_no_one_else_s_sentence_has_a_verdict(routing, experiment):
    outcome = outcome_of(experiment, 1, 390)
    for claim in experiment.claims:
        entry = claim.judge(outcome)
        assert entry["verdict"] == "reported"
        assert entry["measured"] is not None
        assert claim.kind in ("ours", "extension")


def test_a_newcomer_of_few_rounds_is_judged():
    """A window of adoption has 100 rounds: with fewer the table has no row of it."""
    (newcomer,) = find(["paretobandit2026/newcomer"])
    frames = []
    for run in newcomer.runs:
        for row in (scenarios.PACED, scenarios.EXPLORING):
            rows = [rows_of(row, metric, [0.5, 0.5], 40) for metric in (QUALITY, SPENDING)]
            rows.append(rows_of(row, scenarios.ADOPTION, [np.nan], 40))
            frames.append(labelled(pl.concat(rows), newcomer.id, run.name, 0))
    claims = judge_claims(newcomer, RunResult(pl.concat(frames), [], []))
    adopted = [claim for claim in claims if "adoption" in claim["id"]]
    assert [claim["measured"] for claim in adopted] == [None, None]
    assert {claim["verdict"] for claim in claims} == {"reported"}


@pytest.mark.parametrize("name", ["price-cut", "regression"])
def test_every_phase_has_a_prompt(files, name):
    (scenario,) = find([f"paretobandit2026/{name}"], files)
    table = scenario.runs[0].compute(0, RunOptions(rounds=2))
    quality = table.filter(pl.col("metric") == QUALITY, pl.col("policy").str.starts_with("Paced"))
    assert set(quality["component"]) == {0, 1, 2}


def imagined_budgets(quality, spending, trials=6):
    """A table of the budgets in which every router has the same numbers."""
    frames = []
    for trial in range(trials):
        parts = [rows_of(MIXTURE, "cost range", [530.0 + trial], 10)]
        for row in (OPEN, "Paced, horizon known"):
            parts += [rows_of(row, QUALITY, quality, 10), rows_of(row, SPENDING, spending, 10)]
        parts.append(rows_of(MIXTURE, QUALITY, [0.79] * 7, 10))
        frames.append(pl.concat(parts).with_columns(environment=pl.lit(RUN), trial=pl.lit(trial)))
    table = pl.concat(frames)
    rows = {(RUN, row): row for row in table["policy"]}
    return Outcome(table, {RUN: RUN}, rows)


@pytest.mark.parametrize(
    ("lower", "spent", "holds"),
    [
        (0.0, 1.0, {"compliance", "published-open", "published-known", "mixture", "spending"}),
        (0.001, 1.0, {"compliance", "mixture", "spending"}),
        (0.0, 1.0045, {"published-open", "published-known", "mixture", "spending"}),
        (0.0, 1.015, {"published-open", "published-known", "mixture"}),
    ],
)
def test_claims_of_budgets_hold_where_the_numbers_are_as_said(lower, spent, holds):
    quality = [each.quality - lower for each in published.BUDGETS]
    outcome = imagined_budgets(quality, [spent] * 7)
    found = {}
    for claim in budgets_experiment(published_source()).claims:
        entry = claim.judge(outcome)
        found[claim.id.rpartition("/")[2]] = entry
    assert found.pop("cost-range")["verdict"] == "reproduced"
    assert {name for name, entry in found.items() if entry["holds"]} == holds


# --- files of a user's own


def test_files_are_a_problem_of_their_own(files):
    found = routing_of_files(files)
    assert found.models == ("small", "middle", "large")
    assert [each.name for each in found.objectives] == ["reward", "cost"]
    assert found.preference == Weighted((1.0, 0.0))
    assert found.first.contexts.shape == (90, 33)
    assert found.second.grades.shape == (80, 3, 1)
    source = source_of_files(files)
    assert len(source.budgets) == 7
    assert len(set(source.budgets)) == 7
    assert source.scenario_budgets == source.budgets[2:5]
    assert not source.is_published


def test_several_judges_are_a_mean_or_objectives_with_an_order(tmp_path):
    judges = ("strict", "mild")
    paths = [written(tmp_path / name, 70, 0, judges=judges) for name in "ab"]
    mean = routing_of_files(RoutingFiles(*paths, judges))
    one = routing_of_files(RoutingFiles(*paths, ("mild",)))
    two = routing_of_files(RoutingFiles(*paths, judges, Lexicographic()))
    named = routing_of_files(RoutingFiles(*paths, judges, Weighted({"strict": 2.0, "mild": 1.0})))
    assert [each.name for each in mean.objectives] == ["quality", "cost"]
    assert mean.first.grades[:, :, 0] == pytest.approx(one.first.grades[:, :, 0] - 0.005)
    assert [each.name for each in two.objectives] == ["strict", "mild", "cost"]
    assert two.first.grades.shape == (70, 3, 2)
    assert np.allclose(two.first.quality, mean.first.quality)
    assert named.preference.in_words(["a", "b", "c"])
    log = uniform_log(two, np.random.default_rng(0))
    played = play(router(two, log, 0.001), two, two.second, np.arange(30))
    assert len(set(played.arms)) > 1
    with pytest.raises(ValueError, match=r"Weighted\.weights must"):
        routing_of_files(RoutingFiles(*paths, judges, Weighted([1.0])))
    with pytest.raises(ValueError, match="quality must be 'mean' or an order, got 'median'"):
        routing_of_files(RoutingFiles(*paths, judges, "median"))


def test_grades_outside_of_0_and_1_have_a_range(tmp_path):
    path = written(tmp_path / "a", 60, 0)
    other = tmp_path / "b"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[3]["arms"]["small"]["reward"] = 9
    other.write_text("\n".join(map(json.dumps, lines)))
    quality = routing_of_files(RoutingFiles(path, other)).objectives[0]
    assert (quality.low, quality.high) == (0.0, 9.0)


@pytest.mark.parametrize(
    ("models", "count", "said"),
    [
        (("small",), 60, "a must have answers of two models, got small alone"),
        (MODELS, 59, "a must have at least 60 prompts, got 59"),
    ],
)
def test_files_that_do_not_fit(tmp_path, models, count, said):
    paths = [written(tmp_path / name, count, 0, models=models) for name in "ab"]
    with pytest.raises(ValueError, match=said):
        routing_of_files(RoutingFiles(*paths))


def test_files_must_have_the_same_models_bills_and_words(tmp_path):
    first = written(tmp_path / "a", 60, 0)
    second = written(tmp_path / "b", 60, 0, models=(*MODELS, "huge"))
    with pytest.raises(ValueError, match=r"b: models must be .* as .*a has them"):
        routing_of_files(RoutingFiles(first, second))
    line = {"prompt": "same", "arms": {m: {"reward": 1, "cost": 1} for m in MODELS}}
    same = tmp_path / "same"
    same.write_text("\n".join([json.dumps(line)] * 60))
    assert np.isfinite(routing_of_files(RoutingFiles(same, same)).first.contexts).all()
    wordless = tmp_path / "wordless"
    wordless.write_text("\n".join([json.dumps({**line, "prompt": "?"})] * 60))
    with pytest.raises(ValueError, match="wordless: prompts must have different words"):
        routing_of_files(RoutingFiles(wordless, wordless))
    line["arms"] = {m: {"reward": 1, "cost": 0} for m in MODELS}
    free = tmp_path / "free"
    free.write_text("\n".join([json.dumps(line)] * 60))
    with pytest.raises(ValueError, match="free must have answers that cost something, got none"):
        routing_of_files(RoutingFiles(free, free))


def test_only_this_paper_is_played_on_files(files):
    assert [one.id for one in find(["paretobandit2026/budgets"], files)] == [
        "paretobandit2026/budgets"
    ]
    with pytest.raises(ValueError, match="data must go with experiments of paretobandit2026, got"):
        find(["all"], files)
    for one in find(["paretobandit2026"], files):
        assert {claim.kind for claim in one.claims} == {"ours"}


def test_scenarios_need_three_models(tmp_path):
    paths = [written(tmp_path / name, 60, 0, models=MODELS[:2]) for name in "ab"]
    with pytest.raises(ValueError, match="need files with at least 3 models, got 2: ask for"):
        find(["paretobandit2026"], RoutingFiles(*paths))
    (budgets,) = find(["paretobandit2026/budgets"], RoutingFiles(*paths))
    table = budgets.runs[0].compute(0, RunOptions(rounds=10))
    assert PUBLISHED not in set(table["policy"])


def test_more_models_on_files(tmp_path):
    """Four of them: all experiments, in one folder, twice; other files are another folder."""
    models = (*MODELS, "huge")
    paths = [written(tmp_path / name, 60, seed, models=models) for seed, name in enumerate("ab")]
    data = RoutingFiles(*paths)
    out = tmp_path / "out"
    page = reproduce(["paretobandit2026"], out, trials=1, rounds=45, data=data)
    assert page.exists()
    table = pl.read_parquet(out / "results.parquet")
    assert table["experiment"].n_unique() == 4
    assert table.filter(pl.col("value").is_nan()).is_empty()
    claims = json.loads((out / "claims.json").read_text())
    assert {claim["kind"] for claim in claims} == {"ours"}
    other = RoutingFiles(*reversed(paths))
    with pytest.raises(ValueError, match="out"):
        reproduce(["paretobandit2026"], out, trials=1, rounds=45, data=other)


def test_the_command(tmp_path):
    paths = [
        str(written(tmp_path / name, 60, seed, judges=("one", "two")))
        for seed, name in enumerate("ab")
    ]
    arguments = ["reproduce", "paretobandit2026/budgets", "--out", str(tmp_path / "out")]
    arguments += ["--trials", "1", "--rounds", "20", "--data", *paths, "--judges", "one, two"]
    done = CliRunner().invoke(app, [*arguments, "--quality", "weighted:weights=[2,1,0]"])
    assert done.exit_code == 0, done.output
    again = CliRunner().invoke(app, [*arguments, "--quality", "weighted:weights=[2,1,0]"])
    assert again.exit_code == 0
    for more, said in (
        (["--quality", "nobody"], "nobody"),
        (["--judges", "three"], "three"),
        (["--data", paths[0], str(tmp_path / "none")], "none"),
    ):
        wrong = CliRunner().invoke(app, [*arguments, *more])
        assert wrong.exit_code == 2
        assert said in wrong.output
    assert CliRunner().invoke(app, ["reproduce", "all", *arguments[2:]]).exit_code == 2


def test_points_are_drawn_side_by_side():
    """A line per row, with its intervals; components from left to right."""
    rows = [
        {"run": run, "policy": policy, "component": component, "round": 9, "panel": run}
        | {"mean": 0.5, "low": 0.4, "high": 0.7, "trials": 5}
        for run in ("one", "two")
        for policy in ("a", "b")
        for component in range(3)
    ]
    plot = {"kind": "points", "metric": QUALITY, "parts": ["x", "y", "z"]}
    figure = draw_last(pl.DataFrame(rows), plot, "quality")
    panels = [axes for axes in figure.axes if axes.lines]
    assert len(panels) == 2
    assert [label.get_text() for label in panels[0].get_xticklabels()] == ["x", "y", "z"]
    first, second = panels[0].lines[:2]
    assert np.allclose(second.get_xdata() - first.get_xdata(), 0.05)
    assert money(0.3) == "$0.3 per 1,000"
    assert (
        Prompts(np.ones((2, 1)), np.ones((2, 3, 2)), np.ones((2, 3))).quality.tolist()
        == [[1.0] * 3] * 2
    )
