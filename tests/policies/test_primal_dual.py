"""The primal-dual algorithm against a slow twin: prices, their range, and the end of a budget."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import OWN, SHARED, D, K, L

from mobandits.compiling.compiled import compile_loop, interpreted
from mobandits.contracts.composition import composite
from mobandits.features import Crosses
from mobandits.metrics import best_within_budgets
from mobandits.orders import Weighted
from mobandits.policies import (
    Conservative,
    Exp3P,
    Features,
    Forgetting,
    GapWeighted,
    MoglbUcb,
    MolTs,
    MolUcb,
    Paced,
    PrimalDual,
    WithFloor,
    Within,
)
from mobandits.simulation.play import play

QUALITY = Weighted([1.0, 0.0, 0.0])
INSIDE = MolUcb(scale=0.3, order=QUALITY)
BUDGETS, LARGE = {1: 0.2, 2: 0.1}, {1: 1.0, 2: 0.4}


@pytest.fixture(autouse=True)
def _interpreted():
    """One round at a time: there is nothing to gain from compiling."""
    with interpreted():
        yield


# --- the slow twin


def slow_prices(costs, worth, budgets, large, rounds, rate=None):
    """(budgets,) the prices after some costs (budgets,): multiplicative weights, cost by cost."""
    allowed = np.array(list(budgets.values()))
    tightest = min(budgets[j] / large[j] for j in budgets)
    rate = math.sqrt(math.log(len(allowed) + 1) / rounds) if rate is None else rate
    weights = np.ones(len(allowed) + 1)  # the last one is of no budget
    for cost in costs:
        gains = tightest * (cost - allowed) / allowed
        weights[:-1] *= np.exp(rate * gains)
        weights /= weights.max()
    theta = weights[:-1] / weights.sum()
    return worth * theta / allowed


def ridge(rows, targets):
    """Parameters (objectives, features) of a ridge regression with penalty 1."""
    gram = np.eye(rows.shape[1]) + rows.T @ rows
    return np.linalg.solve(gram, rows.T @ targets).T


def slow_worth(lessons, shared, budgets, large, reward=1.0):
    """zeta after the lessons (row, arm, rewards) of the first rounds."""
    rows, arms, rewards = (np.array(part) for part in zip(*lessons, strict=True))
    if shared:
        models = [ridge(rows[arms == a], rewards[arms == a]) for a in range(K)]
        tables = [np.array([model @ row for model in models]) for row in rows]
    else:
        tables = [rows @ ridge(rows, rewards).T]  # one round, in which all rows are arms
    tightest = min(1.0, *(budgets[j] / large[j] for j in budgets))
    bounds, price = [reward], reward
    while True:
        values = []
        for table in tables:
            charges = sum(price * np.maximum(0.0, -table[:, j]) / b for j, b in budgets.items())
            values.append((table[:, 0] - charges).max())
        bounds.append(price * len(budgets) + np.mean(values))
        if price <= reward * tightest:
            break
        price /= 2.0
    return min(reward, max(reward * tightest, 2.0 * min(bounds)))


def some_lessons(count, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    means = rng.random(K)
    for _ in range(count):
        arm = int(rng.integers(K))
        reward = np.array([means[arm] * rng.random(), -size * rng.random(), -rng.random() / 4])
        yield rng.random(D), arm, reward


def taught(policy, lessons, rng=None):
    state, rng = policy.init(), rng or np.random.default_rng(0)
    for x, arm, reward in lessons:
        state = policy.update(state, x, arm, 0.0, reward, rng)
    return state


# --- prices


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.floats(0.0, 2.0), st.floats(0.0, 1.0)), min_size=1, max_size=30),
    st.floats(0.05, 2.0),
    st.sampled_from([None, 0.5, 40.0]),
)
def test_prices_are_multiplicative_weights(costs, allowed, rate):
    budgets, large = {1: allowed, 2: 0.1}, {1: 2.0, 2: 0.5}
    policy = PrimalDual(INSIDE, budgets, large, horizon=5000, rate=rate).bind(SHARED)
    lessons = [(np.ones(D), 0, np.array([0.5, -one, -other])) for one, other in costs]
    state = taught(policy, lessons)
    assert state.worth[0] == 1.0  # 71 rounds explore
    expected = slow_prices(np.array(costs), 1.0, budgets, large, 5000, rate)
    np.testing.assert_allclose(policy.prices(state), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(state.spent, np.sum(costs, axis=0), rtol=1e-12)


def test_prices_lie_within_their_range():
    """Whatever was spent: powers of large exponents are no numbers."""
    policy = PrimalDual(INSIDE, {1: 0.2}, {1: 1.0}, horizon=100, rate=1.0).bind(SHARED)
    state = policy.init()
    for spent, expected in ((1e6, 1.0 / 0.2), (-1e6, 0.0), (0.0, 0.5 / 0.2)):
        state.spent[0] = spent
        assert policy.prices(state)[0] == pytest.approx(expected)


@pytest.mark.parametrize("shape", [OWN, SHARED], ids=["own", "shared"])
@pytest.mark.parametrize("size", [0.3, 1.0, 3.0])
def test_the_worth_of_budgets_is_estimated_in_the_first_rounds(shape, size):
    budgets = {1: 0.05, 2: 0.1}
    policy = PrimalDual(INSIDE, budgets, LARGE, horizon=500).bind(shape)
    assert policy.explored == 23
    lessons = list(some_lessons(40, size=size))
    state = taught(policy, lessons)
    expected = slow_worth(lessons[:23], shape.shared, budgets, LARGE)
    assert state.worth[0] == pytest.approx(expected, rel=1e-9)
    np.testing.assert_array_equal(state.rows, [x for x, *_ in lessons[:23]])
    costs = np.array([-reward[1:] for *_, reward in lessons])
    np.testing.assert_allclose(
        policy.prices(state), slow_prices(costs, expected, budgets, LARGE, 500), rtol=1e-9
    )


def test_the_worth_is_a_bound_and_not_a_loose_one():
    """Known means: between what the best mixture earns and a few times as much."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        gains, costs = rng.random(K), rng.random(K) ** 2
        costs[0] = 0.0
        gains[0] /= 10.0
        allowed = float(rng.uniform(0.01, 0.3))
        policy = PrimalDual(
            MolUcb(scale=0.1, penalty=1e-6, order=Weighted([1.0, 0.0])),
            {1: allowed},
            {1: 1.0},
            horizon=2500,
        ).bind(SHARED._replace(objectives=2, features=1))
        lessons = [(np.ones(1), i % K, np.array([gains[i % K], -costs[i % K]])) for i in range(60)]
        worth = taught(policy, lessons).worth[0]
        best = best_within_budgets(gains, costs[:, None], [allowed]).value
        assert best - 1e-3 <= worth <= max(6.0 * best, allowed)


# --- beliefs and probabilities


@pytest.mark.parametrize(
    "recipe",
    [
        INSIDE,
        MolUcb(scale="data", order=QUALITY),
        Forgetting(INSIDE, 0.9),
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [OWN, SHARED], ids=["own", "shared"])
def test_beliefs_are_charged(recipe, shape):
    policy = PrimalDual(recipe, BUDGETS, LARGE, horizon=400).bind(shape)
    plain = recipe.bind(shape)
    state = taught(policy, some_lessons(30))
    rng = np.random.default_rng(0)
    context, arms = rng.random((K, D)), np.array([4, 1, 2])
    context = context[:1] if shape.shared else context[arms]
    before = policy.beliefs(state, context, arms, np.random.default_rng(5))
    believed = plain.beliefs(state.model, context, arms, np.random.default_rng(5))
    prices = policy.prices(state)
    assert len(before.uniform) == 0
    for a in range(3):
        charge = sum(
            price * max(0.0, -believed.high[a, j]) for price, j in zip(prices, BUDGETS, strict=True)
        )
        shift = np.array([charge, 0.0, 0.0])
        for mine, theirs in zip(before.charged, believed, strict=True):
            assert mine[a] == pytest.approx(theirs[a] - shift, rel=1e-12)
    best = before.charged.high[:, 0] == before.charged.high[:, 0].max()
    assert ((policy.probabilities(before) > 0.0) == best).all()


def test_the_first_rounds_are_uniform_and_the_last_ones_cheap():
    policy = PrimalDual(INSIDE, {1: 0.2}, {1: 1.0}, horizon=100).bind(SHARED)
    state, rng, arms = policy.init(), np.random.default_rng(0), np.array([3, 1, 4])
    x = np.full((1, D), 0.5)
    while state.observed[1] < 10:
        law = policy.probabilities(policy.beliefs(state, x, arms, rng))
        assert law.tolist() == [1 / 3] * 3
        arm = int(state.observed[1]) % K
        state = policy.update(state, x[0], arm, 0.0, np.array([0.1 * arm, -0.2 * arm, 0.0]), rng)

    assert (policy.probabilities(policy.beliefs(state, x, arms, rng)) > 0.0).sum() == 1
    assert not policy.eases(state, x, arms, rng)
    # The rest of 100 x 0.2 in one bill: of the three, arm 1 has the least cost.
    state = policy.update(state, x[0], 4, 0.0, np.array([1.0, -20.0, 0.0]), rng)
    assert policy.eases(state, x, arms, rng)
    beliefs = policy.beliefs(state, x, arms, rng)
    assert policy.probabilities(beliefs).tolist() == [0.0, 1.0, 0.0]
    assert policy.draw(beliefs, rng).arm == 1


def test_the_least_share_of_what_is_used_up():
    policy = PrimalDual(INSIDE, BUDGETS, LARGE, horizon=100).bind(SHARED)
    means = np.array([[1.0, -0.4, -0.1], [0.0, -0.1, -0.3], [0.0, -0.2, -0.2]])
    state = policy.init()
    for spent, expected in (([20.0, 0.0], [1]), ([0.0, 10.0], [0]), ([20.0, 10.0], [0, 2])):
        state.spent[:] = spent
        assert policy.cheapest(state, means).tolist() == expected


# --- rewards late and in part


def test_costs_that_come_late_and_alone():
    """In parts, in order, as in full: also where the parts of a decision end the first rounds."""
    policy = PrimalDual(INSIDE, BUDGETS, LARGE, horizon=60).bind(SHARED)
    lessons = list(some_lessons(12))
    whole, rng = taught(policy, lessons), np.random.default_rng(0)
    for first in ([0], [1], [2], [0, 1]):
        parts = policy.init()
        for x, arm, reward in lessons:
            for is_first in (True, False):
                known = np.isin(np.arange(L), first) == is_first
                part = np.where(known, reward, np.nan)
                parts = policy.update(parts, x, arm, 0.0, part, rng)
        for mine, theirs in zip(parts[1:], whole[1:], strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9)
    # Before a cost is there, nothing was spent, and exploration goes on.
    late = policy.init()
    for x, arm, reward in lessons:
        late = policy.update(late, x, arm, 0.0, reward * [1.0, np.nan, np.nan], rng)
    assert late.spent.tolist() == [0.0, 0.0]
    assert len(policy.beliefs(late, np.ones((1, D)), np.arange(K), rng).uniform) == K


def test_costs_are_in_the_unit_of_the_objective():
    """A budget in other units, with its rewards, changes no decision."""
    plain = PrimalDual(MolUcb(scale="data", order=QUALITY), BUDGETS, LARGE, horizon=400)
    cents = PrimalDual(
        MolUcb(scale="data", order=QUALITY),
        {1: 0.2 * 1024.0, 2: 0.1},
        {1: 1024.0, 2: 0.4},
        horizon=400,
    )
    units = np.array([1.0, 1024.0, 1.0])
    assert played(plain, np.ones(L)) == played(cents, units)


def played(recipe, units, rounds=120):
    policy, rng = recipe.bind(SHARED), np.random.default_rng(1)
    data = np.random.default_rng(2)
    state, arms = policy.init(), np.arange(K)
    chosen = []
    for _ in range(rounds):
        x = data.random((1, D))
        rewards = data.random((K, L)) * [1.0, -1.0, -0.3] * np.arange(1, K + 1)[:, None] / K
        arm = policy.draw(policy.beliefs(state, x, arms, rng), rng).arm
        chosen.append(arm)
        state = policy.update(state, x[0], arm, 0.0, rewards[arm] * units, rng)
    return chosen


# --- in play


@pytest.mark.process
@pytest.mark.parametrize(
    "shape",
    # The conformance suite compiles arms of their own features.
    [pytest.param(OWN, marks=pytest.mark.slow, id="own"), pytest.param(SHARED, id="shared")],
)
def test_it_is_compiled_as_it_is_written(shape):
    """Through exploration, prices and the end of a budget, bit for bit."""
    recipe = PrimalDual(MolUcb(scale="data", order=QUALITY), BUDGETS, LARGE, reward=4.0)
    policy, rng = recipe.bind(shape._replace(rounds=300)), np.random.default_rng(0)
    contexts = rng.random((300, 1 if shape.shared else K, D))
    rewards = rng.random((300, K, L)) * [1.0, -1.0, -0.3]
    ends = []
    for loop in (compile_loop(play, policy), play):
        chosen, fronts = np.empty(300, np.int64), np.zeros((300, K), np.bool_)
        own = np.random.default_rng(1)
        state = policy.init()
        state = loop(policy, state, contexts, rewards, np.arange(K), own, chosen, fronts)
        ends.append((chosen.tolist(), fronts.tolist(), [part.tolist() for part in state[1:]]))
    assert ends[0] == ends[1]
    assert policy.is_used_up(state)
    assert 0.8 < state.worth[0] < 4.0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_a_budget_is_kept_and_earns_near_the_best_mixture(seed):
    """Two arms, the dear one better, and a budget of many large costs."""
    rounds, allowed = 4000, 0.3
    shape = SHARED._replace(arms=2, objectives=2, features=1, rounds=rounds)
    order = Weighted([1.0, 0.0])
    policy = PrimalDual(MolUcb(scale=0.1, order=order), {1: allowed}, {1: 1.0}).bind(shape)
    state, rng, one = policy.init(), np.random.default_rng(seed), np.ones((1, 1))
    grades, chances = (0.1, 0.9), (0.0, 1.0)
    spent = quality = 0.0
    for _ in range(rounds):
        beliefs = policy.beliefs(state, one, np.arange(2), rng)
        arm = policy.draw(beliefs, rng).arm
        cost = float(rng.random() < chances[arm])
        grade = grades[arm] + 0.05 * rng.standard_normal()
        state = policy.update(state, one[0], arm, 0.0, np.array([grade, -cost]), rng)
        spent += cost
        quality += grades[arm]
    best = best_within_budgets(grades, np.array(chances)[:, None], [allowed]).value
    # The dear arm stops where the budget is used up; the regret of the theory is of sqrt(T).
    assert spent <= allowed * rounds
    assert quality / rounds > best - 4.0 / math.sqrt(rounds)


# --- how it is made


def test_where_the_parts_are():
    policy = PrimalDual(INSIDE, BUDGETS, LARGE).bind(OWN)
    assert policy.horizon == OWN.rounds
    assert policy.explored == math.ceil(math.sqrt(OWN.rounds))
    assert policy.rate == pytest.approx(math.sqrt(math.log(3.0) / OWN.rounds))
    assert policy.trials.tolist() == [1.0, 0.5, 0.25, 0.125]
    assert policy.own_rows
    assert composite(policy) == INSIDE.bind(OWN)
    half = MolUcb(scale=0.3, order=Weighted([0.5, 1.0, 1.5]))
    assert PrimalDual(half, {1: 0.5}, {1: 0.1}).bind(SHARED).weights.tolist() == [0.25, 0.5, 0.75]
    assert PrimalDual(half, {1: 0.5}, {1: 0.1}, reward=4.0).bind(SHARED).trials.tolist() == [4.0]
    fixed = OWN._replace(fixed_arms=np.ones((K, D)))
    assert PrimalDual(INSIDE, BUDGETS, LARGE).bind(fixed) == policy


@pytest.mark.parametrize(
    "recipe",
    [
        Within(PrimalDual(INSIDE, BUDGETS, LARGE), {0: 0.1}),
        WithFloor(PrimalDual(INSIDE, BUDGETS, LARGE), 0.2),
        Conservative(PrimalDual(INSIDE, BUDGETS, LARGE), 0, 0.3, 0),
        Forgetting(PrimalDual(INSIDE, BUDGETS, LARGE), 0.9),
    ],
    ids=lambda recipe: type(recipe).__name__,
)
def test_wrappers_go_around_it(recipe):
    policy = recipe.bind(SHARED)
    state, rng = policy.init(), np.random.default_rng(0)
    for x, _, reward in some_lessons(20):
        beliefs = policy.beliefs(state, x[None], np.arange(K), rng)
        arm, note = policy.draw(beliefs, rng)
        assert policy.probabilities(beliefs)[arm] > 0.0
        state = policy.update(state, x, arm, note, reward, rng)


def test_it_is_a_value():
    recipe = PrimalDual(INSIDE, {1: 1}, {1: 2})
    assert recipe == PrimalDual(INSIDE, ((1, 1.0),), ((1, 2.0),))
    assert hash(recipe) == hash(PrimalDual(INSIDE, {1: 1.0}, {1: 2.0}))
    assert recipe.assumptions() == INSIDE.assumptions()
    assert recipe.accepts_partial


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"recipe": 3}, r"PrimalDual\.recipe must be a recipe"),
        ({"budgets": {}}, r"PrimalDual\.budgets must be a dictionary .* got none"),
        ({"budgets": {1: 0.0}}, r"PrimalDual\.budgets\[1\] must be above 0, got 0\.0"),
        ({"largest": {1: 0.0}}, r"PrimalDual\.largest\[1\] must be above 0, got 0\.0"),
        ({"largest": {2: 1.0}}, r"PrimalDual\.largest must have the objectives of .*budgets"),
        ({"horizon": 0}, r"PrimalDual\.horizon must be an integer of at least 1"),
        ({"reward": 0.0}, r"PrimalDual\.reward must be above 0"),
        ({"rate": math.nan}, r"PrimalDual\.rate must be"),
    ],
)
def test_what_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        PrimalDual(**{"recipe": INSIDE, "budgets": {1: 0.5}, "largest": {1: 1.0}, **options})


ONE = {"budgets": {1: 0.5}, "largest": {1: 1.0}}


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (PrimalDual(INSIDE, {3: 0.5}, {3: 1}), r"PrimalDual\.budgets must be of objectives below"),
        (PrimalDual(INSIDE, dict.fromkeys(range(3), 1), dict.fromkeys(range(3), 1)), "got all"),
        (PrimalDual(INSIDE, {0: 0.5}, {0: 1}), "must leave an objective with a weight"),
        (PrimalDual(INSIDE, {"cost": 1}, {"cost": 1}), "by number, from 0, outside of an agent"),
        (PrimalDual(MolUcb(), **ONE), r"must have an order such as Weighted\(\[1, 0\]\), got P"),
        (PrimalDual(MolTs(), **ONE), r"must have an order such as Weighted\(\[1, 0\]\), got Eff"),
        (PrimalDual(Exp3P(), **ONE), r"PrimalDual\.recipe must have estimates"),
        (PrimalDual(MoglbUcb(), **ONE), r"PrimalDual\.recipe must believe in mean rewards"),
        (
            PrimalDual(MolTs(scale=0.3, links="logit"), **ONE),
            "must believe in the mean rewards of every objective",
        ),
        (
            PrimalDual(MolTs(scale=0.3, selection="weight"), **ONE),
            "must believe in the mean rewards of every objective",
        ),
        (PrimalDual(Within(INSIDE, {0: 0.5}), **ONE), "wrappers go around PrimalDual"),
        (PrimalDual(Paced(INSIDE, {1: 0.5}), **ONE), "must have no budgets of its own"),
        (Paced(PrimalDual(INSIDE, **ONE), {2: 0.5}), r"Paced\.recipe must not be paced itself"),
        (GapWeighted(PrimalDual(INSIDE, **ONE)), r"GapWeighted\.recipe must bind"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_when_bound(recipe, said):
    with pytest.raises(ValueError, match=said):
        recipe.bind(OWN)


def test_the_horizon_must_be_known():
    unknown = SHARED._replace(rounds=None)
    with pytest.raises(ValueError, match=r"PrimalDual\.horizon must be known, got None"):
        PrimalDual(INSIDE, BUDGETS, LARGE).bind(unknown)
    assert PrimalDual(INSIDE, BUDGETS, LARGE, horizon=9).bind(unknown).explored == 3


def test_features_go_around_it():
    policy = Features(Crosses(2), PrimalDual(INSIDE, BUDGETS, LARGE)).bind(SHARED)
    assert policy.policy.features == 5
    assert composite(policy).order == QUALITY
