"""With `scale="data"` the unit of an objective changes no decision, whatever is around the recipe.

`tests/estimators/test_scaled.py` has the plain recipes under every order that has no unit itself.
"""

import numpy as np
import pytest
from playing import OWN, SHARED, D, K, L
from twins.feature_maps import MAPS

from mobandits.compiling.compiled import interpreted
from mobandits.orders import Pareto, Weighted
from mobandits.policies import (
    Conservative,
    Features,
    MolTs,
    MolUcb,
    Paced,
    PrimalDual,
    WithFloor,
    Within,
)
from mobandits.simulation.play import play

UCB, TS = MolUcb(scale="data"), MolTs(scale="data")
QUALITY = MolUcb(scale="data", order=Weighted([1.0, 0.0, 0.0]))
# Thousands round, and powers of two do not.
UNITS = (1e3, 1e-3, 1024.0)
LAYOUTS = pytest.mark.parametrize("shape", [OWN, SHARED], ids=["own", "shared"])


def arms_played(recipe, shape, units, rounds=80):
    """The arms of a play, and what might have been played; the last two rewards are costs."""
    rng = np.random.default_rng(0)
    contexts = rng.random((rounds, 1 if shape.shared else K, D))
    rewards = rng.random((rounds, K, L)) * np.linspace(0.3, 1.0, K)[:, None] * [1.0, -1.0, -0.3]
    policy, own = recipe.bind(shape), np.random.default_rng(1)
    chosen, fronts = np.empty(rounds, np.int64), np.zeros((rounds, K), np.bool_)
    with interpreted():
        state = policy.init()
        play(policy, state, contexts, rewards * units, np.arange(K), own, chosen, fronts)
    return chosen.tolist(), fronts.tolist()


def check(make, shape, which):
    """`make(unit)` decides the same where objective `which` is in another unit."""
    plain = arms_played(make(1.0), shape, np.ones(L))
    assert len(set(plain[0])) > 1
    for unit in UNITS:
        units = np.ones(L)
        units[which] = unit
        assert arms_played(make(unit), shape, units) == plain


@pytest.mark.long
@LAYOUTS
@pytest.mark.parametrize("recipe", [UCB, TS], ids=["MolUcb", "MolTs"])
def test_inside_of_limits(recipe, shape):
    check(lambda unit: Within(recipe, {1: -0.3 * unit}), shape, 1)
    check(lambda unit: Within(WithFloor(recipe, 0.2), {0: 2.0}, relative_to=1), shape, 0)


@pytest.mark.long
@LAYOUTS
@pytest.mark.parametrize("inside", ["MolUcb", "MolTs"])
def test_costs_of_what_is_paced(inside, shape):
    """Budgets are in the unit of the cost, and prices in that of the other rewards."""
    recipe = MolUcb(scale="data", order=Pareto(on=[0])) if inside == "MolUcb" else TS

    def paced(unit):
        return Paced(recipe, {1: 0.2 * unit}, horizon=80)

    check(paced, shape, 1)


@pytest.mark.long
@LAYOUTS
def test_rewards_and_costs_of_the_primal_dual_algorithm(shape):
    check(lambda unit: PrimalDual(QUALITY, {1: 0.4 * unit}, {1: unit}), shape, 1)
    check(lambda unit: PrimalDual(QUALITY, {1: 0.4}, {1: 1.0}, reward=unit), shape, 0)


@pytest.mark.long
def test_a_baseline_that_is_kept():
    check(lambda unit: Conservative(UCB, 0, 0.3, 0), SHARED, 0)
    check(lambda unit: Conservative(UCB, 0, 0.3, 0, 0.2 * unit), OWN, 0)


@pytest.mark.long
@pytest.mark.parametrize("feature_map", MAPS.values(), ids=MAPS)
def test_inside_of_feature_maps(feature_map):
    check(lambda unit: Features(feature_map, UCB), OWN, 2)
    check(lambda unit: Features(feature_map, TS), SHARED, 2)
    check(lambda unit: Features(feature_map, Within(UCB, {1: -0.3 * unit})), SHARED, 1)
