"""Hard budgets of an agent: reserve, settle, release, renew; files and logs; what is refused."""

import datetime as dt
import re
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mobandits as mob
from mobandits import Budget, Objective
from mobandits.agent.budget import end_of, period_of
from mobandits.agent.ledger import Ledger
from mobandits.agent.objectives import as_objectives
from mobandits.cli import program as cli
from mobandits.errors import BudgetError
from mobandits.logs import Feedback
from mobandits.policies import RandomChoice

ARMS = ["small", "medium", "large"]
MOST = {"small": 1.0, "medium": 4.0, "large": 20.0}


class Clock:
    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        return self.now


def agent_of(*budgets, clock=None, **options):
    cost = Objective("cost", minimise=True, unit="USD")
    fields = {"arms": ARMS, "features": 0, "objectives": ["quality", cost], "seed": 3}
    clock = clock or Clock()
    return mob.Agent(RandomChoice(), **{**fields, **options}, clock=clock, budgets=budgets)


def bill(agent, decision, cost):
    agent.learn(decision.id, {"quality": 0.5, "cost": cost})


def test_an_arm_that_does_not_fit_is_not_eligible():
    agent = agent_of(Budget("cost", 10.0, most=MOST))
    first = agent.decide(eligible=["medium"])
    assert agent.decide().eligible == ("small", "medium")
    (balance,) = agent.balances
    assert balance.reserved in {5.0, 8.0}
    bill(agent, first, 2.5)
    (balance,) = agent.balances
    assert balance.spent == 2.5
    assert balance.left == pytest.approx(10.0 - 2.5 - balance.reserved)
    assert balance.renews is None


def test_nothing_left_is_an_error_that_says_when_it_renews():
    clock = Clock(1000.0)
    agent = agent_of(Budget("cost", 2.0, per="hour", most=MOST), clock=clock)
    for _ in range(2):
        bill(agent, agent.decide(), 1.0)
    with pytest.raises(
        BudgetError, match=r"'cost', 2 USD per hour, has 0 USD left.*01:00 UTC"
    ) as e:
        agent.decide()
    assert e.value.renews == 3600.0
    assert agent.core.pending.next_id == 2
    clock.now = 3600.0
    assert agent.decide().arm == "small"
    total = agent_of(Budget("cost", 1.0, most=MOST))
    total.decide()
    with pytest.raises(BudgetError, match=r"in total.*it does not renew") as e:
        total.decide()
    assert e.value.renews is None


def test_what_was_given_up_comes_back():
    clock = Clock()
    agent = agent_of(Budget("cost", 1.0, most=MOST), clock=clock, max_age=60.0, pending=5)
    agent.abandon(agent.decide().id)
    assert agent.balances[0].left == 1.0
    agent.decide()
    with pytest.raises(BudgetError):
        agent.decide()
    clock.now = 61.0
    agent.decide()
    crowded = agent_of(Budget("cost", 2.0, most=MOST), pending=1)
    crowded.decide(eligible=["small"])
    crowded.decide(eligible=["small"])
    assert crowded.balances[0].reserved == 1.0


def test_a_bill_in_part_late_or_above_what_was_declared():
    clock = Clock()
    agent = agent_of(Budget("cost", 10.0, per="hour", most=MOST), clock=clock)
    decision = agent.decide(eligible=["small"])
    agent.learn(decision.id, {"quality": 1.0})
    assert agent.balances[0].reserved == 1.0
    agent.learn(decision.id, {"cost": 12.0})
    assert agent.balances[0].left == -2.0
    late = agent_of(Budget("cost", 10.0, per="hour", most=MOST), clock=clock)
    decision = late.decide(eligible=["medium"])
    clock.now = 4000.0
    bill(late, decision, 3.0)
    # It was one of the hour before.
    assert late.balances[0].spent == 0.0


def test_several_budgets_all_hold():
    clock = Clock()
    agent = agent_of(
        Budget("cost", 5.0, per="hour", most=MOST),
        Budget("cost", 8.0, per="day", most=MOST),
        clock=clock,
    )
    spent = 0.0
    for hour in range(5):
        clock.now = 3600.0 * hour
        while True:
            try:
                decision = agent.decide()
            except BudgetError as error:
                last = error
                break
            bill(agent, decision, MOST[decision.arm])
            spent += MOST[decision.arm]
    assert 7.0 < spent <= 8.0
    assert last.renews == 86_400.0


def test_batches_fit_as_a_whole():
    agent = agent_of(Budget("cost", 10.0, most=MOST))
    assert {one.eligible for one in agent.decide_batch(np.zeros((3, 0)))} == {("small",)}
    with pytest.raises(BudgetError):
        agent.decide_batch(np.zeros((8, 0)))


def test_contexts_of_arms_lose_rows_too():
    cost = Objective("cost", minimise=True, high=1.0)
    agent = mob.Agent(
        mob.policies.MolUcb(scale=0.3),
        arms=ARMS,
        features=2,
        objectives=["quality", cost],
        budgets=[Budget("cost", 5.0, most={"large": 9.0})],
    )
    rows = np.arange(6.0).reshape(3, 2) / 6.0
    decision = agent.decide(rows)
    assert decision.eligible == ("small", "medium")
    assert decision.context.tolist() == rows[:2].tolist()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_the_cap_always_holds(seed):
    """Against a slow twin that adds up everything from the beginning."""
    rng = np.random.default_rng(seed)
    clock = Clock()
    limit = 12.0
    agent = agent_of(Budget("cost", limit, per="hour", most=MOST), clock=clock, max_age=5000.0)
    made = {}
    for _ in range(60):
        clock.now += float(rng.integers(0, 900))
        hour = int(clock.now // 3600)
        agent.tick()
        waiting = set(agent.core.pending.open)
        for number, entry in made.items():
            if entry["cost"] is None and number not in waiting:
                entry["held"] = 0.0
        now = [entry for entry in made.values() if entry["hour"] == hour]
        used = sum(entry["held"] if entry["cost"] is None else entry["cost"] for entry in now)
        action = rng.integers(4)
        if action < 2:
            fits = tuple(arm for arm in ARMS if used + MOST[arm] <= limit + 1e-6)
            try:
                decision = agent.decide()
            except BudgetError:
                assert fits == ()
                continue
            assert decision.eligible == fits
            entry = {"hour": hour, "cost": None, "held": MOST[decision.arm], "arm": decision.arm}
            made[decision.id] = entry
        elif waiting:
            number = int(rng.choice(sorted(waiting)))
            if action == 2:
                cost = float(rng.integers(0, 5)) / 4.0 * MOST[made[number]["arm"]] / 1.25
                agent.learn(number, {"quality": 1.0, "cost": cost})
                made[number]["cost"] = cost
            else:
                agent.abandon(number)
        now = [entry for entry in made.values() if entry["hour"] == hour]
        assert sum(entry["cost"] or 0.0 for entry in now) <= limit + 1e-6


def test_a_log_leads_to_the_same_balance(tmp_path):
    clock = Clock(100.0)
    budget = Budget("cost", 30.0, per="day", most=MOST)
    path = tmp_path / "log.db"
    agent = agent_of(budget, clock=clock, log=path, snapshot_every=7)
    for i in range(12):
        clock.now += 10.0
        decision = agent.decide()
        if i % 3:
            bill(agent, decision, 0.5)
    agent.abandon(agent.decide().id)
    before = agent.balances
    agent.core.writer.store.close()  # as a killed process leaves it: no last snapshot
    again = agent_of(budget, clock=clock, log=path)
    assert again.balances == before
    again.close()
    snapshot = agent_of(budget, clock=clock, log=path)
    assert snapshot.balances == before
    snapshot.close()
    # Another limit, with what was spent.
    raised = agent_of(Budget("cost", 90.0, per="day", most=MOST), clock=clock, log=path)
    assert raised.balances[0].spent == before[0].spent
    assert raised.balances[0].reserved == pytest.approx(before[0].reserved)
    raised.close()


def test_files_keep_budgets(tmp_path):
    clock = Clock(100.0)
    budgets = [Budget("cost", 9.0, per="month", most=MOST), Budget("cost", 90.0, most=25.0)]
    agent = agent_of(*budgets, clock=clock)
    bill(agent, agent.decide(), 0.5)
    agent.decide()
    agent.save(tmp_path / "agent")
    loaded = mob.Agent.load(tmp_path / "agent", clock=clock)
    assert loaded.balances == agent.balances
    assert [balance.budget for balance in loaded.balances] == budgets
    assert loaded.decide() == agent.decide()
    loaded.save(tmp_path / "again")
    agent.save(tmp_path / "agent")
    assert (tmp_path / "agent").read_bytes() == (tmp_path / "again").read_bytes()


def test_a_budget_that_is_new_to_a_log_knows_what_waits(tmp_path):
    clock = Clock(100.0)
    path = tmp_path / "log.db"
    agent = agent_of(Budget("cost", 9.0, most=MOST), clock=clock, log=path)
    agent.decide(eligible=["medium"])
    agent.close()
    changed = agent_of(Budget("cost", 9.0, per="hour", most=MOST), clock=clock, log=path)
    assert changed.balances[0][1:4] == (0.0, 4.0, 5.0)
    changed.close()


def test_decisions_of_others_are_paid_from_another_purse():
    agent = agent_of(Budget("cost", 5.0, most=MOST))
    agent.adopt(None, "medium", rewards={"cost": 2.0, "quality": 1.0})
    late = agent.adopt(None, "small")
    assert agent.balances[0][1:4] == (0.0, 0.0, 5.0)
    agent.learn(late.id, {"cost": 1.0, "quality": 1.0})
    assert agent.balances[0][1:4] == (0.0, 0.0, 5.0)


def test_periods():
    assert period_of("day", 86_399.0) == 0
    for per in ("hour", "day", "month"):
        for now in (0.0, 1.7e9, 1.709e9):
            period = period_of(per, now)
            end = end_of(per, period)
            assert period_of(per, end - 1.0) == period
            assert period_of(per, end) == period + 1
    leap = dt.datetime(2028, 2, 29, tzinfo=dt.UTC).timestamp()
    assert end_of("month", period_of("month", leap)) == leap + 86_400.0


def test_new_arms_say_what_they_cost():
    agent = agent_of(Budget("cost", 5.0, most=MOST))
    with pytest.raises(ValueError, match=r"Budget\.most must say what a decision for arm 'huge'"):
        agent.add_arm("huge")
    assert agent.arms == tuple(ARMS)


def test_agents_with_budgets_do_not_merge():
    with pytest.raises(ValueError, match="merge needs agents without budgets"):
        agent_of(Budget("cost", 5.0, most=1.0)).merge(agent_of())


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (lambda: Budget("cost", 0.0), r"Budget\.limit must be above 0"),
        (lambda: Budget("cost", 1.0, per="week"), r"Budget\.per must be one of"),
        (lambda: Budget("cost", 1.0, most=-1.0), r"Budget\.most must be at least 0"),
        (
            lambda: Budget("cost", 1.0, most={"small": "x"}),
            r"Budget\.most\['small'\] must be a fin",
        ),
        (lambda: agent_of("cost"), "budgets must be a list of Budget"),
        (lambda: agent_of(Budget("money", 1.0)), r"Budget\.objective must be one of the agent's"),
        (lambda: agent_of(Budget("quality", 1.0, most=1)), "must have minimise=True"),
        (lambda: agent_of(Budget("cost", 1.0)), r"Budget\.most must say what a decision for arm"),
        (lambda: agent_of(*[Budget("cost", 1.0, most=1.0)] * 2), "one per objective and period"),
    ],
)
def test_what_is_refused(budget, said):
    with pytest.raises(ValueError, match=said):
        budget()


def test_a_ledger_without_budgets_has_no_accounts():
    agent = agent_of()
    assert agent.balances == ()
    assert agent.core.pending.ledger is None
    assert Ledger([], as_objectives(["a"]), agent.core.arms).accounts == []


DAY = 86_400.0


def jumped(clock, log=None):
    """An agent that has spent 6 of 10 in its hour, and 4 while the clock was ahead for a day."""
    budget = Budget("cost", 10.0, per="hour", most=MOST)
    agent = agent_of(budget, clock=clock, log=log, max_age=100 * DAY)
    for now, cost in ((clock.now, 6.0), (clock.now + DAY, 1.0), (clock.now + DAY, 3.0)):
        clock.now = now
        bill(agent, agent.decide(eligible=["medium"]), cost)
    waiting = agent.decide(eligible=["small"])
    clock.now -= DAY
    return agent, waiting


def test_a_clock_that_was_ahead_is_said_once(caplog):
    clock = Clock(100 * DAY)
    agent, _ = jumped(clock)
    for _ in range(5):
        agent.decide(eligible=["small"])
    assert agent.core.times_ahead == 1
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "stands still for 86400 seconds" in caplog.text
    assert "reset_clock" in caplog.text
    # It has caught up, and is set back once more; half a minute is nobody's mistake.
    clock.now += 2 * DAY
    agent.tick()
    clock.now -= 30.0
    agent.tick()
    assert agent.core.times_ahead == 1
    clock.now -= 120.0
    agent.tick()
    assert agent.core.times_ahead == 2


def test_a_reset_of_the_clock_opens_a_budget_and_spends_none_twice(tmp_path):
    clock = Clock(100 * DAY)
    agent, waiting = jumped(clock, tmp_path / "log.db")
    clock.now += 3600.0  # the next hour, in which nothing was spent but while the clock was ahead
    (balance,) = agent.balances
    assert balance.renews == 101 * DAY + 3600.0
    assert agent.reset_clock() == DAY - 3600.0
    (balance,) = agent.balances
    assert (balance.spent, balance.reserved) == (4.0, 1.0)
    assert balance.renews == 100 * DAY + 2 * 3600.0
    bill(agent, waiting, 0.5)
    assert agent.balances[0].spent == 4.5
    clock.now += 3600.0
    assert agent.balances[0].left == 10.0
    assert agent.reset_clock() == 0.0
    agent.close()


def test_a_reset_within_the_period_counts_what_was_spent_before(tmp_path):
    clock = Clock(100 * DAY)
    agent, _ = jumped(clock, tmp_path / "log.db")
    agent.reset_clock()
    with pytest.raises(BudgetError, match="it renews at 1970-04-11 01:00 UTC"):
        agent.decide()
    assert agent.balances[0].spent == 10.0
    agent.close()


def test_a_reset_counts_nothing_that_others_decided(tmp_path):
    clock = Clock(100 * DAY)
    agent, _ = jumped(clock, tmp_path / "log.db")
    clock.now += 3600.0
    agent.adopt(None, "medium", rewards={"quality": 1.0, "cost": 5.0})
    agent.adopt(None, "medium")
    agent.reset_clock()
    (balance,) = agent.balances
    assert (balance.spent, balance.reserved) == (4.0, 1.0)
    agent.close()


def test_a_reset_of_the_clock_is_replayed(tmp_path):
    clock = Clock(100 * DAY)
    agent, _ = jumped(clock, tmp_path / "log.db")
    agent.reset_clock()
    clock.now += 3700.0
    later = agent.decide()
    balances = agent.balances
    state = agent.to_bytes()
    # As after a kill: without the snapshot that closing takes.
    agent.core.writer.store.close()
    budget = Budget("cost", 10.0, per="hour", most=MOST)
    again = agent_of(budget, clock=clock, log=tmp_path / "log.db", max_age=100 * DAY)
    assert again.balances == balances
    assert again.to_bytes() == state
    assert again.core.now == clock.now
    assert later.id == 4
    again.close()


def test_defaults_count_from_the_right_time_after_a_reset():
    clock = Clock(100 * DAY)
    click = Objective("click", default=0.0, after=60.0)
    agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=[click], clock=clock)
    clock.now += DAY
    agent.decide()
    late = agent.decide(active=False)
    agent.activate(late.id)
    clock.now -= DAY
    agent.reset_clock()
    clock.now += 59.0
    agent.tick()
    assert agent.waiting == 2
    clock.now += 1.0
    agent.tick()
    assert agent.waiting == 0


def test_the_command_resets_the_clock_of_a_store(tmp_path, capsys):
    clock = Clock(time.time() + 30 * DAY)
    path = tmp_path / "log.db"
    budget = Budget("cost", 10.0, per="hour", most=MOST)
    with agent_of(budget, clock=clock, log=path) as agent:
        agent.decide(eligible=["small"])
    assert cli.call(["reset-clock", str(path)]) == 0
    assert re.search(r"was 25\d{5} seconds ahead", capsys.readouterr().out)
    with agent_of(budget, clock=time.time, log=path) as agent:
        assert agent.core.now <= time.time()
        assert agent.balances[0].reserved == 1.0


def test_a_log_with_negative_bills_is_refused_before_it_is_learned():
    """Replay would refuse them, so that the agent's log could never be read again."""
    agent = agent_of(Budget("cost", 10.0, most=MOST))
    rewards = [[0.5, -0.1], [0.5, np.nan], [0.5, 0.2]]  # more is better in a log
    log = Feedback(np.ones((3, 0)), [0, 0, 0], rewards, [1.0] * 3, ARMS, agent.objectives)
    rule = r"rewards\['cost'\] must be at least 0, as it is in a budget, got -0.2"
    with pytest.raises(ValueError, match=rule):
        agent.learn_log(log)
    assert agent.lessons == 0
    agent.learn_log(log[:2])
    assert agent.lessons == 2
