"""Pessimism: lower bounds in the place of estimates, in every recipe with a confidence radius."""

import numpy as np
import pytest

import mobandits as mob
from mobandits.contracts.protocols import Shape
from mobandits.explorers import Lcb, RandomWeights, Ucb
from mobandits.explorers.radii import Constant
from mobandits.orders import Chebyshev, EffectivePareto, Lexicographic, Pareto, Weighted
from mobandits.policies import (
    Doubling,
    Forgetting,
    GapWeighted,
    MocMab,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    ParetoUcb1,
    Pessimistic,
    RandomChoice,
    WithFloor,
)

SHAPE = Shape(arms=4, features=2, objectives=2, rounds=100)
SHARED = SHAPE._replace(shared=True)


def taught(recipe, shape, rounds=40, seed=0):
    """The policy, and its state after rounds of arms that something else chose; arm 3 is rare."""
    rng = np.random.default_rng(seed)
    policy = recipe.bind(shape)
    state = policy.init()
    for t in range(rounds):
        arm = 3 if t == 7 else t % 3
        state = policy.update(state, rng.random(2), arm, 0.0, rng.random(2), rng)
    return policy, state


def test_beliefs_are_the_lower_ends_of_the_recipes_intervals():
    rng = np.random.default_rng(1)
    for recipe, shape in (
        (MolUcb(scale=0.3), SHAPE),
        (MolUcb(scale="data"), SHARED),
        (MolUcb(), SHARED),
        (Forgetting(MolUcb(scale=0.3), 0.9), SHAPE),
    ):
        context = rng.random((1 if shape.shared else 4, 2))
        policy, state = taught(recipe, shape)
        pessimist, same = taught(Pessimistic(recipe), shape)
        beliefs = policy.beliefs(state, context, np.arange(4), rng)
        bounds = pessimist.beliefs(same, context, np.arange(4), rng)
        for bound in bounds:
            np.testing.assert_array_equal(bound, beliefs.low)


def test_a_rare_arm_needs_more_than_a_good_mean():
    """Arm 1 paid a little more, once; arm 0 paid nearly as much, a thousand times."""
    shape = Shape(arms=2, features=1, objectives=1, shared=True)
    played = []
    for recipe in (MolUcb(scale=0.5), Pessimistic(MolUcb(scale=0.5))):
        policy = recipe.bind(shape)
        state = policy.init()
        rng = np.random.default_rng(0)
        for _ in range(1000):
            state = policy.update(state, np.ones(1), 0, 0.0, np.array([0.5]), rng)
        state = policy.update(state, np.ones(1), 1, 0.0, np.array([1.2]), rng)
        beliefs = policy.beliefs(state, np.ones((1, 1)), np.arange(2), rng)
        played.append(policy.draw(beliefs, rng).arm)
    assert played == [1, 0]


def test_arms_that_were_never_played_come_last():
    """With sample means their bound is -inf, under every order."""
    rng = np.random.default_rng(0)
    shape = Shape(arms=3, features=0, objectives=2)
    policy = Pessimistic(ParetoUcb1(scale=0.3)).bind(shape)
    state = policy.init()
    nothing = np.zeros((1, 0))
    at_first = policy.beliefs(state, nothing, np.arange(3), rng)
    assert policy.probabilities(at_first) == pytest.approx(1.0 / 3.0)
    state = policy.update(state, np.zeros(0), 1, 0.0, np.array([0.1, 0.1]), rng)
    beliefs = policy.beliefs(state, nothing, np.arange(3), rng)
    orders = (
        Pareto(),
        Lexicographic(),
        Weighted([1.0, 0.5]),
        Chebyshev([1.0, 1.0], [0.0, 0.0]),
    )
    for order in orders:
        assert order.front(beliefs).tolist() == [False, True, False], order


def test_wrappers_in_any_order():
    recipe = MolUcb(scale=0.3, order=EffectivePareto())
    inside = WithFloor(Pessimistic(recipe), 0.1).bind(SHAPE)
    outside = Pessimistic(WithFloor(recipe, 0.1)).bind(SHAPE)
    assert inside == outside
    assert inside.policy.explorer == Lcb(Constant(0.3))
    lengths = [
        stage.rounds
        for stage, _ in zip(Pessimistic(Doubling(recipe, 8)).stages(SHAPE), "ab", strict=False)
    ]
    assert lengths == [8, 16]


def test_every_kind_of_explorer():
    linked = Pessimistic(MolTs(scale=0.3, links="logit")).bind(SHAPE)
    assert linked.explorer.explorer == Lcb(Constant(0.3))
    drawn = Pessimistic(MolTs(scale=0.3, selection="weight")).bind(SHAPE)
    assert drawn.explorer == RandomWeights(Lcb(Constant(0.3)))
    assert isinstance(Pessimistic(MoglbUcb(scale=0.1)).bind(SHAPE).explorer, Lcb)
    cells = Pessimistic(MocMab(scale=0.1, per_side=2)).bind(SHARED)
    assert isinstance(cells.policy.explorer, Lcb)
    assert Lcb(Constant(0.3)).intervals() == Ucb(Constant(0.3))


def test_what_has_no_radius_is_refused():
    with pytest.raises(ValueError, match=r"^Pessimistic.recipe must have a confidence radius"):
        Pessimistic(MolEpsGreedy()).bind(SHAPE)
    for recipe in (RandomChoice(), GapWeighted(MolUcb()), WithFloor(GapWeighted(MolUcb()), 0.1)):
        with pytest.raises(ValueError, match=r"^Pessimistic.recipe must play by an estimator"):
            Pessimistic(recipe).bind(SHAPE)
    with pytest.raises(ValueError, match=r"^Pessimistic.recipe must be a recipe"):
        Pessimistic("mol-ucb")
    assert Pessimistic(MolUcb) == Pessimistic(MolUcb())
    assert not Pessimistic(MoglbUcb()).accepts_partial


def test_an_agent_learns_a_log_and_plays_it_under_any_preference():
    rng = np.random.default_rng(0)
    arms = rng.integers(0, 3, 600)
    means = np.array([[1.0, 0.0], [0.7, 0.7], [0.0, 1.0]])
    rewards = means[arms] + 0.3 * rng.normal(size=(600, 2))
    log = mob.logs.Feedback(np.ones((600, 1)), arms, rewards, [1 / 3] * 600, "abc", ("q", "c"))
    recipe = Pessimistic(MolUcb(scale="data"))
    agent = mob.Agent(recipe, arms=list("abc"), features=1, objectives=("q", "c"))
    agent.learn_log(log)
    played = []
    for weights in ([1.0, 0.0], [0.5, 0.5], [0.0, 1.0]):
        agent.preference = Weighted(weights)
        played.append(agent.decide([1.0]).arm)
    assert played == ["a", "b", "c"]
    explanation = agent.explain(agent.decide([1.0]))
    assert (explanation.low < explanation.estimates).all()
