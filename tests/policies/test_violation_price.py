"""Prices of what was overspent: the rule against its definition, gaps that are charged, and a budget that is kept."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import OWN

import mobandits as mob
from mobandits.estimators import Priced, SampleMean
from mobandits.orders import Lexicographic, Weighted
from mobandits.policies import GapWeighted, MolUcb, Paced

LEARNER = MolUcb(scale=0.1, order=Weighted([1.0, 0.0]))
COSTS = (0.05, 0.95)
GAINS = (0.5, 0.8)
ALLOWED = 0.3


def slow_price(costs, allowed, horizon):
    """The definition: Q, and the derivative of its potential, up to 1e5 per largest cost."""
    violation, unit = 0.0, allowed * math.sqrt(horizon)
    for cost in costs:
        violation = max(0.0, violation + cost - allowed)
    return math.exp(violation / unit) / unit


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0.0, 1.0), max_size=30),
    st.floats(0.2, 2.0),
    st.sampled_from([16, 100, 2500]),
)
def test_the_price_is_the_derivative_of_the_potential(costs, allowed, horizon):
    # At most 30 costs of 1: no price comes near 1e5.
    priced = Priced(SampleMean(1, 2), [1], [0.0], [1.0], [allowed], [0.0], horizon, violation=True)
    state = priced.init()
    for cost in costs:
        state = priced.update(state, np.empty(0), 0, np.array([1.0, -cost]))
    expected = slow_price(costs, allowed, horizon)
    limit = 1e5 / max(costs) if any(costs) else math.inf
    if expected < 1e4:
        assert limit > expected
        assert priced.price(state, 0) == pytest.approx(expected, rel=1e-9)
    assert not priced.is_beyond(state, 0, 1e9, 0.0)


def test_a_price_stays_finite():
    priced = Priced(SampleMean(1, 2), [1], [0.0], [1.0], [1e-3], [0.0], 50, violation=True)
    state = priced.init()
    for cost in (1e9, 1e9, 1e6, -1e9, 0.0):
        state = priced.update(state, np.empty(0), 0, np.array([1.0, -cost]))
        assert math.isfinite(priced.price(state, 0))
    assert priced.price(state, 0) == pytest.approx(1.0 / (1e-3 * math.sqrt(50)))


@pytest.mark.parametrize("price", ["left", "violation"])
def test_gaps_are_weighted_at_the_price_from_either_side(price):
    shape = OWN._replace(rounds=100)
    options = {"budgets": {1: 0.3}, "price": price}
    learner = MolUcb(scale=0.1, order=Weighted([1.0, 0.0, 0.0]))
    outside = Paced(GapWeighted(learner, 5.0), **options).bind(shape)
    inside = GapWeighted(Paced(learner, **options), 5.0).bind(shape)
    assert outside == inside


def spending(price, rounds, seed):
    """The share of the budget that two arms use up, the dear one better, and the least probability."""
    recipe = Paced(GapWeighted(LEARNER), {1: ALLOWED}, horizon=rounds, price=price)
    shape = OWN._replace(arms=2, objectives=2, rounds=None, shared=True, features=1)
    policy = recipe.bind(shape)
    state, rng, one = policy.init(), np.random.default_rng(seed), np.ones((1, 1))
    spent, least = 0.0, 1.0
    for _ in range(rounds):
        beliefs = policy.beliefs(state, one, np.arange(2), rng)
        law = policy.probabilities(beliefs)
        assert law.sum() == pytest.approx(1.0)
        least = min(least, law.min())
        arm = policy.draw(beliefs, rng).arm
        cost = float(rng.random() < COSTS[arm])
        gain = GAINS[arm] + 0.05 * rng.standard_normal()
        state = policy.update(state, one[0], arm, 0.0, np.array([gain, -cost]), rng)
        spent += cost
    return spent / (rounds * ALLOWED), least


@pytest.mark.long
def test_the_budget_is_kept_but_for_the_violation():
    """At the price 1/3 both arms are as good: Q is there near b sqrt(n) ln(b sqrt(n) / 3)."""
    rounds = 1600
    root = math.sqrt(rounds)
    margin = math.log(ALLOWED * root / 3.0) / root
    for seed in range(3):
        share, least = spending("violation", rounds, seed)
        # Three standard deviations of a round's cost, .46, over the root of the rounds.
        assert share < 1.0 + margin + 3.0 * 0.46 / ALLOWED / root
        assert share > 0.9
        assert least > 1e-4


def test_an_agent_logs_positive_propensities_and_comes_back(tmp_path):
    recipe = Paced(GapWeighted(LEARNER), {"cost": 0.3}, horizon=500, price="violation")
    options = {
        "arms": ["cheap", "dear"],
        "features": 1,
        "objectives": ["quality", mob.Objective("cost", minimise=True, unit="USD")],
        "propensity": "exact",
        "log": tmp_path / "log",
    }
    rng = np.random.default_rng(0)
    with mob.Agent(recipe, **options) as agent:
        for _ in range(60):
            decision = agent.decide([1.0])
            assert 0.0 < decision.propensity < 1.0
            arm = int(decision.arm == "dear")
            agent.learn(decision.id, {"quality": GAINS[arm], "cost": COSTS[arm]})
        agent.preference = Lexicographic()
        price = agent.core.bound.state().estimator.price.tolist()
    with mob.Agent(recipe, **options) as agent:
        assert agent.core.bound.state().estimator.price.tolist() == price
        assert 0.0 < agent.decide(rng.random(1)).propensity < 1.0


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"Paced\.horizon must be known with price=\"violation\""):
        Paced(MolUcb(), {1: 0.5}, price="violation").bind(OWN._replace(rounds=None))
    with pytest.raises(ValueError, match=r"Paced\.price"):
        Paced(MolUcb(), {1: 0.5}, price="violated")
