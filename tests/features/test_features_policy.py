"""`Features`: decisions, states and learning on phi against a recipe that is given phi, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.feature_maps import MAPS, mapped

import mobandits as mob
from mobandits.compiling.compiled import interpreted
from mobandits.contracts.composition import composite, context_maps
from mobandits.contracts.protocols import Shape
from mobandits.features import Bins, Columns, Crosses, Fourier
from mobandits.orders import Levels, Lexicographic
from mobandits.policies import (
    Doubling,
    Features,
    Forgetting,
    GapWeighted,
    HypervolumeUcb,
    MocMab,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    Pcz,
    PfiRls,
    RandomChoice,
    Ucb1,
    WithFloor,
)
from mobandits.simulation.play import play

K, D, L = 4, 2, 2
OWN = Shape(K, D, L, 200)
SHARED = OWN._replace(shared=True)
FIXED = OWN._replace(fixed_arms=np.random.default_rng(1).random((K, D)))
RECIPES = [
    MolUcb(scale=0.3),
    MolUcb(scale="data", order=Levels([[0], [1]])),
    MolTs(scale=0.3),
    MolEpsGreedy(epsilon=0.3),
    HypervolumeUcb(scale=0.3),
    Forgetting(MolUcb(scale=0.3), discount=0.9),
    GapWeighted(MolUcb()),
    WithFloor(MolUcb(scale=0.3), 0.2),
]


def played(recipe, shape, contexts, rewards):
    """Arms and the last state of an interpreted play."""
    policy = recipe.bind(shape)
    chosen = np.empty(len(rewards), np.int64)
    rng = np.random.default_rng(3)
    with interpreted():
        state = play(policy, policy.init(), contexts, rewards, np.arange(K), rng, chosen, None)
    return chosen, state


def rounds(shape, count=40, seed=0, partial=False):
    rng = np.random.default_rng(seed)
    rows = 1 if shape.shared else K
    contexts = rng.random((count, rows, D))
    if shape.fixed_arms is not None:
        contexts = shape.fixed_arms[None].copy()
    rewards = rng.random((count, K, L))
    if partial:
        rewards[rng.random(rewards.shape) < 0.3] = np.nan
    return contexts, rewards


def leaves_of(state):
    for part in state:
        if isinstance(part, tuple):
            yield from leaves_of(part)
        else:
            yield part


def assert_same_play(one, other):
    assert one[0].tolist() == other[0].tolist()
    for mine, theirs in zip(leaves_of(one[1]), leaves_of(other[1]), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.long
@pytest.mark.parametrize("shape", [OWN, SHARED], ids=["own", "shared"])
@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_it_plays_as_its_recipe_that_is_given_phi(recipe, shape):
    feature_map = Crosses(2, constant=True)
    contexts, rewards = rounds(shape, partial=True)
    phi = feature_map(contexts)
    wide = shape._replace(features=phi.shape[-1])
    assert_same_play(
        played(Features(feature_map, recipe), shape, contexts, rewards),
        played(recipe, wide, phi, rewards),
    )


@pytest.mark.parametrize("feature_map", MAPS.values(), ids=MAPS)
def test_every_map_is_phi(feature_map):
    contexts, rewards = rounds(OWN, 20)
    _, state = played(Features(feature_map, MolUcb(scale=0.3)), OWN, contexts, rewards)
    chosen, _ = played(Features(feature_map, MolUcb(scale=0.3)), OWN, contexts, rewards)
    x = mapped(feature_map, contexts[np.arange(20), chosen])
    y = rewards[np.arange(20), chosen]
    np.testing.assert_allclose(state.gram[0, 0], np.eye(x.shape[1]) + x.T @ x, rtol=1e-10)
    np.testing.assert_allclose(state.moment[0], y.T @ x, rtol=1e-10, atol=1e-12)


def test_online_newton_learns_phi():
    contexts, rewards = rounds(OWN)
    rewards = (rewards < 0.5).astype(float)
    feature_map = Bins([[0.5], [0.25, 0.75]])
    wide = OWN._replace(features=5)
    recipe = MoglbUcb(scale=0.1)
    assert_same_play(
        played(Features(feature_map, recipe), OWN, contexts, rewards),
        played(recipe, wide, feature_map(contexts), rewards),
    )


def test_fixed_arms_have_fixed_features():
    contexts, rewards = rounds(FIXED)
    for recipe in (MolUcb(scale=0.3), MolTs(scale=0.3), PfiRls(scale=0.1)):
        policy = Features(Crosses(2), recipe).bind(FIXED)
        phi = Crosses(2)(FIXED.fixed_arms)
        wide = FIXED._replace(features=5, fixed_arms=phi)
        assert policy.policy == recipe.bind(wide)
        assert_same_play(
            played(Features(Crosses(2), recipe), FIXED, contexts, rewards),
            played(recipe, wide, phi[None].copy(), rewards),
        )


@pytest.mark.long
@given(st.permutations(range(D)), st.sampled_from(RECIPES[:5]), st.booleans())
def test_all_columns_change_no_decision(order, recipe, shared):
    shape = SHARED if shared else OWN
    contexts, rewards = rounds(shape, 25)
    plain, _ = played(recipe, shape, contexts, rewards)
    for columns in (range(D), order):
        if list(columns) != list(range(D)) and not isinstance(recipe, MolUcb):
            continue  # other orders of sums give other last bits, and other draws
        chosen, _ = played(Features(Columns(tuple(columns)), recipe), shape, contexts, rewards)
        assert chosen.tolist() == plain.tolist()


def test_a_map_of_degree_one_is_no_map():
    contexts, rewards = rounds(OWN)
    for recipe in RECIPES:
        assert_same_play(
            played(Features(Crosses(1), recipe), OWN, contexts, rewards),
            played(recipe, OWN, contexts, rewards),
        )


def test_maps_nest():
    nested = Features(Columns((1,)), Features(Crosses(3), MolUcb(scale=0.3)))
    contexts, rewards = rounds(OWN)
    phi = Crosses(3)(contexts[:, :, 1:])
    assert_same_play(
        played(nested, OWN, contexts, rewards),
        played(MolUcb(scale=0.3), OWN._replace(features=3), phi, rewards),
    )
    maps = context_maps(nested.bind(OWN))
    assert maps == (Columns((1,)).bind(2), Crosses(3).bind(1))
    assert context_maps(MolUcb().bind(OWN)) == ()


def test_wrappers_go_inside_and_outside():
    feature_map, recipe = Crosses(2), MolUcb(scale=0.3)
    outside = Forgetting(Features(feature_map, recipe), 0.9).bind(OWN)
    inside = Features(feature_map, Forgetting(recipe, 0.9)).bind(OWN)
    assert outside == inside
    assert composite(inside) == Forgetting(recipe, 0.9).bind(OWN._replace(features=5))
    floor = WithFloor(Features(feature_map, recipe), 0.2).bind(OWN)
    assert floor.policy == Features(feature_map, recipe).bind(OWN)
    stages = Features(feature_map, Doubling(recipe, first=10)).stages(OWN)
    assert [next(stages).rounds for _ in range(3)] == [10, 20, 40]
    with pytest.raises(ValueError, match=r"GapWeighted\.recipe must bind"):
        GapWeighted(Features(feature_map, recipe)).bind(OWN)


def test_it_is_as_its_recipe_otherwise():
    assert Features(Crosses(2), MolUcb).recipe == MolUcb()
    theory = MolUcb(scale="theory")
    recipe = Features(Crosses(2), theory)
    assert recipe.accepts_partial
    assert not Features(Crosses(2), MoglbUcb()).accepts_partial
    # Norms are those of x: nothing follows for phi.
    assert [one.about for one in theory.assumptions()] == ["norms"]
    assert recipe.assumptions() == ()
    kept = Features(Crosses(2), MoglbUcb(scale="theory")).assumptions()
    assert [one.about for one in kept] == ["rewards"] * len(kept)
    assert str(recipe).startswith("Features(map=Crosses(degree=2, constant=False), recipe=MolUcb(")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Features("crosses", MolUcb()), r"Features\.map must be a map .*got 'crosses'"),
        (lambda: Features(Crosses(2), "MolUcb"), r"Features\.recipe must be a recipe"),
        (lambda: Features(Crosses(2), MocMab()).bind(SHARED), "must rest on ridge .* got MocMab"),
        (lambda: Features(Crosses(2), Ucb1()).bind(OWN), "must rest on ridge .* got Ucb1"),
        (lambda: Features(Crosses(2), RandomChoice()).bind(OWN), "must rest on ridge"),
        (lambda: Features(Crosses(2), Pcz()).bind(OWN), "must rest on ridge"),
        (lambda: Features(Crosses(2), MolUcb()).bind(OWN._replace(features=0)), "got 0"),
        (lambda: Features(Fourier(8), MolUcb()).bind(OWN), "Fourier.length must be a number"),
        (lambda: Features(Bins([[0.5]]), MolUcb()).bind(OWN), "Bins.edges must be of as many"),
    ],
)
def test_what_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_an_agent_explains_estimates_that_are_linear_in_phi():
    agent = mob.Agent(Features(Crosses(2), MolUcb(scale=0.3)), arms=3, features=D, objectives=L)
    rng = np.random.default_rng(0)
    for _ in range(20):
        agent.learn(agent.decide(rng.random(D)).id, rng.random(L))
    agent.preference = Lexicographic()
    decision = agent.decide([0.5, 0.25])
    theta = agent.core.bound.state().theta
    phi = Crosses(2)([0.5, 0.25])
    np.testing.assert_allclose(agent.explain(decision).estimates, theta @ phi, rtol=1e-12)
    assert decision.context.tolist() == [[0.5, 0.25]]
