"""Paired comparison against its definitions, what changes nothing in it, and what it refuses."""

import itertools
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from false_positives import table_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import mobandits as mob
from mobandits.comparison import compare
from mobandits.policies import MolTs, MolUcb, RandomChoice
from mobandits.simulation import Results
from mobandits.statistics.bootstrap import paired_mean
from mobandits.statistics.signed_rank import holm

ROOT = Path(__file__).parents[2]


def made(trials=8, policies=4, seed=0):
    """One experiment: the later the policy, the larger its regret."""
    rng = np.random.default_rng(seed)
    shared = rng.gamma(2.0, 20.0, size=(1, trials, 1))
    return shared + rng.normal(size=(1, trials, policies)) + 2.0 * np.arange(policies)


def test_every_number_is_its_definition():
    values = made()
    comparison = compare(table_of(values))
    columns = values[0].T
    assert comparison.table["baseline"].unique().to_list() == ["p0"]
    p_values = {}
    for first, second in itertools.combinations(range(4), 2):
        test = stats.wilcoxon(columns[first] - columns[second], method="exact")
        p_values[first, second] = test.pvalue
    corrected = dict(zip(p_values, holm(np.array(list(p_values.values()))), strict=True))
    for row in comparison.table.rows(named=True):
        policy = int(row["policy"][1:])
        differences = columns[policy] - columns[0]
        assert row["difference"] == pytest.approx(differences.mean())
        assert (row["low"], row["high"]) == pytest.approx(paired_mean(differences)[1:])
        assert row["p_value"] == pytest.approx(p_values[0, policy])
        assert row["p_holm"] == pytest.approx(corrected[0, policy])
        assert row["improvement"] == np.mean(differences < 0.0)
        assert row["trials"] == 8
    best = comparison.best.row(0, named=True)
    assert best["policy"] == "p0"
    assert best["p_value"] == pytest.approx(max(p_values[0, policy] for policy in (1, 2, 3)))


def test_a_given_baseline_is_corrected_for_its_own_tests_alone():
    values = made()
    comparison = compare(table_of(values), "p2")
    assert comparison.best.is_empty()
    tests = [stats.wilcoxon(values[0, :, j] - values[0, :, 2]).pvalue for j in (0, 1, 3)]
    assert comparison.table["p_holm"].to_list() == pytest.approx(holm(np.array(tests)).tolist())


@pytest.mark.parametrize("baseline", [None, "p1"])
def test_the_order_of_rows_and_policies_changes_no_number(baseline):
    table = table_of(made(policies=3))
    expected = compare(table, baseline)
    shuffled = compare(table.sample(fraction=1.0, shuffle=True, seed=3), baseline)
    key = ["policy"]
    assert shuffled.table.sort(key).equals(expected.table.sort(key))
    assert shuffled.best.equals(expected.best)


def pairs_that_differ(columns, better):
    """(winner, loser) of all pairs, of values (policies, trials): Holm's method over SciPy's tests."""
    pairs = list(itertools.combinations(range(len(columns)), 2))
    differences = [columns[i] - columns[j] for i, j in pairs]
    p_values = [stats.wilcoxon(each, method="exact").pvalue for each in differences]
    found = set()
    for (i, j), each, p_value in zip(pairs, differences, holm(np.array(p_values)), strict=True):
        _, low, high = paired_mean(each)
        if p_value <= 0.05 and not low <= 0.0 <= high:
            is_first = (each.mean() < 0.0) == (better == "smaller")
            found.add((i, j) if is_first else (j, i))
    return found


@pytest.mark.parametrize("better", ["smaller", "larger"])
@pytest.mark.parametrize("policies", [2, 4])
@pytest.mark.parametrize("trials", [4, 8, 15])
def test_a_ranking_is_its_definition(better, policies, trials):
    # From certain differences to none: the first two policies are nearest to each other.
    values = made(trials, policies, seed=5) + np.array([0.0, -1.9, 0.0, 3.0])[:policies]
    columns = values[0].T
    ranking = compare(table_of(values), better=better).ranking
    losses = columns if better == "smaller" else -columns
    order = np.argsort(losses.mean(axis=1)).tolist()
    assert ranking["policy"].to_list() == [f"p{i}" for i in order]
    assert ranking["rank"].to_list() == list(range(1, policies + 1))
    ranks = stats.rankdata(losses, axis=0).mean(axis=1)
    assert ranking["mean_rank"].to_list() == pytest.approx(ranks[order].tolist())
    assert ranking["mean"].to_list() == pytest.approx(columns.mean(axis=1)[order].tolist())
    wins = pairs_that_differ(columns, better)
    assert bool(wins) == (policies == 4 and trials >= 6)
    for row, i in zip(ranking.rows(named=True), order, strict=True):
        assert row["better_than"] == [f"p{j}" for j in order if (i, j) in wins]
        assert row["trials"] == trials


def test_equal_policies_share_a_rank_and_beat_nobody():
    values = np.repeat(made(policies=1), 3, axis=2)
    ranking = compare(table_of(values)).ranking
    assert ranking.select("rank", "mean_rank").rows() == [(1, 2.0)] * 3
    assert ranking["better_than"].to_list() == [[], [], []]


def test_the_surely_best_policy_of_a_ranking_beats_all_others():
    """It needs no correction, and the ranking says the same as `best`."""
    comparison = compare(table_of(made(trials=6, policies=5)))
    assert comparison.best["sure"].to_list() == [True]
    assert comparison.ranking["better_than"][0].to_list() == ["p1", "p2", "p3", "p4"]
    # Ten pairs, and 1/32 is the least p-value of 6 trials.
    assert comparison.ranking["better_than"].list.len().to_list()[1:] == [0, 0, 0, 0]


def test_a_ranking_against_a_baseline_knows_its_pairs_alone():
    comparison = compare(table_of(made(trials=12)), "p1")
    assert dict(comparison.ranking.select("policy", "better_than").rows()) == {
        "p0": ["p1"],
        "p1": ["p2", "p3"],
        "p2": [],
        "p3": [],
    }


def test_the_same_table_gives_the_same_bits():
    table = table_of(made())
    assert compare(table).table.equals(compare(table).table)


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=9),
    st.sampled_from([0.25, 8.0]),
)
def test_sides_turn_signs_and_units_scale(pairs, scale):
    values = np.array(pairs, float)[None]
    one = compare(table_of(values), "p0").table.row(0, named=True)
    other = compare(table_of(values), "p1").table.row(0, named=True)
    for low, high in (("low", "high"), ("high", "low")):
        assert one[low] == pytest.approx(-other[high], abs=1e-9)
    assert one["difference"] == pytest.approx(-other["difference"])
    assert one["improvement"] == pytest.approx(1.0 - other["improvement"])
    assert one["improvement_low"] == pytest.approx(1.0 - other["improvement_high"])
    assert one["p_value"] == pytest.approx(other["p_value"])
    scaled = compare(table_of(scale * values), "p0").table.row(0, named=True)
    assert scaled["p_value"] == pytest.approx(one["p_value"])
    for name in ("difference", "low", "high"):
        assert scaled[name] == pytest.approx(scale * one[name], rel=1e-9, abs=1e-9)
    assert scaled["sure"] == one["sure"]


def test_larger_rewards_are_better():
    table = table_of(made()).with_columns(metric=pl.lit("reward"))
    comparison = compare(table)
    assert comparison.better == "larger"
    assert comparison.best["policy"].to_list() == ["p3"]
    worst = comparison.table.row(0, named=True)
    assert worst["policy"] == "p0"
    assert worst["difference"] < 0.0
    assert worst["improvement"] < 0.5


def test_components_are_compared_one_by_one():
    one = table_of(made())
    other = table_of(made(seed=1)).with_columns(component=pl.lit(1, pl.Int64))
    both = compare(pl.concat([one, other]))
    alone = compare(other)
    second = both.table.filter(pl.col("component") == 1)
    assert second.equals(alone.table)
    assert both.best["component"].to_list() == [0, 1]


def test_the_last_round_counts():
    table = table_of(made())
    early = table.with_columns(round=pl.lit(50), value=-pl.col("value"))
    early = early.with_columns(pl.col("round").cast(pl.Int64))
    assert compare(pl.concat([early, table])).table.equals(compare(table).table)


def test_equal_policies_have_no_difference():
    values = np.repeat(made(policies=1), 3, axis=2)
    comparison = compare(table_of(values))
    for row in comparison.table.rows(named=True):
        assert row["difference"] == row["low"] == row["high"] == 0.0
        assert row["p_value"] == row["p_holm"] == 1.0
        assert row["improvement"] == 0.5
        assert not row["sure"]
    assert comparison.best["trials_needed"].to_list() == [math.inf]
    assert "same value in every one of 8 trials" in comparison.sentences()[0]


def test_sums_in_another_order_are_no_difference():
    values = np.array([[[0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]] * 8])
    assert values[0, 0, 0] != values[0, 0, 1]
    assert compare(table_of(values)).table["p_value"].to_list() == [1.0]


def test_one_trial_says_what_is_needed():
    comparison = compare(table_of(made(trials=1)))
    assert comparison.table["low"].null_count() == 3
    assert comparison.best["sure"].to_list() == [False]
    assert "6 trials are the least that can tell" in comparison.sentences()[0]


def test_a_metric_of_the_user_needs_its_direction():
    table = table_of(made()).with_columns(metric=pl.lit("latency"))
    with pytest.raises(ValueError, match=r'better must be "smaller" or "larger".*latency'):
        compare(table)
    assert compare(table, better="smaller").best["policy"].to_list() == ["p0"]
    assert compare(table, better="larger").best["policy"].to_list() == ["p3"]
    with pytest.raises(ValueError, match="better must be one of larger, smaller, got 'less'"):
        compare(table, better="less")


def without(table, policy, trial):
    is_it = (pl.col("policy") == policy) & (pl.col("trial") == trial)
    return table.filter(~is_it)


def with_value(table, value):
    is_it = (pl.col("policy") == "p1") & (pl.col("trial") == 2)
    return table.with_columns(value=pl.when(is_it).then(value).otherwise(pl.col("value")))


def test_mistakes_are_named():
    table = table_of(made())
    with pytest.raises(ValueError, match="metric: 'regret' is unknown; did you mean pareto_regret"):
        compare(table, metric="regret")
    with pytest.raises(ValueError, match="baseline must be one of p0, p1, p2, p3, got 'p9'"):
        compare(table, "p9")
    with pytest.raises(ValueError, match="at least two policies"):
        compare(table.filter(pl.col("policy") == "p0"))
    with pytest.raises(ValueError, match=r"same trials .* p1 has no value in trial 2"):
        compare(without(table, "p1", 2))
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match=r"must be finite .* of p1 in trial 2"):
            compare(with_value(table, value))
    with pytest.raises(ValueError, match=r"one value per trial .* p0 in trial 0"):
        compare(pl.concat([table, table.head(1)]))
    long = table.with_columns(
        round=pl.when(pl.col("policy") == "p1").then(200).otherwise(pl.col("round"))
    )
    with pytest.raises(ValueError, match=r"same round .* ends in round 100, p1 in round 200"):
        compare(long)
    other = table.filter(pl.col("policy") != "p3").with_columns(environment=pl.lit("Far()"))
    with pytest.raises(ValueError, match=r"same in every .* none of \['p3'\] in Far\(\)"):
        compare(pl.concat([table, other]))
    two = pl.concat([table, table.with_columns(metric=pl.lit("reward"))])
    with pytest.raises(ValueError, match=r"metric must name one of \['pareto_regret', 'reward'\]"):
        compare(two)


def in_environments(values):
    """(environments, trials, policies) values as results."""
    table = table_of(values)
    return table.with_columns(
        experiment=pl.lit("e"), environment=pl.format("Place({})", "experiment")
    )


def test_over_environments_ranks_are_averaged():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(12, 5, 3)) * 0.1 + np.array([0.0, 1.0, 1.05])
    comparison = compare(in_environments(values))
    means = values.mean(axis=1)
    expected = stats.friedmanchisquare(*means.T)
    first = comparison.ranks.row(0, named=True)
    assert first["policy"] == "p0"
    assert first["rank"] == 1.0
    assert first["problems"] == 12
    assert first["p_value"] == pytest.approx(expected.pvalue)
    ranks = dict(comparison.ranks.select("policy", "rank").rows())
    ranked = np.array([stats.rankdata(row) for row in means]).mean(axis=0)
    assert [ranks[f"p{j}"] for j in range(3)] == pytest.approx(ranked.tolist())
    assert comparison.table.columns[:2] == ["environment", "component"]
    assert "over 12 environments: p0 has the best average rank, 1 of 3" in comparison.sentences()[0]
    assert len(comparison.sentences()) == 13


@pytest.fixture(scope="module")
def played():
    """Regrets that depend on the problem of the trial more than on the policy."""
    policies = {"ts": MolTs(scale=0.5), "ucb": MolUcb(scale=0.5), "random": RandomChoice()}
    return mob.simulate(
        policies,
        mob.environments.Linear(arms=10, features=3, objectives=2),
        rounds=200,
        trials=8,
        seed=0,
        metrics=["pareto_regret", "reward"],
    )


@pytest.mark.long
def test_results_compare_what_was_played(played):
    comparison = played.compare(metric="pareto_regret")
    summary = played.summary().filter(pl.col("metric") == "pareto_regret")
    means = dict(summary.select("policy", "mean").rows())
    for row in comparison.table.rows(named=True):
        assert row["difference"] == pytest.approx(means[row["policy"]] - means[row["baseline"]])
    assert repr(comparison) == (
        "Comparison(pareto_regret, smaller is better, 3 policies, against the best)"
    )
    assert "<table>" in comparison._repr_html_()
    rewards = played.compare("random", "reward")
    assert rewards.table["component"].to_list() == [0, 0, 1, 1]
    assert "are better than random" in rewards.sentences()[0]


def test_no_interval_of_a_regret_is_negative(played):
    rows = [
        ("e", "E()", "p", trial, 10, "pareto_regret", 0, value)
        for trial, value in enumerate([0.0, 0.0, 9.0])
    ]
    results = Results(pl.DataFrame(rows, played.table.schema, orient="row"), {})
    summary = results.summary().row(0, named=True)
    assert summary["low"] == 0.0
    assert summary["high"] == pytest.approx(stats.t.interval(0.95, 2, 3.0, 3.0)[1])
    signed = results.table.with_columns(metric=pl.lit("objective_regret"))
    assert Results(signed, {}).summary()["low"][0] < 0.0


@pytest.mark.slow
def test_a_paired_difference_is_sure_where_intervals_of_means_overlap():
    """The example of docs/how-to/compare-policies.md."""
    results = mob.simulate(
        {"ts": MolTs(scale=0.5), "ucb": MolUcb(scale=0.5)},
        mob.environments.Linear(arms=20, features=5, objectives=3),
        rounds=500,
        trials=8,
        seed=1,
        metrics=["effective_pareto_regret"],
    )
    better, worse = results.summary().sort("mean").rows(named=True)
    assert better["policy"] == "ts"
    assert better["high"] > worse["low"]
    comparison = results.compare()
    row = comparison.table.row(0, named=True)
    assert row["low"] > 0.0
    assert row["improvement"] == 0.0  # ucb, against ts
    assert comparison.best["sure"].to_list() == [True]
    page = (ROOT / "docs" / "how-to" / "compare-policies.md").read_text()
    assert comparison.sentences()[0] in page
