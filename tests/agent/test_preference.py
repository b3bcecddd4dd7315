"""The preference of an agent: which policies have one, what is refused, and that it is compiled before it is played."""

import logging

import numpy as np
import pytest
from every_recipe import CASES, Case
from numba.core.dispatcher import Dispatcher

import mobandits as mob
from mobandits import precompile
from mobandits.agent import bound_policy
from mobandits.agent.parts import comparing, with_order
from mobandits.compiling.compiled import compiled
from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Shape
from mobandits.errors import CompileError
from mobandits.logs import Feedback
from mobandits.orders import Chains, ExploreWide, Levels, Lexicographic, Pareto, Weighted
from mobandits.orders.order import BaseOrder
from mobandits.orders.validity import check_objectives
from mobandits.policies import MolEpsGreedy, MolUcb, MoslbPl, ParetoKg
from mobandits.precompile import example, precompile_agent
from mobandits.spec import catalogue

SHAPE = Shape(5, 2, 3, rounds=400)
FIXED = {
    "ParetoTs",
    "Ape",
    "Ege",
    "Elimination",
    "LexElim",
    "Ogde",
    "PreferenceUcb",
    "ParetoKg",
    "TopTwoParetoTs",
    "WidthGuided",
    "ScalarizedUcb1",
    "CsUcb1",
    "Exp3P",
    "AnnealingPareto",
    "Pcz",
    "ContextualZooming",
}
WITHOUT = FIXED | {
    "RandomChoice",
    "SingleArm",
    "HypervolumeUcb",
}  # the last compares volumes, and no objectives


@pytest.mark.parametrize("case", CASES, ids=str)
def test_policies_of_parts_take_another_order(case):
    policy = case.recipe.bind(SHAPE._replace(shared=case.shared, features=case.features))
    recipe = case.recipe
    while hasattr(recipe, "recipe"):  # a wrapper has the order of what it wraps
        recipe = recipe.recipe
    name = type(recipe).__name__
    inner = comparing(policy)
    without = name in WITHOUT or "selection='weight'" in str(case) or "Exp3P" in str(case)
    assert (inner is None) is without
    if without:
        with pytest.raises(
            ValueError, match=r"preference must be left alone with .* got Lexicographic"
        ):
            with_order(policy, Lexicographic())
        return
    other = with_order(policy, Lexicographic())
    assert composite(other).order in (
        Lexicographic(),
        ExploreWide(Lexicographic(), getattr(inner.order, "epsilon", 1.0)),
    )
    assert (composite(other).estimator, composite(other).explorer) == (
        inner.estimator,
        inner.explorer,
    )
    assert exchanged(other, order=inner.order) == policy


def test_an_exploration_phase_stays():
    agent = mob.Agent(MoslbPl(levels=((0, 1), (2,))), arms=3, features=2, objectives=3, rounds=100)
    phase = agent.preference
    assert isinstance(phase, ExploreWide)
    agent.preference = Chains([[2], [0, 1]])
    agent.core.contexts.set_layout(shared=True)
    agent.core.bound.set_layout(shared=True)
    assert agent.core.bound.policy.order == ExploreWide(Chains([[2], [0, 1]]), phase.epsilon)
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
        ValueError,
        match="preference must be left alone with KgPolicy: only policies of an estimator, an",
    ):
        agent.preference = Lexicographic()


def test_nothing_that_was_learned_changes():
    agent = Case(MolUcb(scale=0.3), shared=True).agent()
    rng = np.random.default_rng(1)
    for _ in range(10):
        agent.learn(agent.decide(rng.random(2)).id, rng.random(3))
    waiting = agent.decide(rng.random(2)).id
    before = [array.tolist() for array in agent.core.bound.state()]
    agent.preference = Lexicographic()
    assert [array.tolist() for array in agent.core.bound.state()] == before
    agent.learn(waiting, rng.random(3))
    assert agent.lessons == 11
    agent.add_arm("new")  # which keeps the preference
    assert agent.preference == Lexicographic()
    assert agent.core.bound.policy.order == Lexicographic()


def taught(recipe=None, **options):
    """An agent that has decided and learned."""
    agent = mob.Agent(recipe or MolEpsGreedy(), arms=3, features=2, objectives=2, **options)
    agent.learn(agent.decide([0.5, 0.25]).id, [0.5, 0.25])
    return agent


@pytest.fixture
def compiled_since(monkeypatch):
    """The names of functions that are compiled, or loaded, from now on."""
    names = []
    real = Dispatcher.compile

    def compile_noted(dispatcher, *args):
        names.append(dispatcher.py_func.__name__)
        return real(dispatcher, *args)

    monkeypatch.setattr(Dispatcher, "compile", compile_noted)
    return names


def test_an_order_is_compiled_before_it_is_played(compiled_since):
    agent = taught()
    agent.preference = Lexicographic()
    compiled_since.clear()
    agent.learn(agent.decide([0.5, 0.25]).id, [0.5, 0.25])
    assert compiled_since == []


def test_preparing_an_order_changes_nothing_else():
    agent = taught()
    mind_before, stream = agent.core.bound.session, agent.core.bound.rng.bit_generator.state
    agent.core.bound.prepare_for(Lexicographic())
    assert agent.core.bound.session is mind_before
    assert agent.core.bound.rng.bit_generator.state == stream
    assert agent.preference == Pareto()


@compiled
class Broken(BaseOrder):
    """An order with a mistake that only a compiler sees."""

    def front(self, beliefs):
        return np.array(beliefs.high[:, 0].tolist()) >= 0.0

    def gap(self, means, arm):
        return means[arm]


def test_an_order_that_cannot_be_compiled_leaves_the_old_one_in_place():
    agent, twin = taught(), taught()
    with pytest.raises(CompileError, match=r"test_preference\.py:\d+: .*tolist"):
        agent.preference = Broken()
    assert agent.preference == Pareto()
    contexts = np.random.default_rng(0).random((20, 2))
    assert [agent.decide(row) for row in contexts] == [twin.decide(row) for row in contexts]


def test_it_is_said_where_compiling_takes_long(monkeypatch, caplog):
    agent = taught()
    with caplog.at_level(logging.INFO, logger="mobandits"):
        agent.preference = Weighted([0.5, 0.5])
    assert all("Weighted was made ready" in record.message for record in caplog.records)
    monkeypatch.setattr(bound_policy, "SLOW", -1.0)
    caplog.clear()
    agent.preference = Weighted([0.25, 0.75])
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("mobandits", "WARNING")
    assert record.message.startswith("Weighted was made ready for MolEpsGreedy in 0.")
    assert "`mobandits warm --agents` does so ahead" in record.message
    agent.preference = None
    assert caplog.records[-1].message.startswith("the recipe's own order was made ready for")


@pytest.mark.parametrize("name", catalogue("orders"))
def test_every_built_in_order_has_an_example(name):
    order = example(catalogue("orders")[name])
    assert type(order) is catalogue("orders")[name]
    check_objectives(order, 2)


@pytest.mark.parametrize("propensity", ["none", "sampled"])
def test_what_was_warmed_up_needs_no_compiling(propensity, compiled_since):
    assert precompile_agent(MolEpsGreedy, Lexicographic) == "compiled"
    agent = mob.Agent(MolEpsGreedy(), arms=7, features=3, objectives=3, propensity=propensity)
    agent.preference = Lexicographic(0.5)
    compiled_since.clear()
    agent.learn(agent.decide([0.5, 0.25, 0.0]).id, [0.5, 0.25, 0.0])
    agent.decide_batch(np.zeros((4, 3)))
    if propensity == "none":
        agent.decide([0.5, 0.25, 0.0], top=3)
    # As tables give them: arrays that may not be written to.
    contexts = np.zeros((5, 3))
    contexts.flags.writeable = False
    log = Feedback(contexts, [0] * 5, np.ones((5, 3)), [1.0] * 5, range(7), range(3))
    agent.learn_log(log)
    assert compiled_since == []


def test_a_constant_radius_is_warmed_up_beside_the_default():
    variants = precompile._variants(MolUcb)
    assert variants == [MolUcb(), MolUcb(scale=0.3)]
    assert precompile._variants(MolEpsGreedy) == [MolEpsGreedy()]


@pytest.mark.slow
def test_a_constant_radius_needs_no_compiling(compiled_since):
    """The compiler takes a minute for it."""
    assert precompile_agent(MolUcb) == "compiled"
    shape = {"arms": 7, "features": 3, "objectives": 3}
    for recipe in (MolUcb(), MolUcb(scale=0.7)):
        agent = mob.Agent(recipe, **shape)
        compiled_since.clear()
        agent.learn(agent.decide(np.zeros((7, 3))).id, [0.5, 0.25, 0.0])
        assert compiled_since == []


def test_learning_from_logs_is_compiled_with_a_preference(compiled_since):
    """Where the agent has learned from one: then it goes on after a change without compiling."""
    log = Feedback(np.zeros((3, 2)), [0] * 3, np.ones((3, 2)), [1.0] * 3, range(4), range(2))
    agent = mob.Agent(MolEpsGreedy(), arms=4, features=2, objectives=2)
    agent.learn_log(log)
    agent.preference = Lexicographic()
    compiled_since.clear()
    agent.learn_log(log)
    assert compiled_since == []


def test_warming_up_leaves_out_policies_without_a_preference():
    assert precompile_agent(ParetoKg, Lexicographic) == ""
