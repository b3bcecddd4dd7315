"""Decisions from the first call to the last: keys, inactive decisions, what is abandoned, and time without calls."""

import numpy as np
import pytest
from slow_twin import Clock
from test_all_or_nothing import full_disk
from test_recording import everything

import mobandits as mob
from mobandits.agent import Objective
from mobandits.logs import Store
from mobandits.policies import MolTs, MolUcb, RandomChoice

AFTER = 10.0
pytestmark = pytest.mark.usefixtures("interpreted")


def agent_of(clock, log=None, **other):
    objectives = [Objective("x", default=0.25, after=AFTER), "y"]
    options = {"arms": ["a", "b", "c"], "features": 2, "objectives": objectives, "seed": 4}
    return mob.Agent(MolUcb(scale=0.3), **{**options, **other}, clock=clock, log=log)


def opened_again(agent, clock, path, snapshot, **other):
    """The agent from its log, after a snapshot or as a killed process leaves it."""
    if snapshot:
        agent.close()
    else:
        agent.core.writer.store.close()
    return agent_of(clock, path, **other)


# --- keys


@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize("propensity", ["none", "sampled"])
def test_the_same_key_and_context_are_the_same_decision(tmp_path, logged, propensity):
    log = tmp_path / "log" if logged else None
    options = {"arms": ["a", "b", "c"], "features": 2, "objectives": 2, "propensity": propensity}
    agent = mob.Agent(MolTs(scale=0.3), samples=3, **options, log=log)
    rows = np.arange(6.0).reshape(3, 2) / 7.0
    first = agent.decide(rows, key="one")
    before = everything(agent)
    again = agent.decide(rows.tolist(), key="one")
    assert again == first
    assert (again.replayed, first.replayed, again.eligible) == (True, False, first.eligible)
    np.testing.assert_array_equal(again.context, first.context)
    assert everything(agent) == before
    some = agent.decide(rows, iter(["c", "a"]), key="two")
    same = agent.decide(rows, ["c", "a"], key="two")
    assert (same, same.eligible) == (some, ("c", "a"))
    np.testing.assert_array_equal(same.context, some.context)
    named = {"b": rows[0], "a": rows[1]}
    assert agent.decide(named, key="three") == agent.decide(named, key="three")
    assert agent.waiting == 3
    agent.close()


@pytest.mark.parametrize("logged", [True, False])
def test_a_key_stands_for_one_context(tmp_path, logged):
    agent = agent_of(Clock(), tmp_path / "log" if logged else None)
    agent.decide([0.5, 0.1], key="one")
    refusal = "key must be another one for another context, arms, `active` or session, got"
    for context, eligible in (([0.5, 0.2], None), ([0.5, 0.1], ["a"])):
        with pytest.raises(ValueError, match=refusal):
            agent.decide(context, eligible, key="one")
    with pytest.raises(ValueError, match=refusal):
        agent.decide([0.5, 0.1], key="one", active=False)
    prepared = agent.decide([0.5, 0.1], key="three", active=False)
    assert agent.decide([0.5, 0.1], key="three", active=False) == prepared
    agent.abandon(prepared.id)
    assert agent.decide([0.5, 0.2], key="two").id == 2
    agent.close()


@pytest.mark.parametrize("snapshot", [True, False])
def test_a_store_knows_keys_from_before(tmp_path, snapshot):
    path, clock = tmp_path / "log", Clock()
    agent = agent_of(clock, path, propensity="exact")
    first = agent.decide([0.5, 0.1], key="one")
    part = agent.decide([0.5, 0.1], ["c", "a"], key="two")
    agent.add_arm("d")
    agent.remove_arm("b")
    again = opened_again(agent, clock, path, snapshot, propensity="exact")
    for made, eligible, key in ((first, None, "one"), (part, ["c", "a"], "two")):
        same = again.decide([0.5, 0.1], eligible, key=key)
        assert (same, same.eligible, same.replayed) == (made, made.eligible, True)
    assert again.decide([0.5, 0.1], key="three").id == 2
    again.close()


def test_without_a_log_the_last_keys_are_remembered():
    agent = agent_of(Clock(), remembered=2)
    made = [agent.decide([0.5, 0.1], key=str(i)).id for i in range(3)]
    assert made == [0, 1, 2]
    assert agent.decide([0.5, 0.1], key="2").id == 2
    assert agent.decide([0.5, 0.1], key="0").id == 3


@pytest.mark.parametrize("bad", ["", "x" * 256, 5, b"a", "\ud800"])
def test_keys_are_texts(bad):
    agent = agent_of(Clock())
    with pytest.raises(ValueError, match="key must be a text of 1 to 255 characters, got"):
        agent.decide([0.5, 0.1], key=bad)
    with pytest.raises(ValueError, match="context must be numbers, got"):
        agent.decide("text", key="one")
    with pytest.raises(ValueError, match="active must be True or False, got"):
        agent.decide([0.5, 0.1], active="no")
    assert agent.waiting == 0


# --- time


def test_ticks_change_nothing_but_when_it_is_learned(tmp_path):
    """Whether somebody looked in between, with and without a log, and after it was opened again."""
    states = []
    for number, ticks in enumerate((True, False)):
        clock, path = Clock(), tmp_path / str(number)
        agent = agent_of(clock, path, max_age=25.0)
        rng = np.random.default_rng(1)
        for i in range(40):
            clock.now = 3.0 * i
            if ticks:
                agent.tick()
            made = agent.decide(rng.normal(size=2), active=bool(i % 3))
            if not i % 6:
                agent.activate(made.id)
            if i % 5 == 4 and i % 3:
                agent.learn(i, {"y": 1.0})
        again = opened_again(agent, clock, path, ticks, max_age=25.0)
        assert everything(again) == everything(agent)
        states.append(everything(again))
        again.close()
    assert states[0] == states[1]


def test_a_tick_learns_what_is_due():
    clock = Clock()
    agent = agent_of(clock, max_age=30.0)
    agent.decide([0.5, 0.1])
    clock.now = 9.0
    agent.tick()
    assert (agent.lessons, agent.waiting) == (0, 1)
    clock.now = 10.0
    agent.tick()
    assert (agent.lessons, agent.waiting) == (1, 1)
    clock.now = 30.0
    agent.tick()
    assert (agent.waiting, agent.dropped["age"]) == (0, 1)


# --- inactive decisions, and those that are abandoned


@pytest.mark.parametrize("way", ["open", "file", "log", "snapshot"])
def test_defaults_count_from_the_activation(tmp_path, way):
    clock, path = Clock(), tmp_path / "log"
    agent = agent_of(clock, path if way in {"log", "snapshot"} else None)
    made = [agent.decide([0.5, 0.1], active=False).id for _ in range(4)]
    clock.now = 20.0
    agent.tick()
    assert agent.lessons == 0
    agent.activate(made[1])
    agent.activate(made[1])  # nothing new
    clock.now = 22.0
    agent.activate(made[0])
    agent.learn(made[2], {"y": 1.0})  # activates as well
    if way == "file":
        agent = mob.Agent.from_bytes(agent.to_bytes(), clock=clock)
    elif way != "open":
        agent = opened_again(agent, clock, path, way == "snapshot")
    clock.now = 29.0
    agent.tick()
    assert agent.lessons == 1
    clock.now = 30.0
    agent.tick()
    assert agent.lessons == 2
    clock.now = 32.0
    agent.tick()
    assert (agent.lessons, agent.waiting) == (4, 3)
    assert agent.core.pending.open[made[3]].rewards is None
    agent.close()


def test_activations_of_one_moment_come_in_the_order_of_decisions():
    lives = []
    for order in ((0, 1, 2), (2, 0, 1)):
        clock = Clock()
        agent = agent_of(clock)
        for i in range(3):
            agent.decide([0.5 + i, 0.1], active=False)
        clock.now = 5.0
        for number in order:
            agent.activate(number)
        clock.now = 50.0
        agent.tick()
        lives.append(everything(agent))
    assert lives[0] == lives[1]


@pytest.mark.parametrize("snapshot", [True, False])
def test_what_is_abandoned_waits_no_more(tmp_path, snapshot):
    clock, path = Clock(), tmp_path / "log"
    agent = agent_of(clock, path)
    made = [agent.decide([0.5, 0.1]).id for _ in range(3)]
    agent.learn(made[2], {"y": 1.0})
    agent.abandon(np.int64(made[0]))
    agent.abandon(made[2])
    assert (agent.waiting, agent.lessons) == (1, 1)
    agent = opened_again(agent, clock, path, snapshot)
    clock.now = 11.0
    agent.tick()
    assert (agent.waiting, agent.lessons, agent.dropped) == (1, 2, {"age": 0, "limit": 0})
    for call in (agent.abandon, agent.activate, lambda number: agent.learn(number, {"x": 1.0})):
        with pytest.raises(ValueError, match=r"waits for rewards, got 0: it was .* abandoned"):
            call(made[0])
    agent.close()
    with Store(path) as store:
        kinds = [event.kind for event in store.events()]
    assert kinds == ["decide"] * 3 + ["learn", "abandon", "abandon"]


def test_what_cannot_be_written_did_not_happen(tmp_path, monkeypatch):
    agent = agent_of(Clock(), tmp_path / "log")
    made = agent.decide([0.5, 0.1], active=False).id
    calls = [
        lambda: agent.activate(made),
        lambda: agent.abandon(made),
        lambda: agent.decide([0.5, 0.1], key="one", active=False),
        lambda: agent.learn(made, {"y": 1.0}),
    ]
    before = everything(agent)
    for call in calls:
        with full_disk(agent, monkeypatch), pytest.raises(ValueError, match="disk is full"):
            call()
        assert everything(agent) == before
    for call in calls[::2]:
        call()
    assert agent.waiting == 2
    agent.close()


def test_bytes_are_those_of_the_file(tmp_path):
    agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=1)
    agent.decide()
    agent.save(tmp_path / "agent")
    data = (tmp_path / "agent").read_bytes()
    assert agent.to_bytes() == data
    assert mob.Agent.from_bytes(memoryview(data)).decide() == agent.decide()
    with pytest.raises(ValueError, match="the data is damaged or cut off"):
        mob.Agent.from_bytes(data[:-1])
    with pytest.raises(ValueError, match=r"data must be bytes of `Agent.to_bytes`, got"):
        mob.Agent.from_bytes("agent")
