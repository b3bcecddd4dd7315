"""Figures of comparisons: what they show, in both widths."""

import numpy as np
import polars as pl
import pytest
from false_positives import table_of

from mobandits.comparison import compare
from mobandits.figures.comparison_figures import joined_policies
from mobandits.figures.style import svg

LONG = "moslb-pc:scale=0.3,alpha=2,chains=[[0, 1], [2, 3, 4]] and still more of it"


def values_of(sets=1, policies=4, trials=8):
    rng = np.random.default_rng(0)
    return rng.normal(size=(sets, trials, policies)) + 1.5 * np.arange(policies)


def named(table):
    return table.with_columns(policy=pl.col("policy").replace("p3", LONG))


@pytest.mark.long
@pytest.mark.parametrize("width", [6.8, 3.9])
def test_differences_have_a_row_per_policy(width):
    comparison = compare(named(table_of(values_of())))
    figure = comparison.plot(width=width)
    (panel,) = figure.axes
    assert len(panel.get_yticks()) == 3
    assert panel.get_yticklabels()[0].get_text() == "p1"  # nearest to the best stands first
    points = [line for line in panel.get_lines() if line.get_marker() == "o"]
    filled = [line.get_markerfacecolor() != "white" for line in points]
    assert filled == comparison.table.sort("difference")["sure"].to_list()
    assert figure.get_size_inches()[0] == width
    assert svg(figure) == svg(comparison.plot(width=width))


@pytest.mark.long
@pytest.mark.parametrize("width", [6.8, 3.9])
def test_names_stay_inside_the_figure(width):
    for sets in (1, 6):
        table = named(table_of(values_of(sets)))
        figure = compare(table).plot(width=width)
        svg(figure)
        renderer = figure.canvas.get_renderer()
        box = figure.bbox
        for panel in figure.axes:
            texts = [*panel.get_yticklabels(), panel.xaxis.label, panel.title, panel._left_title]
            for text in texts:
                if text.get_text():
                    extent = text.get_window_extent(renderer)
                    assert extent.x0 >= box.x0 - 1
                    assert extent.x1 <= box.x1 + 1


def test_ranks_are_drawn_over_several_environments():
    comparison = compare(table_of(values_of(sets=8)))
    figure = comparison.plot()
    (panel,) = figure.axes
    names = [label.get_text() for label in panel.get_yticklabels()]
    assert names == comparison.ranks["policy"].to_list()
    assert "Friedman" in panel.get_title(loc="left")


@pytest.mark.parametrize("difference", [0.0, 0.6, 1.0, 2.5, 9.0])
def test_groups_are_the_longest_that_are_not_told_apart(difference):
    ranks = [1.0, 1.5, 2.0, 3.5, 4.0, 6.0]
    together = set()
    for first in range(len(ranks)):
        for last in range(first + 1, len(ranks)):
            if ranks[last] - ranks[first] <= difference:
                together.add((first, last))
    longest = {
        (first, last)
        for first, last in together
        if not any((a, b) != (first, last) and a <= first and last <= b for a, b in together)
    }
    assert set(joined_policies(ranks, difference)) == longest


def test_components_have_panels():
    one = table_of(values_of())
    two = pl.concat([one, one.with_columns(component=pl.lit(1, pl.Int64))])
    figure = compare(two.with_columns(metric=pl.lit("reward"))).plot()
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["objective 0", "objective 1"]
