"""Final values as LaTeX and CSV."""

import csv
import io
import re

import polars as pl
import pytest
from small_tables import make_table

from mobandits.figures.final_values import (
    Cell,
    csv_table,
    digits_of,
    direction_of,
    final_values,
    wide_table,
)
from mobandits.figures.latex_table import latex_table
from mobandits.metrics import registry
from mobandits.simulation import Results


def rows(policy, values, metric="pareto_regret", component=0, environment="World()", at=20):
    for trial, value in enumerate(values):
        yield "x", environment, policy, trial, at, metric, component, value


@pytest.fixture
def compared():
    """a and b are alike, c is surely worse; rewards have two components."""
    table = [
        *rows("a_1", 2 * [10.0, 12.0, 14.0, 16.0]),
        *rows("b & c", 2 * [10.5, 11.5, 14.5, 15.9]),
        *rows("c", 2 * [30.25, 32.5, 34.0, 36.5]),
    ]
    for component in (0, 1):
        table += rows("a_1", 2 * [1.0, 1.1, 0.9, 1.2], "reward", component)
        table += rows("b & c", 2 * [5.0, 5.1, 4.9, 5.2], "reward", component)
        table += rows("c", 2 * [-0.1, 0.1, -0.3, 0.2], "reward", component)
    return make_table(table)


def cells_of(source):
    """The rows of the body, as lists of texts."""
    body = source.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.splitlines()]


def test_rows_are_policies_and_columns_metrics(compared):
    source = latex_table(compared)
    assert source.startswith("\\begin{table}\n\\centering\n\\caption{")
    assert (
        r"policy & Pareto regret\,$\downarrow$ & \multicolumn{2}{c}{reward\,$\uparrow$} \\"
        in source
    )
    assert "\\cmidrule(lr){3-4}\n &  & objective 0 & objective 1" in source
    assert [row[0] for row in cells_of(source)] == [r"a\_1", r"b \& c", "c"]
    assert {len(row) for row in cells_of(source)} == {4}


def test_bold_is_what_is_not_significantly_worse_than_the_best(compared):
    a, b, c = cells_of(latex_table(compared))
    assert a[1] == r"\textbf{13.0} $\pm$ 2.0"
    assert b[1] == r"\textbf{13.1} $\pm$ 2.0"
    assert "textbf" not in c[1]
    # more is better of rewards
    assert "textbf" not in a[2]
    assert b[2].startswith(r"\phantom{0}\textbf{5.050} $\pm$ ")
    assert c[2].startswith(r"$-$0.025 $\pm$ ")


def test_half_widths_are_those_of_the_summary(compared):
    summary = Results(compared, {}).summary().filter(policy="c", metric="pareto_regret")
    half = (summary["high"] - summary["low"])[0] / 2
    assert cells_of(latex_table(compared))[2][1].endswith(rf" $\pm$ {half:.1f}")


def test_the_caption_says_what_stands_in_the_table(compared):
    source = latex_table(compared, caption="α & β", label="tab:x", wide=True)
    caption = re.search(r"\\caption\{(.*)\}\n", source)[1]
    assert caption.startswith(r"$\alpha$ \& $\beta$. Means over 8 trials of 20 rounds")
    assert "not significantly worse than the best" in caption
    assert "\\label{tab:x}" in source
    assert source.startswith("\\begin{table*}")
    assert source.endswith("\\end{table*}\n")


def test_labels_that_latex_would_not_take_are_refused(compared):
    with pytest.raises(ValueError, match="label must have letters, digits and"):
        latex_table(compared, label="tab}x")


def test_one_trial_has_no_interval_and_nothing_bold(compared):
    source = latex_table(compared.filter(pl.col("trial") == 0))
    assert "textbf" not in source
    assert "Values of one trial of 20 rounds" in source
    assert "Bold" not in source
    assert "pm" not in source


def test_groups_stand_apart(compared):
    other = compared.with_columns(environment=pl.lit("Other_1()"))
    source = latex_table(pl.concat([compared, other]), "pareto_regret")
    assert r"\emph{World()}" in source
    assert r"\emph{Other\_1()}" in source
    assert len(cells_of(source)) == 3 + 3 + 3


def test_what_a_policy_lacks_is_a_dash(compared):
    source = latex_table(
        compared.filter((pl.col("policy") != "c") | (pl.col("metric") != "reward"))
    )
    assert cells_of(source)[2][2:] == ["--", "--"]


def test_metrics_may_be_chosen_and_directions_given(compared):
    dollars = compared.filter(metric="pareto_regret").with_columns(metric=pl.lit("seconds"))
    assert "textbf" not in latex_table(dollars)
    assert "textbf" in latex_table(dollars, better={"seconds": "larger"})
    assert "reward" not in latex_table(compared, ["pareto_regret"])
    with pytest.raises(ValueError, match="metric: 'regret' is unknown; did you mean pareto_regret"):
        latex_table(compared, "regret")
    with pytest.raises(ValueError, match="metric must name each metric once, got 'reward' twice"):
        latex_table(compared, ["reward", "reward"])
    with pytest.raises(ValueError, match="must be one of larger, smaller, got 'up'"):
        latex_table(dollars, better={"seconds": "up"})
    with pytest.raises(ValueError, match="the table must have rows, got none"):
        latex_table(compared.clear())


def test_metrics_of_many_components_are_only_shown_when_asked_for(compared):
    plays = [row for arm in range(9) for row in rows("c", [1.0, 2.0], "plays", arm)]
    table = pl.concat([compared, make_table(plays)])
    assert "plays" not in latex_table(table)
    assert latex_table(table, "plays").count("arm ") == 9


@pytest.mark.parametrize(
    ("widths", "digits"),
    [([25.7], 0), ([2.57], 1), ([0.034, 0.05], 3), ([0.0], 3), ([120.0, 0.4], 1)],
)
def test_digits_end_where_intervals_begin(widths, digits):
    assert digits_of([Cell(3.5, width, False) for width in widths]) == digits


def test_the_direction_of_every_metric_is_known_or_has_none():
    unknown = {name for name in registry() if direction_of(name) is None}
    assert unknown == {"bin_ratio", "front_plays", "plays"}


def test_csv_has_a_row_per_policy(compared):
    read = list(csv.DictReader(io.StringIO(csv_table(compared))))
    assert [row["policy"] for row in read] == ["a_1", "b & c", "c"]
    assert float(read[0]["pareto_regret"]) == 13.0
    assert read[0]["pareto_regret_best"] == "true"
    assert read[2]["reward_1_best"] == "false"
    frame = wide_table(compared, "pareto_regret")
    assert frame.columns == [
        "policy",
        "pareto_regret",
        "pareto_regret_half_width",
        "pareto_regret_best",
    ]
    assert (
        wide_table(compared.filter(pl.col("trial") == 0))["reward_0_half_width"].null_count() == 3
    )


def test_values_are_of_the_last_round_of_every_policy(compared):
    earlier = compared.with_columns(pl.col("value") * 100, round=pl.lit(10, pl.Int64))
    both = pl.concat([earlier, compared])
    assert final_values(both).rounds == (20, 20)
    assert latex_table(both) == latex_table(compared)
