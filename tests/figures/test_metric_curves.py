import matplotlib as mpl
import polars as pl
import pytest

from mobandits.figures import curves
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.plot_options import PlotOptions
from mobandits.figures.plots import plot
from mobandits.figures.style import NARROW, save


def test_data_are_means_over_trials_in_the_order_of_the_table(table):
    data = curves_data(table, "pareto_regret")
    assert data.select("policy", "round", "mean", "trials").rows() == [
        ("b", 10, 20.0, 3),
        ("b", 20, 40.0, 3),
        ("a", 10, 40.0, 3),
        ("a", 20, 80.0, 3),
    ]
    assert data["panel"].unique().to_list() == [""]
    assert (data["low"] < data["mean"]).all()


def test_panels_say_what_sets_them_apart(table):
    two = pl.concat([table, table.with_columns(component=pl.lit(1, pl.Int64))])
    assert curves_data(two, "pareto_regret")["panel"].unique(maintain_order=True).to_list() == [
        "component 0",
        "component 1",
    ]
    four = pl.concat([two, two.with_columns(environment=pl.lit("Other()"))])
    panels = curves_data(four, "pareto_regret")["panel"].unique(maintain_order=True).to_list()
    assert panels == [
        "World(), component 0",
        "World(), component 1",
        "Other(), component 0",
        "Other(), component 1",
    ]
    assert len(draw_curves(curves_data(four, "pareto_regret"), "regret").axes) == 4


def test_unknown_metric_is_refused(table):
    with pytest.raises(ValueError, match="metric must be one of pareto_regret, got 'nope'"):
        curves(table, "nope")


@pytest.mark.parametrize("width", [6.8, NARROW])
def test_every_policy_is_named(table, width):
    figure = draw_curves(curves_data(table, "pareto_regret"), "regret", "round", width)
    texts = [text.get_text() for text in figure.axes[0].texts]
    texts += [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert sorted(texts) == ["a", "b"]


def test_one_round_is_drawn_as_points(table):
    figure = curves(table.filter(pl.col("round") == 20), "pareto_regret")
    assert figure.axes[0].get_xlabel() == "Pareto regret after 20 rounds"
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["b", "a"]


@pytest.mark.long
def test_files_are_the_same_bytes_whatever_the_users_settings(table, tmp_path):
    save(curves(table, "pareto_regret"), tmp_path / "one", "figure")
    with mpl.rc_context({"font.size": 20.0, "axes.grid": False, "svg.fonttype": "none"}):
        save(curves(table, "pareto_regret"), tmp_path / "two", "figure")
    for name in ("figure.svg", "figure.png"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_drawing_leaves_no_trace(table):
    before = dict(mpl.rcParams)
    curves(table, "pareto_regret")
    assert dict(mpl.rcParams) == before


def test_ticks_of_rounds_are_whole_and_the_last_marker_is_inside():
    """Five ticks on ten rounds stood at 2.5 and 7.5, and the last marker was cut by the border."""
    rows = [
        {"experiment": "e", "environment": "v", "policy": "p", "trial": 0, "round": i}
        | {"metric": "reward", "component": 0, "value": float(i)}
        for i in range(1, 11)
    ]
    table = pl.DataFrame(rows)
    for figure in (curves(table, "reward"), plot(table, "reward", PlotOptions())):
        panel = figure.axes[0]
        assert all(float(tick).is_integer() for tick in panel.get_xticks())
        assert panel.get_xlim()[0] == 0.0
        assert panel.get_xlim()[1] > 10.0
