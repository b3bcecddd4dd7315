"""The sums of a store are those of its events, whatever happened to it."""

import itertools
import math
import random
import signal
import sqlite3
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import DESCRIPTION, decide, written

from mobandits.logs import LogError, LogWarning, Store
from mobandits.logs.names import name_text
from mobandits.logs.store import SharedFile
from mobandits.logs.store.rollup import SLICE
from mobandits_service import rollup_reading as pages

PATIENCE = 60.0
EMPTY = '""'  # an objective whose name is empty

CHILD = """
import sys
from mobandits.logs.store import SharedFile, Store
first = int(sys.argv[2])
with SharedFile(sys.argv[1], "system") as file, Store(file, agent="a") as store:
    store.describe({"arms": ["x", "y"]})
    print("open", flush=True)
    for i in range(first, first + 1_000_000):
        store.append({"kind": "decide", "id": i, "time": 7.0 * i, "arm": i % 2, "propensity": 0.5})
        if i % 3:
            store.append({"kind": "learn", "id": i, "time": 7.0 * i, "rewards": {"q": i / 8}})
        if i % 20 == 0:
            file.committer.flush()
            print(i, flush=True)
"""


def slow_rollup(path):
    """The table as its docstring says it, from the events one by one."""
    cells = {}

    def add(agent, at, arm, objective, value):
        minute = 0 if at is None or not 0.0 <= at < 1e14 else math.floor(at / 60.0)
        n, total, squares = cells.get((agent, minute, arm, objective), (0, 0.0, 0.0))
        known = 0.0 if value is None else value
        cells[agent, minute, arm, objective] = (n + 1, total + known, squares + known * known)

    connection = sqlite3.connect(path)
    arms = {}
    for agent, number, at, arm, propensity in connection.execute(
        "SELECT agent, id, at, arm, propensity FROM decisions ORDER BY seq"
    ):
        arms[agent, number] = arm
        add(agent, at, arm, "", propensity)
    for agent, number, at, objective, value in connection.execute(
        "SELECT agent, decision, at, objective, value FROM rewards ORDER BY seq"
    ):
        add(agent, at, arms[agent, number], objective or EMPTY, value)
    connection.close()
    return cells


def kept_rollup(path):
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT * FROM rollup").fetchall()
    connection.close()
    return {tuple(row[:4]): tuple(row[4:]) for row in rows}


def assert_same(path):
    with SharedFile(path, "system") as file:
        until_counted(file)
    slow = slow_rollup(path)
    kept = kept_rollup(path)
    assert kept.keys() == slow.keys()
    for cell, (n, *sums) in slow.items():
        assert kept[cell][0] == n
        for one, other in zip(kept[cell][1:], sums, strict=True):
            assert math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def until_counted(file):
    """Wait for the thread that commits."""
    # What it has not written yet is not there to be counted.
    file.committer.flush()
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with file.lock:
            numbers = pages.agent_numbers(file._reading).values()
            if not any(pages.uncounted_events(file._reading, number) for number in numbers):
                return
        time.sleep(0.01)
    raise AssertionError("the sums are not caught up with")


TIMES = st.one_of(st.floats(0.0, 400.0), st.none(), st.sampled_from([-5.0, 1e15, 3]))
VALUES = st.floats(-4.0, 4.0)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["decide", "decide", "learn", "change", "refused", "restart", "embedded", "flush"]
        ),
        st.sampled_from("ab"),
        TIMES,
        VALUES,
        st.integers(0, 10),
    ),
    max_size=25,
)


class Life:
    """A file and two agents, to which all sorts of things happen."""

    def __init__(self, path):
        self.path = path
        self.next = {"a": 0, "b": 0}
        self.rewarded = {"a": set(), "b": set()}
        self.open()

    def open(self):
        self.file = SharedFile(self.path, "system")
        self.stores = {}
        for name in "ab":
            self.stores[name] = Store(self.file, agent=name)
            self.stores[name].describe(DESCRIPTION)

    def close(self):
        for store in self.stores.values():
            store.close()
        self.file.close()

    def happen(self, kind, name, at, value, pick):
        if kind == "restart":
            self.close()
            self.open()
        elif kind == "flush":
            self.file.committer.flush()
        elif kind == "refused":
            self.refuse(name)
        elif kind == "embedded":
            # An agent without a service, which keeps no sums.
            self.close()
            with Store(self.path, agent=name) as store:
                self.append(store, "decide", name, at, value, pick)
                self.append(store, "learn", name, at, value, pick)
            self.open()
        else:
            self.append(self.stores[name], kind, name, at, value, pick)

    def append(self, store, kind, name, at, value, pick):
        more = {} if at is None else {"time": at}
        if kind == "decide":
            number = self.next[name]
            self.next[name] += 1
            known = None if pick == 0 else pick / 16
            store.append(
                {"kind": "decide", "id": number, "arm": pick % 2, "propensity": known, **more}
            )
        elif kind == "learn":
            left = sorted(set(range(self.next[name])) - self.rewarded[name])
            if left:
                number = left[pick % len(left)]
                self.rewarded[name].add(number)
                rewards = {"quality": value, "": 0.25}
                store.append({"kind": "learn", "id": number, "rewards": rewards, **more})
        else:
            store.append({"kind": "preference", "order": pick, **more})

    def refuse(self, name):
        """A decision whose number was given before: its agent's events go, those of others stay."""
        self.file.committer.flush()
        if self.next[name] == 0:
            return
        event = {"kind": "decide", "id": 0, "time": 1.0, "arm": 0}
        self.stores[name].append(event)
        other = "b" if name == "a" else "a"
        self.append(self.stores[other], "decide", other, 61.0, 0.0, 3)
        self.file.committer.flush()
        self.stores[name].close()
        self.stores[name] = Store(self.file, agent=name)


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(steps=STEPS)
def test_the_sums_are_those_of_the_events(tmp_path_factory, steps):
    life = Life(tmp_path_factory.mktemp("rollup") / "log")
    for step in steps:
        life.happen(*step)
    life.close()
    assert_same(life.path)


def test_events_of_an_embedded_agent_are_counted_in_slices(tmp_path):
    count = 2 * SLICE + 100
    events = []
    for i in range(count):
        events.append({"kind": "decide", "id": i, "time": i / 3, "arm": i % 2, "propensity": 0.5})
        events.append({"kind": "learn", "id": i, "time": i / 2, "rewards": {"quality": i / 4}})
    with Store(tmp_path / "log") as store:
        store.describe(DESCRIPTION)
        store.extend(events)
    assert kept_rollup(tmp_path / "log") == {}
    with SharedFile(tmp_path / "log") as file, Store(file) as store:
        # What is appended meanwhile is counted after what was there.
        for i in range(count, count + 200):
            store.append({"kind": "decide", "id": i, "time": i / 3, "arm": 1, "propensity": 1.0})
    assert_same(tmp_path / "log")


@pytest.mark.long
def test_the_sums_of_a_killed_process_are_those_of_its_events(tmp_path):
    path = tmp_path / "log"
    rng = random.Random(5)
    first = 0
    for _ in range(4):
        command = [sys.executable, "-W", "ignore", "-c", CHILD, str(path), str(first)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout.readline().startswith("open")
            time.sleep(rng.uniform(0.0, 0.2))
            child.send_signal(signal.SIGKILL)
            child.stdout.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LogWarning)
            assert_same(path)
        connection = sqlite3.connect(path)
        (last,) = connection.execute("SELECT coalesce(max(id), -1) FROM decisions").fetchone()
        connection.close()
        first = last + 1
    assert first > 0


def test_a_group_that_cannot_be_written_leaves_no_sums(tmp_path):
    path = tmp_path / "log"
    with SharedFile(path, "system") as file, Store(file) as store:
        store.describe(DESCRIPTION)
        store.append({"kind": "decide", "id": 0, "time": 1.0, "arm": 0, "propensity": 0.5})
        file.committer.flush()
        pages_before = file._connection.execute("PRAGMA page_count").fetchone()[0]
        file._connection.execute(f"PRAGMA max_page_count = {pages_before}")
        big = {"kind": "preference", "order": "x" * 100_000}
        store.append({"kind": "decide", "id": 1, "time": 1.0, "arm": 0, "propensity": 0.5})
        store.append(big)
        file.committer.flush()
        with pytest.raises(LogError, match="full"):
            store.check_usable()
        file._connection.execute("PRAGMA max_page_count = 1000000")
    assert_same(path)


def test_no_reward_is_too_large_for_the_sums(tmp_path):
    path = tmp_path / "log"
    with SharedFile(path, "system") as file, Store(file) as store:
        store.describe(DESCRIPTION)
        for i, value in enumerate([1e308, 1e308, -1e308, -1e308, 1e200, 1.0]):
            store.append({"kind": "decide", "id": i, "time": 1.0, "arm": 0})
            store.append({"kind": "learn", "id": i, "time": 1.0, "rewards": {"quality": value}})
            file.committer.flush()
        store.check_usable()
    n, total, squares = kept_rollup(path)[1, 0, 0, "quality"]
    assert n == 6
    assert abs(total) < 1e309
    assert squares > 0.0


def test_what_pages_read_is_what_was_appended(tmp_path):
    events = []
    for i in range(40):
        events.append(
            {"kind": "decide", "id": i, "time": 30.0 * i, "arm": i % 2, "propensity": 0.5}
        )
        events.append(
            {"kind": "learn", "id": i, "time": 30.0 * i + 60.0, "rewards": {"quality": i / 4}}
        )
    path = written(tmp_path / "log", events)
    with SharedFile(path) as file:
        until_counted(file)
        numbers = pages.agent_numbers(file._reading)
        number = numbers["agent"]
        assert list(pages.arm_names(file._reading, number).values()) == DESCRIPTION["arms"]
        sums = pages.sums_between(file._reading, number, 0, 20, 5)
        assert pages.first_minute(file._reading, number) == 0
    made = [each for each in sums if each.objective is None]
    assert [(each.place, each.arm, each.n) for each in made] == [
        (place, arm, 5) for place in range(4) for arm in range(2)
    ]
    told = [each for each in sums if each.objective == "quality"]
    assert sum(each.n for each in told) == 38
    assert sum(each.total for each in told) == sum(range(38)) / 4
    assert name_text("quality") == "quality"


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "end", "width"), [(0, 50, 7), (3, 43, 5), (10, 11, 1), (9, 9, 4)]
)
def test_sums_of_stretches_are_those_of_their_minutes(tmp_path, first, end, width):
    rng = np.random.default_rng(0)
    path = tmp_path / "log"
    with SharedFile(path) as file, Store(file) as store:
        store.describe(DESCRIPTION)
        store.append(decide(0))
        until_counted(file)
        file._connection.execute("DELETE FROM rollup")
        cells = {}
        for minute in rng.choice(60, size=40, replace=False).tolist():
            for arm, objective in itertools.product(range(2), ("", "quality")):
                row = (minute, arm, objective, 1 + minute % 3, *rng.random(2).tolist())
                file._connection.execute("INSERT INTO rollup VALUES (1, ?, ?, ?, ?, ?, ?)", row)
                if first <= minute < end:
                    place = (minute - first) // width
                    cells.setdefault((place, arm, objective), []).append(row)
        found = pages.sums_between(file._reading, 1, first, end, width)

    for each, key in zip(found, sorted(cells), strict=True):
        place, arm, objective = key
        # In the order of minutes: sums of floats depend on it.
        rows = sorted(cells[key])
        assert each[:3] == (place, arm, objective or None)
        assert each.n == sum(row[3] for row in rows)
        assert each.total == pytest.approx(sum(row[4] for row in rows), rel=1e-15)
        assert each.squares == pytest.approx(sum(row[5] for row in rows), rel=1e-15)
