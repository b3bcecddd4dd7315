"""Progress where somebody looks, nothing elsewhere, and never an error of its own."""

import io
import sys
import threading
import types

import numpy as np
import pytest
from twins.tiny import Plain, Tiny

from mobandits.compiling import at_hand
from mobandits.evaluation import ConstantTarget, Uniform, compare, evaluate
from mobandits.logs import Feedback
from mobandits.simulation import simulate
from mobandits.support import progress as progress_module
from mobandits.support.progress import (
    LateDisplay,
    NotebookBar,
    TerminalBar,
    check_progress,
    display_here,
    shown_progress,
)

SMALL = {"rounds": 300, "trials": 3, "metrics": ["reward"]}


class Recorded:
    """A display that keeps what it was asked to draw."""

    def __init__(self):
        self.calls = []

    def show(self, done, total):
        self.calls.append((done, total))

    def close(self):
        self.calls.append("closed")


class Broken(Recorded):
    """A display whose terminal went away."""

    def show(self, done, total):
        super().show(done, total)
        raise BrokenPipeError

    def close(self):
        raise BrokenPipeError


class Terminal(io.StringIO):
    """A stream that says that somebody looks at it."""

    def isatty(self):
        return True


class Handle:
    """What IPython's `display` returns."""

    def __init__(self, first):
        self.drawn = [first]

    def update(self, drawn, raw):
        assert raw is True
        self.drawn.append(drawn)


class Notebook:
    """Stands in for IPython in a kernel."""

    def __init__(self):
        self.handles = []

    def display(self, drawn, raw, display_id):
        assert raw is display_id is True
        self.handles.append(Handle(drawn))
        return self.handles[-1]


@pytest.fixture
def notebook(monkeypatch):
    shown = Notebook()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    module = types.ModuleType("IPython.display")
    module.display = shown.display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return shown


class Timer:
    """A timer that rings at once, or never."""

    rings = True

    def __init__(self, delay, action):
        assert delay == progress_module.DELAY
        self.action = action
        self.cancelled = False

    def start(self):
        if self.rings:
            self.action()

    def cancel(self):
        self.cancelled = True


class NeverTimer(Timer):
    rings = False


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(threading, "Timer", Timer)


def test_nothing_is_shown_where_there_is_no_terminal(capfd):
    before = threading.active_count()
    simulate(Plain(), Tiny(), **SMALL)
    simulate(Plain(), Tiny(), **SMALL, progress="auto")
    assert capfd.readouterr() == ("", "")
    assert threading.active_count() == before
    assert display_here("simulate", "rounds") is None


def test_no_stderr_at_all(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert display_here("simulate", "rounds") is None


def test_false_and_none_show_nothing_in_a_terminal(monkeypatch, at_once):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    for off in (False, None):
        simulate(Plain(), Tiny(), **SMALL, progress=off)
    assert terminal.getvalue() == ""


def test_a_terminal_gets_a_bar_and_the_same_table(monkeypatch, at_once):
    terminal = Terminal()
    quiet = simulate(Plain(), Tiny(), **SMALL, progress=False).table
    monkeypatch.setattr(sys, "stderr", terminal)
    shown = simulate(Plain(), Tiny(), **SMALL).table
    assert shown.equals(quiet)
    assert "simulate" in terminal.getvalue()
    assert isinstance(display_here("simulate", "rounds"), TerminalBar)


def test_short_runs_draw_nothing(monkeypatch):
    monkeypatch.setattr(threading, "Timer", NeverTimer)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    simulate(Plain(), Tiny(), **SMALL)
    assert terminal.getvalue() == ""


def test_a_notebook_gets_a_bar_that_leaves_nothing_behind(notebook, at_once):
    simulate(Plain(), Tiny(), **SMALL)
    (handle,) = notebook.handles
    texts = [drawn["text/plain"] for drawn in handle.drawn]
    assert texts[0].startswith("simulate: starting")
    assert "simulate: 900 of 900 rounds" in texts
    assert '<progress value="900" max="900">' in handle.drawn[-2]["text/html"]
    assert set(handle.drawn[-1].values()) == {""}


def test_ipython_in_a_terminal_is_no_notebook(monkeypatch):
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = object
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert display_here("simulate", "rounds") is None
    ipython.get_ipython = lambda: None
    assert display_here("simulate", "rounds") is None


def test_a_notebook_gets_a_message_per_step_that_can_be_seen():
    shown = Notebook()
    bar = NotebookBar("<b>", "rounds", shown.display)
    for done in range(100_001):
        bar.show(done, 100_000)
    (handle,) = shown.handles
    assert len(handle.drawn) == 201
    assert "&lt;b&gt;" in handle.drawn[7]["text/html"]
    assert "<b>" not in handle.drawn[7]["text/html"]


def test_a_display_appears_late_with_what_was_done_before():
    display = Recorded()
    late = LateDisplay(display)
    late(0, 5)
    late(2, 5)
    assert display.calls == []
    late.appear()
    late(3, 5)
    late.close()
    late(4, 5)
    late.appear()
    late.close()
    assert display.calls == [(2, 5), (3, 5), "closed"]


def test_a_display_that_never_appeared_is_not_closed():
    display = Recorded()
    late = LateDisplay(display)
    late(1, 5)
    late.close()
    late.appear()
    assert display.calls == []


def test_a_display_that_breaks_is_left_alone():
    display = Broken()
    late = LateDisplay(display)
    late.appear()
    late(1, 5)
    late.close()
    assert display.calls == [(0, None)]
    other = Recorded()
    other.close = Broken().close
    late = LateDisplay(other)
    late.appear()
    late.close()


def test_a_bar_says_what_is_played_in_python(monkeypatch):
    published = []
    bar = NotebookBar(
        at_hand.Played("simulate"),
        "rounds",
        lambda drawn, **_: published.append(drawn["text/plain"]),
    )
    bar.show(1, 2)
    bar._handle = None
    monkeypatch.setattr(at_hand._helper, "_wanted", [("a loop", ())])
    bar.show(2, 2)
    assert published == [
        "simulate: 1 of 2 rounds",
        "simulate, in Python until a child process has compiled it: 2 of 2 rounds",
    ]


def test_the_bar_is_removed_where_the_work_fails(monkeypatch, at_once):
    display = Recorded()
    monkeypatch.setattr(progress_module, "display_here", lambda what, unit: display)

    def work():
        with shown_progress("auto", "x", "rounds") as report:
            report(1, 2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert display.calls == [(0, None), (1, 2), "closed"]


@pytest.mark.parametrize("wrong", [True, 0, 1, "yes", [], np.array(["auto"])])
def test_other_values_are_refused_before_anything_is_played(wrong):
    with pytest.raises(ValueError, match="progress must be 'auto', False or a function of two"):
        check_progress(wrong)
    with pytest.raises(ValueError, match="progress must be 'auto', False or a function of two"):
        simulate(Plain(), Tiny(), rounds=-1, progress=wrong)
    with pytest.raises(ValueError, match="progress must be 'auto', False or a function of two"):
        compare(None, {}, progress=wrong)


def test_compare_counts_targets(monkeypatch, at_once, capfd):
    rng = np.random.default_rng(0)
    arms = rng.integers(0, 2, 100)
    log = Feedback(np.ones((100, 1)), arms, rng.random((100, 1)), [0.5] * 100, "ab", "q")
    told = []
    targets = {"a": ConstantTarget("a"), "uniform": Uniform()}
    compare(log, targets, "ips", progress=lambda *counts: told.append(counts))
    assert told == [(0, 2), (1, 2), (2, 2)]
    compare(log, targets, "ips")
    assert capfd.readouterr() == ("", "")
    display = Recorded()
    monkeypatch.setattr(progress_module, "display_here", lambda what, unit: display)
    compare(log, targets, "ips")
    assert display.calls == [(0, None), (0, 2), (1, 2), (2, 2), "closed"]
    evaluate(log, Uniform(), "ips")
    assert display.calls[-1] == "closed"
    assert len(display.calls) == 5
