import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from mobandits.metrics import registry
from mobandits.metrics.traits import traits_of
from mobandits.statistics.bands import bands, interval_factor


@pytest.mark.parametrize("trials", [*range(2, 14), 20, 100, 10_001])
def test_factors_are_quantiles_in_standard_errors(trials):
    expected = stats.t.ppf(0.975, trials - 1) / trials**0.5
    assert interval_factor(trials) == pytest.approx(expected, rel=1e-9)


def test_bands_are_the_textbook_interval():
    values = [1.0, 2.0, 4.0, 7.0]
    row = bands(
        pl.DataFrame({"policy": ["a"] * 4, "trial": range(4), "value": values}), ["policy"]
    ).row(0, named=True)
    low, high = stats.t.interval(0.95, 3, loc=3.5, scale=stats.sem(values))
    assert row == {
        "policy": "a",
        "mean": 3.5,
        "low": pytest.approx(low, rel=1e-9),
        "high": pytest.approx(high, rel=1e-9),
        "trials": 4,
    }


def test_one_trial_has_no_width_and_order_is_kept():
    frame = pl.DataFrame({"policy": ["z", "a"], "value": [1.0, 2.0]})
    assert bands(frame, ["policy"]).rows() == [("z", 1.0, 1.0, 1.0, 1), ("a", 2.0, 2.0, 2.0, 1)]


def values_of(policy, values):
    return [{"policy": policy, "trial": i, "value": value} for i, value in enumerate(values)]


def test_intervals_are_cut_where_no_value_can_be():
    table = pl.DataFrame(
        values_of("near 0", [0.0, 0.1, 5.0]) + values_of("far", [10.0, 11.0, 12.0])
    )
    free = bands(table, ["policy"])
    cut = bands(table, ["policy"], least=0.0)
    assert free["low"][0] < 0.0
    assert cut["low"][0] == 0.0
    # All other numbers are the same bits.
    assert cut.drop("low").equals(free.drop("low"))
    assert cut["low"][1] == free["low"][1]


def test_shares_are_cut_above_too():
    table = pl.DataFrame(values_of("a", [1.0, 1.0, 0.4]))
    row = bands(table, ["policy"], least=0.0, most=1.0).row(0, named=True)
    assert row["low"] >= 0.0
    assert row["high"] == 1.0


def test_values_that_are_impossible_are_left_alone():
    table = pl.DataFrame(values_of("a", [-3.0, -1.0]))
    assert bands(table, ["policy"], least=0.0).equals(bands(table, ["policy"]))


def test_values_without_a_mean_keep_their_bands():
    table = pl.DataFrame(values_of("a", [1.0, math.inf]) + values_of("b", [math.nan, 1.0]))
    cut = bands(table, ["policy"], least=0.0).rows()
    free = bands(table, ["policy"]).rows()
    assert str(cut) == str(free)


def test_cut_intervals_hold_the_truth_as_often():
    """A truth that is possible is in an interval exactly where it is in the one that was cut."""
    rng = np.random.default_rng(0)
    samples = rng.exponential(size=(400, 4)) ** 3
    rows = []
    for i, sample in enumerate(samples):
        rows += values_of(str(i), sample.tolist())
    table = pl.DataFrame(rows)
    truth = 6.0  # the third moment of the exponential distribution
    holds = []
    for least in (-math.inf, 0.0):
        ends = bands(table, ["policy"], least=least)
        holds.append(((ends["low"] <= truth) & (truth <= ends["high"])).to_list())
    assert holds[0] == holds[1]
    assert bands(table, ["policy"])["low"].min() < 0.0


def test_every_metric_has_traits():
    """What is better, and which values are possible, is declared in each metric's class."""
    assert traits_of("mine") == (None, -math.inf, math.inf, "", "", "component")
    for name in registry():
        assert traits_of(name).least < traits_of(name).most
