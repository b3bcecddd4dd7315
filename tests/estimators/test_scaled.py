"""`Scaled` against NumPy: the deviations of rewards, from the whole history; decisions in units of the rewards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training import drawn, in_parts, lessons, trained

import mobandits as mob
from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Shape
from mobandits.estimators import Discounted, DisjointRidge, FixedRidge, Ridge, Scaled
from mobandits.explorers import Thompson
from mobandits.explorers.radii import FromData
from mobandits.orders import (
    ChainFilter,
    Chains,
    EffectivePareto,
    Levels,
    Lexicographic,
    Pareto,
    Weighted,
)
from mobandits.policies import Forgetting, HypervolumeUcb, MolTs, MolUcb
from mobandits.simulation.play import play

D, K, L, PENALTY = 3, 4, 2, 0.5
ARMS = np.arange(K)
ROWS = np.random.default_rng(0).standard_normal((K, D))
SEEDS = st.integers(0, 2**32 - 1)
LAYOUTS = ["own", "shared", "fixed"]


def scaled(layout, discount=1.0):
    """The estimator under test; `fixed` is one model on rows that never change."""
    model = {
        "own": lambda: Ridge(D, L, PENALTY),
        "shared": lambda: DisjointRidge(D, L, K, PENALTY),
        "fixed": lambda: FixedRidge(Ridge(D, L, PENALTY), ROWS),
    }[layout]()
    if discount < 1.0:
        model = Discounted(model, discount)
    return Scaled(model, PENALTY, discount)


def slow_deviations(layout, xs, arms, rewards, discount=1.0):
    """(slots, objectives) by the residuals of closed forms, one reward after the other."""
    slots = K if layout == "shared" else 1
    out = np.empty((slots, L))
    for l in range(L):
        errors, free, squares, seen = (np.zeros(slots) for _ in range(4))
        for s in range(slots):
            mine = ~np.isnan(rewards[:, l]) & ((arms == s) | (slots == 1))
            x, r = xs[mine], rewards[mine, l]
            weights = discount ** np.arange(len(r))[::-1]
            gram = PENALTY * np.eye(D) + (weights[:, None] * x).T @ x
            theta = np.linalg.solve(gram, x.T @ (weights * r))
            errors[s] = (weights * (r - x @ theta) ** 2).sum() + PENALTY * theta @ theta
            seen[s], squares[s] = weights.sum(), (weights * r**2).sum()
            free[s] = seen[s] - np.trace(np.eye(D) - PENALTY * np.linalg.inv(gram))
        pooled = errors.sum() / max(1.0, free.sum())
        for s in range(slots):
            variance = max(errors[s] / max(1.0, free[s]), pooled)
            if seen[s] == 0.0 and squares.sum() > 0.0:
                variance = squares.sum() / seen.sum()
            out[s, l] = np.sqrt(variance) if squares.sum() > 0.0 else 1.0
    return out


def deviations(estimator, state):
    return compile_loop(ask_deviations, estimator)(estimator, state)


def ask_deviations(estimator, state):
    return estimator.deviations(state)


def some_lessons(layout, n, seed):
    """Lessons in which objective 1 is about 100 times as large, and rows are those of arms where they are fixed."""
    xs, arms, rewards = lessons(n, D, K, L, seed)
    if layout == "fixed":
        xs = ROWS[arms]
    return xs, arms, (rewards + 0.5) * [1.0, 100.0]


@pytest.mark.parametrize("layout", LAYOUTS)
@given(seed=SEEDS, n=st.integers(0, 40))
@settings(max_examples=15)
def test_is_the_slow_one(layout, seed, n):
    estimator, given_lessons = scaled(layout), some_lessons(layout, n, seed)
    state = trained(estimator, *given_lessons)
    expected = slow_deviations(layout, *given_lessons)
    np.testing.assert_allclose(deviations(estimator, state), expected, rtol=1e-8)


@pytest.mark.long
@pytest.mark.parametrize("layout", LAYOUTS)
@given(seed=SEEDS, whole=st.integers(0, 10))
@settings(max_examples=15)
def test_rewards_in_part_add_up(layout, seed, whole):
    estimator = scaled(layout)
    first, second = some_lessons(layout, whole, seed), some_lessons(layout, 15, seed + 1)
    parts = in_parts(*second, seed)
    halves = [trained(estimator, *first)]
    halves.append(trained(estimator, *second, halves[0]))
    full = deviations(estimator, halves[1])
    late = deviations(estimator, trained(estimator, *parts, trained(estimator, *first)))
    np.testing.assert_allclose(late, full, rtol=1e-8)


@pytest.mark.long
@pytest.mark.parametrize("layout", ["own", "shared"])
@pytest.mark.parametrize("discount", [0.5, 0.95])
@given(seed=SEEDS)
@settings(max_examples=10)
def test_squares_are_forgotten_as_moments_are(layout, discount, seed):
    estimator = scaled(layout, discount)
    given_lessons = in_parts(*some_lessons(layout, 30, seed), seed)
    state = trained(estimator, *given_lessons)
    expected = slow_deviations(layout, *given_lessons, discount)
    np.testing.assert_allclose(deviations(estimator, state), expected, rtol=1e-7)


@pytest.mark.parametrize("layout", ["own", "shared"])
def test_merged_is_told_everything(layout):
    estimator = scaled(layout)
    xs, arms, rewards = in_parts(*some_lessons(layout, 30, 1), 1)
    first, whole = estimator.init(), trained(estimator, xs, arms, rewards)
    one = trained(estimator, xs[:50], arms[:50], rewards[:50])
    other = trained(estimator, xs[50:], arms[50:], rewards[50:])
    merged = one.merged(other, first)
    np.testing.assert_allclose(merged.squares, whole.squares, rtol=1e-12)
    np.testing.assert_allclose(
        deviations(estimator, merged), deviations(estimator, whole), rtol=1e-8
    )


def test_nothing_but_zeros_has_no_scale():
    estimator = scaled("shared")
    xs, arms, rewards = lessons(20, D, K, L, 3)
    state = trained(estimator, xs, arms, rewards * [0.0, 1.0])
    assert (deviations(estimator, state)[:, 0] == 1.0).all()
    assert (deviations(estimator, estimator.init()) == 1.0).all()


@pytest.mark.long
@pytest.mark.parametrize("layout", ["own", "shared"])
def test_samples_deviate_by_it(layout):
    estimator = scaled(layout)
    state = trained(estimator, *some_lessons(layout, 60, 6))
    context = np.random.default_rng(7).standard_normal((K, D))
    n, radius = 4000, deviations(estimator, state)
    samples = drawn(estimator, state, context, ARMS, 1, radius, n, 8, objectives=L)
    expected = radius * estimator.width(state, context, ARMS)
    np.testing.assert_allclose(samples.std(0), np.broadcast_to(expected, (K, L)), rtol=0.08)


INVARIANT = [
    Pareto(),
    EffectivePareto(),
    Lexicographic(),
    Levels([[0], [1]]),
    Chains([[0, 1]]),
    ChainFilter([[0, 1]]),
]


def arms_played(recipe, shape, factors, seed=0, rounds=300):
    """The arms of a play whose rewards are multiplied, a third of them unobserved."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((rounds, 1 if shape.shared else K, D))
    theta = rng.standard_normal((K, L, D))
    means = np.einsum("tkd,kld->tkl", np.broadcast_to(contexts, (rounds, K, D)), theta)
    rewards = means + 0.3 * rng.standard_normal((rounds, K, L))
    rewards[rng.random((rounds, 1, L)).repeat(K, 1) < 0.3] = np.nan
    policy, chosen = recipe.bind(shape), np.empty(rounds, np.int64)
    fronts = np.zeros((rounds, K), np.bool_)
    # In Python: with units and without it is the same code, which the conformance suite compiles.
    play(
        policy,
        policy.init(),
        contexts,
        rewards * factors,
        ARMS,
        np.random.default_rng(1),
        chosen,
        fronts,
    )
    return chosen.tolist(), fronts.tolist()


@pytest.mark.long
@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
@pytest.mark.parametrize("order", INVARIANT, ids=lambda order: type(order).__name__)
def test_no_unit_changes_a_decision(order, shared):
    shape, recipe = Shape(K, D, L, shared=shared), MolUcb(scale="data", order=order)
    plain = arms_played(recipe, shape, [1.0, 1.0])
    # Powers of two round nothing; thousands do.
    assert arms_played(recipe, shape, [1.0, 1024.0]) == plain
    assert arms_played(recipe, shape, [1000.0, 1.0]) == plain
    assert len(set(plain[0])) > 2


@pytest.mark.long
@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
@pytest.mark.parametrize(
    "recipe",
    [MolTs(scale="data"), Forgetting(MolUcb(scale="data"), discount=0.95)],
    ids=lambda recipe: type(recipe).__name__,
)
def test_no_unit_changes_a_decision_of_samples_and_of_what_forgets(recipe, shared):
    shape = Shape(K, D, L, shared=shared)
    plain = arms_played(recipe, shape, [1.0, 1.0])
    assert arms_played(recipe, shape, [0.125, 1024.0]) == plain
    assert arms_played(recipe, shape, [1.0, 1000.0]) == plain


@pytest.mark.long
def test_weights_are_of_units_and_constants_are_not():
    shape = Shape(K, D, L)
    for recipe in (MolUcb(scale=0.3), MolUcb(scale="data", order=Weighted([1.0, 1.0]))):
        plain = arms_played(recipe, shape, [1.0, 1.0])
        assert arms_played(recipe, shape, [1.0, 1024.0]) != plain


def test_agents_save_merge_and_grow(tmp_path):
    recipe = MolUcb(scale="data")
    options = {"arms": ["a", "b"], "features": 2, "objectives": 2}
    agents = [mob.Agent(recipe, seed=seed, **options) for seed in (1, 2)]
    rng = np.random.default_rng(0)
    for agent in agents:
        for _ in range(20):
            decision = agent.decide(rng.random(2))
            agent.learn(decision.id, [rng.random(), np.nan])
            agent.learn(decision.id, [np.nan, 100.0 * rng.random()])
    agents[0].merge(agents[1])
    agents[0].add_arm("c")
    agents[0].add_arm("d", like="b")
    state, bound = agents[0].core.bound.state(), agents[0].core.bound
    radii = bound.policy.explorer.radius.of(bound.policy.estimator, state, None, None)
    assert state.squares.shape == (4, 2)
    assert (state.squares[2] == 0.0).all()
    assert (state.squares[3] == state.squares[1]).all()
    assert radii[0, 1] > 10.0 * radii[0, 0]
    agents[0].save(tmp_path / "agent")
    loaded = mob.Agent.load(tmp_path / "agent")
    for _ in range(5):
        context = rng.random(2)
        assert loaded.decide(context) == agents[0].decide(context)
    forgetful = [mob.Agent(Forgetting(recipe, 0.9), **options) for _ in range(2)]
    for agent in forgetful:
        agent.learn(agent.decide([1.0, 0.0]).id, [1.0, 1.0])
    with pytest.raises(ValueError, match="forgets"):
        forgetful[0].merge(forgetful[1])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: MolUcb(scale="large"),
            "MolUcb.scale must be a number, .data. or .theory., got 'large'",
        ),
        (lambda: MolUcb(scale=0.0), "MolUcb.scale must be above 0, got 0.0"),
        (lambda: MolUcb(scale=None), "MolUcb.scale must be a number, .data. or .theory., got None"),
    ],
)
def test_bad_scales(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_an_arm_of_a_shared_model_is_as_uncertain_as_its_direction():
    """The twin of `FromData.of`: s w + q penalty w^2 / |x|^2, arm by arm."""
    estimator = scaled("own")
    xs, arms, rewards = some_lessons("own", 30, 4)
    state = trained(estimator, xs, arms, rewards)
    context = np.random.default_rng(5).standard_normal((K, D))
    chosen = np.array([2, 0])
    recipe = MolUcb(scale="data", penalty=PENALTY)
    explorer = recipe.bind(Shape(arms=K, features=D, objectives=L)).explorer
    found = compile_loop(ask_beliefs, estimator)(
        explorer, estimator, state, context[chosen], chosen, np.random.default_rng(0)
    )
    deviation = deviations(estimator, state)[0]
    size = np.sqrt(np.nanmean(rewards**2, axis=0))
    width = estimator.width(state, context[chosen], chosen)
    share = PENALTY * width**2 / (context[chosen] ** 2).sum(1, keepdims=True)
    expected = deviation * width + size * share
    np.testing.assert_allclose(found.high - found.mean, expected, rtol=1e-8)
    np.testing.assert_allclose(found.mean - found.low, expected, rtol=1e-8)


def ask_beliefs(explorer, estimator, state, context, arms, rng):
    return explorer.beliefs(estimator, state, context, arms, rng)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_samples_of_a_shared_model_have_noise_of_the_arms(layout):
    """Normal, with the deviation q penalty w^2 / |x|^2; none where arms have models of their own."""
    estimator = scaled(layout)
    xs, arms, rewards = some_lessons(layout, 30, 4)
    state = trained(estimator, xs, arms, rewards)
    context = ROWS[:1] if layout == "shared" else ROWS
    explorer = Thompson(FromData(1.0, PENALTY), draws=2)
    found = compile_loop(ask_beliefs, estimator)(
        explorer, estimator, state, context, ARMS, np.random.default_rng(7)
    )
    rng = np.random.default_rng(7)
    radii = deviations(estimator, state)
    expected = estimator.sample(state, context, ARMS, 2, radii, rng)
    if layout != "shared":
        size = np.sqrt(np.nanmean(rewards**2, axis=0))
        width = estimator.width(state, context, ARMS)
        share = PENALTY * width**2 / (context**2).sum(1, keepdims=True)
        expected += size * share * rng.standard_normal((K, L))

    np.testing.assert_allclose(found.mean, expected, rtol=1e-8)


@pytest.mark.long
@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        (MolUcb(order=Weighted([1.0])), 45),
        (MolTs(), 40),
        (MolTs(draws=6), 40),
        (HypervolumeUcb(exploration="thompson"), 40),
    ],
    ids=str,
)
@pytest.mark.parametrize("deviation", [0.0, 0.06])
@pytest.mark.usefixtures("interpreted")
def test_no_arm_of_a_shared_model_is_given_up_untried(deviation, recipe, expected):
    """A model shared by arms that no feature connects: the first arm is good, the last is the best."""
    means = np.array([0.6, 0.5, 0.9])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(means))
        agent = mob.Agent(recipe, arms=3, features=3, objectives=1, seed=seed)
        best = 0
        for t in range(150):
            decision = agent.decide(np.eye(3))
            mean = means[order[decision.arm]]
            agent.learn(decision.id, [mean + deviation * rng.standard_normal()])
            best += t >= 100 and mean == 0.9

        assert best >= expected, (seed, best)
