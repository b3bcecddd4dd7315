"""The preference of an agent: which policies have one, and what is refused."""

import numpy as np
import pytest
from every_recipe import CASES, Case

import mobandits as mob
from mobandits.agent.parts import comparing, with_order
from mobandits.contracts.protocols import Shape
from mobandits.orders import Chains, ExploreWide, Levels, Lexicographic, Pareto
from mobandits.policies import MolUcb, MoslbPl, ParetoKg
from mobandits.policies.composition import composite, exchanged

SHAPE = Shape(5, 2, 3, rounds=400)
FIXED = {"ParetoTs", "ParetoKg", "ScalarizedUcb1", "CsUcb1", "Exp3P", "AnnealingPareto", "Pcz", "ContextualZooming"}
WITHOUT = FIXED | {"RandomChoice", "SingleArm", "HypervolumeUcb"}  # the last compares volumes, and no objectives


@pytest.mark.parametrize("case", CASES, ids=str)
def test_policies_of_parts_take_another_order(case):
    policy, name = (
        case.recipe.bind(SHAPE._replace(shared=case.shared, features=case.features)),
        type(case.recipe).__name__,
    )
    inner = comparing(policy)
    without = name in WITHOUT or "selection='weight'" in str(case) or "Exp3P" in str(case)
    assert (inner is None) is without
    if without:
        with pytest.raises(ValueError, match=r"preference must be left alone with .* got Lexicographic"):
            with_order(policy, Lexicographic())
        return
    other = with_order(policy, Lexicographic())
    assert composite(other).order in (
        Lexicographic(),
        ExploreWide(Lexicographic(), getattr(inner.order, "epsilon", 1.0)),
    )
    assert (composite(other).estimator, composite(other).explorer) == (inner.estimator, inner.explorer)
    assert exchanged(other, order=inner.order) == policy


def test_an_exploration_phase_stays():
    agent = mob.Agent(MoslbPl(levels=((0, 1), (2,))), arms=3, features=2, objectives=3, rounds=100)
    phase = agent.preference
    assert isinstance(phase, ExploreWide)
    agent.preference = Chains([[2], [0, 1]])
    agent._contexts.lay(shared=True)
    agent._mind.lay(shared=True)
    assert agent._mind.policy.order == ExploreWide(Chains([[2], [0, 1]]), phase.epsilon)
    agent.preference = None
    assert agent.preference == phase


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("lexicographic", "preference must be an order such as Pareto"),
        (Lexicographic, "preference must be an order such as Pareto"),
        (Levels([[0, 1]]), "Levels.levels must name each of the 3 objectives, got no 2"),
        (Levels([[0, 1], [2, 3]]), "Levels.levels must name objectives below 3, got 3"),
    ],
    ids=str,
)
def test_what_is_no_order_of_the_problem_is_refused(order, said):
    agent = mob.Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=3)
    with pytest.raises(ValueError, match=said):
        agent.preference = order
    assert agent.preference == Pareto()


def test_policies_without_one_refuse_it():
    agent = mob.Agent(ParetoKg(), arms=3, features=0, objectives=3, rounds=10)
    assert agent.preference is None
    agent.preference = None
    with pytest.raises(
        ValueError, match="preference must be left alone with KgPolicy: only policies of an estimator, an"
    ):
        agent.preference = Lexicographic()


def test_nothing_that_was_learned_changes():
    agent = Case(MolUcb(scale=0.3), shared=True).agent()
    rng = np.random.default_rng(1)
    for _ in range(10):
        agent.learn(agent.decide(rng.random(2)).id, rng.random(3))
    waiting = agent.decide(rng.random(2)).id
    before = [array.tolist() for array in agent._mind.state()]
    agent.preference = Lexicographic()
    assert [array.tolist() for array in agent._mind.state()] == before
    agent.learn(waiting, rng.random(3))
    assert agent.lessons == 11
    agent.add_arm("new")  # which keeps the preference
    assert agent.preference == Lexicographic()
    assert agent._mind.policy.order == Lexicographic()
