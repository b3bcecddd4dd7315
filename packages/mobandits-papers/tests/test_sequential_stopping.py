"""More problems for a verdict: when play ends, what is judged, and that folders and workers change nothing."""

import dataclasses
import json

import numpy as np
import polars as pl
import pytest
from toys import GRID, WORLD, without_pages

from mobandits.policies import RandomChoice
from mobandits_papers.claims import Claim
from mobandits_papers.experiment import Experiment, More, Run, Tuned, more_of
from mobandits_papers.moslb2024.questions import SHARE, is_lower
from mobandits_papers.reproduce import reproduce
from mobandits_papers.sequential_stopping import (
    LOOKS,
    Question,
    asked,
    enough,
    on_few,
    on_many,
    on_many_problems,
)


class Made:
    """An outcome of given final values, {(run, row): (trials,)}."""

    def __init__(self, values):
        self._values = {key: np.asarray(one, float) for key, one in values.items()}

    def runs(self):
        return list(dict.fromkeys(run for run, _ in self._values))

    def curves(self, run, row, metric, component=0):
        return np.array([1]), self._values[run, row][:, None]


QUESTION = is_lower("a", "b", "m", 0)


def outcome(difference, trials, few=10):
    """The paper's ten trials, which say that b is larger by 1, and more of them, which have another difference."""
    noise = np.random.default_rng(0).standard_normal((2, trials))
    noise -= noise.mean(axis=1, keepdims=True)
    many, papers = (
        {"a": noise[0], "b": noise[1] + difference},
        {"a": noise[0, :few], "b": noise[0, :few] + 1.0},
    )
    values = {(more_of("r"), row): one for row, one in many.items()}
    return Made(values | {("r", row): one for row, one in papers.items()})


def spread_out(difference, trials):
    """Differences with a standard deviation of 1."""
    noise = np.random.default_rng(1).standard_normal(trials)
    return Made(
        {
            (more_of("r"), "a"): np.zeros(trials),
            (more_of("r"), "b"): noise - noise.mean() + difference,
        }
    )


@pytest.mark.parametrize(("difference", "decided"), [(1.0, True), (-1.0, True), (0.01, False)])
def test_play_ends_where_every_interval_leaves_its_bar(difference, decided):
    given = spread_out(difference, 100)
    assert enough([QUESTION])(given, more_of("r")) is decided
    assert (
        enough([QUESTION, QUESTION._replace(bar=difference)])(given, more_of("r")) is False
    )  # one is open


def test_both_sides_of_a_bar():
    above, below = QUESTION, QUESTION._replace(above=False, bar=2.0)
    assert [one.as_claimed((0.5, 1.5)) for one in (above, below)] == [True, True]
    assert [one.as_claimed((-0.5, 2.5)) for one in (above, below)] == [False, False]
    assert [one.decided((-2.0, -1.0)) for one in (above, below)] == [True, True]
    assert [one.decided((-1.0, 3.0)) for one in (above, below)] == [False, False]


def test_fewer_than_the_first_look_decide_nothing():
    part = on_many(QUESTION, spread_out(5.0, LOOKS[0] - 1), "r")
    assert (part.holds, part.interval, part.trials) == (None, None, LOOKS[0] - 1)
    assert part.measured == pytest.approx(5.0)
    assert on_many(QUESTION, spread_out(5.0, LOOKS[0]), "r").holds is True


def test_few_trials_decide_differences_but_no_ratios():
    given = outcome(1.0, 100)
    assert on_few(QUESTION, given, "r").interval is not None
    share = Question("share", QUESTION.read, SHARE, plain=False)
    part = on_few(share, given, "r")
    assert (part.interval, part.holds, part.trials) == (None, None, 10)


@pytest.mark.parametrize(("difference", "verdict"), [(1.0, "reproduced"), (-1.0, "not reproduced")])
def test_a_verdict_rests_on_many_and_shows_the_few(difference, verdict):
    plain = Claim("p/x/low", "a is below b", "t", "each: above 0", asked(on_few, [QUESTION], ["r"]))
    claim = on_many_problems(plain, [QUESTION], ["r"])
    assert claim.chosen_only
    entry = claim.judge(outcome(difference, 100))
    assert (entry["verdict"], entry["trials"]) == (verdict, 100)
    assert entry["of"] == "b less a, component 1, r, 100 problems"
    few = entry["papers_trials"]
    assert (few["trials"], few["of"], len(few["parts"])) == (10, "b less a, component 1, r", 1)
    assert (few["verdict"], few["measured"]) == ("reproduced", pytest.approx(1.0))
    entry = plain.judge(outcome(difference, 100))
    assert (entry["trials"], "papers_trials" in entry) == (10, False)


RUN = Run(
    "W", WORLD, {"single": Tuned(GRID), "uniform": RandomChoice()}, 30, 4, ("pareto_regret",), 3, 2
)
MORE = More(RUN, (6, 12, 24), lambda outcome, run: True, ("pareto_regret",))


@pytest.fixture
def toy(catalogue, monkeypatch):
    """An experiment with a run on more problems, and nothing drawn; the rule can be set."""

    def make(rule):
        calls = []

        def decided(outcome, run):
            calls.append(len(outcome.curves(run, "uniform", "pareto_regret")[1]))
            return rule(calls[-1])

        more = dataclasses.replace(MORE, enough=decided)
        questions = [is_lower("single", "uniform", "pareto_regret", 0)]
        claim = Claim("toy/one/low", "c", "t", "r", asked(on_few, questions, ["W"]))
        claim = on_many_problems(claim, questions, ["W"])
        catalogue["toy/one"] = Experiment(
            "toy/one", "Title", "nowhere", ("About.",), [RUN, more], [], [claim]
        )
        return calls

    without_pages(monkeypatch)
    return make


def table_of(out):
    return pl.read_parquet(out / "results.parquet").filter(pl.col("experiment") == "toy/one")


@pytest.mark.long
@pytest.mark.parametrize(("stop", "looks"), [(6, [6]), (12, [6, 12]), (99, [6, 12])])
def test_as_many_are_played_as_are_needed(toy, tmp_path, stop, looks):
    calls = toy(lambda trials: trials >= stop)
    reproduce(["toy/one"], tmp_path, workers=1)
    assert calls == looks  # the last look ends in any case
    more = table_of(tmp_path).filter(pl.col("environment") == MORE.name)
    assert more["trial"].n_unique() == min(stop, 24)
    assert sorted(more["policy"].unique()) == ["single", "uniform"]


def test_the_first_problems_are_those_of_the_paper(toy, tmp_path):
    toy(lambda trials: True)
    reproduce(["toy/one"], tmp_path, workers=1)
    table, rows = (
        table_of(tmp_path),
        json.loads((tmp_path / "runs/toy/one/manifest.json").read_text()),
    )
    (chosen,) = [one["policy"] for one in rows["specification"]["rows"] if one["tuned"]]
    for row, name in (("single", chosen), ("uniform", "uniform")):
        few = table.filter((pl.col("environment") != MORE.name) & (pl.col("policy") == name))
        many = table.filter(
            (pl.col("environment") == MORE.name) & (pl.col("policy") == row) & (pl.col("trial") < 4)
        )
        assert many["value"].to_list() == few["value"].to_list()


@pytest.mark.long
def test_workers_and_earlier_runs_change_nothing(toy, tmp_path):
    def rule(trials):
        return trials >= 12

    tables = []
    for workers in (1, 3):
        toy(rule)
        out = tmp_path / str(workers)
        reproduce(["toy/one"], out, workers=workers)
        tables.append(table_of(out))
    assert tables[0].equals(tables[1])
    toy(lambda trials: False)  # an earlier call, with another rule, has left more trials
    reproduce(["toy/one"], tmp_path / "more", workers=1)
    toy(rule)
    reproduce(["toy/one"], tmp_path / "more", workers=1)
    assert table_of(tmp_path / "more").equals(tables[0])


@pytest.mark.long
def test_an_interrupted_run_goes_on(toy, tmp_path):
    def stop(done, total):
        if done > 0.6 * total:
            raise KeyboardInterrupt

    toy(lambda trials: False)
    with pytest.raises(KeyboardInterrupt):
        reproduce(["toy/one"], tmp_path / "cut", workers=1, progress=stop)
    reproduce(["toy/one"], tmp_path / "cut", workers=1)
    reproduce(["toy/one"], tmp_path / "whole", workers=1)
    for name in ("results.parquet", "claims.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_user_who_asks_for_trials_gets_them(toy, tmp_path):
    calls = toy(lambda trials: True)
    told = []
    reproduce(
        ["toy/one"],
        tmp_path,
        trials=3,
        workers=1,
        progress=lambda done, total: told.append((done, total)),
    )
    assert calls == []
    more = table_of(tmp_path).filter(pl.col("environment") == MORE.name)
    assert more["trial"].n_unique() == 3
    (entry,) = json.loads((tmp_path / "claims.json").read_text())
    assert (entry["verdict"], entry["trials"]) == ("reported", 3)
    assert told[-1] == (told[-1][1], told[-1][1])
