import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.demo.context_gain import context_gain
from mobandits.demo.mixtures import best_mixture, gains, mixtures
from mobandits.demo.model_use import use_data
from mobandits.demo.numbers import numbers
from mobandits.demo.outcomes import outcomes
from mobandits.statistics.bands import bands

AMOUNTS = st.floats(0.01, 100.0)
MODELS = st.lists(
    st.tuples(AMOUNTS, st.floats(0, 1)), min_size=1, max_size=4, unique_by=lambda model: model[0]
)


@settings(max_examples=60)
@given(MODELS, AMOUNTS)
def test_best_mixture_is_the_best_point_of_all_coins_in_the_budget(models, dollars):
    inside = [quality for cost, quality in models if cost <= dollars]
    for line in mixtures(models, steps=200):
        inside += [quality for cost, quality in line if cost <= dollars]
    coin = best_mixture(models, dollars)
    if inside:
        assert coin >= max(inside) - 1e-12
        assert coin <= max(inside) + 0.1  # the lines are sampled, the coin is exact
    else:
        assert coin == min(models)[1]


def test_outcomes_are_means_per_round(make_demo):
    table, said = make_demo()
    rows = pl.DataFrame(
        said["rows"], {"policy": pl.String, "role": pl.String, "weight": pl.Float64}
    )
    found = outcomes(table, rows)
    model = found.filter((pl.col("policy") == "always middle") & (pl.col("trial") == 1))
    assert model.select("role", "dollars", "quality", "regret").row(0) == (
        "model",
        10.0,
        0.9,
        pytest.approx(10.0),
    )
    late = outcomes(table, rows, late=True)
    again = late.filter((pl.col("policy") == "always middle") & (pl.col("trial") == 1))
    assert again["dollars"][0] == pytest.approx(10.0)
    assert again["regret"][0] == pytest.approx(5.0)
    assert "hindsight" not in late["role"].to_list()
    assert found["environment"].unique(maintain_order=True).to_list() == ["Text()", "Constant()"]


def test_gains_are_against_the_coin_of_the_same_trial():
    points = [
        ("always a", "model", 0, 1.0, 0.5),
        ("always b", "model", 0, 3.0, 0.9),
        ("x", "reading", 0, 2.0, 0.75),
    ]
    points += [
        ("always a", "model", 1, 1.0, 0.6),
        ("always b", "model", 1, 3.0, 0.8),
        ("x", "reading", 1, 3.0, 0.75),
    ]
    points += [("y", "reading", 2, 1.0, 1.0)]
    frame = pl.DataFrame(points, ["policy", "role", "trial", "dollars", "quality"], orient="row")
    found = gains(frame).filter(pl.col("role") == "reading")
    assert found["value"].to_list() == [pytest.approx(0.05), pytest.approx(-0.05)]


def test_context_gain_pairs_trials(make_demo):
    table, said = make_demo(gain=0.02)
    rows = pl.DataFrame(
        said["rows"], {"policy": pl.String, "role": pl.String, "weight": pl.Float64}
    )
    found = bands(context_gain(outcomes(table, rows), "Text()", "Constant()"), ["weight"])
    # The text adds 0.02 to the quality, and every trial's luck cancels.
    assert found["mean"].to_list() == pytest.approx([0.02 * weight for weight in found["weight"]])
    assert found["high"].to_list() == pytest.approx(found["low"].to_list())


def test_use_data_are_shares_that_sum_to_one(make_demo):
    table, _ = make_demo()
    found = use_data(table, ["L", "always dear"], windows=5)
    assert found["policy"].unique(maintain_order=True).to_list() == ["L", "always dear"]
    assert found["round"].unique().sort().to_list() == [20, 40, 60, 80, 100]
    sums = found.group_by("policy", "round").agg(pl.col("share").sum())
    assert sums["share"].to_list() == pytest.approx([1.0] * len(sums))
    assert found.filter((pl.col("policy") == "L") & (pl.col("component") == 0))[
        "share"
    ].to_list() == pytest.approx([0.5] * 5)


def test_numbers_have_a_row_per_weight(make_demo):
    data = numbers(*make_demo())
    for frame in (data.whole, data.late, data.text, data.text_late):
        assert frame["weight"].to_list() == [0.0, 0.25, 0.5, 0.75, 1.0]
