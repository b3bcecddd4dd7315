"""Announced prices: predictions and late bills against a slow twin, logs, files, refusals."""

import contextlib
import dataclasses
import math
import sqlite3
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mobandits as mob
from mobandits import Objective
from mobandits.agent.resize_state import arrays
from mobandits.agent.transfer import take_over
from mobandits.logs import Feedback, Store
from mobandits.orders import Weighted
from mobandits.policies import MolUcb, Paced, WithFloor

ARMS = ["small", "medium", "large"]
BILLS = {"small": 0.001, "medium": 0.004, "large": 0.02}
GRADES = {"small": 0.6, "medium": 0.75, "large": 0.9}
QUALITY = Weighted([1.0, 0.0])
COST = Objective("cost", minimise=True, unit="USD")
GREEDY = MolUcb(scale=1e-9, penalty=2.0, order=QUALITY)
PACED = Paced(GREEDY, {"cost": 0.006})
PENALTY, ALLOWED, RATE = 2.0, 0.006, 0.02


def agent_of(recipe=PACED, objectives=("quality", COST), **options):
    fields = {"arms": ARMS, "features": 1, "objectives": list(objectives), "propensity": "exact"}
    return mob.Agent(recipe, **{**fields, **options})


def live(agent, rounds, bills=BILLS, seed=0, late=0):
    """Decisions, of which the last `late` wait for their bills; returns these."""
    rng = np.random.default_rng(seed)
    waiting = []
    for i in range(rounds):
        decision = agent.decide([1.0])
        grade = GRADES[decision.arm] + 0.02 * rng.standard_normal()
        if i >= rounds - late:
            agent.learn(decision.id, {"quality": grade})
            waiting.append((decision.id, bills[decision.arm]))
        else:
            agent.learn(decision.id, {"quality": grade, "cost": bills[decision.arm]})
    return waiting


def uniform_log(count=300, seed=0):
    rng = np.random.default_rng(seed)
    arms = rng.integers(3, size=count)
    contexts = rng.random((count, 1))
    grades = np.array(list(GRADES.values()))[arms] + 0.2 * contexts[:, 0] * arms
    bills = np.array(list(BILLS.values()))[arms] * (0.5 + contexts[:, 0])
    rewards = np.column_stack([grades + 0.05 * rng.standard_normal(count), -bills])
    return Feedback(contexts, arms, rewards, np.full(count, 1 / 3), ARMS, ["quality", COST])


def state_of(agent):
    return agent.core.bound.state()


def assert_equal_states(one, other):
    for mine, theirs in zip(arrays(state_of(one)), arrays(state_of(other)), strict=True):
        assert np.array_equal(mine, theirs)


class Twin:
    """The same in plain Python: every bill with the factor of its arm when it was incurred."""

    def __init__(self):
        self.bills = defaultdict(list)
        self.factor = dict.fromkeys(ARMS, 1.0)
        self.spent, self.settled, self.largest, self.price = 0.0, 0, 0.0, 0.0

    def learn(self, arm, bill, factor):
        self.bills[arm].append(bill / factor)
        self.spent += bill
        self.settled += 1
        self.largest = max(self.largest, bill)
        g = min(50.0, bill / ALLOWED - 1.0)
        g += 0.005 * (self.spent - self.settled * ALLOWED) / ALLOWED
        limited = min(1e5 / self.largest, max(0.003 / self.largest, self.price))
        self.price = limited * math.exp(RATE * max(-50.0, min(50.0, g)))

    def predicted(self, arm):
        bills = self.bills[arm]
        return self.factor[arm] * sum(bills) / (len(bills) + PENALTY)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("decide"), st.integers(0, 2), st.floats(1e-4, 1.0)),
        st.tuples(st.just("bill"), st.integers(0, 5), st.just(0.0)),
        st.tuples(st.just("reprice"), st.integers(0, 2), st.sampled_from([0.02, 0.5, 3.0, 1.0])),
    ),
    max_size=25,
)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(STEPS, st.booleans())
def test_bills_are_learned_at_the_price_of_their_time(steps, ranged):
    """Also those that come after one or more announcements; with a range in the agent, or none."""
    objectives = ("quality", dataclasses.replace(COST, low=0.0, high=4.0) if ranged else COST)
    agent, twin = agent_of(objectives=objectives), Twin()
    agent.learn(agent.adopt([1.0], "small").id, {"quality": 0.5})
    agent.abandon(0)
    waiting = []
    for kind, place, amount in steps:
        if kind == "decide":
            decision = agent.decide([1.0], eligible=[ARMS[place]])
            factor = twin.factor[decision.arm]
            waiting.append((decision, amount * factor, factor))
        elif kind == "bill" and waiting:
            decision, bill, factor = waiting.pop(place % len(waiting))
            agent.learn(decision.id, {"cost": bill})
            agent.learn(decision.id, {"quality": 0.5})
            twin.learn(decision.arm, bill, factor)
        elif kind == "reprice":
            agent.reprice(ARMS[place], amount)
            twin.factor[ARMS[place]] *= amount

    state = state_of(agent)
    assert state.spent[0] == pytest.approx(twin.spent, abs=1e-12)
    assert state.price[0] == pytest.approx(twin.price, rel=1e-6)
    assert state.factor[:, 0].tolist() == pytest.approx([twin.factor[arm] for arm in ARMS])
    if not ranged:  # a range moves the prior: what is not known costs the middle of nothing there
        decision = agent.decide([1.0])
        predicted = agent.explain(decision).estimates[:, 1]
        assert predicted.tolist() == pytest.approx([twin.predicted(arm) for arm in ARMS], abs=1e-9)


def test_what_is_predicted_changes_at_once_and_nothing_else_does():
    agent = agent_of()
    live(agent, 60)
    decision = agent.decide([1.0])
    before = agent.explain(decision).estimates
    waiting = agent.waiting
    agent.reprice("large", 0.1)
    after = agent.explain(decision).estimates
    assert after[2, 1] == pytest.approx(0.1 * before[2, 1])
    assert np.array_equal(after[:2], before[:2])
    assert after[2, 0] == before[2, 0]
    assert agent.waiting == waiting
    agent.reprice("large", 10.0)
    assert agent.explain(decision).estimates == pytest.approx(before)


@pytest.mark.long
@pytest.mark.parametrize("every", [7, 10_000], ids=["snapshots", "from the start"])
def test_a_log_is_replayed_bit_for_bit(tmp_path, every):
    path, clock = tmp_path / "log", lambda: 5.0
    agent = agent_of(log=path, clock=clock, snapshot_every=every)
    agent.learn_log(uniform_log(120))
    waiting = live(agent, 40, late=5)
    agent.reprice("large", 0.1)
    agent.reprice("medium", 2.0, objective="cost")
    for number, bill in waiting[:3]:
        agent.learn(number, {"cost": bill})
    live(agent, 20, {**BILLS, "large": 0.002}, seed=2)
    agent.core.writer.store.close()  # as if it were killed: no last snapshot
    with Store(path) as store:
        changes = store.last_changes(["reprice"], limit=9)
    assert [(each.arm, each.factor) for each in changes] == [("medium", 2.0), ("large", 0.1)]
    assert all(each.prices["price"][0] > 0.0 for each in changes)
    again = agent_of(log=path, clock=clock)
    assert_equal_states(agent, again)
    assert again.core.pending.former == agent.core.pending.former
    assert len(again.core.pending.former) >= 1
    again.close()
    with agent_of(log=path, clock=clock) as third:
        assert_equal_states(agent, third)


def test_files_keep_old_prices_of_decisions_that_wait(tmp_path):
    agent = agent_of()
    waiting = live(agent, 40, late=6)
    agent.reprice("large", 0.1)
    agent.reprice("small", 3.0)
    agent.save(tmp_path / "agent")
    again = mob.Agent.load(tmp_path / "agent")
    assert_equal_states(agent, again)
    for each in (agent, again):
        for number, bill in waiting:
            each.learn(number, {"cost": bill})
        live(each, 10, seed=3)
        assert each.core.pending.former == {}
    assert_equal_states(agent, again)


def test_a_state_with_old_prices_is_taken_over(tmp_path):
    """The decisions that wait at the old price stay with the agent that made them."""
    other = agent_of()
    live(other, 40, late=6)
    for arm in ARMS:
        other.reprice(arm, 0.5)
    assert other.core.pending.former
    path = tmp_path / "log.db"
    with agent_of(log=path) as agent:
        take_over(agent.core, other.to_bytes())
        state = agent.to_bytes()

    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM snapshots")
        connection.commit()
    with agent_of(log=path) as agent:
        assert agent.to_bytes() == state


@pytest.mark.long
@pytest.mark.parametrize("stored", [False, True], ids=["memory", "store"])
def test_the_price_is_that_of_the_log_at_the_new_costs(tmp_path, stored):
    """As if the log had been paid at the price list of now, twice."""
    log = uniform_log()
    options = {"log": tmp_path / "log", "clock": lambda: 1.0} if stored else {}
    agent = agent_of(**options)
    agent.learn_log(log)
    for factor_before, factor in ((1.0, 0.1), (0.1, 4.0)):
        rewards = log.rewards.copy()
        rewards[log.arms == 2, 1] *= factor_before
        rewards[log.arms == 2, 1] *= factor
        other = agent_of()
        other.learn_log(dataclasses.replace(log, rewards=rewards))
        agent.reprice("large", factor)
        for field in ("price", "large", "cheapest"):
            mine, theirs = getattr(state_of(agent), field), getattr(state_of(other), field)
            assert mine == pytest.approx(theirs, rel=1e-9)
    agent.close()


@pytest.mark.long
def test_a_store_knows_which_rounds_were_before(tmp_path):
    """Rounds after an announcement are at the new price already; half of the arms cost the same now."""
    path = tmp_path / "log"
    agent = agent_of(WithFloor(PACED, 0.6), log=path, clock=lambda: 1.0)
    live(agent, 150)
    agent.reprice("large", 0.5)
    live(agent, 150, {**BILLS, "large": 0.01}, seed=1)
    agent.reprice("large", 2.0)
    assert state_of(agent).large[0] == pytest.approx(0.02)
    agent.reprice("large", 0.5)
    assert state_of(agent).large[0] == pytest.approx(0.01)
    agent.retune(WithFloor(Paced(GREEDY, {"cost": 0.007}), 0.6))
    assert state_of(agent).large[0] == pytest.approx(0.01)
    assert state_of(agent).factor[2, 0] == 0.5
    agent.close()


def test_a_price_that_was_given_stays():
    agent = agent_of(Paced(GREEDY, {"cost": 0.006}, start={"cost": 7.0}))
    agent.learn_log(uniform_log())
    live(agent, 50)
    price = state_of(agent).price[0]
    agent.reprice("large", 0.1)
    assert state_of(agent).price[0] == price != 7.0


@pytest.mark.long
def test_a_price_cut_is_used_at_once():
    """The dearest arm is the best: from the next decision on it is all that is played."""
    agent = agent_of(Paced(GREEDY, {"cost": 0.004}))
    agent.learn_log(uniform_log())
    live(agent, 200)
    assert {agent.decide([1.0]).arm for _ in range(5)} != {"large"}
    agent.reprice("large", 0.05)
    assert {agent.decide([1.0]).arm for _ in range(5)} == {"large"}


def test_before_the_first_decision_there_is_nothing_to_change(tmp_path):
    with agent_of(log=tmp_path / "log") as agent:
        agent.reprice("large", 0.5)
        assert len(agent.core.writer.store) == 0
        live(agent, 5)
        assert state_of(agent).factor.tolist() == [[1.0]] * 3


def test_arms_that_come_and_go():
    agent = agent_of()
    live(agent, 30)
    agent.reprice("large", 0.5)
    agent.add_arm("larger", like="large")
    agent.remove_arm("large")
    agent.add_arm("other")
    assert sorted(state_of(agent).factor[:, 0].tolist()) == [0.5, 1.0, 1.0, 1.0]
    assert state_of(agent).factor[agent.core.arms.slot("larger"), 0] == 0.5


def test_other_recipes_must_know_of_the_costs(tmp_path):
    agent = agent_of()
    live(agent, 30)
    agent.reprice("large", 0.5)
    agent.retune(Paced(GREEDY, {"cost": 0.1}))
    assert state_of(agent).factor[:, 0].tolist() == [1.0, 1.0, 0.5]
    with pytest.raises(ValueError, match="a budget of 'cost', whose costs were changed by"):
        agent.retune(GREEDY)
    agent.reprice("large", 2.0)
    agent.retune(GREEDY)
    with pytest.raises(ValueError, match="needs a recipe with prices of costs, such as Paced, got"):
        agent.reprice("large", 2.0)


@pytest.mark.long
def test_a_recipe_that_learns_the_log_again_has_the_costs_of_each_time(tmp_path):
    agent = agent_of(log=tmp_path / "log", clock=lambda: 1.0)
    waiting = live(agent, 40, late=4)
    agent.reprice("large", 0.1)
    for number, bill in waiting:
        agent.learn(number, {"cost": bill})
    before = agent.explain(agent.decide([1.0])).estimates
    other = Paced(MolUcb(scale=0.1, penalty=2.5, order=QUALITY), {"cost": 0.006})
    agent.retune(other)
    after = agent.explain(agent.decide([1.0])).estimates
    assert state_of(agent).factor[2, 0] == 0.1
    assert after[:, 1] == pytest.approx(before[:, 1], rel=0.3)
    agent.close()
    with agent_of(other, log=tmp_path / "log", clock=lambda: 1.0) as again:
        assert_equal_states(agent, again)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("huge", 2.0), "huge"),
        (("large", 0.0), r"factor must be above 0, got 0\.0"),
        (("large", math.nan), "factor must be"),
        (("large", "half"), "factor must be"),
        (("large", 1e12), r"factor must leave all changes of an arm within 1e-09 and 1e\+09"),
        (
            ("large", 2.0, "quality"),
            "objective must be a cost with a budget: 'cost', got 'quality'",
        ),
        (("large", 2.0, "costs"), "did you mean cost"),
    ],
)
def test_what_is_refused(arguments, said):
    agent = agent_of()
    live(agent, 5)
    before = [array.copy() for array in arrays(state_of(agent))]
    with pytest.raises(ValueError, match=said):
        agent.reprice(*arguments)
    for mine, theirs in zip(arrays(state_of(agent)), before, strict=True):
        assert np.array_equal(mine, theirs)


def test_of_several_costs_one_must_be_named():
    time = Objective("seconds", minimise=True)
    order = Weighted([1.0, 0.0, 0.0])
    greedy = MolUcb(scale=1e-9, penalty=2.0, order=order)
    agent = agent_of(
        Paced(greedy, {"cost": 0.006, "seconds": 2.0}), objectives=["quality", COST, time]
    )
    decision = agent.decide([1.0])
    agent.learn(decision.id, {"quality": 1.0, "cost": 0.01, "seconds": 1.0})
    with pytest.raises(ValueError, match="objective must be a cost with a budget: 'cost', 'sec"):
        agent.reprice(decision.arm, 2.0)
    agent.reprice(decision.arm, 2.0, "seconds")
    slot = agent.core.arms.slot(decision.arm)
    assert state_of(agent).factor[slot].tolist() == [1.0, 2.0]
