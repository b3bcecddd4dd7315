"""Budgets by prices: the dual rule and the beliefs against a slow twin; late costs; what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import OWN, SHARED, D, K

from mobandits.contracts.composition import composite
from mobandits.estimators import Priced, SampleMean
from mobandits.explorers import Charged, RandomWeights
from mobandits.orders import Weighted
from mobandits.policies import (
    Exp3P,
    Forgetting,
    GapWeighted,
    HypervolumeUcb,
    MoglbUcb,
    MolTs,
    MolUcb,
    Paced,
    WithFloor,
    Within,
)

QUALITY = Weighted([1.0, 0.0, 0.0])


def slow_prices(costs, allowed, unit, horizon, step):
    """The price after every cost, in plain Python: money per unit, and the sums so far."""
    price, prices, largest = 0.0, [], 0.0
    for n, cost in enumerate(costs):
        spent = math.fsum(costs[:n])
        rest = allowed
        if horizon and n < horizon:
            rest = (horizon * allowed - spent) / (horizon - n)
        before = unit or largest
        largest = max(largest, abs(cost))
        now = unit or largest
        if before:
            price = price * now / before
        if now:
            price = min(now / allowed, max(0.0, price + step * (cost - rest) / now))
        prices.append(price)
    return prices


@settings(max_examples=60)
@given(
    st.lists(st.floats(0.0, 2.0), min_size=1, max_size=30),
    st.floats(0.05, 2.0),
    st.sampled_from([0.0, 1.0, 0.25]),
    st.sampled_from([0, 10, 100]),
    st.sampled_from([0.5, 10.0]),
)
def test_prices_follow_the_rule(costs, allowed, unit, horizon, step):
    priced = Priced(SampleMean(1, 2), [1], [0.0], [1.0], [allowed], [unit], [0.0], horizon, step)
    state = priced.init()
    for cost, expected in zip(costs, slow_prices(costs, allowed, unit, horizon, step), strict=True):
        state = priced.update(state, np.empty(0), 0, np.array([1.0, -cost]))
        assert state.price[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert state.spent[0] == pytest.approx(sum(costs))
    assert state.settled[0] == len(costs)


def test_costs_are_in_the_unit_of_the_objective():
    """A reward on [0, 1], where 1 is the best, of costs between 0 and 5."""
    inside = SampleMean(1, 2)
    own = Priced(inside, [1], [0.0], [1.0], [0.5], [2.0], [0.0], 10, 10.0)
    ranged = Priced(inside, [1], [-5.0], [5.0], [0.5], [2.0], [0.0], 10, 10.0)
    states = [own.init(), ranged.init()]
    for cost in (0.75, 0.125, 2.5):
        states[0] = own.update(states[0], np.empty(0), 0, np.array([1.0, -cost]))
        reward = (5.0 - cost) / 5.0
        states[1] = ranged.update(states[1], np.empty(0), 0, np.array([1.0, reward]))
        for field in ("price", "spent", "largest"):
            mine, theirs = getattr(states[0], field)[0], getattr(states[1], field)[0]
            assert mine == pytest.approx(theirs, rel=1e-12)


def test_costs_that_come_late_and_alone():
    """In the same order, parts are the full reward; before a cost is there, nothing was spent."""
    priced = Priced(SampleMean(2, 2), [1], [0.0], [1.0], [0.5], [1.0], [0.0], 10, 10.0)
    whole, parts = priced.init(), priced.init()
    x = np.empty(0)
    for cost in (0.75, 0.25, 1.0):
        whole = priced.update(whole, x, 0, np.array([0.5, -cost]))
    for cost in (0.75, 0.25, 1.0):
        parts = priced.update(parts, x, 0, np.array([0.5, np.nan]))
        parts = priced.update(parts, x, 0, np.array([np.nan, -cost]))
    for field in ("price", "spent", "settled", "largest"):
        assert getattr(whole, field).tolist() == getattr(parts, field).tolist()
    late = priced.update(priced.init(), x, 0, np.array([0.5, np.nan]))
    assert (late.spent[0], late.settled[0], late.price[0]) == (0.0, 0.0, 0.0)


INSIDE = [
    MolUcb(scale=0.3, order=QUALITY),
    MolUcb(scale="data", order=QUALITY),
    Forgetting(MolUcb(scale=0.3), 0.9),
    WithFloor(MolUcb(scale=0.3), 0.2),
]


@pytest.mark.parametrize("recipe", INSIDE, ids=str)
@pytest.mark.parametrize("shape", [OWN, SHARED], ids=["own", "shared"])
def test_beliefs_are_charged(recipe, shape):
    """What is believed, less the price of the optimistic cost; two budgets, one free objective."""
    budgets = {1: 0.2, 2: 0.1}
    policy = Paced(recipe, budgets, horizon=50).bind(shape)
    plain = recipe.bind(shape)
    rng = np.random.default_rng(0)
    state, rows = policy.init(), 1 if shape.shared else K
    for _ in range(20):
        arm = int(rng.integers(K))
        reward = np.array([rng.random(), -rng.random(), -rng.random() / 2])
        state = policy.update(state, rng.random(D), arm, 0.0, reward, rng)
    context, arms = rng.random((rows, D)), np.array([4, 1, 2])
    context = context[arms] if rows > 1 else context
    charged = policy.beliefs(state, context, arms, rng)
    believed = plain.beliefs(state.model, context, arms, rng)
    assert state.price.max() > 0.0
    for a in range(3):
        charge = 0.0
        for j, l in enumerate(budgets):
            cost = max(0.0, -believed.high[a, l])
            charge += state.price[j] * cost / state.largest[j]
        shift = np.array([charge, 0.0, 0.0])
        for mine, theirs in zip(charged, believed, strict=True):
            assert mine[a] == pytest.approx(theirs[a] - shift, rel=1e-12)
    law = policy.probabilities(charged)
    if isinstance(recipe, MolUcb):
        expected = charged.high[:, 0] == charged.high[:, 0].max()
        assert (law > 0.0).tolist() == expected.tolist()


def test_a_budget_is_kept():
    """Two arms, the dear one better: as much of it as the budget allows, which a horizon hits."""
    spent = {}
    for name, options in {"horizon": {"horizon": 2000}, "none": {"step": 1.0}}.items():
        shape = OWN._replace(arms=2, objectives=2, rounds=None, shared=True, features=1)
        recipe = Paced(
            MolUcb(scale=0.1, order=Weighted([1.0, 0.0])), {1: 0.3}, largest={1: 1.0}, **options
        )
        policy = recipe.bind(shape)
        state, rng, one = policy.init(), np.random.default_rng(1), np.ones((1, 1))
        total = quality = 0.0
        for _ in range(2000):
            beliefs = policy.beliefs(state, one, np.arange(2), rng)
            arm = policy.draw(beliefs, rng).arm
            cost = float(rng.random() < (0.05, 0.95)[arm])
            grade = (0.5, 0.8)[arm] + 0.05 * rng.standard_normal()
            state = policy.update(state, one[0], arm, 0.0, np.array([grade, -cost]), rng)
            total, quality = total + cost, quality + (0.5, 0.8)[arm]
        spent[name] = total / (0.3 * 2000)
        # The best mixture plays the dear arm (0.3 - 0.05) / 0.9 of the time: 0.583.
        assert quality / 2000 > 0.57
    assert 0.97 < spent["horizon"] < 1.01
    assert 0.9 < spent["none"] < 1.1


def test_where_the_parts_are():
    policy = Paced(MolTs(scale=0.3, selection="weight"), {1: 0.5}).bind(OWN)
    assert isinstance(policy.explorer, RandomWeights)
    assert isinstance(policy.explorer.explorer, Charged)
    assert isinstance(policy.estimator, Priced)
    assert policy.estimator.horizon == OWN.rounds
    assert Paced(MolUcb(), {1: 0.5}, horizon=7).bind(OWN).estimator.horizon == 7
    assert Paced(MolUcb(), {1: 0.5}).bind(OWN._replace(rounds=None)).estimator.horizon == 0
    limited = Paced(Within(MolUcb(scale=0.3), {0: 0.5}), {1: 0.5}).bind(OWN)
    assert isinstance(composite(limited).estimator, Priced)
    hypervolume = Paced(HypervolumeUcb(scale=0.3), {1: 0.5}).bind(OWN)
    assert isinstance(hypervolume.explorer.explorer, Charged)


def test_it_is_a_value():
    recipe = Paced(MolUcb, {1: 1}, largest={1: 2})
    assert recipe == Paced(MolUcb(), ((1, 1.0),), largest=((1, 2.0),))
    assert hash(recipe) == hash(Paced(MolUcb(), {1: 1.0}, largest={1: 2.0}))
    assert recipe.assumptions() == MolUcb().assumptions()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"recipe": 3}, r"Paced\.recipe must be a recipe"),
        ({"budgets": {}}, r"Paced\.budgets must be a dictionary .* got none"),
        ({"budgets": {1: 0.0}}, r"Paced\.budgets\[1\] must be above 0, got 0\.0"),
        ({"horizon": 0}, r"Paced\.horizon must be an integer of at least 1"),
        ({"step": 0.0}, r"Paced\.step must be above 0"),
        ({"largest": {1: -1.0}}, r"Paced\.largest\[1\] must be above 0"),
        ({"largest": {2: 1.0}}, r"Paced\.largest must be of objectives with a budget, got 2"),
    ],
)
def test_what_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        Paced(**{"recipe": MolUcb(), "budgets": {1: 0.5}, **options})


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Paced(MolUcb(), {3: 0.5}), r"Paced\.budgets must be of objectives below 3, got 3"),
        (Paced(MolUcb(), {0: 1, 1: 1, 2: 1}), "must leave an objective without a budget"),
        (Paced(MolUcb(), {"cost": 1}), "by number, from 0, outside of an agent"),
        (Paced(Paced(MolUcb(), {1: 1}), {2: 1}), r"Paced\.recipe must not be paced itself"),
        (Paced(Exp3P(), {1: 1}), r"Paced\.recipe must have estimates"),
        (Paced(MoglbUcb(), {1: 1}), r"Paced\.recipe must believe in mean rewards"),
        (Paced(GapWeighted(MolUcb()), {1: 1}), r"Paced\.recipe must act on the beliefs"),
        (GapWeighted(Paced(MolUcb(), {1: 1})), r"GapWeighted\.recipe must have no budgets"),
        (GapWeighted(Within(MolUcb(), {0: 1.0})), r"GapWeighted\.recipe must bind"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_when_bound(recipe, said):
    with pytest.raises(ValueError, match=said):
        recipe.bind(OWN)
