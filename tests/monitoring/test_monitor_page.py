"""The page of a history: what stands first, what is drawn, names of all kinds, the command."""

import json
import re

import numpy as np
import pytest
from test_monitor_summary import OWN, random_events, written

from mobandits.figures.history_panels import HistoryPanel, Series, draw_history
from mobandits.figures.monitor_figures import figures_of, timeline_of, unit_of
from mobandits.figures.monitor_page import lead, monitor_page
from mobandits.figures.style import NARROW, WIDTH
from mobandits.monitoring import summary, write_page

ALL = {"arms", "rewards", "propensities", "waiting"}


def events_of(rounds, *, shift=None, arms=2, seconds=60.0):
    """Decisions at even chances and their rewards; arm 0 gets worse at a shift."""
    rng = np.random.default_rng(0)
    events = []
    for i in range(rounds):
        at = 1_769_860_800.0 + seconds * i
        arm = int(rng.integers(arms))
        is_worse = shift is not None and i >= shift and arm == 0
        quality = float(rng.random() < (0.2 if is_worse else 0.8))
        events.append({"kind": "decide", "id": i, "time": at, "arm": arm, "propensity": 1.0 / arms})
        rewards = {"quality": quality, "cost": float(rng.random())}
        events.append({"kind": "learn", "id": i, "time": at + 5.0, "rewards": rewards})
    return events


def test_the_command_writes_a_page_figures_and_the_numbers(program, tmp_path):
    store = written(tmp_path / "a.db", events_of(1200, shift=700))
    out = tmp_path / "deep" / "out"
    assert program("monitor", store, "--out", out) == (0, f"{out / 'report.html'}\n", "")
    names = {path.name for path in (out / "figures").iterdir()}
    assert names == {f"{name}.{kind}" for name in ALL for kind in ("svg", "png")}
    kept = json.loads((out / "monitor.json").read_text())
    assert kept == json.loads(json.dumps(summary(store)))
    page = (out / "report.html").read_text()
    assert not re.search(r'(src|href|srcset)="(?!data:|#)', page)
    assert "1,200 decisions from 2026-01-31 12:00 to 2026-02-01 07:59 (UTC)" in page
    (alarm,) = kept["alarms"]
    assert re.match(r"Drift: the mean quality of small went from 0\.[78].* to 0\.[123]", alarm)
    assert alarm in page
    assert "There is no calibration: the store has no snapshot" in page
    # Once more into the same folder, in other windows.
    assert program("monitor", store, "--out", out, "--window-by", "hour")[0] == 0
    page = (out / "report.html").read_text()
    assert "A window is an hour (UTC) with decisions; there are 20 windows." in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--window", "5", "--window-by", "day"), "window must be left out"),
        (("--window-by", "week"), "--window-by must be"),
        (("--window", "1"), "--window"),
        (("--agent", "me"), "must have an agent 'me'"),
    ],
)
def test_mistakes_are_one_line(program, tmp_path, options, message):
    store = written(tmp_path / "a.db", events_of(10))
    status, out, err = program("monitor", store, "--out", tmp_path / "out", *options)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_what_is_no_store_and_folders_of_others(program, tmp_path):
    store = written(tmp_path / "a.db", events_of(10))
    (tmp_path / "x.txt").write_text("hello")
    for arguments, message in (
        ((tmp_path / "x.txt", "--out", tmp_path / "out"), "must be a store"),
        ((tmp_path / "none.db", "--out", tmp_path / "out"), "must be a store"),
        ((store, "--out", tmp_path), "out must be a new folder, an empty one"),
        ((store, "--out", store), "out must be a new folder, an empty one"),
    ):
        status, _, err = program("monitor", *arguments)
        assert status == 2
        assert message in err


def test_an_empty_store_has_a_page(tmp_path):
    page = write_page(written(tmp_path / "a.db", []), tmp_path / "out").read_text()
    assert "0 decisions: there is nothing to show yet." in page
    assert "<svg" not in page


def test_a_calm_history_says_so(tmp_path):
    page = write_page(written(tmp_path / "a.db", events_of(300)), tmp_path / "out").read_text()
    assert "Nothing alarming: no drift alarm rang" in page
    assert "No alarm rang." in page


@pytest.mark.parametrize("seed", range(2))
def test_histories_of_all_kinds_have_a_page(tmp_path, seed):
    store = written(tmp_path / "a.db", random_events(seed, 90))
    page = write_page(store, tmp_path / "out", window=30).read_text()
    assert "reported by the application, not chosen by the agent" in page
    assert "huge" in page


def test_names_may_hold_anything(tmp_path):
    odd = ["<b>bold</b>", "$x^2$ & _y", "a " * 60, ("large", 2), None]
    description = {"arms": odd, "objectives": [{"name": "<i>q</i>"}, "cost"]}
    events = events_of(200, arms=5)
    for event in events[1::2]:
        event["rewards"] = {"<i>q</i>": event["rewards"]["quality"], "cost": 1.0}
    store = written(tmp_path / "a.db", events, description)
    page = write_page(store, tmp_path / "out").read_text()
    assert "<b>bold</b>" not in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    assert "&lt;i&gt;q&lt;/i&gt;" in page


def test_many_arms_share_a_line_and_a_row(tmp_path):
    many = {"arms": [f"arm {a}" for a in range(40)], "objectives": OWN["objectives"]}
    found = summary(written(tmp_path / "a.db", events_of(900, arms=40), many))
    page = monitor_page(tmp_path, found)
    assert "20 others" in page
    assert "and 25 others." in lead(found)


def test_windows_of_days_lie_on_dates(tmp_path):
    found = summary(written(tmp_path / "a.db", events_of(400, seconds=900.0)), window_by="day")
    timeline = timeline_of(found)
    assert timeline.dates
    assert timeline.places[0] == pytest.approx(1_769_860_800.0 / 86_400.0, abs=0.5)
    assert set(figures_of(tmp_path, found, timeline)) == ALL
    # Milliseconds are no dates of a calendar.
    for window in found["windows"]:
        window["start"] *= 1e6
        window["end"] *= 1e6
    assert not timeline_of(found).dates


@pytest.mark.parametrize("width", [NARROW, WIDTH])
def test_panels_show_what_they_are_given(width):
    line = Series("mean", [0.1, None, 0.3], [0.0, None, 0.2], [0.2, None, 0.4])
    points = Series("seen", [None, 0.5, 0.6], [None, 0.4, 0.5], [None, 0.6, 0.7], as_points=True)
    contents = [
        HistoryPanel("first", [line, points], marks=[1.0]),
        HistoryPanel("p", [line], "log"),
    ]
    figure = draw_history(contents, [1.0, 2.0, 3.0], "decision", width)
    assert figure.get_size_inches()[0] == width
    first, second = figure.axes
    drawn = [each.get_ydata() for each in first.get_lines() if len(each.get_xdata()) == 3]
    assert np.allclose(drawn[0], [0.1, np.nan, 0.3], equal_nan=True)
    assert np.allclose(drawn[1], [np.nan, 0.5, 0.6], equal_nan=True)
    assert second.get_yscale() == "log"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["mean", "seen"]


def test_units_of_time():
    assert [unit_of(seconds)[0] for seconds in (0.0, 100.0, 200.0, 7200.0, 1e6)] == [
        "seconds",
        "seconds",
        "minutes",
        "hours",
        "days",
    ]


def test_a_nested_recipe_is_short_in_the_lead_and_whole_in_the_provenance(tmp_path):
    found = summary(written(tmp_path / "a.db", events_of(100)))
    inner = "Features(map=Crosses(degree=2), recipe=MolUcb(scale=0.3, penalty=2.0))"
    found["recipe"] = f"Paced(recipe=Within(recipe={inner}, limits=(1,)), budgets=(2,))"
    page = monitor_page(tmp_path, found)
    assert "by Paced(" in lead(found)
    assert found["recipe"] not in lead(found)
    assert found["recipe"] in page
    assert "<dfn>propensity</dfn>" in page
