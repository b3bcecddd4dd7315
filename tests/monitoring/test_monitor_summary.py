"""The history of an agent in numbers: against plain Python, in windows, of all kinds of stores."""

import gc
import math
import sqlite3
import sys
import weakref

import numpy as np
import pytest
from monitor_twin import decisions_of, window_twin

import mobandits as mob
from mobandits.agent import Objective
from mobandits.errors import LogError
from mobandits.logs import Store, export
from mobandits.logs.store import outcomes
from mobandits.monitoring import summary
from mobandits.monitoring.summary import usual_size
from mobandits.monitoring.windows import drop_beyond

OWN = {
    "arms": ["small", "large"],
    "objectives": [{"name": "quality", "minimise": False}, {"name": "cost", "minimise": True}],
}
pytestmark = pytest.mark.filterwarnings("ignore::mobandits.errors.LogWarning")
NO_DEFAULTS = {"quality": (None, None), "cost": (None, None)}


def written(path, events, description=OWN):
    with Store(path) as store:
        store.describe(description)
        store.extend(events)
    return path


def close(found, expected):
    for key, value in expected.items():
        if isinstance(value, dict):
            close(found[key], value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for mine, theirs in zip(found[key], value, strict=True):
                close(mine, theirs)
        elif isinstance(value, float):
            assert found[key] == pytest.approx(value, rel=1e-12, abs=1e-12), key
        else:
            assert found[key] == value, key


def same_as_twin(path, found, size, objectives, max_age=math.inf):
    decisions, now = decisions_of(path)
    arms = len(found["arms"])
    assert found["decisions"] == len(decisions)
    assert len(found["windows"]) == math.ceil(len(decisions) / size)
    for w, window in enumerate(found["windows"]):
        own = decisions[w * size : (w + 1) * size]
        assert (window["first"], window["last"]) == (w * size + 1, w * size + len(own))
        assert window["start"] == own[0].get("time")
        close(window, window_twin(own, arms, objectives, now, max_age))


def random_decision(rng, i, now, present):
    arm = int(rng.choice(present))
    event = {"kind": "decide", "id": i, "time": now, "arm": arm, "propensity": None}
    if rng.random() < 0.8:
        event["propensity"] = float(rng.choice([1.0, 0.25, 0.01]))
    further = {"eligible": [arm], "active": False, "made_by": "observed"}
    return event | {key: value for key, value in further.items() if rng.random() < 0.2}


def random_events(seed, n, *, timed=True):
    """Decisions of all kinds, rewards in parts and late, arms that come and go."""
    rng = np.random.default_rng(seed)
    events, now, present, waiting = [], 1000.0, [0, 1], []
    for i in range(n):
        now += float(rng.exponential(10.0))
        events.append(random_decision(rng, i, now, present))
        waiting += [(i, "quality"), (i, "cost")]
        if i == n // 3:
            events.append({"kind": "add", "arm": "huge", "time": now})
            present.append(2)
        if i == n // 2:
            events.append({"kind": "remove", "arm": "small", "time": now})
            present.remove(0)
        for _ in range(min(int(rng.integers(4)), len(waiting))):
            number, name = waiting.pop(int(rng.integers(len(waiting))))
            rewards = {name: float(rng.normal())}
            events.append({"kind": "learn", "id": number, "time": now, "rewards": rewards})
        changes = [kind for kind in ("abandon", "activate") if rng.random() < 0.1]
        number = int(rng.integers(i + 1))
        events += [{"kind": kind, "id": number, "time": now} for kind in changes]
    return once(events if timed else [untimed(event) for event in events])


def untimed(event):
    """An event without its time, where it is a decision or a reward."""
    if event["kind"] not in {"decide", "learn"}:
        return event
    return {key: value for key, value in event.items() if key != "time"}


def once(events):
    """Of several times that a decision was abandoned or activated, the first."""
    seen, kept = set(), []
    for event in events:
        key = (event["kind"], event.get("id"))
        if event["kind"] in {"abandon", "activate"} and key in seen:
            continue
        seen.add(key)
        kept.append(event)
    return kept


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("block", [7, 2000])
def test_numbers_are_those_of_the_twin(tmp_path, monkeypatch, seed, block):
    monkeypatch.setattr(outcomes, "BLOCK", block)
    path = written(tmp_path / "a.db", random_events(seed, 130))
    found = summary(path, window=40)
    same_as_twin(path, found, 40, NO_DEFAULTS)
    assert [arm["name"] for arm in found["arms"]] == ["small", "large", "huge"]
    assert not found["shortened"]
    assert "no snapshot" in found["calibration"]["why"]


def test_defaults_and_age_limits_are_those_of_the_twin(tmp_path):
    limits = {"max_age": 300.0, "limit": 10_000, "defaults": [[0.0, 120.0], [None, None]]}
    path = written(tmp_path / "a.db", random_events(5, 150), OWN | limits)
    found = summary(path, window=50)
    same_as_twin(path, found, 50, {"quality": (0.0, 120.0), "cost": (None, None)}, 300.0)
    assert sum(window["rewards"][0]["by_default"] for window in found["windows"])
    assert sum(window["status"]["dropped"] for window in found["windows"])


def test_a_store_without_times(tmp_path):
    path = written(tmp_path / "a.db", random_events(6, 60, timed=False))
    found = summary(path, window=30)
    assert (found["start"], found["end"]) == (None, None)
    assert [age["count"] for window in found["windows"] for age in window["ages"]] == [0] * 4
    with pytest.raises(LogError, match="must have a time"):
        summary(path, window_by="day")


@pytest.mark.parametrize("period", ["day", "hour"])
def test_windows_of_days_and_hours(tmp_path, period):
    seconds = {"day": 86_400.0, "hour": 3_600.0}[period]
    times = [10.5 * seconds, 10.9 * seconds, 11.0 * seconds, 14.2 * seconds]
    events = [
        {"kind": "decide", "id": i, "time": at, "arm": 0, "propensity": 1.0}
        for i, at in enumerate(times)
    ]
    found = summary(written(tmp_path / "a.db", events), window_by=period)
    assert [window["decisions"] for window in found["windows"]] == [2, 1, 1]
    assert [window["start"] for window in found["windows"]] == [times[0], times[2], times[3]]
    assert found["window"] == period


def test_times_that_fall_make_no_periods(tmp_path):
    events = [
        {"kind": "decide", "id": i, "time": at, "arm": 0, "propensity": 1.0}
        for i, at in enumerate((3e5, 1e5))
    ]
    path = written(tmp_path / "a.db", events)
    with pytest.raises(LogError, match="times of decisions must not fall"):
        summary(path, window_by="day")
    assert summary(path)["decisions"] == 2


def test_a_store_without_decisions_and_one_without_rewards(tmp_path):
    empty = summary(written(tmp_path / "empty.db", []))
    assert (empty["decisions"], empty["windows"], empty["alarms"]) == (0, [], [])
    assert empty["drift"]["intervals"] == [None, None]
    decisions = [{"kind": "decide", "id": i, "arm": 0, "propensity": 0.5} for i in range(5)]
    found = summary(written(tmp_path / "unrewarded.db", decisions))
    (window,) = found["windows"]
    assert [reward["mean"] for reward in window["rewards"]] == [None, None]
    assert window["status"]["waiting"] == 5
    assert found["alarms"] == [
        "Rewards: no quality was ever reported.",
        "Rewards: no cost was ever reported.",
        "Waiting: 100 % of the decisions still wait for a reward.",
    ]


def test_one_arm_is_no_certain_choice(tmp_path):
    description = {"arms": ["only"], "objectives": ["quality"]}
    events = []
    for i in range(120):
        events.append({"kind": "decide", "id": i, "arm": 0, "propensity": 1.0})
        events.append({"kind": "learn", "id": i, "rewards": {"quality": 0.5}})
    found = summary(written(tmp_path / "a.db", events, description))
    assert found["alarms"] == []
    assert {window["propensities"]["choices"] for window in found["windows"]} == {0}


def test_a_log_of_certain_or_unknown_propensities_cannot_value_others(tmp_path):
    for propensity, said in ((1.0, "certain"), (None, "not known")):
        events = []
        for i in range(120):
            events.append({"kind": "decide", "id": i, "arm": i % 2, "propensity": propensity})
            rewards = {"quality": 0.5, "cost": 1.0}
            events.append({"kind": "learn", "id": i, "rewards": rewards})
        (alarm,) = summary(written(tmp_path / f"{propensity}.db", events))["alarms"]
        assert alarm.startswith("Evaluation: ")
        assert said in alarm


def test_what_is_dropped_because_too_many_wait():
    windows = [
        {"complete": 0, "waiting": 4, "inactive": 1, "abandoned": 0, "dropped": 0},
        {"complete": 2, "waiting": 3, "inactive": 0, "abandoned": 0, "dropped": 1},
    ]
    drop_beyond(math.inf, windows)
    assert windows[0]["waiting"] == 4
    drop_beyond(5, windows)
    assert [status["waiting"] for status in windows] == [1, 3]
    assert [status["inactive"] for status in windows] == [1, 0]
    assert [status["dropped"] for status in windows] == [3, 1]


def test_the_default_size_leaves_forty_windows_or_fewer():
    for decisions in (1, 49, 51, 1999, 2001, 123_456, 10**9):
        size = usual_size(decisions)
        assert size >= 50
        assert math.ceil(decisions / size) <= 40


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 1}, "window must be"),
        ({"window": 2.5}, "window must be"),
        ({"window_by": "week"}, "window_by must be"),
        ({"window": 5, "window_by": "day"}, "window must be left out with window_by"),
        ({"window": 2}, "at most 1000 windows"),
        ({"agent": "other"}, "must have an agent 'other'"),
    ],
)
def test_refusals(tmp_path, options, message):
    path = tmp_path / "a.db"
    if not path.exists():
        events = [
            {"kind": "decide", "id": i, "arm": 0, "propensity": 1.0, "time": i / 1.0}
            for i in range(2003)
        ]
        written(path, events)
    with pytest.raises(ValueError, match=message):
        summary(path, **options)


def test_what_is_no_store_and_what_is_damaged(tmp_path):
    with pytest.raises(LogError, match="must be a store"):
        summary(tmp_path / "nothing.db")
    path = written(tmp_path / "a.db", random_events(0, 40))
    changes = {
        "UPDATE decisions SET arm = 1 - arm WHERE id = 7": "is damaged: event",
        "UPDATE rewards SET value = value + 1 WHERE seq = (SELECT max(seq) FROM rewards)": "damaged",
        "DELETE FROM rewards WHERE seq = (SELECT min(seq) FROM rewards)": "is damaged: it has",
    }
    for i, (statement, message) in enumerate(changes.items()):
        other = tmp_path / f"{i}.db"
        with Store(path) as store:
            store.copy(other)
        connection = sqlite3.connect(other)
        connection.execute(statement)
        connection.commit()
        connection.close()
        with pytest.raises(LogError, match=message):
            summary(other)


class Clock:
    now = 1_769_860_800.0

    def __call__(self):
        return self.now


def lived(path, rounds=120, **options):
    """A store that an agent wrote, of rewards that come one decision later."""
    clock = Clock()
    objectives = [Objective("click", default=0.0, after=600.0), Objective("cost", minimise=True)]
    agent = mob.Agent(
        mob.policies.MolUcb(scale=0.3),
        arms=["small", "large"],
        features=2,
        objectives=objectives,
        propensity="exact",
        seed=3,
        log=path,
        clock=clock,
        **options,
    )
    rng = np.random.default_rng(1)
    for i in range(rounds):
        clock.now += 60.0
        decision = agent.decide(rng.random(2))
        agent.learn(decision.id, {"cost": float(rng.random())})
        if rng.random() < 0.3:
            agent.learn(decision.id, {"click": 1.0})
        if i == rounds // 2:
            agent.add_arm("huge")
        if i % 10 == 0:
            agent.adopt(rng.random(2), "large", rewards={"cost": 0.5})
        if i % 13 == 0:
            agent.decide(rng.random(2), active=False)
        if i % 17 == 0:
            agent.abandon(agent.decide(rng.random(2)).id)
    return agent, clock


@pytest.mark.usefixtures("interpreted")
def test_the_history_of_an_agent_while_it_runs(tmp_path):
    path = tmp_path / "a.db"
    agent, _ = lived(path)
    agent.checkpoint()
    found = summary(path, window=50)
    agent.close()
    same_as_twin(path, found, 50, {"click": (0.0, 600.0), "cost": (None, None)})
    assert found["calibration"]["why"] == ""
    kinds = {kind for window in found["windows"] for kind, n in window["status"].items() if n}
    assert kinds == {"complete", "waiting", "inactive", "abandoned"}
    assert sum(window["observed"] for window in found["windows"]) == 12
    assert found["recipe"].startswith("MolUcb(")


@pytest.mark.usefixtures("interpreted")
def test_a_shortened_store(tmp_path):
    path = tmp_path / "a.db"
    agent, clock = lived(path)
    agent.checkpoint()
    before = clock.now - 3000.0
    export(path, tmp_path / "old.parquet", before=before, delete=True)
    rng = np.random.default_rng(7)
    for _ in range(60):
        clock.now += 60.0
        agent.learn(agent.decide(rng.random(2)).id, {"cost": 0.5, "click": 0.0})
    agent.close()
    found = summary(path, window=20)
    assert found["shortened"]
    known = [window["calibration"][0]["count"] for window in found["windows"]]
    assert known[0] == 0
    # The last decisions are younger than the default's time limit.
    assert max(known[-3:]) > 0
    assert found["calibration"]["first"] > 1


def test_the_memory_does_not_grow_with_the_log(tmp_path, monkeypatch):
    """A window is read in blocks, and nothing of it is kept but its summary."""
    path = written(tmp_path / "a.db", random_events(9, 400))
    alive = []
    references = []
    module = sys.modules["mobandits.monitoring.summary"]
    original = module.window_data

    def counted(history, window):
        gc.collect()
        alive.append(sum(reference() is not None for reference in references))
        data = original(history, window)
        references.append(weakref.ref(data.rewards))
        return data

    monkeypatch.setattr(module, "window_data", counted)
    # What the tests before this one have left is not looked at 40 times: it made this test take 20 seconds.
    gc.freeze()
    found = summary(path, window=10)
    gc.unfreeze()
    assert len(found["windows"]) == len(alive) == 40
    assert max(alive) <= 2
