"""Budgets by prices: the dual rule and the beliefs against a slow twin; late costs; what is refused."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import OWN, SHARED, D, K
from scipy.stats import chi2

from mobandits.contracts.composition import composite
from mobandits.contracts.protocols import LoggedRounds
from mobandits.estimators import Priced, SampleMean
from mobandits.explorers import Charged, RandomWeights
from mobandits.orders import Weighted
from mobandits.policies import (
    Exp3P,
    Forgetting,
    GapWeighted,
    HypervolumeUcb,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    Paced,
    Rollout,
    WithFloor,
    Within,
)

QUALITY = Weighted([1.0, 0.0, 0.0])


def slow_price(costs, allowed, horizon, start):
    """The price after some costs of one budget, in plain Python, from the first cost on."""
    price, spent, largest = start, 0.0, 0.0
    for t, cost in enumerate(costs, 1):
        spent += cost
        largest = max(largest, cost)
        if horizon > t:
            rest = max(horizon * allowed - spent, 0.0)
            g = min(50.0, cost / max(rest / (horizon - t), allowed / 20.0) - 1.0)
        else:
            g = min(50.0, cost / allowed - 1.0)
            if horizon == 0:
                g += 0.005 * (spent - t * allowed) / allowed
        limited = price
        if largest > 0.0:
            limited = min(1e5 / largest, max(0.003 / largest, price))
        price = limited * math.exp(0.02 * min(50.0, g))
    return price


def paced(allowed, horizon, start=0.0, slots=1):
    return Priced(SampleMean(slots, 2), [1], [0.0], [1.0], [allowed], [start], horizon)


@settings(max_examples=100)
@given(
    st.lists(st.floats(0.0, 2.0), min_size=1, max_size=30),
    st.floats(0.05, 2.0),
    st.sampled_from([0, 10, 100]),
    st.sampled_from([0.0, 0.25, 40.0]),
)
def test_prices_follow_the_rule(costs, allowed, horizon, start):
    priced = paced(allowed, horizon, start)
    state = priced.init()
    for n, cost in enumerate(costs, 1):
        # Of the smallest numbers the ends of prices are infinite, of which only Python warns.
        with np.errstate(over="ignore"):
            state = priced.update(state, np.empty(0), 0, np.array([1.0, -cost]))
        expected = slow_price(costs[:n], allowed, horizon, start)
        assert state.price[0] == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert state.spent[0] == pytest.approx(sum(costs))
    assert state.settled[0] == len(costs)


@settings(max_examples=50)
@given(st.lists(st.floats(-1e3, 1e9), min_size=1, max_size=200), st.sampled_from([0, 50]))
def test_prices_stay_finite_and_positive(costs, horizon):
    priced = paced(1e-3, horizon)
    state = priced.init()
    for cost in costs:
        state = priced.update(state, np.empty(0), 0, np.array([1.0, -cost]))
        unit = max(abs(each) for each in costs)
        price = priced.price(state, 0)
        assert math.isfinite(price)
        assert price >= (0.003 / unit if state.largest[0] > 0.0 else 0.0)


def test_costs_are_in_the_unit_of_the_objective():
    """A reward on [0, 1], where 1 is the best, of costs between 0 and 5."""
    own = paced(0.5, 10)
    ranged = Priced(SampleMean(1, 2), [1], [-5.0], [5.0], [0.5], [0.0], 10)
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
    priced = paced(0.5, 10, slots=2)
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


def slow_charges(estimator, state, believed, is_known):
    """(arms,) what every arm is charged, in plain Python: estimated costs where they are known."""
    charges = []
    for a in range(len(believed.mean)):
        charge = 0.0
        for j, l in enumerate(estimator.objectives):
            unit = max(state.largest[j], state.large[j])
            price = min(1e5 / unit, max(0.003 / unit, state.price[j]))
            rewards = believed.mean if is_known[a] else believed.high
            charge += price * max(0.0, -rewards[a, l])
            means = [-row[l] for row in believed.mean]
            left = estimator.horizon - state.settled[j]
            cost = max(0.0, means[a])
            if a == int(np.argmin(means)):
                continue
            if estimator.horizon == 0:
                allowed = (state.settled[j] + 1.0) * estimator.allowed[j]
                most = allowed + max(0.015 * allowed, unit * min(1.0, 20.0 * unit / allowed))
                if cost > estimator.allowed[j] and state.spent[j] + cost > most:
                    charge += 1e12 * (1.0 + cost / unit)
                continue
            if left < 1:
                continue
            kept = (left - 1) * min(max(0.0, min(means)), estimator.allowed[j])
            rest = estimator.horizon * estimator.allowed[j] - state.spent[j]
            if 2.0 * cost > rest - kept:
                charge += 1e12 * (1.0 + cost / unit)
        charges.append(charge)
    return charges


@pytest.mark.parametrize("horizon", [90, 61, 400, None])
@pytest.mark.parametrize("recipe", INSIDE, ids=str)
@pytest.mark.parametrize("shape", [OWN, SHARED], ids=["own", "shared"])
def test_beliefs_are_charged(recipe, shape, horizon):
    """What is believed, less the price of the cost; two budgets, one free objective.

    It is the optimistic cost until a model has learned 20. The arms that cost too much for what is
    left are barred.
    """
    budgets = {1: 0.5, 2: 0.2}
    # Else the problem's rounds would be the horizon.
    shape = shape._replace(rounds=None)
    policy = Paced(recipe, budgets, horizon=horizon).bind(shape)
    plain = recipe.bind(shape)
    rng = np.random.default_rng(0)
    state, rows = policy.init(), 1 if shape.shared else K
    counts = np.zeros(K)
    for _ in range(60):
        arm = int(rng.choice([0, 1, 1, 1, 2, 3, 4]))
        counts[arm] += 1
        reward = np.array([rng.random(), -rng.random(), -rng.random() / 2])
        state = policy.update(state, rng.random(D), arm, 0.0, reward, rng)
    context, arms = rng.random((rows, D)), np.array([4, 1, 2])
    context = context[arms] if rows > 1 else context
    charged = policy.beliefs(state, context, arms, rng)
    believed = plain.beliefs(state.model, context, arms, rng)
    # Arms that share no context share a model. What forgets, by 0.9, never knows as much as that.
    seen = counts[arms] if shape.shared else np.full(3, counts.sum())
    is_known = (seen >= 20) & (not isinstance(recipe, Forgetting))
    assert is_known.tolist() != [False, False, False] or isinstance(recipe, Forgetting)
    charges = slow_charges(composite(policy).estimator, state, believed, is_known)
    assert max(charges) > 0.0
    for a in range(3):
        shift = np.array([charges[a], 0.0, 0.0])
        for mine, theirs in zip(charged, believed, strict=True):
            assert mine[a] == pytest.approx(theirs[a] - shift, rel=1e-12)
    law = policy.probabilities(charged)
    if isinstance(recipe, MolUcb):
        expected = charged.high[:, 0] == charged.high[:, 0].max()
        assert (law > 0.0).tolist() == expected.tolist()


def test_some_arms_are_barred_and_the_cheapest_never_is():
    """With the last round's budget, only what costs half of it or less; then the cheapest alone."""
    shape = OWN._replace(arms=3, objectives=2, rounds=10, shared=True, features=1)
    greedy = MolEpsGreedy(epsilon=0.0, penalty=1e-9)
    policy = Paced(greedy, {1: 0.5}).bind(shape)
    rng, one = np.random.default_rng(0), np.ones((1, 1))
    state = policy.init()
    for arm, cost in enumerate((0.1, 0.4, 2.0)):
        state = policy.update(state, one[0], arm, 0.0, np.array([1.0, -cost]), rng)
    for spent, is_barred in (
        (0.0, [0, 0, 0]),
        (1.5, [0, 0, 1]),
        (4.0, [0, 1, 1]),
        (9.0, [0, 1, 1]),
    ):
        state.spent[:] = spent
        beliefs = policy.beliefs(state, one, np.arange(3), rng)
        assert (beliefs.mean[:, 0] < -1e11).tolist() == [bool(each) for each in is_barred]


def test_without_a_horizon_a_dear_arm_waits_where_spending_is_ahead():
    """.5 are allowed for each round, and the largest bill of 2 more: 4 in the fourth one.

    Beyond twenty such bills the lead shrinks in proportion, to 1.6 in the hundredth, until it is
    1.5 % of what is allowed: 507.5 in the thousandth.
    """
    shape = OWN._replace(arms=3, objectives=2, rounds=None, shared=True, features=1)
    policy = Paced(MolEpsGreedy(epsilon=0.0, penalty=1e-9), {1: 0.5}).bind(shape)
    rng, one = np.random.default_rng(0), np.ones((1, 1))
    state = policy.init()
    for arm, cost in enumerate((0.1, 0.4, 2.0)):
        state = policy.update(state, one[0], arm, 0.0, np.array([1.0, -cost]), rng)
    for bills, spent, is_barred in (
        (3, 1.9, [0, 0, 0]),
        (3, 2.1, [0, 0, 1]),
        (3, 9.0, [0, 0, 1]),
        (99, 49.5, [0, 0, 0]),
        (99, 49.7, [0, 0, 1]),
        (999, 505.4, [0, 0, 0]),
        (999, 505.6, [0, 0, 1]),
    ):
        state.settled[:] = bills
        state.spent[:] = spent
        beliefs = policy.beliefs(state, one, np.arange(3), rng)
        assert (beliefs.mean[:, 0] < -1e11).tolist() == [bool(each) for each in is_barred]


@pytest.mark.long
@pytest.mark.parametrize("horizon", [2000, None], ids=["horizon", "none"])
def test_a_budget_is_kept(horizon):
    """Two arms, the dear one better: as much of it as the budget allows."""
    shape = OWN._replace(arms=2, objectives=2, rounds=None, shared=True, features=1)
    recipe = Paced(MolUcb(scale=0.1, order=Weighted([1.0, 0.0])), {1: 0.3}, horizon=horizon)
    policy = recipe.bind(shape)
    state, rng, one = policy.init(), np.random.default_rng(1), np.ones((1, 1))
    spent = quality = 0.0
    for _ in range(2000):
        beliefs = policy.beliefs(state, one, np.arange(2), rng)
        arm = policy.draw(beliefs, rng).arm
        cost = float(rng.random() < (0.05, 0.95)[arm])
        grade = (0.5, 0.8)[arm] + 0.05 * rng.standard_normal()
        state = policy.update(state, one[0], arm, 0.0, np.array([grade, -cost]), rng)
        spent, quality = spent + cost, quality + (0.5, 0.8)[arm]
    # The best mixture plays the dear arm (0.3 - 0.05) / 0.9 of the time: 0.583.
    assert quality / 2000 > 0.57
    assert 0.98 < spent / 600 < (1.02 if horizon is None else 1.005)


def logged_rounds(rng, count, shape):
    """Rounds of a uniform policy on three arms, of which the second costs most where x_0 is large."""
    rows = 1 if shape.shared else shape.arms
    contexts = rng.random((count, rows, shape.features))
    played = rng.integers(shape.arms, size=count)
    if rows > 1:
        # The same model for all arms: how dear an arm is must be in its features.
        contexts[:, :, 0] += np.arange(rows)
    x = contexts[np.arange(count), played if rows > 1 else 0]
    dear = 0.0 if rows > 1 else played
    cost = 0.1 + 0.4 * dear + x[:, 0] * (dear + 0.5) + 0.1 * rng.random(count)
    gain = 0.2 * dear + 0.5 * x[:, 1] * (dear + 0.5) + 0.3 * x[:, 0]
    gain += 0.1 * rng.standard_normal(count)
    rewards = np.stack([gain, -cost], axis=1)
    everywhere = np.ones((count, shape.arms), bool)
    propensities = np.full(count, 1.0 / shape.arms)
    slots = np.arange(shape.arms)
    return LoggedRounds(contexts, slots, everywhere, played, propensities, rewards)


def slow_spending(rounds, price, penalty, shared, floor):
    """The doubly robust spending of ridge and price by five folds, in plain NumPy."""
    count, arms = len(rounds.played), len(rounds.slots)
    x = rounds.contexts[np.arange(count), 0 if shared else rounds.played]
    total = 0.0
    for t in range(count):
        learned = np.arange(count) % 5 != t % 5
        means = np.empty((arms, 2))
        for a in range(arms):
            mine = learned & (rounds.played == a) if shared else learned
            gram = penalty * np.eye(x.shape[1]) + x[mine].T @ x[mine]
            theta = np.linalg.solve(gram, x[mine].T @ rounds.rewards[mine])
            means[a] = rounds.contexts[t, 0 if shared else a] @ theta
        cost = np.maximum(0.0, -means[:, 1])
        law = np.full(arms, floor / arms)
        law[np.argmax(means[:, 0] - price * cost)] += 1.0 - floor
        arm = rounds.played[t]
        excess = (-rounds.rewards[t, 1] - cost[arm]) / rounds.propensities[t]
        total += law @ cost + law[arm] * excess
    return total / count


@pytest.mark.long
@pytest.mark.parametrize("floor", [0.0, 0.3])
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "own"])
def test_the_first_price_is_the_one_at_which_the_log_spends_the_budget(shared, floor):
    shape = OWN._replace(arms=3, objectives=2, features=2, shared=shared, rounds=100)
    rounds = logged_rounds(np.random.default_rng(3), 150, shape)
    greedy = MolUcb(scale=1e-12, order=Weighted([1.0, 0.0]), penalty=2.0)
    recipe = Paced(WithFloor(greedy, floor) if floor else greedy, {1: 0.8})
    found = recipe.first_prices(recipe.bind(shape), rounds)
    paid = -rounds.rewards[:, 1]
    assert found.large[0] == pytest.approx(np.quantile(paid, 0.99))
    means = [paid[rounds.played == arm].mean() for arm in range(3)]
    assert found.cheapest[0] == pytest.approx(min(means))
    price = found.price[0]
    assert 0.003 / found.large[0] < price < 1e5 / found.large[0]
    assert slow_spending(rounds, price * 1.001, 2.0, shared, floor) <= 0.8
    assert slow_spending(rounds, price * 0.999, 2.0, shared, floor) > 0.8


@pytest.mark.long
def test_first_prices_of_budgets_that_are_loose_tight_given_or_several():
    shape = OWN._replace(arms=3, objectives=2, features=2, shared=True, rounds=100)
    rounds = logged_rounds(np.random.default_rng(3), 200, shape)
    greedy = MolEpsGreedy(epsilon=0.0)

    def found(recipe, some=rounds, at=shape):
        return recipe.first_prices(recipe.bind(at), some)

    loose = found(Paced(greedy, {1: 100.0}))
    assert loose.price[0] == pytest.approx(0.003 / loose.large[0], rel=1e-6)
    tight = found(Paced(greedy, {1: 1e-6}))
    assert 0.1 < tight.price[0] * tight.large[0] < 1e4  # where the last dear arm leaves
    assert found(Paced(greedy, {1: 0.6}, start={1: 7.0})).price.tolist() == [7.0]
    few = LoggedRounds(*[column[:10] if len(column) == 200 else column for column in rounds])
    assert found(Paced(greedy, {1: 0.6}), few) is None
    without = rounds._replace(propensities=np.full(200, np.nan))
    assert found(Paced(greedy, {1: 0.6}), without).price[0] > 0.0
    # A second cost that is the same as the first has no price of its own to pay.
    wide = shape._replace(objectives=3)
    twice = rounds._replace(rewards=np.column_stack([rounds.rewards, rounds.rewards[:, 1]]))
    both = found(Paced(greedy, {1: 0.6, 2: 5.0}), twice, wide)
    alone = found(Paced(greedy, {1: 0.6}))
    assert both.price[1] == pytest.approx(0.003 / both.large[1], rel=1e-6)
    assert sum(both.price) == pytest.approx(alone.price[0], rel=1e-3)


@pytest.mark.long
@pytest.mark.parametrize(
    "recipe",
    [
        WithFloor(Paced(MolUcb(scale=0.1), {1: 0.3}), 0.3),
        Paced(WithFloor(MolUcb(scale=0.1), 0.3), {1: 0.3}),
        GapWeighted(Paced(MolUcb(scale=0.1, order=QUALITY), {1: 0.3, 2: 0.2})),
        Paced(MolEpsGreedy(epsilon=0.5), {1: 0.3}),
    ],
    ids=str,
)
@pytest.mark.parametrize("rounds", [30, 190], ids=["early", "late"])
def test_propensities_are_those_of_the_draws(recipe, rounds):
    """Chi-square of 6,000 draws, also where arms are barred; at 1e-4, seeded."""
    policy = recipe.bind(SHARED._replace(rounds=200))
    rng = np.random.default_rng(rounds)
    state = policy.init()
    for _ in range(rounds):
        arm = int(rng.integers(K))
        reward = np.array([rng.random(), -rng.random() * (arm + 1) / 3, -rng.random() / 3])
        state = policy.update(state, rng.random(D), arm, 0.0, reward, rng)
    beliefs = policy.beliefs(state, rng.random((1, D)), np.arange(K), rng)
    law = policy.probabilities(beliefs)
    assert law.sum() == pytest.approx(1.0)
    draws = np.bincount([policy.draw(beliefs, rng).arm for _ in range(6000)], minlength=K)
    expected = 6000 * law
    assert not draws[expected == 0.0].any()
    tested = expected > 5.0
    statistic = ((draws - expected) ** 2 / np.where(tested, expected, 1.0))[tested].sum()
    assert statistic < chi2.ppf(1.0 - 1e-4, max(1, tested.sum() - 1))


def test_gaps_are_those_of_charged_rewards():
    """A dear arm that is a little better is behind at a high price."""
    shape = SHARED._replace(arms=2, objectives=2, features=1)
    free = MolUcb(scale=1.0, order=Weighted([1.0, 0.0]), penalty=1e-9)
    policy = GapWeighted(Paced(free, {1: 0.3}), 100.0).bind(shape)
    state, rng, one = policy.init(), np.random.default_rng(0), np.ones((1, 1))
    for arm, reward in enumerate(([0.5, -0.1], [0.6, -0.4])):
        state = policy.update(state, one[0], arm, 0.0, np.array(reward), rng)
    for price, gap in ((1.0, 0.2), (0.01, -0.097)):
        state.estimator.price[:] = price
        beliefs = policy.beliefs(state, one, np.arange(2), rng)
        behind = 1 if gap > 0.0 else 0
        law = policy.probabilities(beliefs)
        assert law[behind] == pytest.approx(1.0 / (2.0 + 100.0 * 3.0**0.5 * abs(gap)), rel=1e-6)


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
    recipe = Paced(MolUcb, {1: 1}, start={1: 2})
    assert recipe == Paced(MolUcb(), ((1, 1.0),), start=((1, 2.0),))
    assert hash(recipe) == hash(Paced(MolUcb(), {1: 1.0}, start={1: 2.0}))
    assert dataclasses.replace(recipe, horizon=3) == Paced(MolUcb, {1: 1}, 3, {1: 2})
    assert recipe.assumptions() == MolUcb().assumptions()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"recipe": 3}, r"Paced\.recipe must be a recipe"),
        ({"budgets": {}}, r"Paced\.budgets must be a dictionary .* got none"),
        ({"budgets": {1: 0.0}}, r"Paced\.budgets\[1\] must be above 0, got 0\.0"),
        ({"horizon": 0}, r"Paced\.horizon must be an integer of at least 1"),
        ({"step": 10.0}, r"Paced\.step must be left out: prices are multiplied, and need no unit"),
        ({"largest": {1: 1.0}}, r"Paced\.largest must be left out"),
        ({"start": {1: 0.0}}, r"Paced\.start\[1\] must be above 0"),
        ({"start": {2: 1.0}}, r"Paced\.start must be of objectives with a budget, got 2"),
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
        (Paced(Rollout(MolUcb(), 0), {1: 1}), r"Paced\.recipe must act on the beliefs"),
        (GapWeighted(Within(MolUcb(), {0: 1.0})), r"GapWeighted\.recipe must bind"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_when_bound(recipe, said):
    with pytest.raises(ValueError, match=said):
        recipe.bind(OWN)
