"""A store gives back what was appended, bit for bit, however often it is closed and opened."""

import copy
import math
import pickle
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from log_strategies import CHANGES, DECISIONS, EVENTS, NUMBERS, REWARDS
from stores import (
    DESCRIPTION,
    decide,
    events,
    exact,
    learn,
    preference,
    reread,
    same_events,
    written,
)

from mobandits.logs import LogError
from mobandits.logs.events import checked
from mobandits.logs.store import Store

DURABILITIES = ["disk", "system", "buffered"]


@pytest.mark.parametrize("durability", DURABILITIES)
def test_events_come_back(tmp_path, durability):
    given = [*events(6), {"kind": "add", "time": 9.0, "arm": "huge", "like": "small"}]
    path = written(tmp_path / "log", given, durability=durability)
    with Store(path) as store:
        assert store.description == DESCRIPTION
        assert len(store) == len(given)
        found = list(store.events())
        assert same_events(found, [checked(event) for event in given])
        assert same_events(store.events(after=4), [checked(event) for event in given[4:]])


def test_a_new_store_is_empty(tmp_path):
    with Store(tmp_path / "log") as store:
        assert store.description is None
        assert len(store) == 0
        assert list(store.events()) == []
        assert store.latest_snapshot() is None


@pytest.mark.long
@pytest.mark.parametrize(
    "event",
    [
        decide(0, time=-0.0),
        decide(0, context=[[-0.0, 5e-324], [1e300, 0.1]]),
        decide(0, context=[[], []]),
        decide(0, context=np.ones((3, 2), np.float32).T),
        decide(0, propensity=None, eligible=[1, 0]),
        decide(2**63 - 1, arm=2**63 - 1),
        decide(0, key="k", made_by="observed", active=False),
        decide(0, key="", made_by="us", active=True),
        decide(0, batch=True, own=True, rank=2, worker=3, snapshot=(1, 4), error=0.1),
        decide(0, key="k", request="r", front=[0, 1], further=[{"id": 1, "arm": 0, "error": 0.5}]),
        decide(0, made_by="observed", instead={"arm": 1, "propensity": 0.25}),
        learn(0, rewards={("b", 1): 1.0, "a": 2.0, None: 3.0, "3": 4.0, 3: 5.0}),
        learn(0, time=-0.0, batch=True, kind="learn"),
        {"kind": "preference", "time": 5, "order": None},
        {"kind": "preference", "order": {"\x00 odd": [1.5, "\x00", -0.0], ("a", 1): None}},
        {"kind": "clock", "spent": [(("cost", 1), "day", 0.5)]},
        {"kind": "correct", "id": 7, "rewards": {("b", 1): 1.0}, "was": {("b", 1): -0.0}},
        {"kind": "add", "arm": None, "was": "small", "by": "key"},
    ],
    ids=str,
)
def test_what_is_odd_comes_back_too(tmp_path, event):
    first = [decide(0)] if event["kind"] == "learn" else []
    given = [*first, event]
    wanted = [checked(one) for one in given]
    assert same_events(reread(written(tmp_path / "log", given)), wanted)


def test_a_reward_of_zero_has_no_sign(tmp_path):
    given = [decide(0), learn(0, rewards={"cost": -0.0, "quality": 0.0})]
    [_, found] = reread(written(tmp_path / "log", given))
    assert [math.copysign(1.0, value) for value in found.rewards.values()] == [1.0, 1.0]


def appendable(given):
    """The events that a store takes after those before them, as records."""
    decisions = set()
    rewarded = set()
    present = {"s"}
    keys = set()
    for event in given:
        kind = event.kind
        if kind == "decide":
            if event.id in decisions or event.key in keys:
                continue
            decisions.add(event.id)
            keys |= set() if event.key is None else {event.key}
        elif kind == "learn":
            pairs = {(event.id, repr(exact(name))) for name in event.rewards}
            if pairs & rewarded or event.id not in decisions:
                continue
            rewarded |= pairs
        elif kind in {"add", "remove"}:
            if (event.arm in present) == (kind == "add"):
                continue
            present ^= {event.arm}
        yield event


KEYED = st.builds(
    lambda event, more: event | more,
    DECISIONS,
    st.fixed_dictionaries(
        {},
        optional={
            "key": st.text(st.characters(codec="utf-8")),
            "made_by": st.sampled_from(["us", "observed"]),
            "active": st.booleans(),
        },
    ),
)
SMALL = st.integers(0, 4)
LESSONS = st.fixed_dictionaries(
    {"kind": st.just("learn"), "id": SMALL, "rewards": REWARDS}, optional={"time": NUMBERS}
)
FEW = KEYED.map(lambda event: event | {"id": event["id"] % 5})
ALL = st.lists(EVENTS | CHANGES | FEW | LESSONS, max_size=12)


@pytest.mark.long
@settings(max_examples=60)
@given(ALL, st.sampled_from(DURABILITIES))
def test_any_events_are_those_of_the_slow_twin(tmp_path_factory, given, durability):
    path = tmp_path_factory.mktemp("store") / "log"
    twin = []
    with Store(path, durability) as store:
        store.describe({"arms": ["s"]})
        for event in given:
            try:
                wanted = checked(event)
            except LogError:
                with pytest.raises(LogError):
                    store.append(event)
                continue
            if len(list(appendable([*twin, wanted]))) > len(twin):
                twin.append(wanted)
                store.append(event)
            else:
                with pytest.raises(LogError):
                    store.append(event)
        assert len(store) == len(twin)
    assert same_events(reread(path), twin)


class Stores(RuleBasedStateMachine):
    """A store, and beside it a list and a dictionary."""

    @initialize(durability=st.sampled_from(DURABILITIES))
    def begin(self, durability):
        import tempfile  # noqa: PLC0415

        self.folder = tempfile.TemporaryDirectory()
        self.durability = durability
        self.twin = []
        self.states = {}
        self.open()
        self.store.describe({"arms": ["s"]})

    def open(self):
        self.store = Store(f"{self.folder.name}/log", self.durability)

    @rule(listed=ALL)
    def extend(self, listed):
        fitting = list(appendable([*self.twin, *map(checked, listed)]))
        new = fitting[len(self.twin) :]
        if len(new) == len(listed):
            self.store.extend(listed)
            self.twin += new
        else:
            with pytest.raises(LogError):
                self.store.extend(iter(listed))

    @rule(event=FEW | LESSONS | CHANGES)
    def append(self, event):
        self.extend([event])

    @rule(state=st.binary(max_size=20))
    def snapshot(self, state):
        self.store.snapshot(state)
        self.states[len(self.twin)] = state

    @rule(after=SMALL)
    def read_behind(self, after):
        assert same_events(self.store.events(after), self.twin[after:])

    @rule()
    def reopen(self):
        self.store.close()
        self.open()

    @rule()
    def flush(self):
        self.store.flush()

    @invariant()
    @precondition(lambda self: hasattr(self, "store"))
    def is_the_twin(self):
        assert len(self.store) == len(self.twin)
        newest = sorted(self.states.items(), reverse=True)[:3]
        assert [tuple(one) for one in self.store.snapshots()] == newest

    def teardown(self):
        if hasattr(self, "store"):
            assert same_events(self.store.events(), self.twin)
            self.store.close()
            self.folder.cleanup()


Stores.TestCase.settings = settings(max_examples=25, stateful_step_count=15)
test_any_calls_are_those_of_the_slow_twin = pytest.mark.long(Stores.TestCase)


@pytest.mark.long
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "decide", "id": -1, "arm": 0}, "event.id must be int >= 0, got -1"),
        ({"kind": "decide", "id": 9, "arm": 0, "context": []}, "event.context must be a list"),
        ({"kind": "decide", "id": 9, "arm": 0, "context": [["1"]]}, "event.context must be a list"),
        ({"kind": "decide", "id": 9, "arm": 0, "context": [[float("inf")]]}, "must be finite"),
        (decide(0), "event.id must not be there already"),
        (decide(9, key="k"), "event.key must not be there already"),
        (learn(77), "event.id must be of a decision that is there"),
        (learn(0, rewards={"cost": 2.0}), "event.rewards must not be there already"),
        (preference(float("nan")), "must be finite"),
        (preference("\ud800"), "UTF-8"),
        ({"kind": "note"}, "event.kind must be one of"),
        (decide(9, note=1), "event must not have the field note"),
        ({"kind": "add", "arm": "small"}, "must not be there already"),
        ({"kind": "remove", "arm": "huge"}, "must be there to be removed"),
        (7, "event must be a dictionary"),
    ],
    ids=str,
)
@pytest.mark.parametrize("durability", ["system", "buffered"])
def test_what_is_refused_leaves_nothing_behind(tmp_path, durability, wrong, said):
    given = [decide(0, key="k"), learn(0)]
    with Store(written(tmp_path / "log", given), durability) as store:
        with pytest.raises(LogError, match=said):
            store.append(wrong)
        with pytest.raises(LogError, match=said):
            store.extend([decide(1), {"kind": "remove", "arm": ("large", 2)}, wrong])
        store.append({"kind": "remove", "arm": "small"})
        assert len(store) == 3
    assert same_events(reread(store.path)[:2], [checked(event) for event in given])


def test_what_json_cannot_hold_is_refused(tmp_path):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with Store(tmp_path / "log") as store:
        for value in (deep, 10**5000):
            with pytest.raises(LogError):
                store.append(preference(value))
        assert len(store) == 0


@pytest.mark.long
def test_events_of_megabytes(tmp_path):
    note = preference({"text": "ä" * 2**21, "list": list(range(50_000))})
    given = [note, decide(0, context=[[0.5] * 2**17, [0.25] * 2**17])]
    assert same_events(reread(written(tmp_path / "log", given)), map(checked, given))


@pytest.mark.parametrize("durability", DURABILITIES)
def test_what_the_caller_does_with_an_event_afterwards_does_not_matter(tmp_path, durability):
    context = np.array([[1.0, 2.0]])
    lesson = learn(0)
    seen = [1, {"x": (2.0,)}]
    with Store(tmp_path / "log", durability) as store:
        store.extend([decide(0, context=context), lesson, preference(seen)])
        context[:] = 7.0
        lesson["rewards"]["quality"] = 3.0
        seen.append(4)
    wanted = [decide(0, context=[[1.0, 2.0]]), learn(0), preference([1, {"x": (2.0,)}])]
    assert same_events(reread(tmp_path / "log"), map(checked, wanted))


def test_an_iterator_may_read_the_store_itself(tmp_path):
    with Store(written(tmp_path / "log", events(3))) as store:
        store.extend(preference(event.id) for event in store.events())
        assert [event.order for event in store.events(after=3)] == [0, 1, 2]


def test_what_is_appended_meanwhile_is_not_read(tmp_path):
    with Store(written(tmp_path / "log", events(3))) as store:
        found = store.events()
        next(found)
        store.append(decide(3))
        assert [event.id for event in found] == [1, 2]


def test_another_agent_has_events_of_its_own(tmp_path):
    path = written(tmp_path / "log", events(3))
    with Store(path, agent="other") as other:
        assert other.description is None
        other.append(decide(0))
        assert len(other) == 1
    assert len(reread(path)) == 3


def test_another_description_is_refused(tmp_path):
    with Store(written(tmp_path / "log", [])) as store:
        store.describe(DESCRIPTION)
        with pytest.raises(LogError, match="has an agent with features = 2, now 3"):
            store.describe(DESCRIPTION | {"features": 3})
        with pytest.raises(LogError, match="has an agent with seed = None, now 3"):
            store.describe(DESCRIPTION | {"seed": 3})


@pytest.mark.parametrize("description", [None, {"x": {1}}, {"arms": "small"}, {"arms": ["a", "a"]}])
def test_descriptions_that_files_cannot_hold_are_refused(tmp_path, description):
    with Store(tmp_path / "log") as store:
        with pytest.raises(LogError):
            store.describe(description)
        assert store.description is None


def test_arms_are_numbered_for_other_tools(tmp_path):
    given = [
        {"kind": "add", "arm": "huge"},
        {"kind": "remove", "arm": "small"},
        {"kind": "add", "arm": "small"},
    ]
    path = written(tmp_path / "log", given)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT number, name FROM arms ORDER BY number").fetchall()
    assert rows == [(0, "small"), (1, '{"tuple":["large",2]}'), (2, "huge")]


def test_the_last_three_snapshots_are_kept(tmp_path):
    with Store(tmp_path / "log") as store:
        with pytest.raises(LogError, match="must have a description before a snapshot"):
            store.snapshot(b"")
        for i in range(5):
            store.append(decide(i))
            store.snapshot(b"%d" % i)
        store.snapshot(b"again")
        assert list(store.snapshots()) == [(5, b"again"), (4, b"3"), (3, b"2")]
        assert store.latest_snapshot() == (5, b"again")


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda function: function.__name__
)
def test_copies_say_what_to_do(tmp_path, copied):
    with (
        Store(tmp_path / "log") as store,
        pytest.raises(TypeError, match=f"Store cannot be copied.*{tmp_path}"),
    ):
        copied(store)


def test_a_closed_store_says_so(tmp_path):
    store = Store(written(tmp_path / "log", events(2)))
    store.close()
    store.close()
    for call in (lambda: store.append(decide(5)), store.flush, store.events, store.snapshots):
        with pytest.raises(LogError, match="was closed: open it again"):
            list(call())


@pytest.mark.parametrize("durability", ["sync", None])
def test_durability_is_one_of_three(tmp_path, durability):
    with pytest.raises(ValueError, match=r"Store\.durability must be"):
        Store(tmp_path / "log", durability)
