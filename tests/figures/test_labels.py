import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure
from matplotlib.text import Text
from test_paper_page import COLUMNS

from mobandits.figures.labels import along, drawn_as, name_points, overlap, spread_out
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.policy_front import draw_front
from mobandits.figures.policy_values import draw_values
from mobandits.figures.style import NARROW, WIDTH, panels, renderer, styled
from mobandits.figures.wrapping import LABEL, MOST_LINES, NAME, inches, key, wrapped
from mobandits.simulation.trial import SCHEMA
from mobandits_papers.pages.paper_figures import draw_plot


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.001, 0.3)), min_size=1, max_size=8))
def test_spread_keeps_the_order_and_lets_nothing_overlap(pairs):
    wanted, sizes = (np.array(each) for each in zip(*pairs, strict=True))
    placed = np.array(spread_out(wanted.tolist(), sizes.tolist()))
    order = np.argsort(wanted, kind="stable")
    ends = zip((placed + sizes / 2)[order], (placed - sizes / 2)[order][1:], strict=False)
    assert all(top <= bottom + 1e-9 for top, bottom in ends)
    assert abs(np.mean(placed) - np.mean(wanted)) < 1e-9  # nothing is pushed to one side


def test_spread_leaves_alone_what_has_room():
    assert spread_out([0.5, 0.0, 1.0], [0.2, 0.6, 0.2]) == [0.5, 0.0, 1.0]


NAMES = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=200)


@settings(max_examples=100)
@given(NAMES, st.floats(0.5, 5.0), st.sampled_from([NAME, LABEL]))
def test_no_line_of_a_wrapped_name_is_too_wide(name, room, size):
    label = wrapped(name, room, size)
    lines = [line.replace(r"\$", "$") for line in label.split("\n")]
    assert all(inches(line, size) <= room for line in lines)
    assert len(lines) <= MOST_LINES
    assert not is_math_text(label)
    if "…" not in label:
        assert "".join("".join(lines).split()) == "".join(name.split())  # only spaces are lost


@pytest.mark.long
@settings(max_examples=60)
@given(st.lists(NAMES, min_size=1, max_size=12), st.sampled_from([WIDTH, NARROW]))
def test_a_legend_fits_its_figure(names, width):
    legend = key(names, width)
    with styled():
        figure, (panel,) = panels(width, 3.0 + legend.height)
        handles = [panel.plot([], [], "o-")[0] for _ in names]
        look = {"frameon": False, "fontsize": NAME, "handlelength": 3.4, "ncols": legend.columns}
        drawn = figure.legend(handles, legend.labels, loc="outside lower left", **look)
        box = drawn.get_window_extent(renderer(figure))
    assert len(drawn.get_texts()) == len(names)
    assert box.width <= figure.bbox.width
    assert box.height <= 1.25 * legend.height * figure.dpi + 10


LONG = [
    "MolUcb(scale=0.3, order=Lexicographic(tolerance=0.0), penalty=1.0, delta=0.01, noise=1.0, check=True)",
    "mol-ucb:scale=0.3,order=lexicographic,penalty=1.0,noise=1.0,delta=0.01,check=false",
    "Anamewithoutanyplacewhereitcouldbebrokenthatgoesonandonandonandonuntilitends",
    "costs between $5 and $10",
    "_hidden",
]
PLACES = [
    "LlmRouting(text_features=32, models=('mixtral-8x7b-instruct', 'gpt-4-1106-preview'), limit=3609)",
    "GeneralizedLinear(arms=50, features=5, objectives=4, links=('probit', 'probit', 'logit', 'logit'))",
]


def long_table(places, components, rounds):
    rows = [
        (
            "x",
            place,
            policy,
            trial,
            at,
            "pareto_regret",
            component,
            float(at * (trial + 1) * (i + 1)),
        )
        for place in places
        for i, policy in enumerate(LONG)
        for trial in range(2)
        for at in rounds
        for component in range(components)
    ]
    return pl.DataFrame(rows, SCHEMA, orient="row")


def inside(figure):
    """All text is drawn within the figure, and every panel has kept a third of its share of it."""
    measure = renderer(figure)
    figure.draw_without_rendering()  # places the names of legends
    whole = figure.bbox
    shown = [panel for panel in figure.axes if panel.axison]
    texts = [text for panel in shown for text in (panel.title, panel._left_title, *panel.texts)]
    ticks = [(panel.get_ylim(), label) for panel in shown for label in panel.get_yticklabels()]
    texts += [label for ends, label in ticks if min(ends) <= label.get_position()[1] <= max(ends)]
    texts += [panel.xaxis.label for panel in shown]
    texts += [text for legend in figure.legends for text in legend.get_texts()]
    for text in texts:
        box = Text.get_window_extent(text, measure)
        if text.get_text():
            assert box.x0 >= whole.x0 - 1, text
            assert box.x1 <= whole.x1 + 1, text
            assert box.y0 >= whole.y0 - 1, text
    columns = len({round(panel.get_position().x0, 3) for panel in shown})
    for panel in shown:
        assert panel.get_position().width * columns > 0.33
        assert panel.get_window_extent().height > figure.dpi  # an inch


@pytest.mark.long
@pytest.mark.parametrize("width", [WIDTH, NARROW])
@pytest.mark.parametrize(("places", "components"), [(1, 1), (2, 1), (2, 3)])
@pytest.mark.parametrize("rounds", [(10, 20), (20,)])
def test_curves_have_room_for_long_names(width, places, components, rounds):
    data = curves_data(long_table(PLACES[:places], components, rounds), "pareto_regret")
    inside(draw_curves(data, "regret", "round", width))


@pytest.mark.long
@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_figures_of_evaluations_have_room_for_long_names(width):
    objectives = [
        "satisfaction of customers who answered within a week",
        "cost per thousand answers in US dollars",
    ]
    rows = [
        (policy, estimator, objective, 0.1 * i, 0.1 * i - 0.1, 0.1 * i + 0.1, True, "")
        for i, policy in enumerate(LONG)
        for estimator in ("ips", "dr")
        for objective in objectives
    ]
    columns = [
        "policy",
        "estimator",
        "objective",
        "value",
        "low",
        "high",
        "on_front",
        "dominated_by",
    ]
    values = pl.DataFrame(rows, columns, orient="row")
    inside(draw_values(values, width))
    front = values.filter(pl.col("estimator") == "dr")
    outlines = pl.DataFrame({"policy": LONG, "x": 0.1, "y": 0.2})
    inside(draw_front(front, outlines, width))


@pytest.mark.long
@pytest.mark.parametrize("width", [WIDTH, NARROW])
@pytest.mark.parametrize("kind", ["curves", "bars"])
def test_figures_of_experiments_have_room_for_long_names(width, kind):
    table = long_table(["r"], 2, (10, 20)).select(pl.lit(PLACES[0]).alias("run"), *COLUMNS[1:])
    plot = {
        "name": "n",
        "metric": "pareto_regret",
        "kind": kind,
        "rows": LONG[:4],
        "runs": [],
        "parts": [],
    }
    inside(draw_plot(table, plot | {"vertical": "", "logarithmic": False}, width))


CROWDED = {
    "a": (0.4, 0.5),
    "a small model that is fast": (0.43, 0.48),
    "a small model with long context": (0.46, 0.49),
    "logging": (0.51, 0.51),
    "uniform": (0.46, 0.52),
    "large": (0.51, 0.48),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "points", [{f"policy {i}": (0.5 + 0.01 * i, 0.5) for i in range(6)}, CROWDED]
)
def test_names_do_not_cover_each_other(points):
    with styled():
        figure, (panel,) = panels(5.0, 4.0)
        panel.plot(*zip(*points.values(), strict=True), "o")
        panel.set(xlim=(0, 1), ylim=(0, 1))
        measure = renderer(figure)
        name_points(panel, points, dict.fromkeys(points, "black"), renderer=measure)
        boxes = [Text.get_window_extent(text, measure) for text in panel.texts]
    corners = [(box.x0, box.y0, box.x1, box.y1) for box in boxes]
    for one, other in itertools.combinations(corners, 2):
        assert overlap(one, [other]) < 0.1 * (one[2] - one[0]) * (one[3] - one[1])
    # The thin line from a name to its point crosses no other name.
    for text, box, end in zip(panel.texts, boxes, points.values(), strict=True):
        if text.arrow_patch.get_visible():
            x, y = panel.transData.inverted().transform(
                ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
            )
            line = along(panel, [end, (x, y)], 0.5)
            others = [other for other in corners if other[:2] != (box.x0, box.y0)]
            assert sum(overlap(each, others) for each in line) == 0.0


def test_along_follows_a_line():
    figure, (panel,) = panels(4.0, 3.0)
    panel.set(xlim=(0, 1), ylim=(0, 1))
    renderer(figure)
    boxes = along(panel, [(0.0, 0.0), (1.0, 1.0)])
    ends = panel.transData.transform([(0.0, 0.0), (1.0, 1.0)])
    assert boxes[0][0] < ends[0][0] < boxes[0][2]
    assert boxes[-1][0] < ends[1][0] < boxes[-1][2]
    assert all(b[0] - a[0] < 9.0 for a, b in itertools.pairwise(boxes))


def test_a_legend_shows_lines_where_a_panel_before_has_dots():
    def row(panel, at):
        return {"panel": panel, "policy": "x", "round": at, "mean": 1.0, "low": 0.5, "high": 1.5}

    rows = [row("one", 100), *(row("two", at) for at in (1, 2, 3))]
    figure = draw_curves(pl.DataFrame(rows), "regret", width=3.5)
    (handle,) = figure.legends[0].legend_handles
    assert handle.get_linestyle() != "None"


def test_a_legend_shows_nothing_of_what_is_not_drawn():
    (handle,) = drawn_as(Figure(), ["x"])
    assert handle.get_linestyle() == "None"
