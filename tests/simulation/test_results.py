"""Summaries and what can be asked of results."""

import polars as pl
import pytest
from scipy import stats
from twins.tiny import Plain, Tiny

from mobandits.simulation import Results, simulate
from mobandits.simulation.trial import SCHEMA


def test_the_summary_is_the_mean_of_the_last_round_and_its_interval():
    results = simulate(
        {"a": Plain(), "b": Plain(0.9)}, Tiny(), rounds=50, trials=4, metrics=["reward"]
    )
    values = results.table.filter(
        pl.col("policy") == "b", pl.col("round") == 50, pl.col("component") == 1
    )["value"]
    row = (
        results.summary()
        .filter(pl.col("policy") == "b", pl.col("component") == 1)
        .row(0, named=True)
    )
    low, high = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert row["mean"] == pytest.approx(values.mean())
    assert (row["low"], row["high"]) == (pytest.approx(low), pytest.approx(high))
    assert row["trials"] == 4
    assert len(results.summary()) == 4


def test_one_trial_has_no_interval():
    summary = simulate(Plain(), Tiny(), rounds=50, trials=1, metrics=["reward"]).summary()
    assert summary["low"].null_count() == len(summary) == 2
    assert summary["mean"].is_finite().all()


def test_plots_of_what_was_not_measured_are_refused():
    results = simulate(Plain(), Tiny(), rounds=5, trials=1, metrics=["reward"])
    with pytest.raises(
        ValueError,
        match=r"metric: 'rewards' is unknown; did you mean reward\? It must be one of reward",
    ):
        results.plot("rewards")


def row(experiment, environment, policy, trial, at, value, component=0):
    return experiment, environment, policy, trial, at, "regret", component, value


@pytest.fixture
def several():
    """Two experiments; in one environment, two policies play for 10 and for 20 rounds, one in two trials."""
    rows = [
        row("x", "Near()", "short", trial, at, float(at + trial))
        for trial in (0, 1)
        for at in (5, 10)
    ]
    rows += [row("x", "Near()", "long", 0, at, 2.0 * at) for at in (10, 20)]
    rows += [row("x", "Far()", "short", 0, 30, 3.0)]
    rows += [row("x, tuning", "Near()", "short", 0, 10, 99.0, component) for component in (0, 1)]
    return Results(pl.DataFrame(rows, SCHEMA, orient="row"), {})


def test_the_summary_drops_no_horizon_and_mixes_no_experiments(several):
    rows = several.summary().select(
        "experiment", "environment", "policy", "round", "component", "mean", "trials"
    )
    assert rows.rows() == [
        ("x", "Near()", "short", 10, 0, 10.5, 2),
        ("x", "Near()", "long", 20, 0, 40.0, 1),
        ("x", "Far()", "short", 30, 0, 3.0, 1),
        ("x, tuning", "Near()", "short", 10, 0, 99.0, 1),
        ("x, tuning", "Near()", "short", 10, 1, 99.0, 1),
    ]


def test_columns_that_tell_nothing_apart_are_left_out(several):
    one = Results(several.table.filter(pl.col("environment") == "Far()"), {})
    assert one.summary().columns == [
        "policy",
        "metric",
        "component",
        "mean",
        "low",
        "high",
        "trials",
    ]
    assert several.summary().columns[:4] == ["experiment", "environment", "policy", "round"]


def test_results_print_what_they_hold(several):
    assert (
        repr(several)
        == "Results(2 experiments, 2 environments, 2 policies, 1 to 2 trials, 10 to 30 rounds, 1 metric)"
    )
    nothing = Results(several.table.clear(), {})
    assert repr(nothing) == "Results(0 policies, 0 trials, 0 rounds, 0 metrics)"


def test_the_plot_has_a_panel_per_experiment_environment_and_component(several):
    figure = several.plot("regret")
    titles = [panel.get_title(loc="left") for panel in figure.axes if panel.axison]
    assert titles == [
        "x, Near(), component 0",
        "x, Far(), component 0",
        "x, tuning, Near(), component 0",
        "x, tuning, Near(), component 1",
    ]
    near = {line.get_label(): line.get_xydata().tolist() for line in figure.axes[0].get_lines()}
    assert near["short"] == [
        [5.0, 5.5],
        [10.0, 10.5],
    ]  # not mixed with the 99 of another experiment
    assert near["long"] == [[10.0, 20.0], [20.0, 40.0]]
