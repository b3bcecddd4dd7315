"""Objectives: directions, ranges, names, and what is refused."""

import warnings

import numpy as np
import pytest

import mobandits as mob
from mobandits.agent import Objective
from mobandits.agent.pending import Pending
from mobandits.agent.resize_state import arrays
from mobandits.errors import InputWarning
from mobandits.policies import MolUcb, ParetoTs, RandomChoice

D = 2


def agent_of(objectives, **other):
    return mob.Agent(
        MolUcb(scale=0.3), **{"arms": 3, "features": D, "objectives": objectives, **other}
    )


def test_less_is_better_is_the_same_with_the_other_sign():
    costs = agent_of([Objective("cost", minimise=True), "quality"], propensity="exact")
    gains = agent_of(["gain", "quality"], propensity="exact")
    rng = np.random.default_rng(0)
    for _ in range(30):
        context = rng.random(D)
        one, other = costs.decide(context), gains.decide(context)
        assert one == other
        np.testing.assert_array_equal(one.scores * [-1.0, 1.0], other.scores)
        reward = rng.random(2)
        if reward[0] < 0.3:
            costs.learn(one.id, {"cost": reward[0]})
            gains.learn(other.id, {"gain": -reward[0]})
            continue
        costs.learn(one.id, reward)
        gains.learn(other.id, reward * [-1.0, 1.0])
    for mine, theirs in zip(
        arrays(costs.core.bound.state()), arrays(gains.core.bound.state()), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_what_leaves_a_range_is_learned_and_warned_about_once():
    agent = agent_of([Objective("cost", minimise=True, high=1.0), "quality"])
    number, other = (agent.decide([0.5, 0.5]).id for _ in range(2))
    agent.learn(number, {"cost": -3.0})
    with pytest.warns(InputWarning, match=r"rewards\['cost'\] were expected in \[-inf, 1\], got 2"):
        agent.learn(other, {"cost": 2.0, "quality": 50.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.learn(agent.decide([0.5, 0.5]).id, {"cost": 7.0})
    assert agent.lessons == 3


def test_names_are_what_can_be_hashed():
    names = ["a", ("b", 1), 3, None, Objective(frozenset([1]))]
    agent = agent_of(names)
    assert [one.name for one in agent.objectives] == ["a", ("b", 1), 3, None, frozenset([1])]
    agent.learn(
        agent.decide([0.5, 0.5]).id,
        {None: 1.0, frozenset([1]): 2.0, 3: 0.0, ("b", 1): 1.0, "a": 0.0},
    )
    assert agent.waiting == 0
    assert [one.name for one in agent_of(3).objectives] == [0, 1, 2]


@pytest.mark.parametrize(
    ("objectives", "said"),
    [
        ([], "objectives must be"),
        (0, "objectives must be"),
        ("quality", "objectives must be"),
        (["a", "a"], "objectives must be .* different names"),
        ([Objective("a"), "a"], "objectives must be .* different names"),
        ([["a"]], "objectives must be .* that can be hashed"),
        ({"a"}, "objectives must be"),
    ],
    ids=str,
)
def test_bad_objectives(objectives, said):
    with pytest.raises(ValueError, match=said):
        agent_of(objectives)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"minimise": 1}, "Objective.minimise must be True or False, got 1"),
        ({"unit": 3}, "Objective.unit must be a text, got 3"),
        ({"low": float("nan")}, "Objective.low must be a finite number"),
        ({"high": "1"}, "Objective.high must be a finite number, got '1'"),
        ({"low": 2.0, "high": 1.0}, "Objective.low must be .* high = 1, got 2"),
        ({"default": 0.0}, "Objective.default and after must be given together, got 0.0 and None"),
        ({"after": 1.0}, "Objective.default and after must be given together, got None and 1.0"),
        ({"default": 0.0, "after": -1.0}, "Objective.after must be at least 0"),
        ({"default": float("inf"), "after": 1.0}, "Objective.default must be a finite number"),
    ],
    ids=str,
)
def test_bad_parameters(changed, said):
    with pytest.raises(ValueError, match=said):
        Objective("a", **changed)


def test_what_the_recipe_assumes_is_said_of_what_it_learns():
    agent = mob.Agent(
        ParetoTs(), arms=2, features=0, objectives=[Objective("cost", minimise=True), "quality"]
    )
    agent.core.contexts.set_layout(shared=False)  # nothing need be compiled for what is refused
    agent.core.bound.set_layout(shared=False)
    agent.core.pending.add(Pending(np.empty(0), 0, (0.0,), 1, 0, 0.0))
    with pytest.raises(ValueError, match=r"ParetoTs needs rewards in \[0, 1\].*, got -0.5"):
        agent.learn(0, {"cost": 0.5})
    assert (agent.lessons, agent.waiting) == (0, 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"propensity": "maybe"}, "propensity must be one of exact, none, sampled, got 'maybe'"),
        ({"samples": 0}, "samples must be an integer of at least 1"),
        ({"max_age": 0.0}, "max_age must be above 0"),
        ({"max_age": "1"}, "max_age must be a finite number"),
        ({"remembered": -1}, "remembered must be an integer of at least 0"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
        ({"seed": 1.0}, "seed must be an integer of at least 0"),
    ],
    ids=str,
)
def test_bad_options(changed, said):
    with pytest.raises(ValueError, match=said):
        mob.Agent(RandomChoice(), **{"arms": 2, "features": 0, "objectives": 1, **changed})
