"""Figures as elements of a page: well formed, apart from each other, with names that may hold anything."""

import functools
import json
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_structure import Tags, check_figures, svg_elements
from test_evaluation_figures import front_table, outline_table, some_values
from test_paper_page import made, plot

from mobandits.figures.history_panels import HistoryPanel, Series, draw_history
from mobandits.figures.inline_svg import id_part, inline_svg
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.page import Picture, breakable, draw_picture, templates
from mobandits.figures.picture_data import picture_data, scales
from mobandits.figures.policy_front import draw_front
from mobandits.figures.policy_values import draw_values
from mobandits.figures.series import series_name
from mobandits.figures.style import NARROW, WIDTH, panels, save, styled, svg_for_page
from mobandits_papers.pages.paper_figures import draw_plot, plot_data

HOSTILE = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["</script>", "<!--<script>", "\u2028", "]]>", "a\x00b", "$x$", 'x" onload="y', "</svg>"]
    ),
)


def shown(picture):
    """A figure as its page has it."""
    pieces = templates().get_template("pieces.html").module
    return str(pieces.picture(picture))


def front(width):
    return draw_front(front_table(), outline_table(), width)


def history(width):
    series = [
        Series("a", [1.0, 2.0, None], [0.5, 1.0, None], [1.5, 3.0, None]),
        Series("b", [2.0, 2.0, 2.0], as_points=True),
    ]
    return draw_history([HistoryPanel("t", series, marks=[2.0])], [1.0, 2.0, 3.0], "time", width)


def heat(width):
    rows = made(policies=("0.25", "0.75"), components=1)
    return draw_plot(rows, plot(kind="heat", vertical="context / arm"), width)


def bars(width):
    return draw_plot(made(), plot(kind="bars"), width)


FIGURES = {
    "front": front,
    "values": functools.partial(draw_values, some_values()),
    "history": history,
    "heat": heat,
    "bars": bars,
    "curves": functools.partial(draw_plot, made(), plot()),
}


@pytest.mark.long
@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_whole_and_themed(name, tmp_path):
    page = shown(draw_picture(FIGURES[name], tmp_path, name, f"{name} <of> a test"))
    check_figures(page)
    for figure in svg_elements(page):
        assert figure.get("aria-label") == f"{name} <of> a test"
        texts = "".join(figure.itertext())
        assert texts  # letters, not their outlines
    plain = (tmp_path / f"{name}.svg").read_bytes()
    assert b"series:" not in plain
    assert b"name:" not in plain
    assert b"var(" not in plain


@pytest.mark.long
def test_figures_of_one_page_share_no_id(tmp_path):
    twice = [draw_picture(FIGURES["curves"], tmp_path, name, "x") for name in ("a_b", "a-b")]
    check_figures("".join(shown(picture) for picture in twice))


@given(st.lists(st.text(max_size=8), min_size=2, max_size=2, unique=True))
def test_other_names_are_other_ids(names):
    one, other = map(id_part, names)
    assert one != other
    assert re.fullmatch("[A-Za-z0-9_]*", one)


def series_of(figure):
    """{name: how many of its marks are drawn}, and what names it."""
    marks, names = {}, []
    for element in figure.iter():
        series = element.get("data-series")
        if series is not None and element.get("data-names") is None:
            marks[series] = marks.get(series, 0) + 1
        elif series is not None:
            names.append(series)
    return marks, names


@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_every_mark_of_a_curve_knows_its_series(table, width):
    figure = draw_curves(curves_data(table, "pareto_regret"), "regret", "round", width)
    (element,) = svg_elements(inline_svg(svg_for_page(figure), "k", "wide", "x"))
    marks, names = series_of(element)
    at_ends = width == WIDTH
    # A band and a line; the line from a curve's end to its name.
    assert marks == dict.fromkeys(["b", "a"], 3 if at_ends else 2)
    assert sorted(names) == (["a", "b"] if at_ends else ["a", "a", "b", "b"])


@pytest.mark.long
@pytest.mark.parametrize("name", ["front", "values", "history", "bars", "curves"])
@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_what_has_a_name_has_marks(name, width):
    figure = FIGURES[name](width)
    (element,) = svg_elements(inline_svg(svg_for_page(figure), "k", "wide", "x"))
    marks, names = series_of(element)
    assert names
    assert set(names) == set(marks)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Glyph")  # the font has no sign for some characters
@settings(max_examples=40)
@given(st.lists(HOSTILE, min_size=2, max_size=2, unique_by=series_name))
def test_names_may_hold_anything(tmp_path_factory, names):
    rows = [(name, at, at * 1.0, at * 0.5, at * 2.0) for name in names for at in (1, 2)]
    columns = ["policy", "round", "mean", "low", "high"]
    data = pl.DataFrame(rows, columns, orient="row").with_columns(panel=pl.lit(names[0]))
    figure = draw_curves(data.with_columns(panel=pl.lit("")), "regret")
    element = inline_svg(svg_for_page(figure), names[0], "wide", names[1])
    numbers = picture_data(data, names[0])
    page = shown(Picture(element, element.replace('class="wide"', 'class="narrow"'), "", numbers))

    (read, _) = svg_elements(page)
    marks, _ = series_of(read)
    tags = Tags()
    tags.feed(page)
    (kept,) = tags.data
    assert json.loads(kept) == numbers
    assert set(marks) == {series["name"] for series in numbers["panels"][0]["series"]}
    assert set(marks) == {series_name(name) for name in names}
    assert "</script" not in kept.lower()
    assert "<!--" not in kept
    assert "\u2028" not in kept


def test_data_have_every_round_of_a_panel():
    rows = [("p", "a", 1, 1.0, 0.5, 2.0), ("p", "a", 2, 1.23456789, np.nan, np.inf)]
    rows += [("p", "b", 2, 3.0, None, None), ("q", "b", 5, 4.0, 4.0, 4.0)]
    frame = pl.DataFrame(rows, ["panel", "policy", "round", "mean", "low", "high"], orient="row")
    first, second = picture_data(frame, "n")["panels"]
    assert (first["title"], first["rounds"]) == ("p", [1, 2])
    assert first["series"] == [
        {"name": "a", "mean": [1.0, 1.23457], "low": [0.5, None], "high": [2.0, None]},
        {"name": "b", "mean": [None, 3.0], "low": [None, None], "high": [None, None]},
    ]
    assert second["rounds"] == [5]


@pytest.mark.long
@pytest.mark.parametrize("logarithmic", [False, True])
def test_scales_find_the_place_of_a_round(logarithmic):
    rows = made(runs=("one", "two"), components=1)
    data = plot_data(rows, plot())
    figure = draw_plot(rows, plot(logarithmic=logarithmic))
    svg_for_page(figure)
    found = scales(figure, picture_data(data, "n"))
    assert len(found) == 2
    for scale, axes in zip(found, figure.axes, strict=False):
        left, top, right, bottom = scale["box"]
        along = np.log if logarithmic else np.array
        pixel = axes.transData.transform((15.0, 5.0)) / figure.bbox.size
        sides = ((left, right, 15.0), (1.0 - bottom, 1.0 - top, 5.0))
        for name, (start, end, number), drawn in zip(
            ("horizontal", "vertical"), sides, pixel, strict=True
        ):
            extent = scale[name]
            ends = along([extent["first"], extent["last"]])
            place = start + (along(number) - ends[0]) / (ends[1] - ends[0]) * (end - start)
            assert extent["kind"] == ("log" if logarithmic else "linear")
            assert place == pytest.approx(drawn, abs=1e-4)


def test_panels_of_a_single_round_have_no_scale(table):
    data = curves_data(table.filter(pl.col("round") == 20), "pareto_regret")
    figure = draw_curves(data, "regret")
    assert scales(figure, picture_data(data, "n")) == [None]


def test_numbers_are_rounded_and_letters_are_text():
    with styled():
        figure, (panel,) = panels(3.0, 2.0)
        panel.plot([0.0, 1.0], [0.0, 1 / 3])
        panel.set_title("a < b")
    element = inline_svg(svg_for_page(figure), "k", "wide", "x")
    paths = " ".join(re.findall(r' d="([^"]*)"', element))
    assert paths
    assert not re.search(r"\.\d{3}", paths)
    assert ">a &lt; b</text>" in element
    assert "font-family" not in element


@pytest.mark.long
def test_the_same_figure_is_the_same_element_and_the_same_file(table, tmp_path):
    data = curves_data(table, "pareto_regret")
    made_twice = []
    for folder in ("one", "two"):
        figure = draw_curves(data, "regret")
        save(figure, tmp_path / folder, "f")
        made_twice.append(inline_svg(svg_for_page(figure), "k", "wide", "x"))
    assert made_twice[0] == made_twice[1]
    for name in ("f.svg", "f.png"):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in ("one", "two"))
        assert one == other


@given(st.text(max_size=40))
def test_breaks_change_no_name(name):
    assert breakable(name).replace("<wbr>", "") == str(
        templates().from_string("{{ x }}").render(x=name)
    )
