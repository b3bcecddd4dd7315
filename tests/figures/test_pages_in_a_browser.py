"""What a page does in a browser, and that it says the same without a script."""

import csv
import functools
import io
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from browser import CHROMIUM, browser

from mobandits.figures import palette
from mobandits.figures.contents import Findings
from mobandits.figures.history_panels import HistoryPanel, Series, draw_history, history_data
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.page import Table, draw_picture, render
from mobandits.figures.plot_options import PlotOptions
from mobandits.figures.provenance import Provenance
from mobandits.figures.run_page import MetricSection

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]

NAMES = ("mol-ts", "</script><b>$1", "mol-ucb:scale=0.3,order=lexicographic,penalty=1.0")
ROWS = (
    ("mol-ts", "1,234.5", "2.0 ± 0.1"),
    ("</script><b>$1", "−3.00", "–"),
    ("mol-ucb:scale=0.3,order=lexicographic,penalty=1.0", "17", "12 %"),
    ("none", "", "2.0 ± 0.3"),
    ("without end", "∞", "–"),
)
SVG = "document.querySelector('svg.wide')"
ROUNDS = np.arange(100, 1001, 100)
DAY = 20_484.0  # days since 1970
HOURS = DAY + np.arange(11) / 24.0
SHARES = np.linspace(0.2, 0.7, 11)
TABLE = "document.querySelector('table.sortable')"
TIP = "document.querySelector('.values')"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """The page of a run with two panels and a table, with a hostile name."""
    folder = tmp_path_factory.mktemp("page")
    rows = [
        ("x", place, name, trial, at, "pareto_regret", 0, at * (i + 1) * (1.0 + 0.1 * trial))
        for place in ("Other()", "World()")
        for i, name in enumerate(NAMES)
        for trial in range(3)
        for at in ROUNDS.tolist()
    ]
    columns = ["experiment", "environment", "policy", "trial", "round", "metric", "component"]
    table = pl.DataFrame(rows, [*columns, "value"], orient="row")
    data = curves_data(table, "pareto_regret")
    draw = functools.partial(draw_curves, data, "Pareto regret", "round")
    picture = draw_picture(draw, folder, "regret", "Curves.", "Means.", data)
    values = Table(("policy", "number", "other"), ROWS, "Numbers at the end")
    ranks = [["1", NAMES[2], "1,234.5 ± 10.0", "1.0", "2 to 3, 5 to 7, 9 to 12"]]
    ranking = Table(
        ["rank", "policy", "regret", "mean rank", "better than ranks"], ranks, "", 1, "ranking"
    )
    section = MetricSection("pareto_regret", "Pareto regret", picture, [values, ranking])
    one_run = data.filter(panel="World()").with_columns(panel=pl.lit(""), run=1, component=0)
    logarithmic = draw_picture(
        lambda width: draw_curves(one_run, "regret", width=width, options=PlotOptions(log="both")),
        folder,
        "logarithmic",
        "Curves.",
        "Logarithms.",
        one_run,
    )
    shares = [HistoryPanel("Share", [Series("mol-ts", SHARES.tolist())], "share")]
    history = draw_picture(
        lambda width: draw_history(shares, HOURS, "time", width, dates=True),
        folder,
        "history",
        "A line.",
        "Shares.",
        history_data(shares, HOURS),
        "time",
    )
    more = [MetricSection("m", "m", picture, []) for picture in (logarithmic, history)]
    page = SimpleNamespace(
        title="A run",
        findings=Findings("pareto_regret", None, ["One is best."], ["Nobody knows."]),
        environments=["World()"],
        trials=3,
        rounds=1000,
        words=[],
        contents=[],
        metrics=[section, *more],
        provenance=Provenance([("seed", "0")]),
        live=None,
    )
    path = folder / "report.html"
    path.write_text(render("run.html", page), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    with browser(folder) as opened:
        yield opened


def rgb(colour):
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("script", [True, False])
def test_pages_and_figures_follow_the_theme(page, page_file, theme, script):
    page.open(page_file, theme=theme, script=script)
    style = "getComputedStyle(document.{}).{}"
    paper = rgb(getattr(palette.PAPER, theme))
    ink = rgb(getattr(palette.INK, theme))
    assert page.value(style.format("documentElement", "backgroundColor")) == paper
    assert page.value(style.format("body", "color")) == ink
    assert page.value(style.format("querySelector('svg.wide path')", "fill")) == paper
    line = 'querySelector(\'svg.wide [data-series="mol-ts"] path[style*="stroke:"]\')'
    assert page.value(style.format(line, "stroke")) == rgb(getattr(palette.BLUE, theme))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_is_white_whatever_the_screen_is(page, page_file, theme):
    page.open(page_file, theme=theme)
    features = [{"name": "prefers-color-scheme", "value": theme}]
    page.call("Emulation.setEmulatedMedia", media="print", features=features)
    style = "getComputedStyle(document.documentElement).backgroundColor"
    hidden = "getComputedStyle(document.querySelector('.download')).display"
    assert page.value(style) == rgb(palette.PAPER.light)
    assert page.value(hidden) == "none"
    page.call("Emulation.setEmulatedMedia", media="", features=features)


@pytest.mark.parametrize("script", [True, False])
def test_a_phone_sees_the_narrow_figure_and_scrolls_nothing_sideways(page, page_file, script):
    for width, seen, unseen in ((1280, "wide", "narrow"), (390, "narrow", "wide")):
        page.open(page_file, width=width, script=script)
        display = "getComputedStyle(document.querySelector('svg.{}')).display"
        assert page.value(display.format(seen)) == "block"
        assert page.value(display.format(unseen)) == "none"
        assert page.value("document.documentElement.scrollWidth") == width
        text_width = f"document.querySelector('svg.{seen} text').getBoundingClientRect().width"
        assert page.value(text_width) > 5


@pytest.mark.parametrize("script", [True, False])
def test_a_phone_sees_a_ranked_policy_as_a_block(page, page_file, script):
    page.open(page_file, width=390, script=script)
    row = "document.querySelector('.ranking tbody tr')"
    boxes = page.value(f"[...{row}.cells].map((cell) => cell.getBoundingClientRect().toJSON())")
    assert all(0 <= box["left"] < box["right"] <= 390 for box in boxes)
    rank, name, mean, mean_rank, better = boxes
    assert rank["right"] <= name["left"] < name["right"] <= mean["left"]
    assert max(name["bottom"], mean["bottom"]) <= min(mean_rank["top"], better["top"])
    assert better["right"] <= mean_rank["left"]
    head = "getComputedStyle(document.querySelector('.ranking thead')).display"
    assert page.value(head) == "none"
    page.open(page_file, script=script)
    assert page.value(head) == "table-header-group"


def test_what_is_folded_is_printed(page, page_file):
    page.open(page_file, script=False)
    is_shown = "document.querySelector('.unsure li').checkVisibility()"
    height = "document.querySelector('.unsure').getBoundingClientRect().height"
    assert not page.value(is_shown)
    folded = page.value(height)
    page.call("Emulation.setEmulatedMedia", media="print", features=[])
    assert page.value(is_shown)
    assert page.value(height) > folded + 20
    page.call("Emulation.setEmulatedMedia", media="", features=[])


def test_names_of_figures_stay_inside_them(page, page_file):
    for width, seen in ((1280, "wide"), (390, "narrow")):
        page.open(page_file, width=width)
        edge = page.value(f"document.querySelector('svg.{seen}').getBoundingClientRect().right")
        ends = page.value(
            f"[...document.querySelectorAll('svg.{seen} text')]"
            ".map((text) => text.getBoundingClientRect().right)"
        )
        assert max(ends) <= edge + 1


def test_without_a_script_everything_is_there_and_nothing_looks_clickable(page, page_file):
    page.open(page_file, script=False)
    assert page.value("document.querySelectorAll('button, [role=button], .values').length") == 0
    assert page.value("document.querySelectorAll('[tabindex]').length") == 0
    cursors = page.value(
        # A summary opens without a script.
        "[...new Set([...document.querySelectorAll(':not(summary)')]"
        ".map((e) => getComputedStyle(e).cursor))]"
    )
    assert "pointer" not in cursors
    text = page.value("document.body.innerText").replace("\N{NO-BREAK SPACE}", " ")
    for name, number, other in ROWS:
        for cell in (name, number, other):
            assert cell in text
    drawn = page.value(f"{SVG}.textContent")
    for name in ("mol-ts", "</script><b>$1", "mol-ucb:"):
        assert name in drawn


def column(page, number):
    """The texts of a column, from top to bottom."""
    cells = page.value(
        f"[...{TABLE}.tBodies[0].rows].map((row) => row.cells[{number}].textContent)"
    )
    return [cell.replace("\N{NO-BREAK SPACE}", " ") for cell in cells]


def test_tables_are_sorted_by_numbers_with_empty_cells_last(page, page_file):
    page.open(page_file)
    head = f"{TABLE}.tHead.rows[0].cells[1]"
    button = f"{head}.querySelector('button')"
    page.click(button)
    assert column(page, 1) == ["−3.00", "17", "1,234.5", "∞", ""]
    assert page.value(f"{head}.getAttribute('aria-sort')") == "ascending"
    page.press("Enter")  # the click has left the focus there
    assert column(page, 1) == ["∞", "1,234.5", "17", "−3.00", ""]
    assert page.value(f"{head}.getAttribute('aria-sort')") == "descending"
    page.press(" ")
    assert column(page, 0) == [row[0] for row in ROWS]
    assert page.value(f"{head}.getAttribute('aria-sort')") is None


def test_sorting_is_stable_and_reads_numbers_with_more_behind_them(page, page_file):
    page.open(page_file)
    for expected in (
        ["2.0 ± 0.1", "2.0 ± 0.3", "12 %", "–", "–"],
        ["12 %", "2.0 ± 0.1", "2.0 ± 0.3", "–", "–"],
    ):
        page.click(f"{TABLE}.tHead.rows[0].cells[2].querySelector('button')")
        assert column(page, 2) == expected
    page.click(f"{TABLE}.tHead.rows[0].cells[0].querySelector('button')")
    assert column(page, 0)[1:] == ["mol-ts", ROWS[2][0], "none", "without end"]
    headers = f"{TABLE}.querySelectorAll('[aria-sort]').length"
    assert page.value(headers) == 1


def test_a_table_is_downloaded_as_it_stands(page, page_file):
    page.open(page_file)
    page.click(f"{TABLE}.tHead.rows[0].cells[1].querySelector('button')")
    page.click(f"{TABLE}.parentElement.querySelector('.download')")
    rows = list(csv.reader(io.StringIO(page.downloaded("Numbers_at_the_end.csv"))))
    assert rows == [
        ["policy", "number", "other"],
        [ROWS[1][0], "-3.00", "–"],
        [ROWS[2][0], "17", "12 %"],
        [ROWS[0][0], "1234.5", "2.0 ± 0.1"],
        ["without end", "∞", "–"],
        ["none", "", "2.0 ± 0.3"],
    ]


def test_the_numbers_of_a_figure_are_downloaded(page, page_file):
    page.open(page_file)
    page.click("document.querySelector('figcaption .download')")
    rows = list(csv.DictReader(io.StringIO(page.downloaded("regret.csv"))))
    assert len(rows) == 2 * len(NAMES) * 10
    assert {row["policy"] for row in rows} == set(NAMES)
    last = [row for row in rows if row["policy"] == "mol-ts" and row["round"] == "1000"]
    assert [float(row["mean"]) for row in last] == [1100.0, 1100.0]
    assert all(float(row["low"]) < 1100.0 < float(row["high"]) for row in last)


def test_values_stand_at_the_pointer(page, page_file):
    page.open(page_file)
    assert page.value(f"{TIP}.hidden")
    x, y = page.middle(SVG)
    frame = page.value(f"{SVG}.getBoundingClientRect().toJSON()")
    (left, top, right, bottom) = page.value(f"JSON.parse({SVG}.dataset.scales)[1].box")
    x = frame["x"] + frame["width"] * (left + 0.52 * (right - left))
    y = frame["y"] + frame["height"] * (top + bottom) / 2
    page.hover(x, y)
    assert not page.value(f"{TIP}.hidden")
    text = page.value(f"{TIP}.innerText")
    assert text.startswith("World(), round 500\n")
    rows = page.value(f"[...{TIP}.querySelectorAll('tr')].map((row) => row.innerText)")
    # From the highest line to the lowest, which is the policies' order turned round.
    assert [row.split("\t")[0] for row in rows] == list(reversed(NAMES))
    assert rows[-1].split("\t")[1].startswith("550 [")
    swatch = f"getComputedStyle({TIP}.querySelector('tr:last-child i')).backgroundColor"
    assert page.value(swatch) == rgb(palette.BLUE.light)
    page.hover(frame["x"] + 2, frame["y"] + 2)
    assert page.value(f"{TIP}.hidden")


def test_values_are_read_by_keys(page, page_file):
    page.open(page_file, width=390)
    page.value("document.querySelector('svg.narrow').focus()")
    for key, text in (
        ("ArrowRight", "Other(), round 100"),
        ("ArrowRight", "Other(), round 200"),
        ("PageDown", "World(), round 200"),
        ("End", "World(), round 1,000"),
        ("ArrowLeft", "World(), round 900"),
    ):
        page.press(key)
        assert page.value(f"{TIP}.querySelector('b').textContent") == text
        box = page.value(f"{TIP}.getBoundingClientRect().toJSON()")
        assert box["left"] >= 0
        assert box["right"] <= 390
    page.press("Escape")
    assert page.value(f"{TIP}.hidden")


def faded(page):
    """Series of the wide figure that are faded, in both panels."""
    return page.value(
        "[...new Set([...document.querySelectorAll('svg.wide .faded')]"
        ".map((mark) => mark.dataset.series))]"
    )


def test_a_name_fades_all_other_series(page, page_file):
    page.open(page_file)
    name = "document.querySelector('svg.wide [data-names][data-series=\"mol-ts\"]')"
    page.click(name)
    assert sorted(faded(page)) == sorted(NAMES[1:])
    assert page.value(f"{name}.getAttribute('aria-pressed')") == "true"
    marks = "document.querySelector('svg.wide .faded:not([data-names])')"
    page.value(f"{marks}.getAnimations().forEach((animation) => animation.finish())")
    assert page.value(f"getComputedStyle({marks}).opacity") < "0.2"
    page.value(f"{name}.focus()")
    page.press("Enter")
    assert faded(page) == []


def test_values_are_those_of_series_that_stay(page, page_file):
    page.open(page_file)
    page.click("document.querySelector('svg.wide [data-names][data-series=\"mol-ts\"]')")
    page.value(f"{SVG}.focus()")
    page.press("Home")
    assert page.value(f"[...{TIP}.querySelectorAll('tr')].length") == 1


def chart(number, width="wide"):
    """The expression of a chart: 0 has two linear panels, 1 logarithmic axes, 2 dates and shares."""
    return f"document.querySelectorAll('svg.{width}')[{number}]"


def place_in(page, svg, across, up):
    """Where a place of the first panel is on the screen, given from 0 to 1."""
    page.middle(svg)
    frame = page.value(f"{svg}.getBoundingClientRect().toJSON()")
    left, top, right, bottom = page.value(f"JSON.parse({svg}.dataset.scales)[0].box")
    x = frame["x"] + frame["width"] * (left + across * (right - left))
    y = frame["y"] + frame["height"] * (bottom + up * (top - bottom))
    return x, y


def zoom(page, svg, start=(0.3, 0.2), end=(0.75, 0.8)):
    page.drag(place_in(page, svg, *start), place_in(page, svg, *end))


def ticks(page, svg):
    """The new ticks of the first panel: texts and places of the horizontal and the vertical axis."""
    texts = page.value(
        f"[...{svg}.querySelectorAll('.ticks text')].map((text) => "
        "[text.textContent, text.getAttribute('text-anchor'), text.previousSibling.getAttribute('d')])"
    )
    axes = {"middle": {}, "end": {}}
    for text, anchor, mark in texts:
        _, x, y, *_ = mark.split()
        axes[anchor][text] = float(x if anchor == "middle" else y)
    return axes["middle"], axes["end"]


def vertices(page, svg):
    """The places of the first line, as drawn now."""
    line = f"{svg}.querySelector('[data-panel] [data-series=\"mol-ts\"] > path[clip-path]')"
    numbers = [
        float(word)
        for word in page.value(f"{line}.getAttribute('d')").split()
        if word[-1].isdigit()
    ]
    return np.array(numbers).reshape(-1, 2).T


MEANS = 1.1 * ROUNDS
PLAIN = float
CHARTS = {
    "linear": (0, ROUNDS, MEANS, np.array, PLAIN, PLAIN),
    "logarithmic": (1, ROUNDS, MEANS, np.log, PLAIN, PLAIN),
    "dates": (
        2,
        HOURS,
        SHARES,
        np.array,
        lambda text: DAY + float(text[:2]) / 24.0,
        lambda text: float(text.removesuffix("%")) / 100.0,
    ),
}


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize(("width", "seen"), [(1280, "wide"), (390, "narrow")])
def test_ticks_of_a_zoomed_chart_stand_at_the_data(page, page_file, name, width, seen):
    number, rounds, means, along, round_of, mean_of = CHARTS[name]
    svg = chart(number, seen)
    page.open(page_file, width=width)
    before = vertices(page, svg)
    zoom(page, svg)
    after = vertices(page, svg)
    assert np.all(np.ptp(after, axis=1) > 1.5 * np.ptp(before, axis=1))
    for axis, drawn, numbers, read in zip(
        ticks(page, svg), after, (rounds, means), (round_of, mean_of), strict=True
    ):
        assert len(axis) >= 2
        for text, place in axis.items():
            # Between two points of the line, whose numbers are known.
            slope, start = np.polyfit(along(numbers), drawn, 1)
            assert place == pytest.approx(start + slope * along(read(text)), abs=0.1)
    old = f"{svg}.querySelector('[data-panel]').querySelectorAll('[data-tick]')"
    displays = page.value(f"[...{old}].map((tick) => getComputedStyle(tick).display)")
    assert set(displays) == {"none"}


def test_values_of_a_zoomed_chart_are_those_at_the_pointer(page, page_file):
    page.open(page_file)
    zoom(page, SVG)
    xs, _ = vertices(page, SVG)
    _, y = place_in(page, SVG, 0.5, 0.5)
    frame = page.value(f"{SVG}.getBoundingClientRect().toJSON()")
    scale = frame["width"] / page.value(f"{SVG}.viewBox.baseVal.width")
    page.hover(frame["x"] + scale * xs[4] + 3, y)
    assert page.value(f"{TIP}.querySelector('b').textContent") == "Other(), round 500"
    # Keys stay inside of the part that is shown, from round 300 on.
    page.value(f"{SVG}.focus()")
    page.press("Home")
    assert page.value(f"{TIP}.querySelector('b').textContent") == "Other(), round 400"


RESET = f"{SVG}.querySelector('.reset')"
DISPLAY = f"getComputedStyle({RESET}).display"


def double_click(page):
    x, y = place_in(page, SVG, 0.5, 0.5)
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            page.call(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count
            )


def press_reset(page):
    page.value(f"{RESET}.focus()")
    page.press("Enter")


@pytest.mark.parametrize("reset", [double_click, press_reset, lambda page: page.click(RESET)])
def test_the_whole_chart_comes_back(page, page_file, reset):
    page.open(page_file)
    drawn = f"{SVG}.outerHTML"
    # The element is another one, once something was zoomed in it.
    zoom(page, SVG)
    reset(page)
    whole = page.value(drawn)
    assert page.value(DISPLAY) == "none"
    zoom(page, SVG)
    assert page.value(DISPLAY) == "inline"
    assert page.value(drawn) != whole
    reset(page)
    assert page.value(drawn) == whole
    assert page.value("location.hash") == ""


def test_plus_and_minus_zoom_around_the_round_that_is_read(page, page_file):
    page.open(page_file)
    page.value(f"{SVG}.focus()")
    for key in ("Home", "ArrowRight", "+"):
        page.press(key)
    assert page.value(f"{TIP}.querySelector('b').textContent") == "Other(), round 200"
    rounds, _ = ticks(page, SVG)
    assert max(float(text) for text in rounds) < 600
    page.press("-")
    assert ticks(page, SVG) == ({}, {})


def test_a_click_zooms_nothing_and_a_finger_scrolls(page, page_file):
    page.open(page_file)
    zoom(page, SVG, (0.5, 0.5), (0.505, 0.505))
    assert ticks(page, SVG) == ({}, {})
    start = place_in(page, SVG, 0.2, 0.2)
    end = place_in(page, SVG, 0.8, 0.8)
    for kind, (x, y) in (("down", start), ("move", end), ("up", end)):
        event = f"{{pointerType: 'touch', clientX: {x}, clientY: {y}, bubbles: true}}"
        page.value(f"void {SVG}.dispatchEvent(new PointerEvent('pointer{kind}', {event}))")
    assert ticks(page, SVG) == ({}, {})
    assert page.value(f"getComputedStyle({SVG}).touchAction") == "auto"


def seen(page):
    """What a reader has changed, as it looks."""
    is_open = "document.querySelector('.unsure').open"
    zoomed = [ticks(page, chart(number)) for number in range(3)]
    return zoomed, sorted(faded(page)), column(page, 1), page.value(is_open)


@pytest.fixture
def shared(page, page_file):
    """A page in which everything was changed, and the fragment of its address."""
    page.open(page_file)
    page.value("document.querySelector('.unsure summary').click()")
    page.click(f"{TABLE}.tHead.rows[0].cells[1].querySelector('button')")
    page.click("document.querySelector('svg.wide [data-names][data-series=\"mol-ts\"]')")
    for number in (0, 1):
        zoom(page, chart(number))
    return page.value("location.hash").removeprefix("#")


def test_a_link_opens_the_same_view(page, page_file, shared):
    view = seen(page)
    page.open(page_file)
    plain = seen(page)
    assert all(one != other for one, other in zip(view, plain, strict=True))
    page.open(page_file, fragment=shared)
    assert seen(page) == view
    # Where the page is open already.
    page.open(page_file)
    page.value(f"location.hash = '{shared}'")
    assert seen(page) == view
    # What was changed last is in sight.
    top = page.value(f"{chart(1)}.getBoundingClientRect().top")
    assert 0 <= top < 900


@pytest.mark.parametrize(
    "fragment",
    [
        "pareto_regret",
        "zoom0=1&sort0=1&names0=nobody&open0",
        "zoom0=9+1+2+3+4&zoom0=0+500+100+1+2&zoom0=0+1e99+1e100+0+1&sort0=99+ascending&sort0=x",
        "zoom0=%E0%A4%A&sort0=0+constructor&names0=%00&zoom1=0+NaN+5+0+1&other=1",
        "=&&==",
    ],
)
def test_foreign_fragments_change_nothing(page, page_file, fragment):
    page.open(page_file)
    plain = seen(page)
    page.open(page_file, fragment=fragment)
    assert seen(page) == plain
    assert page.value("location.hash") == f"#{fragment}"
    zoom(page, SVG)
    assert page.value("location.hash").startswith("#zoom0=0+")


def test_a_link_is_copied_once_there_is_something_to_copy(page, page_file):
    page.open(page_file)
    page.value("navigator.clipboard.writeText = (text) => { window.copied = text; }")
    button = "[...document.querySelectorAll('.download')].filter((e) => e.textContent === 'Copy link')[0]"
    assert page.value(f"{button}.hidden")
    zoom(page, SVG)
    assert not page.value(f"{button}.hidden")
    page.click(button)
    assert page.value("window.copied") == page.value("location.href")


def test_a_zoomed_chart_is_printed_as_it_is(page, page_file):
    page.open(page_file)
    zoom(page, SVG)
    page.call("Emulation.setEmulatedMedia", media="print", features=[])
    assert page.value(f"getComputedStyle({SVG}.querySelector('.ticks text')).display") != "none"
    assert page.value(DISPLAY) == "none"
    page.call("Emulation.setEmulatedMedia", media="", features=[])
