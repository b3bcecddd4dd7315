"""`Forgetting` makes any recipe on ridge regression follow a world that drifts, and refuses others by name."""

import numpy as np
import pytest
from playing import OWN, SHARED, Played

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Shape
from mobandits.estimators import Discounted, DisjointRidge, Ridge
from mobandits.policies import (
    Doubling,
    Exp3P,
    Forgetting,
    HypervolumeUcb,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    Ucb1,
)
from mobandits.simulation.play import play

K, D, L, HALF = (
    5,
    2,
    3,
    600,
)  # the types of the conformance suite, so that nothing more need be compiled


def world(seed):
    """Contexts, means and rewards of linear problems, whose parameters change their signs halfway."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((2 * HALF, K, D))
    contexts /= np.linalg.norm(contexts, axis=2, keepdims=True)
    theta = np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]])
    signs = np.where(np.arange(2 * HALF) < HALF, 1.0, -1.0)
    means = (contexts @ theta.T) * signs[:, None, None]
    return contexts, means, means + 0.1 * rng.standard_normal(means.shape)


def regrets(recipe, seed):
    """(rounds,) the Pareto gaps of what is played, by definition."""
    contexts, means, rewards = world(seed)
    policy = recipe.bind(Shape(K, D, L))
    chosen, fronts = np.empty(2 * HALF, np.int64), np.zeros((2 * HALF, K), bool)
    state = compile_loop(play, policy)(
        policy,
        policy.init(),
        contexts,
        rewards,
        np.arange(K),
        np.random.default_rng(seed),
        chosen,
        fronts,
    )
    assert Played(contexts, rewards, chosen, fronts, state).state.seen.min() > 0.0
    mine = means[np.arange(2 * HALF), chosen]
    return np.maximum((means - mine[:, None]).min(axis=2).max(axis=1), 0.0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_it_regains_what_a_change_took(seed):
    plain, forgetful = (
        regrets(MolUcb(scale=0.3), seed),
        regrets(Forgetting(MolUcb(scale=0.3), discount=0.95), seed),
    )
    before, after = slice(100, HALF), slice(HALF + 100, 2 * HALF)
    assert plain[before].mean() < 0.05
    assert forgetful[before].mean() < 0.1
    assert plain[after].mean() > 0.3
    assert forgetful[after].mean() < 0.1


@pytest.mark.parametrize(
    ("recipe", "shape", "model"),
    [
        (MolUcb(scale=0.3), OWN, Ridge),
        (MolUcb(scale=0.3), SHARED, DisjointRidge),
        (MolTs(scale=0.3), OWN, Ridge),
        (MolTs(scale=0.3, selection="weight"), OWN, Ridge),
        (HypervolumeUcb(scale=0.3), SHARED, DisjointRidge),
        (MolEpsGreedy(epsilon=0.2), SHARED, DisjointRidge),
    ],
    ids=str,
)
def test_only_the_estimator_is_another(recipe, shape, model):
    policy, plain = Forgetting(recipe, discount=0.9).bind(shape), recipe.bind(shape)
    estimator = composite(policy).estimator
    assert estimator == Discounted(composite(plain).estimator, 0.9)
    assert isinstance(estimator.model, model)
    assert exchanged(policy, estimator=estimator.model) == plain


def test_arms_that_never_change_have_no_tables():
    fixed = OWN._replace(fixed_arms=np.zeros((OWN.arms, OWN.features)))
    assert isinstance(
        composite(Forgetting(MolUcb(scale=0.3), discount=0.9).bind(fixed)).estimator.model, Ridge
    )


def test_it_is_as_its_recipe_otherwise():
    assert Forgetting(MolUcb(), discount=0.9).assumptions() == MolUcb().assumptions()
    assert Forgetting(MolUcb, discount=0.9).recipe == MolUcb()
    assert Forgetting(MolUcb(scale=0.3), discount=0.9).accepts_partial
    assert Forgetting(MolUcb(scale=0.3), discount=0.9) == Forgetting(
        MolUcb(scale=0.3), discount=0.9
    )
    stages = Doubling(Forgetting(MolUcb(scale=0.3), discount=0.9), first=5).stages(OWN)
    assert [next(stages).rounds for _ in range(3)] == [5, 10, 20]


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Ucb1(), "Forgetting.recipe must rest on ridge regression, got Ucb1"),
        (Exp3P(), "Forgetting.recipe must rest on ridge regression, got Exp3P"),
        (MoglbUcb(scale=0.3), "Forgetting.recipe must rest on ridge regression, got MoglbUcb"),
        (
            MolTs(scale=0.3, links="logit"),
            "Forgetting.recipe must rest on ridge regression, got MolTs",
        ),
        (
            Forgetting(MolUcb(scale=0.3), discount=0.5),
            "Forgetting.recipe must rest on ridge regression, got Forgetting",
        ),
        (
            MolUcb(scale="theory"),
            r"Forgetting.recipe must have a constant radius, or scale=.data., got MolUcb\(scale=.theory.",
        ),
        (HypervolumeUcb(scale="theory"), "Forgetting.recipe must have a constant radius"),
        (
            MolTs(scale="theory", selection="weight"),
            "Forgetting.recipe must have a constant radius",
        ),
    ],
    ids=str,
)
def test_what_cannot_forget_is_refused_by_name(recipe, said):
    with pytest.raises(ValueError, match=said):
        Forgetting(recipe, discount=0.9).bind(OWN)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("MolUcb", 0.9),
            "Forgetting.recipe must be a recipe such as MolUcb.scale=0.3., got 'MolUcb'",
        ),
        ((MolUcb(scale=0.3), 0.0), "Forgetting.discount must be above 0, got 0.0"),
        ((MolUcb(scale=0.3), 1.0), "Forgetting.discount must be below 1, got 1.0"),
        ((MolUcb(scale=0.3), float("nan")), "Forgetting.discount must be a finite number, got nan"),
        ((MolUcb(scale=0.3), None), "Forgetting.discount must be a finite number, got None"),
    ],
)
def test_bad_parameters(arguments, said):
    with pytest.raises(ValueError, match=said):
        Forgetting(*arguments)
