"""Decisions that copies of an agent made: taken in, timed, saved and refused."""

import numpy as np
import pytest

from mobandits.agent import Agent, Budget, Objective
from mobandits.agent.keys import ORDINARY, CallOptions
from mobandits.agent.saving import encoded_state
from mobandits.agent.workers import (
    DecisionOfWorker,
    Source,
    check_copyable,
    copy_for_workers,
    core_of_worker,
    decide_apart,
    take_in,
)
from mobandits.errors import StateError
from mobandits.policies import Doubling, MolUcb, ScalarizedUcb1, WithFloor
from mobandits.support.numbering import number_of_worker

CONTEXT = [0.5, 0.1]
CLICK = Objective("click", default=0.0, after=60.0)
SOURCE = Source(1, 0)


def agent_at(now, **more):
    options = {"arms": 3, "features": 2, "objectives": [CLICK], "propensity": "exact", **more}
    recipe = WithFloor(MolUcb(scale=0.3), epsilon=0.1)
    return Agent(recipe, **options, clock=lambda: now[0])


def copy_of(agent, incarnation=1):
    return core_of_worker(encoded_state(copy_for_workers(agent.core)), incarnation, None)


def take(agent, copy, number, options=ORDINARY, context=CONTEXT, eligible=None):
    decision = decide_apart(copy, context, eligible).replaced(id=number)
    assert take_in(agent.core, [DecisionOfWorker(decision, options, SOURCE)]) == [None]
    return decision


def test_defaults_come_in_the_order_of_the_decisions():
    """Those of workers between the agent's own, also after the agent was saved in between."""
    for saved_at in (None, 1.5, 60.5):
        now = [0.0]
        agent = agent_at(now)
        numbers = []
        for second in range(6):
            now[0] = float(second)
            if second % 2:
                number = number_of_worker(3 - second // 2, 1)  # later ones are smaller
                take(agent, copy_of(agent), number)
                numbers.append(number)
            else:
                numbers.append(agent.decide(CONTEXT).id)
            if saved_at == second + 0.5:
                agent = Agent.from_bytes(agent.to_bytes(), clock=lambda now=now: now[0])
        assert agent.core.pending.made == 6
        assert list(agent.core.pending.open) == numbers
        for second in range(6):
            now[0] = 60.0 + second
            agent.tick()
            assert agent.lessons == second + 1
            assert list(agent.core.pending.settled) == numbers[: second + 1]
            if saved_at == 60.0 + second + 0.5:
                agent = Agent.from_bytes(agent.to_bytes(), clock=lambda now=now: now[0])


def test_a_decision_that_waits_is_passed_by_and_activated():
    now = [0.0]
    agent = agent_at(now, max_age=1000.0)
    agent.decide(CONTEXT)
    number = number_of_worker(1, 1)
    take(agent, copy_of(agent), number, CallOptions(active=False))
    now[0] = 100.0
    agent.tick()
    assert agent.waiting == 1
    agent.activate(number)
    now[0] = 160.0
    agent.tick()
    assert agent.waiting == 0
    with pytest.raises(ValueError, match="waits for rewards"):
        agent.learn(number_of_worker(9, 9), [0.5])


def test_a_copy_neither_waits_nor_learns_and_draws_what_is_its_own():
    agent = agent_at([0.0])
    agent.decide(CONTEXT)
    first, second = copy_of(agent, 1), copy_of(agent, 2)
    before = encoded_state(copy_for_workers(agent.core))
    drawn = [[decide_apart(copy, CONTEXT, None).arm for _ in range(60)] for copy in (first, second)]
    assert drawn[0] != drawn[1]
    assert encoded_state(copy_for_workers(agent.core)) == before
    again = copy_of(agent, 1)
    assert [decide_apart(again, CONTEXT, None).arm for _ in range(30)] == drawn[0][:30]
    # The stream goes on where a newer state takes the place of the one before.
    later = core_of_worker(before, 1, again)
    assert [decide_apart(later, CONTEXT, None).arm for _ in range(30)] == drawn[0][30:]
    assert not first.pending.open
    with pytest.raises(ValueError, match="context"):
        decide_apart(first, [1.0], None)


def test_rows_per_arm_and_eligible_arms_are_taken_in_as_they_were():
    agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2, propensity="exact")
    table = np.array([[0.5, 0.1], [0.2, 0.3], [0.9, 0.4]])
    agent.decide(table)
    copy = copy_of(agent)
    decision = take(agent, copy, number_of_worker(1, 1), context=table, eligible=[2, 1])
    assert decision.eligible == (2, 1)
    pending = agent.core.pending.open[decision.id]
    assert pending.x.tolist() == table[decision.arm].tolist()
    agent.learn(decision.id, [1.0, 0.5])
    assert agent.lessons == 1


def test_what_an_agent_cannot_take_in_changes_nothing():
    agent = agent_at([0.0])
    agent.decide(CONTEXT)
    copy = copy_of(agent)
    before = agent.to_bytes()
    decision = decide_apart(copy, CONTEXT, None).replaced(id=number_of_worker(1, 1))
    wrong = [
        decision.replaced(arm="other"),
        decision.replaced(eligible=("other",)),
        decision.replaced(context=np.ones((1, 7))),
        decision.replaced(context=np.array([[0.5, np.nan]])),
    ]
    reasons = take_in(agent.core, [DecisionOfWorker(each, ORDINARY, SOURCE) for each in wrong])
    for reason, words in zip(reasons, ("tuple", "arms", "shape", "finite"), strict=True):
        assert words in reason
    assert agent.to_bytes() == before
    new = agent_at([0.0])
    [reason] = take_in(new.core, [DecisionOfWorker(decision, ORDINARY, SOURCE)])
    assert "before the agent knows its contexts" in reason
    assert take_in(agent.core, []) == []


def test_a_file_with_more_decisions_of_workers_than_were_made_is_refused():
    agent = agent_at([0.0])
    agent.decide(CONTEXT)
    take(agent, copy_of(agent), number_of_worker(1, 1))
    agent.core.pending.of_workers = 0
    with pytest.raises(StateError, match="of workers"):
        Agent.from_bytes(agent.to_bytes())


def test_what_cannot_be_copied_is_refused_by_name():
    options = {"arms": 3, "objectives": 2}
    check_copyable(agent_at([0.0]).core)
    stages = Agent(Doubling(MolUcb(scale=0.3), first=4), features=2, **options)
    with pytest.raises(ValueError, match="Doubling, which plays in stages"):
        check_copyable(stages.core)
    notes = Agent(ScalarizedUcb1(), features=0, **options)
    with pytest.raises(ValueError, match="ScalarizedUcb1, which notes how it chose"):
        check_copyable(notes.core)
    cost = Objective("cost", minimise=True, high=0.25)
    budgeted = agent_at([0.0], objectives=["click", cost], budgets=[Budget("cost", 0.75)])
    with pytest.raises(ValueError, match="budgets must be none"):
        check_copyable(budgeted.core)
    with pytest.raises(ValueError, match=r"sticky must be None where workers decide, .* got 300"):
        check_copyable(agent_at([0.0], sticky=300).core)
