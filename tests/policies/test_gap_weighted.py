"""Inverse gap weighting: its law against a slow twin, SquareCB, and what a log of it is good for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mobandits as mob
from mobandits.contracts.protocols import Beliefs, Shape
from mobandits.orders import EffectivePareto, Levels, Lexicographic, Pareto, Weighted
from mobandits.policies import GapWeighted, MolUcb, RandomChoice
from mobandits.policies.wrappers.gap_weighted import GapWeightedBeliefs

ORDERS = [
    Pareto(),
    EffectivePareto(),
    Lexicographic(),
    Levels([[0, 1], [2]]),
    Weighted([1.0, 0.5, 0.25]),
]
MEANS = arrays(
    np.float64, st.tuples(st.integers(1, 7), st.just(3)), elements=st.floats(-2.0, 2.0, width=16)
)


def policy_of(order, arms=4, **options):
    return GapWeighted(MolUcb(order=order), **options).bind(Shape(arms, 2, 3))


def slow_law(order, means, sharpness):
    front = mob.front(means, order)
    gaps = mob.gaps(means, order)
    law = np.zeros(len(means))
    for a in np.flatnonzero(~front):
        positive = gaps[a][gaps[a] > 0.0]
        law[a] = 1.0 / (len(means) + sharpness * (positive[0] if len(positive) else 0.0))
    law[front] = (1.0 - law.sum()) / front.sum()
    return law


@pytest.mark.long
@pytest.mark.parametrize("order", ORDERS, ids=repr)
@given(means=MEANS, sharpness=st.floats(0.01, 1000.0))
def test_the_law(order, means, sharpness):
    law = policy_of(order).probabilities(
        GapWeightedBeliefs(Beliefs(means, means, means), sharpness)
    )
    assert law == pytest.approx(slow_law(order, means, sharpness), rel=1e-12)
    assert law.sum() == pytest.approx(1.0)
    assert (law >= 1.0 / (len(means) + sharpness * mob.gaps(means, order).max()) - 1e-12).all()


def test_one_objective_is_squarecb():
    policy = GapWeighted(MolUcb(order=Weighted([1.0])), gamma=3.0).bind(Shape(3, 1, 1))
    means = np.array([[0.5], [0.9], [0.1]])
    law = policy.probabilities(GapWeightedBeliefs(Beliefs(means, means, means), 20.0))
    assert law[0] == pytest.approx(1.0 / (3.0 + 20.0 * 0.4))
    assert law[2] == pytest.approx(1.0 / (3.0 + 20.0 * 0.8))
    assert law[1] == pytest.approx(1.0 - law[0] - law[2])


@pytest.mark.long
def test_draws_follow_the_law():
    policy = policy_of(Pareto())
    means = np.array([[1.0, 0.0, 0.0], [0.8, -0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]])
    beliefs = GapWeightedBeliefs(Beliefs(means, means, means), 5.0)
    rng = np.random.default_rng(1)
    counts = np.bincount([policy.draw(beliefs, rng).arm for _ in range(20_000)], minlength=4)
    law = policy.probabilities(beliefs)
    errors = (counts / 20_000 - law) / np.sqrt(law * (1.0 - law) / 20_000)
    assert np.abs(errors).max() < 4.5


def test_rewards_in_part_count_rounds_once():
    policy = policy_of(Pareto(), gamma=2.0)
    x = np.array([0.5, 0.5])
    rng = np.random.default_rng(0)
    whole = policy.update(policy.init(), x, 1, 0.0, np.array([1.0, 2.0, 3.0]), rng)
    parts = policy.init()
    for reward in ([np.nan, 2.0, np.nan], [1.0, np.nan, 3.0]):
        parts = policy.update(parts, x, 1, 0.0, np.array(reward), rng)
    context = np.full((4, 2), 0.5)
    for state in (whole, parts):
        assert policy.beliefs(state, context, np.arange(4), rng).sharpness == pytest.approx(
            2.0 * np.sqrt(2.0)
        )


def test_an_agent_logs_exact_positive_probabilities():
    agent = mob.Agent(GapWeighted(MolUcb()), arms=3, features=2, objectives=2, propensity="exact")
    for t in range(50):
        decision = agent.decide([1.0, t / 50])
        assert 0.0 < decision.propensity <= 1.0
        agent.learn(decision.id, [0.5, t % 2])
    agent.preference = Lexicographic()
    assert agent.decide([1.0, 0.5]).propensity > 0.0


def test_a_recipe_without_estimator_and_order_is_refused():
    with pytest.raises(
        ValueError, match="bind to an estimator, an explorer and an order, got RandomChoice"
    ):
        GapWeighted(RandomChoice()).bind(Shape(4, 2, 3))


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="recipe must be a recipe"):
        GapWeighted("mol-ucb")
    with pytest.raises(ValueError, match="gamma must be"):
        GapWeighted(MolUcb(), gamma=0.0)
    with pytest.raises(ValueError, match="power must be"):
        GapWeighted(MolUcb(), power=1.5)
