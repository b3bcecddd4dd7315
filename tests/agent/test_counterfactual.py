"""What an agent would have done in place of a decision that it adopts."""

import math

import numpy as np
import pytest

from mobandits.agent import Agent, Budget, Objective
from mobandits.policies import MolTs, MolUcb, WithFloor

NAMES = ["a", "b", "c"]
FLOORED = WithFloor(MolUcb(scale=0.3), epsilon=0.1)


def agent_of(recipe=FLOORED, propensity="exact", **more):
    options = {"arms": NAMES, "features": 2, "objectives": 2, "propensity": propensity}
    return Agent(recipe, **{**options, **more})


def told(agent, rounds, *, compare, seed=0):
    """What an agent says of decisions that it adopts, with rewards."""
    rng = np.random.default_rng(seed)
    said = []
    for _ in range(rounds):
        context = rng.random(2)
        arm = NAMES[rng.integers(3)]
        rewards = rng.random(2)
        said.append(agent.adopt(context, arm, rewards=rewards, compare=compare).counterfactual)
    return said


def test_comparing_changes_nothing():
    with_it = agent_of()
    without = agent_of()
    assert None not in told(with_it, 20, compare=True)
    assert set(told(without, 20, compare=False)) == {None}
    assert with_it.to_bytes() == without.to_bytes()


@pytest.mark.parametrize("begun", [False, True])
def test_it_is_the_law_of_a_copy_that_decides(begun):
    agent = agent_of()
    if begun:
        told(agent, 30, compare=False)
    context = [0.3, 0.9]
    before = agent.to_bytes()
    found = {}
    for arm in NAMES:
        found[arm] = Agent.from_bytes(before).adopt(context, arm, compare=True).counterfactual
    propensities = {arm: each.propensity for arm, each in found.items()}
    assert math.isclose(sum(propensities.values()), 1.0)
    likeliest = max(NAMES, key=propensities.get)
    assert {each.arm for each in found.values()} == {likeliest}
    for seed in range(5):
        copy = Agent.from_bytes(before)
        copy.core.bound.rng.bit_generator.state = np.random.PCG64(seed).state
        made = copy.decide(context)
        assert made.propensity == propensities[made.arm]


def test_drawn_beliefs_are_averaged_and_nothing_is_said_without_propensities():
    agent = agent_of(MolTs(scale=0.3), "sampled", samples=400)
    (found,) = told(agent, 1, compare=True)
    # Nothing is known yet: the arms are alike.
    assert abs(found.propensity - 1 / 3) < 0.2
    assert told(agent_of(propensity="none"), 3, compare=True) == [None] * 3


def test_it_keeps_to_budgets():
    cost = Objective("cost", minimise=True)
    most = {"a": 0.5, "b": 0.01, "c": 0.01}
    options = {"objectives": ["quality", cost], "budgets": [Budget("cost", 0.25, most=most)]}
    agent = agent_of(**options)
    dear = agent.adopt([0.5, 0.1], "a", rewards={"cost": 0.1, "quality": 1.0}, compare=True)
    assert dear.counterfactual.propensity == 0.0
    assert dear.counterfactual.arm in {"b", "c"}
    # What others have spent is not the agent's budget.
    for bill in (0.2, 0.05):
        cheap = agent.adopt([0.5, 0.1], "b", rewards={"cost": 0.2}, compare=True)
        assert cheap.counterfactual.propensity > 0.0
        own = agent.decide([0.5, 0.1], ["b"])
        agent.learn(own.id, {"cost": bill})
    assert agent.adopt([0.5, 0.1], "b", compare=True).counterfactual is None


def test_a_log_knows_it_and_leads_to_the_same_agent(tmp_path):
    with agent_of(log=tmp_path / "log.db") as agent:
        found = agent.adopt([0.5, 0.1], "b", key="seen", compare=True)
        told(agent, 5, compare=True)
        kept = [getattr(event, "instead", None) for event in agent.core.writer.store.events()]
        state = agent.to_bytes()
    assert sum(each is not None for each in kept) == 6
    with agent_of(log=tmp_path / "log.db") as agent:
        again = agent.adopt([0.5, 0.1], "b", key="seen", compare=True)
        assert (again.counterfactual, again.replayed) == (found.counterfactual, True)
        assert agent.to_bytes() == state
    alone = agent_of()
    first = alone.adopt([0.5, 0.1], "b", key="seen", compare=True)
    assert alone.adopt([0.5, 0.1], "b", key="seen").counterfactual == first.counterfactual
