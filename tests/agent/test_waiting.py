"""What waits: defaults after an age, decisions that are dropped, repeats; time that is looked at often or rarely."""

import numpy as np
import pytest
from slow_twin import Clock

import mobandits as mob
from mobandits.agent import Objective
from mobandits.agent.resize_state import arrays
from mobandits.orders import Lexicographic
from mobandits.policies import MolUcb, RandomChoice

D = 3
X = np.array([0.5, -0.25, 1.0])


def agent_of(clock=None, objectives=("click", "revenue"), **other):
    options = {"arms": ["a", "b"], "features": D, "objectives": list(objectives), **other}
    return mob.Agent(MolUcb(scale=0.3), **options, **({} if clock is None else {"clock": clock}))


def state_of(agent):
    return [array.tolist() for array in arrays(agent.core.bound.state())]


def clicks(after, default=0.25):
    return [Objective("click", default=default, after=after), "revenue"]


def test_what_never_comes_is_taken_for_the_default():
    clock, told = Clock(), agent_of()
    agent = agent_of(clock, clicks(10.0))
    for each in (agent, told):
        each.decide(X)
    clock.now = 9.9
    agent.decide(X)
    assert agent.lessons == 0
    clock.now = 10.0
    agent.decide(X)
    told.learn(0, {"click": 0.25})
    assert state_of(agent) == state_of(told)
    agent.learn(0, {"click": 0.25})  # the same: nothing new
    with pytest.raises(
        ValueError, match=r"rewards\['click'\] was 0.25 before and must not change, got 1"
    ):
        agent.learn(0, {"click": 1.0})
    agent.learn(0, {"revenue": 3.0})
    assert (agent.waiting, agent.lessons) == (2, 2)


def test_defaults_are_in_the_objectives_own_direction():
    clock, told = Clock(), agent_of(objectives=[Objective("cost", minimise=True), "revenue"])
    agent = agent_of(clock, [Objective("cost", minimise=True, default=0.5, after=1.0), "revenue"])
    for each in (agent, told):
        each.learn(each.decide(X).id, {"revenue": 2.0})
    clock.now = 5.0
    agent.decide(X)
    told.learn(0, {"cost": 0.5})
    assert state_of(agent) == state_of(told)
    assert agent.waiting == 1  # all of the first is known


def test_what_is_too_old_is_dropped_and_counted():
    clock = Clock()
    agent = agent_of(clock, max_age=5.0, pending=3)
    for _ in range(4):
        agent.decide(X)
        clock.now += 1.0
    assert (agent.waiting, agent.dropped) == (3, {"limit": 1, "age": 0})
    clock.now = 6.5
    with pytest.raises(ValueError, match=r"got 1: .* or dropped \(1 were for their age, 1 because"):
        agent.learn(1, {"click": 1.0})
    agent.learn(2, {"click": 1.0})
    assert (agent.waiting, agent.dropped, agent.lessons) == (2, {"limit": 1, "age": 1}, 1)


def test_a_decision_that_was_dropped_gets_no_default():
    clock = Clock()
    agent = agent_of(clock, clicks(10.0), max_age=5.0)
    agent.decide(X)
    clock.now = 20.0  # nobody looked when it was dropped
    agent.decide(X)
    assert (agent.dropped["age"], agent.lessons) == (1, 0)


def test_time_does_not_run_backwards():
    clock = Clock()
    agent = agent_of(clock, clicks(10.0))
    agent.decide(X)
    for clock.now in (8.0, -50.0, 12.0):
        agent.decide(X)
    assert agent.lessons == 1


@pytest.mark.parametrize("seed", range(3))
def test_it_does_not_matter_how_often_one_looks(seed):
    clock, rng = Clock(), np.random.default_rng(seed)
    objectives = [
        Objective("a", default=0.1, after=7.0),
        Objective("b", default=-3.0, after=15.0),
        "c",
    ]
    often, rarely = (agent_of(clock, objectives, max_age=12.0, pending=3) for _ in range(2))
    for _ in range(200):
        clock.now += rng.exponential(2.0)
        with pytest.raises(ValueError, match="must be of a decision that was made"):
            often.learn(10**6, [0.0, 0.0, 0.0])
        if rng.random() < 0.3:
            context = rng.normal(size=D)
            assert often.decide(context) == rarely.decide(context)
        elif often.waiting and rng.random() < 0.5:
            number, early = max(often.core.pending.open), rng.random() < 0.5
            for agent in (often, rarely):
                agent.learn(
                    number, {"a": 0.1, "c": float(number)} if early else {"c": float(number)}
                )
    assert often.decide(X) == rarely.decide(X)
    assert state_of(often) == state_of(rarely)
    assert often.dropped == rarely.dropped
    assert min(often.dropped.values()) > 0


def change_by_adding(agent):
    agent.add_arm("c", like="a")


def change_by_removing(agent):
    agent.remove_arm("a")


def change_by_preferring(agent):
    agent.preference = Lexicographic()


@pytest.mark.parametrize("change", [change_by_adding, change_by_removing, change_by_preferring])
def test_what_was_due_before_a_change_comes_before_it(change):
    clock = Clock()
    agent = agent_of(clock, clicks(10.0))
    assert agent.decide(X, ["a"]).arm == "a"
    clock.now = 11.0
    change(agent)
    assert agent.lessons == 1


def test_nothing_new_teaches_nothing():
    agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=["click", "revenue"])
    number = agent.decide().id
    for nothing in ({"click": None}, [np.nan, np.nan], [None, None]):
        agent.learn(number, nothing)
    assert (agent.lessons, agent.waiting) == (0, 1)
    agent.learn(number, {"click": 1.0})
    agent.learn(number, {"click": 1.0})
    agent.learn(number, {"revenue": np.nan})
    assert (agent.lessons, agent.waiting) == (1, 1)


@pytest.mark.parametrize("number", [True, False, 0.0, "0", None, (), [0], np.True_])
def test_ids_are_whole_numbers(number):
    agent = agent_of()
    agent.decide(X)
    agent.decide(X)
    with pytest.raises(ValueError, match="decision_id must be of a decision that was made, got"):
        agent.learn(number, [1.0, 2.0])
    agent.learn(np.int64(0), [1.0, 2.0])
    assert agent.waiting == 1


def test_what_was_settled_is_remembered_for_a_while():
    agent = agent_of(remembered=2)
    for i in range(4):
        agent.learn(agent.decide(X).id, [i, 0.0])
    agent.learn(3, {"click": 3.0})
    agent.learn(2, [2.0, None])
    with pytest.raises(
        ValueError, match=r"rewards\['click'\] was 3 before and must not change, got 4"
    ):
        agent.learn(3, [4.0, 0.0])
    for number in (1, np.int64(1)):
        with pytest.raises(
            ValueError, match="of a decision that waits for rewards, got 1: it was settled long ago"
        ):
            agent.learn(number, [1.0, 0.0])
    assert agent.lessons == 4
