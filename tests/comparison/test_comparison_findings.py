"""Sentences: who is best, by how much, how sure, and what would tell."""

import html
import re

import numpy as np
import polars as pl
import pytest
from false_positives import table_of

from mobandits.cli import program as cli
from mobandits.comparison import compare
from mobandits.comparison.findings import findings_of, findings_text, main_metric
from mobandits.figures.contents import Findings
from mobandits.simulation import Results


def near(gap, trials=10, policies=2, seed=0):
    rng = np.random.default_rng(seed)
    shared = rng.gamma(2.0, 20.0, size=(1, trials, 1))
    values = shared + rng.normal(size=(1, trials, policies))
    values[:, :, 1:] += gap
    return values


def test_a_sure_difference_is_said_with_its_interval():
    comparison = compare(table_of(near(3.0)))
    row = comparison.table.row(0, named=True)
    (sentence,) = comparison.sentences()
    assert sentence == (
        f"Pareto regret: p0 is better than p1: its mean is {row['difference']:.2f} lower "
        f"(95 % interval {row['low']:.2f} to {row['high']:.2f}, p = {row['p_value']:.2g}, 10 trials)."
    )


def test_of_several_policies_the_next_one_is_named():
    values = near(3.0, policies=3)
    values[:, :, 2] += 5.0
    (sentence,) = compare(table_of(values)).sentences()
    assert "p0 is best of 3 policies: its mean is" in sentence
    assert "lower than that of p1, the next (95 % interval" in sentence


def with_mean_difference(values, difference):
    values[0, :, 1] += difference - (values[0, :, 1] - values[0, :, 0]).mean()
    return values


def test_what_cannot_be_told_says_how_many_trials_would():
    comparison = compare(table_of(with_mean_difference(near(0.0), 0.3)))
    (sentence,) = comparison.sentences()
    needed = int(comparison.best["trials_needed"][0])
    assert needed > 10
    assert sentence.startswith("Pareto regret: p0 has the lowest mean, 0.3")
    assert ", but after 10 trials it is not significantly better than p1. " in sentence
    assert sentence.endswith(f"{needed:,} trials would show it in 80 % of cases.")


def test_what_would_take_forever_says_so():
    # The mean of the differences is a thousandth of their deviation.
    values = with_mean_difference(near(0.0, trials=20), 0.001)
    (sentence,) = compare(table_of(values)).sentences()
    assert sentence.endswith("it would take more than 10,000 trials to show it.")


def test_rewards_are_higher():
    table = table_of(near(3.0)).with_columns(metric=pl.lit("reward"))
    (sentence,) = compare(table).sentences()
    assert sentence.startswith("Reward: p1 is better than p0: its mean is")
    assert " higher (95 % interval " in sentence
    low, high = map(float, re.search(r"interval (\S+) to (\S+),", sentence).groups())
    assert 0.0 < low < high


def test_a_baseline_is_what_the_others_are_held_against():
    values = near(0.0, policies=4, trials=12)
    values[:, :, 1] -= 5.0
    values[:, :, 2] += 5.0
    (sentence,) = compare(table_of(values), "p0").sentences()
    assert sentence == (
        "Pareto regret: p1 is better than p0; p2 is worse than p0; "
        "p3 cannot be told from p0 (12 trials, 5 % for all together)."
    )


def test_many_names_are_counted():
    values = near(0.0, policies=9, trials=12)
    (sentence,) = compare(table_of(values), "p0").sentences()
    assert "p1, p2, p3 and 5 others cannot be told from p0" in sentence


def test_findings_are_of_every_metric_with_a_direction():
    regret = table_of(near(3.0))
    plays = regret.with_columns(metric=pl.lit("plays"))
    reward = regret.with_columns(metric=pl.lit("reward"))
    table = pl.concat([regret, plays, reward])
    found = findings_of(table)
    assert [each.partition(":")[0] for each in found.sure] == ["Pareto regret", "Reward"]
    assert found.unsure == []
    assert found.metric == "pareto_regret"
    assert found.ranking.equals(compare(regret).ranking)


def test_one_policy_has_no_rival():
    table = table_of(near(3.0))
    assert findings_of(table.filter(pl.col("policy") == "p0")) == ("pareto_regret", None, [], [])


def test_what_cannot_be_paired_says_why():
    table = table_of(near(3.0))
    is_lost = (pl.col("policy") == "p1") & (pl.col("trial") == 3)
    found = findings_of(table.filter(~is_lost))
    assert (found.ranking, found.sure) == (None, [])
    (sentence,) = found.unsure
    assert sentence.startswith("Pareto regret was not compared: policies must have the same trials")


def test_what_is_sure_is_told_from_what_is_not():
    sure = table_of(near(3.0))
    unsure = table_of(near(0.0)).with_columns(metric=pl.lit("effective_pareto_regret"))
    found = findings_of(pl.concat([unsure, sure]))
    (said,) = found.sure
    (unsaid,) = found.unsure
    assert said.startswith("Pareto regret: p0 is better")
    assert unsaid.startswith("Effective Pareto regret: ")
    against = compare(sure, "p0")
    assert against.sentences(sure=True) == against.sentences()
    assert against.sentences(sure=False) == []


def test_one_component_ranks_and_of_several_none():
    regret = table_of(near(3.0))
    reward = regret.with_columns(metric=pl.lit("reward"))
    rewards = pl.concat([reward, reward.with_columns(component=pl.col("component") + 1)])
    assert main_metric(pl.concat([rewards, regret])) == "pareto_regret"
    found = findings_of(rewards)
    assert (found.metric, found.ranking) == ("reward", None)
    assert len(found.sure) == 2
    plays = regret.with_columns(metric=pl.lit("plays"))
    assert findings_of(plays) == ("plays", None, [], [])


@pytest.mark.parametrize("gap", [0.0, 0.4, 3.0])
def test_sentences_are_plain_text_on_one_line(gap):
    for trials in (1, 3, 10):
        for sentence in compare(table_of(near(gap, trials, policies=3))).sentences():
            assert sentence.endswith(".")
            assert "\n" not in sentence
            assert "nan" not in sentence
            assert "None" not in sentence


SPEC = """
rounds = 20
trials = 3
metrics = ["pareto_regret"]
environment = "linear"
[[policies]]
name = "random-choice"
[[policies]]
name = "single-arm"
arm = 1
"""


def run(tmp_path, *options):
    """Play the specification by the command, and return its folder."""
    (tmp_path / "s.toml").write_text(SPEC)
    out = tmp_path / "out"
    assert cli.call(["run", str(tmp_path / "s.toml"), "--out", str(out), *options]) == 0
    return out


@pytest.mark.long
@pytest.mark.parametrize("trials", [3, 12])
def test_the_command_line_prints_the_ranking_and_then_who_is_best(
    tmp_path, monkeypatch, capsys, trials
):
    monkeypatch.setattr("mobandits.cli.console.write_report", lambda *_, **__: None)
    out = run(tmp_path, "--trials", str(trials))
    found = findings_of(Results.read(out).table)
    _, *lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Pareto regret at round 20. Means over")
    assert "\n".join(lines) == str(Results.read(out))
    assert re.split(" {2,}", lines[1].strip())[3:] == ["mean rank", "better than ranks"]
    cells = [re.split(" {2,}", line.strip()) for line in lines[2:4]]
    for row, own in zip(found.ranking.rows(named=True), cells, strict=True):
        better_than = "2" if row["better_than"] else "–"
        mean_rank = f"{row['mean_rank']:.1f}"
        assert [own[0], own[1], *own[3:]] == [
            str(row["rank"]),
            row["policy"],
            mean_rank,
            better_than,
        ]
    assert lines[4:] == [*found.sure, *found.unsure]
    (best,) = lines[4:]
    assert ("the signed-rank test of 3 trials cannot give less than" in best) == (trials == 3)


def test_a_console_says_three_sentences_at_most():
    said = ["a is best.", "b is best.", "c is best.", "d is best."]
    for sure, unsure, printed in ((said, said, said[:3]), ([], said, said[:1])):
        found = Findings("pareto_regret", None, sure, unsure)
        lines = findings_text(table_of(near(3.0)), found).splitlines()
        assert [line for line in lines if line in said] == printed


@pytest.mark.long
def test_policies_are_compared_once(tmp_path, monkeypatch):
    """The command hands its comparison on to the page."""
    compared = []

    def counted(table, **options):
        compared.append(options["metric"])
        return compare(table, **options)

    monkeypatch.setattr("mobandits.comparison.findings.compare", counted)
    run(tmp_path)
    assert compared == ["pareto_regret"]


@pytest.mark.long
def test_the_page_of_a_run_shows_them(tmp_path):
    out = run(tmp_path)
    page = html.unescape((out / "report.html").read_text())
    (sentence,) = findings_of(Results.read(out).table).unsure
    places = [
        page.index("<h1>Pareto regret of 2 policies on Linear, 50 arms, 4 objectives</h1>"),
        page.index('<table class="sortable ranking">'),
        page.index("<figure>"),
        page.index("In no metric is a policy significantly better than all others."),
        page.index("<details"),
        page.index(sentence),
        page.index("<h2>Provenance"),
    ]
    assert places == sorted(places)
    # The page that is drawn again is the same.
    assert cli.call(["report", str(out)]) == 0
    assert html.unescape((out / "report.html").read_text()) == page


def test_few_trials_say_that_the_test_cannot_reject():
    """An interval may exclude 0 where the exact test cannot give 5 %, so more trials are asked for."""
    few = compare(table_of(near(3.0, trials=5)))
    (sentence,) = few.sentences()
    assert few.table["high"][0] * few.table["low"][0] > 0.0
    assert "the signed-rank test of 5 trials cannot give less than p = 0.062" in sentence
    assert "6 trials are the least" in sentence
    (against,) = compare(table_of(near(3.0, trials=5)), "p0").sentences()
    assert "6 trials are the least" in against
