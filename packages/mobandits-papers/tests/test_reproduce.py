"""From an ID to a folder: what is in it, that it is always the same, and that nothing is run twice."""

import contextlib
import dataclasses
import json
import threading

import polars as pl
import pytest
from toys import GRID

from mobandits.cli import program as cli
from mobandits.policies import RandomChoice
from mobandits.simulation import FolderError, Results
from mobandits_papers import playing
from mobandits_papers import reproduce as module
from mobandits_papers.experiment import RunOptions, Tuned
from mobandits_papers.playing import TUNING, slug
from mobandits_papers.reproduce import reproduce

ENTRY = {"id", "claim", "target", "measured", "interval", "verdict"}
OURS = {
    "kind",
    "holds",
    "of",
    "rule",
    "trials",
    "differs",
    "note",
    "parts",
    "papers_rule",
}


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def said(folder):
    return json.loads((folder / "manifest.json").read_text())["specification"]


def last_means(table, experiment):
    last = table.filter(
        (pl.col("experiment") == experiment)
        & (pl.col("round") == 30)
        & (pl.col("metric") == "pareto_regret")
    )
    return dict(last.group_by("policy").agg(pl.col("value").mean()).rows())


def test_a_constant_is_chosen_on_another_seed(pageless, tmp_path):
    reproduce(["toy/one"], tmp_path)
    folder = tmp_path / "runs" / "toy" / "one"
    table, rows = pl.read_parquet(folder / "results.parquet"), said(folder)["rows"]
    (row,) = [one for one in rows if one["row"] == "single"]
    means = {name: last_means(table, name) for name in ("toy/one, tuning", "toy/one")}
    grid = [f"single, {name}" for name in GRID]
    assert row["policy"] == min(grid, key=means["toy/one, tuning"].__getitem__)
    assert row["best"] == min(grid, key=means["toy/one"].__getitem__)
    assert [f"single, {row[key]}" for key in ("tuned", "best_tuned")] == [
        row["policy"],
        row["best"],
    ]
    assert row["policy"] != row["best"]  # with these seeds, so that the page has something to show
    tuning = said(folder / "runs" / "W-tuning")
    assert (tuning["seed"], tuning["trials"]) == (TUNING, 2)
    assert said(folder / "runs" / "W")["seed"] == 0


def test_means_since_the_last_point_are_chosen_over_all_rounds():
    """A metric that is not a sum: the recorded windows count by their length, not only the last one."""
    rows = [
        ("a", 10, 0.0),
        ("a", 40, 1.0),
        ("b", 10, 0.9),
        ("b", 40, 0.5),
        ("c", 10, 0.0),
        ("c", 40, 0.2),
    ]
    table = pl.DataFrame(rows, ["policy", "round", "value"], orient="row")
    table = table.with_columns(
        policy="row, " + pl.col("policy"), metric=pl.lit("jaccard"), component=pl.lit(0)
    )
    grid = dict.fromkeys("abc", RandomChoice())
    assert (
        playing.best_constant(table, "row", Tuned(grid, "jaccard", highest=True)) == "row, a"
    )  # 0.75 against 0.6
    assert playing.best_constant(table, "row", Tuned(grid, "jaccard")) == "row, c"
    sums = table.with_columns(metric=pl.lit("pareto_regret"))
    assert playing.best_constant(sums, "row", Tuned(grid)) == "row, c"


def test_the_whole_grid_is_in_the_table(pageless, tmp_path):
    reproduce(["toy/one"], tmp_path)
    table = Results.read(tmp_path).table  # the digest fits
    grid = {f"single, {name}" for name in GRID}
    names = {
        key[0]: set(part["policy"])
        for key, part in table.partition_by("experiment", as_dict=True).items()
    }
    assert names == {"toy/one, tuning": grid, "toy/one": grid | {"uniform", "square"}}
    assert table.filter(pl.col("policy") == "uniform")["trial"].n_unique() == 4


@pytest.mark.long
@pytest.mark.parametrize(
    "place",
    ["", "runs/toy/one", *(f"runs/toy/one/runs/{run}" for run in ("W", "W-tuning", "squares"))],
)
def test_every_folder_can_be_read_summed_up_and_drawn(pageless, tmp_path, place):
    reproduce(["toy"], tmp_path)
    results = Results.read(tmp_path / place)
    assert repr(results).startswith("Results(")
    distinct = (
        results.table.select("experiment", "environment", "policy", "metric", "component")
        .unique()
        .height
    )
    assert results.summary().height == distinct
    for metric in results.table["metric"].unique():
        assert results.plot(metric).axes


def test_a_summary_has_the_last_round_of_every_run(pageless, tmp_path):
    reproduce(["toy"], tmp_path)  # runs of 30 and 20 rounds, and three computed rows
    results = Results.read(tmp_path)
    rounds = dict(results.summary().filter(policy="uniform").select("experiment", "round").rows())
    assert rounds == {"toy/one": 30, "toy/two": 20}
    assert "4 experiments" in repr(results)
    assert "3 to 30 rounds" in repr(results)


def test_claims_have_the_agreed_keys(pageless, tmp_path):
    reproduce(["toy"], tmp_path)
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert [claim["id"] for claim in claims] == [
        f"toy/{a}/{b}" for a in ("one", "two") for b in ("low", "square")
    ]
    assert all(claim.keys() == ENTRY | OURS for claim in claims)
    assert claims[1]["measured"] == 9.0
    own = tmp_path / "runs" / "toy" / "two" / "claims.json"
    assert json.loads(own.read_text()) == claims[2:]


@pytest.mark.long
def test_a_second_call_changes_nothing(catalogue, tmp_path):
    page = reproduce(["toy/one"], tmp_path)
    before = files(tmp_path)
    assert reproduce(["toy/one"], tmp_path) == page == tmp_path / "report.html"
    assert files(tmp_path) == before
    assert {"results.parquet", "manifest.json", "claims.json", "report.html"} <= before.keys()
    assert {
        "figures/toy-one-regret.png",
        "runs/toy/one/report.html",
        "runs/toy/one/figures/sq.svg",
    } <= before.keys()


@pytest.mark.long
@pytest.mark.parametrize("share", [0.02, 0.4, 0.8])
@pytest.mark.parametrize("workers", [1, 3])
def test_an_interrupted_run_resumes_to_the_same_bytes(pageless, tmp_path, share, workers):
    def stop(done, total):
        if done > share * total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(["toy"], tmp_path / "cut", workers=workers, progress=stop)
    reproduce(["toy"], tmp_path / "cut", workers=workers)
    reproduce(["toy"], tmp_path / "whole", workers=1)
    for name in ("results.parquet", "claims.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_experiments_run_side_by_side(pageless, tmp_path, monkeypatch):
    both, run = threading.Barrier(2), module._run

    def met(*arguments):
        both.wait(timeout=60.0)  # breaks where one begins only after the other has ended
        return run(*arguments)

    monkeypatch.setattr(module, "_run", met)
    reproduce(["toy"], tmp_path, workers=2)


def test_what_fails_in_one_experiment_ends_the_others(pageless, tmp_path, monkeypatch):
    run, play = module._run, playing.play_into

    def failing(experiment, *arguments):
        if experiment.id == "toy/two":
            raise ZeroDivisionError
        return run(experiment, *arguments)

    def long(store, plan, **options):
        endless = dataclasses.replace(plan, setup=plan.setup._replace(rounds=10**9))
        return play(store, endless, **options)

    monkeypatch.setattr(module, "_run", failing)
    monkeypatch.setattr(playing, "play_into", long)
    with pytest.raises(ZeroDivisionError):
        reproduce(["toy"], tmp_path, workers=2)


@pytest.mark.long
@pytest.mark.parametrize(
    "step",
    [
        "reproduce.collect",
        "reproduce.write_claims",
        "reproduce.merge_results",
        "reproduce.judge_claims",
        "reproduce.specification",
        "playing.Player._compute",
    ],
)  # killed just before it
@pytest.mark.parametrize("earlier", [None, 3])
def test_a_kill_between_any_two_steps_is_mended_by_the_same_command(
    pageless, tmp_path, monkeypatch, step, earlier
):
    class Killed(BaseException):
        """Nothing is tidied up."""

    def kill(*_, **__):
        raise Killed

    if earlier:
        reproduce(["toy/one"], tmp_path / "cut", trials=earlier)
    with monkeypatch.context() as patch:
        patch.setattr(f"mobandits_papers.{step}", kill)
        with pytest.raises(Killed):
            reproduce(["toy/one"], tmp_path / "cut", trials=5)
    reproduce(["toy/one"], tmp_path / "cut", trials=5)
    reproduce(["toy/one"], tmp_path / "whole", trials=5)
    for name in ("results.parquet", "claims.json", "runs/toy/one/claims.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.long
def test_claims_never_stand_beside_a_table_of_other_trials(pageless, tmp_path, monkeypatch):
    """After a kill between table and claims, another experiment's call leaves the broken one out."""
    reproduce(["toy/one"], tmp_path, trials=2)
    with monkeypatch.context() as patch:
        patch.setattr(module, "write_claims", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            reproduce(["toy/one"], tmp_path, trials=3)
    reproduce(["toy/two"], tmp_path, trials=2)
    assert [one["experiment"] for one in said(tmp_path)["experiments"]] == ["toy/two"]
    reproduce(["toy/one"], tmp_path, trials=3)
    assert [one["experiment"] for one in said(tmp_path)["experiments"]] == ["toy/one", "toy/two"]


def test_the_same_table_for_any_number_of_workers(pageless, tmp_path):
    for workers in (1, 2):
        reproduce(["toy/one"], tmp_path / str(workers), workers=workers)
    tables = [(tmp_path / str(workers) / "results.parquet").read_bytes() for workers in (1, 2)]
    assert tables[0] == tables[1]


def test_another_seed_is_another_table(pageless, tmp_path):
    for seed in (0, 1):
        reproduce(["toy/one"], tmp_path / str(seed), seed=seed)
    assert not Results.read(tmp_path / "0").table.equals(Results.read(tmp_path / "1").table)


@pytest.mark.long
def test_trials_may_be_added(pageless, tmp_path):
    reproduce(["toy/one"], tmp_path / "grown", trials=2)
    assert said(tmp_path / "grown" / "runs" / "toy" / "one")["changed"] == {"trials": 2}
    reproduce(["toy/one"], tmp_path / "grown")
    reproduce(["toy/one"], tmp_path / "whole")
    tables = [(tmp_path / name / "results.parquet").read_bytes() for name in ("grown", "whole")]
    assert tables[0] == tables[1]
    assert said(tmp_path / "grown" / "runs" / "toy" / "one")["changed"] == {}
    with pytest.raises(FolderError, match="trials may only grow"):
        reproduce(["toy/one"], tmp_path / "grown", trials=1)
    with pytest.raises(FolderError, match="holds a run with"):
        reproduce(["toy/one"], tmp_path / "grown", rounds=12)


def test_a_foreign_folder_is_refused(pageless, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    with pytest.raises(FolderError, match=r"holds notes\.txt"):
        reproduce(["toy/one"], mine)
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]
    reproduce(["toy/one"], tmp_path / "all")
    with pytest.raises(FolderError, match="holds a run of 'toy/one', not of 'reproduced'"):
        reproduce(["toy/two"], tmp_path / "all" / "runs" / "toy" / "one")


@pytest.mark.long
def test_two_calls_into_one_folder_give_an_index(catalogue, tmp_path):
    first = reproduce(["toy/two"], tmp_path).read_text()
    assert "<h1>Title of toy/two</h1>" in first
    second = reproduce(["toy/one"], tmp_path).read_text()
    assert "<h1>Reproduced experiments</h1>" in second
    for name in ("toy/one", "toy/two"):
        assert f'<a href="runs/{name}/report.html">' in second
        assert (tmp_path / "runs" / name / "report.html").is_file()
    assert "2 experiments, 4 claims" in second
    assert "Not at the paper" not in second
    smaller = reproduce(["toy"], tmp_path.with_name("smaller"), rounds=5, trials=2).read_text()
    assert smaller.count("<strong>Not at the paper's scale: 5 rounds and 2 trials.</strong>") == 2


@pytest.mark.long
def test_report_draws_everything_again(catalogue, tmp_path, capsys):
    reproduce(["toy"], tmp_path)
    before = files(tmp_path)
    for path in [*tmp_path.rglob("*.html"), *tmp_path.rglob("*.svg"), *tmp_path.rglob("*.png")]:
        path.unlink()
    assert cli.call(["report", str(tmp_path)]) == 0
    assert files(tmp_path) == before


@pytest.mark.long
def test_a_tiny_scale_gives_a_page(catalogue, tmp_path):
    text = reproduce(["toy/one"], tmp_path, rounds=2, trials=1).read_text()
    assert "Not at the paper's scale: 2 rounds and 1 trial were asked for." in text
    scale = "The descriptions below are of the full scale, which is 30 rounds and 4 trials."
    assert scale in text
    assert text.index(scale) < text.index("<p>About.</p>")
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert {claim["verdict"] for claim in claims} == {"reported"}


def test_progress_counts_up_to_the_end(pageless, tmp_path):
    seen = []
    reproduce(["toy"], tmp_path, workers=1, progress=lambda done, total: seen.append((done, total)))
    totals = {total for _, total in seen}
    assert totals == {(30 + 20) * (4 + 2) + 2}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["toy/on"],
            "ID: 'toy/on' is unknown; did you mean toy/one? It must be all, a paper or one that `mob",
        ),
        (["toy/one", "--rounds", "1"], "Invalid value for '--rounds'"),
        (["toy/one", "--trials", "0"], "Invalid value for '--trials'"),
        (["toy/one", "--engine", "magic"], "--engine must be one of ray, threads"),
        (
            ["toy/one", "--address", "auto"],
            "--address must be None with engine='threads', got 'auto'",
        ),
    ],
)
def test_mistakes_are_said_in_one_line(pageless, tmp_path, capsys, arguments, message):
    assert cli.call(["reproduce", *arguments, "--out", str(tmp_path / "new")]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("error: ")
    assert message in err
    assert not (tmp_path / "new").exists()


@pytest.mark.long
def test_the_command(catalogue, tmp_path, capsys):
    arguments = [
        "reproduce",
        "toy/one",
        "--out",
        str(tmp_path / "c"),
        "--rounds",
        "5",
        "--trials",
        "2",
        "--seed",
        "3",
    ]
    assert cli.call([*arguments, "--workers", "1"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'c' / 'report.html'}\n"
    run = said(tmp_path / "c" / "runs" / "toy" / "one" / "runs" / "W")
    assert (run["rounds"], run["trials"], run["seed"]) == (5, 2, 3)


def test_the_engine_is_opened_once_and_used_by_every_simulation(pageless, tmp_path, monkeypatch):
    told, play_into = [], playing.play_into

    def opened(engine, address, workers):
        told.append(("opened", engine, address, workers))
        return contextlib.nullcontext()

    def played(store, plan, *, engine, address, **options):
        told.append((engine, address, options["workers"]))
        return play_into(store, plan, engine="threads", address=None, **options)

    monkeypatch.setattr(module, "check_engine", lambda engine, address: None)
    monkeypatch.setattr(module, "shared_engine", opened)
    monkeypatch.setattr(playing, "play_into", played)
    reproduce(["toy"], tmp_path, workers=2, engine="ray", address="here:1")
    assert told[0] == ("opened", "ray", "here:1", 2)
    assert set(told[1:]) == {("ray", "here:1", 2)}
    assert len(told) > 2


def test_the_plan_has_the_experiments_numbers(pageless):
    experiment = pageless["toy/one"]
    setup = playing.plan(experiment, experiment.runs[0], RunOptions()).setup
    assert (setup.rounds, setup.points, setup.seed) == (30, (10, 20, 30), 0)


def test_slugs_are_names_of_folders():
    assert slug("K = 50, d = 5: a/b") == "K-50-d-5-a-b"
