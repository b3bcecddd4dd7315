"""Sentences: who is best, by how much, how sure, and what would tell."""

import html
import re

import numpy as np
import polars as pl
import pytest
from false_positives import table_of

from mobandits.cli import program as cli
from mobandits.comparison import compare
from mobandits.comparison.findings import sentences
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
    found = sentences(Results(table, {}))
    assert [each.partition(":")[0] for each in found] == ["Pareto regret", "Reward"]
    assert found == sentences(table)


def test_one_policy_has_no_rival():
    table = table_of(near(3.0))
    assert sentences(table.filter(pl.col("policy") == "p0")) == []


def test_what_cannot_be_paired_says_why():
    table = table_of(near(3.0))
    is_lost = (pl.col("policy") == "p1") & (pl.col("trial") == 3)
    (sentence,) = sentences(table.filter(~is_lost))
    assert sentence.startswith("Pareto regret was not compared: policies must have the same trials")


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


def test_the_command_line_prints_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mobandits.cli.console.write_report", lambda folder: None)
    (tmp_path / "s.toml").write_text(SPEC)
    out = tmp_path / "out"
    assert cli.call(["run", str(tmp_path / "s.toml"), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    for sentence in sentences(Results.read(out)):
        assert sentence in printed
    assert "the signed-rank test of 3 trials cannot give less than" in printed


def test_the_page_of_a_run_shows_them(tmp_path):
    (tmp_path / "s.toml").write_text(SPEC)
    out = tmp_path / "out"
    assert cli.call(["run", str(tmp_path / "s.toml"), "--out", str(out)]) == 0
    page = html.unescape((out / "report.html").read_text())
    for sentence in sentences(Results.read(out)):
        assert sentence in page


def test_few_trials_say_that_the_test_cannot_reject():
    """An interval may exclude 0 where the exact test cannot give 5 %, so more trials are asked for."""
    few = compare(table_of(near(3.0, trials=5)))
    (sentence,) = few.sentences()
    assert few.table["high"][0] * few.table["low"][0] > 0.0
    assert "the signed-rank test of 5 trials cannot give less than p = 0.062" in sentence
    assert "6 trials are the least" in sentence
    (against,) = compare(table_of(near(3.0, trials=5)), "p0").sentences()
    assert "6 trials are the least" in against
