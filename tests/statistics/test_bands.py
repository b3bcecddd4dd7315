import polars as pl
import pytest
from scipy import stats

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
