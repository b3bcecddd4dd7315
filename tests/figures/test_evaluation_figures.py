"""The figures and the page of an evaluation, from tables made by hand."""

import math

import polars as pl
import pytest
from matplotlib.colors import to_hex

from mobandits.figures.evaluation_page import (
    evaluation_page,
    gains_sentence,
    gains_table,
    leaders,
    values_table,
    warnings_of,
)
from mobandits.figures.policy_front import draw_front, front_data, stairs
from mobandits.figures.policy_values import draw_values, values_data
from mobandits.figures.style import NARROW, WIDTH

POINTS = {"a": (0.0, 2.0), "b": (1.0, 1.0), "c": (0.5, 0.5), "new": (math.nan, math.nan)}


def front_table(objectives=("quality", "thrift")):
    rows = [
        (
            name,
            objective,
            at[i % 2],
            at[i % 2] - 0.2,
            at[i % 2] + 0.2,
            name in "ab",
            0.5,
            "b" if name == "c" else "",
        )
        for name, at in POINTS.items()
        for i, objective in enumerate(objectives)
    ]
    columns = [
        "policy",
        "objective",
        "value",
        "low",
        "high",
        "on_front",
        "front_share",
        "dominated_by",
    ]
    return pl.DataFrame(rows, columns, orient="row")


def outline_table():
    rows = [
        (name, x + dx, y + dy)
        for name, (x, y) in POINTS.items()
        for dx, dy in ((0.1, 0), (0, 0.2), (-0.1, -0.2))
    ]
    return pl.DataFrame(rows[:9], ["policy", "x", "y"], orient="row")


def some_values():
    rows = [
        (
            policy,
            estimator,
            objective,
            at,
            at - 0.1,
            math.inf if (policy, estimator) == ("b", "dr") else at + 0.1,
            0.05,
        )
        for policy, at in (("a", 0.5), ("b", 0.6), ("new", math.nan))
        for estimator in ("ips", "dr")
        for objective in ("quality", "thrift")
    ]
    return pl.DataFrame(
        rows,
        ["policy", "estimator", "objective", "value", "low", "high", "standard_error"],
        orient="row",
    )


def test_the_plane_has_what_is_known():
    assert front_data(front_table()).rows() == [
        ("a", 0.0, 2.0, True, False),
        ("b", 1.0, 1.0, True, False),
        ("c", 0.5, 0.5, False, True),
    ]


def test_points_regions_and_the_front_are_drawn():
    figure = draw_front(front_table(), outline_table())
    (panel,) = figure.axes
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("quality", "thrift")
    dots = [
        line
        for line in panel.get_lines()
        if line.get_marker() != "None" and len(line.get_xdata()) == 1
    ]
    drawn = {
        (line.get_xdata()[0], line.get_ydata()[0]): to_hex(line.get_markerfacecolor())
        for line in dots
    }
    assert {
        point: colour == "#ffffff" for point, colour in drawn.items() if not math.isnan(point[0])
    } == {
        (0.0, 2.0): False,
        (1.0, 1.0): False,
        (0.5, 0.5): True,
    }
    (dashed,) = [line for line in panel.get_lines() if len(line.get_xdata()) == 5]
    corners = list(zip(dashed.get_xdata(), dashed.get_ydata(), strict=True))
    assert corners[1:] == [(0.0, 2.0), (0.0, 1.0), (1.0, 1.0), (1.0, panel.get_ylim()[0])]
    assert len(panel.patches) == 3
    assert {text.get_text() for text in panel.texts} == {"a", "b", "c"}


def test_a_narrow_plane_names_its_points_below():
    figure = draw_front(front_table(), outline_table(), NARROW)
    assert not figure.axes[0].texts
    assert [text.get_text() for text in figure.legends[-1].get_texts()] == ["a", "b", "c"]


def test_more_objectives_get_a_panel_each():
    figure = draw_front(front_table(("quality", "thrift", "speed")), pl.DataFrame())
    shown = [panel for panel in figure.axes if panel.axison]
    assert [panel.get_title(loc="left") for panel in shown] == ["quality", "thrift", "speed"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "may be on the front",
        "dominated",
    ]


def test_stairs_of_one_point():
    assert stairs([(1.0, 2.0)], 0.0, -1.0) == [(0.0, 2.0), (1.0, 2.0), (1.0, -1.0)]


def test_intervals_lie_side_by_side_and_infinite_ends_are_left_out():
    data = values_data(some_values())
    assert data.height == 8
    of_b = data.filter((pl.col("policy") == "b") & (pl.col("objective") == "thrift"))
    assert of_b.select("estimator", "y", "high").rows() == [
        ("ips", 0.8, pytest.approx(0.7)),
        ("dr", 1.2, None),
    ]
    assert values_data(some_values(), apart=False)["y"].unique().sort().to_list() == [0.0, 1.0]


@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_every_policy_has_a_row_and_every_objective_a_panel(width):
    figure = draw_values(some_values(), width)
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["quality", "thrift"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "b", "new"]
    bars = [
        line
        for line in figure.axes[0].get_lines()
        if len(line.get_xdata()) == 2 and line.get_linewidth() > 1
    ]
    assert sorted(tuple(line.get_xdata()) for line in bars) == [(0.4, 0.6), (0.4, 0.6), (0.5, 0.7)]


def content(warnings):
    estimate = {
        "value": [0.5, 0.5],
        "covariance": [[1, 0], [0, 1]],
        "bias_bound": [0, 0],
        "warnings": warnings,
    }
    numbers = {
        "effective_rounds": 12.3,
        "largest_weight": 3.0,
        "mean_weight": None,
        "uncovered_mass": 0.125,
    }
    policy = {
        "target": "Uniform()",
        "diagnostics": numbers,
        "estimates": {"ips": estimate, "dr": estimate},
    }
    return {
        "log": {
            "source": "<log>",
            "rounds": 1234,
            "arms": ["x", "y"],
            "objectives": [
                {"name": "quality", "minimise": False, "unit": ""},
                {"name": "thrift", "minimise": False, "unit": ""},
            ],
        },
        "options": {"level": 0.9, "seed": 0},
        "estimators": {"ips": "Ips()", "dr": "DoublyRobust()"},
        "shown": "dr",
        "policies": dict.fromkeys(POINTS, policy),
        "versions": {"mobandits": "1"},
    }


@pytest.mark.long
def test_the_page_says_what_was_found_and_warns_first(tmp_path):
    text = evaluation_page(
        tmp_path, some_values(), front_table(), outline_table(), content(["few <rounds>"])
    )
    for said in (
        "&lt;log&gt;</code>: 1,234 logged rounds",
        "On the front of the estimates: a and b.",
        "c is dominated by b.",
        "1 warning: to be read before the numbers.",
        "few &lt;rounds&gt;",
        "with joint 90 % intervals",
        "The intervals of a policy hold for all objectives at once.",
        '<td class="number">–</td>',
        "12.50 %",
    ):
        assert said in text
    assert text.index('<h2 id="warnings">') < text.index('<h2 id="values">')
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [
        "front.png",
        "front.svg",
        "values.png",
        "values.svg",
    ]


@pytest.mark.long
def test_a_page_without_warnings_says_so(tmp_path):
    text = evaluation_page(tmp_path, some_values(), front_table(), outline_table(), content([]))
    assert "No warnings." in text
    assert '<h2 id="warnings">' not in text


def test_values_are_sorted_and_have_as_many_digits_as_they_are_sure_of():
    table = values_table(some_values(), "ips", "90 %", [])
    assert table.header == ["policy", "quality", "thrift"]
    assert table.rows == [
        ["b", "0.600 [0.500,\N{NO-BREAK SPACE}0.700]", "0.600 [0.500,\N{NO-BREAK SPACE}0.700]"],
        ["a", "0.500 [0.400,\N{NO-BREAK SPACE}0.600]", "0.500 [0.400,\N{NO-BREAK SPACE}0.600]"],
        ["new", "–", "–"],
    ]
    assert table.caption == "Values with joint 90 % intervals. Sorted by quality, highest first."
    endless = values_table(some_values(), "dr", "90 %", []).rows[0]
    assert endless[1] == "0.600 [0.500,\N{NO-BREAK SPACE}–]"


def gain(name, objective, estimate, low):
    known = {"map": name, "objective": objective, "estimate": estimate, "low": low, "high": 0.5}
    return known | {"linear": 0.1, "mapped": 0.2, "rounds": 50, "sure": bool(low and low > 0.0)}


@pytest.mark.long
def test_the_page_says_whether_a_map_would_help(tmp_path):
    tables = some_values(), front_table(), outline_table()
    found = [
        gain("crosses", "quality", -0.01, -0.1),
        gain("bins", "quality", 0.2, 0.1),
        gain("bins", "thrift", None, None),
    ]
    text = evaluation_page(tmp_path, *tables, content([]) | {"feature_gains": found})
    assert "Yes: bins is significantly better than linear rewards in quality." in text
    assert "Would a feature map help?</h2>" in text
    assert "Would a feature map help?" not in evaluation_page(tmp_path, *tables, content([]))
    assert gains_table(found).rows == [
        ["bins", "quality", "+0.200", "+0.100 to +0.500", "yes"],
        ["crosses", "quality", "−0.010", "−0.100 to +0.500", "no"],
        ["bins", "thrift", "–", "–", "no"],
    ]
    assert gains_sentence(found[:1]).startswith("Linear is fine")


@pytest.mark.long
def test_the_page_says_first_who_is_best_and_defines_its_words(tmp_path):
    text = evaluation_page(tmp_path, some_values(), front_table(), outline_table(), content([]))
    best = "Highest quality: b, 0.600 [0.500,\N{NO-BREAK SPACE}–]; then a, 0.500 [0.400,\N{NO-BREAK SPACE}0.600]."
    assert text.index(best) < text.index("<figure>")
    for word in ("propensity", "weight", "effective rounds", "front"):
        assert f"<dfn>{word}</dfn>" in text


def test_warnings_are_gathered():
    assert warnings_of(content(["x"])) == {
        "x": [f"{name} by {one}" for name in POINTS for one in ("ips", "dr")]
    }


def described(*minimised):
    """What is said of these objectives."""
    return [{"name": name, "minimise": True, "unit": ""} for name in minimised]


def cost_values(costs=(3.0, 1.0, 2.0)):
    """Values of policies a, b and c: a quality, and a cost with a longer tail above."""
    rows = []
    for i, cost in enumerate(costs):
        known = math.isfinite(cost)
        low, high = (cost - 0.25, cost + 0.5) if known else (math.nan, math.nan)
        rows.append(("abc"[i], "dr", "quality", 0.1 * i, 0.1 * i - 0.1, 0.1 * i + 0.1, 0.05))
        rows.append(("abc"[i], "dr", "cost", cost, low, high, 0.05))
    columns = ["policy", "estimator", "objective", "value", "low", "high", "standard_error"]
    return pl.DataFrame(rows, columns, orient="row")


def test_the_lowest_cost_is_named_and_sorted_first():
    space = "\N{NO-BREAK SPACE}"
    first, second = leaders(cost_values(), "dr", described("cost"))
    assert first.startswith("Highest quality: c, 0.200 ")
    assert second == (
        f"Lowest cost: b, 1.000 [0.750,{space}1.500]; then c, 2.000 [1.750,{space}2.500]."
    )
    _, tied = leaders(cost_values((2.0, 2.0, 3.0)), "dr", described("cost"))
    assert tied.startswith("Lowest cost: a, 2.000 ")
    assert "; then b, 2.000 " in tied
    costs_first = cost_values((3.0, math.nan, 2.0)).sort("objective", maintain_order=True)
    table = values_table(costs_first, "dr", "90 %", described("cost"))
    assert table.header == ["policy", "cost\n(less is better)", "quality"]
    assert [row[:2] for row in table.rows] == [
        ["c", f"2.000 [1.750,{space}2.500]"],
        ["a", f"3.000 [2.750,{space}3.500]"],
        ["b", "–"],
    ]
    assert table.caption == "Values with joint 90 % intervals. Sorted by cost, lowest first."


@pytest.mark.long
@pytest.mark.parametrize("minimised", [[], ["quality"], ["thrift"], ["quality", "thrift"]])
def test_a_front_of_costs_is_that_of_rewards_in_a_mirror(minimised):
    rewards = draw_front(front_table(), outline_table()).axes[0]
    across, up = (-1.0 if name in minimised else 1.0 for name in ("quality", "thrift"))
    sign = pl.when(pl.col("objective") == "quality").then(across).otherwise(up)
    table = front_table().with_columns(value=pl.col("value") * sign)
    borders = outline_table().with_columns(x=pl.col("x") * across, y=pl.col("y") * up)
    shown = draw_front(table, borders, objectives=described(*minimised)).axes[0]
    for line, mirrored in zip(rewards.get_lines(), shown.get_lines(), strict=True):
        expected = line.get_xydata() * (across, up)
        assert mirrored.get_xydata() == pytest.approx(expected, nan_ok=True)
        assert mirrored.get_markerfacecolor() == line.get_markerfacecolor()
    for region, mirrored in zip(rewards.patches, shown.patches, strict=True):
        assert mirrored.get_xy() == pytest.approx(region.get_xy() * (across, up))
    # Numbers rise to the right and upwards, also those of costs.
    assert not shown.xaxis.get_inverted()
    assert not shown.yaxis.get_inverted()
    assert {text.get_text() for text in shown.texts} == {"a", "b", "c"}


def test_what_is_dominated_reaches_to_higher_costs():
    is_cost = pl.col("objective") == "thrift"
    cost = pl.when(is_cost).then(-pl.col("value")).otherwise(pl.col("value"))
    table = front_table().with_columns(value=cost)
    borders = outline_table().with_columns(y=-pl.col("y"))
    panel = draw_front(table, borders, objectives=described("thrift")).axes[0]
    assert panel.get_xlabel() == "quality (more is better) →"
    assert panel.get_ylabel() == "← thrift (less is better)"
    (dashed,) = [line for line in panel.get_lines() if len(line.get_xdata()) == 5]
    corners = list(zip(dashed.get_xdata(), dashed.get_ydata(), strict=True))
    left = panel.get_xlim()[0]
    top = panel.get_ylim()[1]
    assert corners == [(left, -2.0), (0.0, -2.0), (0.0, -1.0), (1.0, -1.0), (1.0, top)]


def test_panels_of_costs_say_so():
    figure = draw_values(cost_values(), objectives=described("cost"))
    quality, cost = figure.axes
    assert quality.get_title(loc="left") == "quality"
    assert cost.get_title(loc="left") == "cost (less is better)"
    bars = [line for line in cost.get_lines() if len(line.get_xdata()) == 2]
    ends = {tuple(line.get_xdata()) for line in bars if line.get_linewidth() > 1}
    assert ends == {(2.75, 3.5), (0.75, 1.5), (1.75, 2.5)}
    three = draw_front(
        front_table(("quality", "thrift", "speed")), pl.DataFrame(), objectives=described("speed")
    )
    titles = [panel.get_title(loc="left") for panel in three.axes if panel.axison]
    assert titles == ["quality", "thrift", "speed (less is better)"]


@pytest.mark.long
def test_the_page_shows_costs_as_they_were_measured(tmp_path):
    tables = some_values(), front_table(), outline_table()
    summary = content([])
    before = evaluation_page(tmp_path, *tables, summary)
    assert "2 objectives (quality and thrift), all to be maximised. Unless" in before
    assert "negated" not in before
    assert "less is better" not in before
    objectives = [summary["log"]["objectives"][0], *described("thrift")]
    costs = summary | {"log": summary["log"] | {"objectives": objectives}}
    text = evaluation_page(tmp_path, *tables, costs)
    assert "all to be maximised except thrift, which is to be minimised. Unless" in text
    assert "Highest quality: b, 0.600" in text
    assert "Lowest thrift: a, 0.500" in text
    assert "; then b, 0.600 [0.500,\N{NO-BREAK SPACE}–]." in text
