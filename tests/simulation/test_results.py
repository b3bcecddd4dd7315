"""Summaries and what can be asked of results."""

import polars as pl
import pytest
from scipy import stats
from twins.tiny import Plain, Tiny

from mobandits.simulation import simulate


def test_the_summary_is_the_mean_of_the_last_round_and_its_interval():
    results = simulate({"a": Plain(), "b": Plain(0.9)}, Tiny(), rounds=50, trials=4, metrics=["reward"])
    values = results.table.filter(pl.col("policy") == "b", pl.col("round") == 50, pl.col("component") == 1)["value"]
    row = results.summary().filter(pl.col("policy") == "b", pl.col("component") == 1).row(0, named=True)
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
    with pytest.raises(ValueError, match=r"metric must be one of reward, got 'rewards'; did you mean reward\?"):
        results.plot("rewards")
