"""Recipes: values that print as what they are, and refuse by name what cannot work."""

import math

import pytest
from playing import OWN

from mobandits import policies
from mobandits.contracts.protocols import Shape
from mobandits.orders import Levels
from mobandits.policies import (
    MolEpsGreedy,
    MolTs,
    MolUcb,
    MoslbParetoUcb,
    MoslbPc,
    MoslbPl,
    ParetoTs,
    ParetoUcb1,
    ScalarizedUcb1,
    SingleArm,
)
from mobandits.policies.linear.mol_ts import optimistic_draws

FLAT = Shape(arms=3, features=0, objectives=3, rounds=100)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MolTs(scale=0), "MolTs.scale must be above 0, got 0"),
        (lambda: MolTs(draws=0), "MolTs.draws must be an integer of at least 1, got 0"),
        (lambda: MolTs(draws=2.0), "MolTs.draws must be an integer of at least 1, got 2.0"),
        (lambda: MolTs(penalty=-1), "MolTs.penalty must be above 0, got -1"),
        (lambda: MolUcb(delta=1), "MolUcb.delta must be below 1, got 1"),
        (lambda: MolUcb(noise=math.nan), "MolUcb.noise must be a finite number, got nan"),
        (
            lambda: MolUcb(order="pareto"),
            r"MolUcb.order must be an order such as Pareto\(\), got 'pareto'",
        ),
        (lambda: MolEpsGreedy(1.5), "MolEpsGreedy.epsilon must be at most 1, got 1.5"),
        (lambda: MolEpsGreedy(penalty=0), "MolEpsGreedy.penalty must be above 0, got 0"),
        (lambda: MoslbPl(epsilon=0), "MoslbPl.epsilon must be above 0, got 0"),
        (lambda: MoslbPl(alpha="x"), "MoslbPl.alpha must be a finite number, got 'x'"),
        (
            lambda: MoslbPl(((0, 1), (1,))),
            "Levels.levels must name each objective once, got 1 twice",
        ),
        (lambda: MoslbPc(delta=0), "MoslbPc.delta must be above 0, got 0"),
        (lambda: MoslbPc(((0,), ())), "ChainFilter.chains must not have an empty group"),
        (lambda: MoslbParetoUcb(on=(0, 0)), "Pareto.on must name each objective once, got 0 twice"),
        (lambda: MoslbParetoUcb(noise=0), "MoslbParetoUcb.noise must be above 0, got 0"),
        (lambda: ParetoUcb1(scale=-1), "ParetoUcb1.scale must be above 0, got -1"),
        (
            lambda: ParetoUcb1(optimal_arms=0),
            "ParetoUcb1.optimal_arms must be an integer of at least 1, got 0",
        ),
        (lambda: ScalarizedUcb1(scale=0), "ScalarizedUcb1.scale must be above 0, got 0"),
        (lambda: ScalarizedUcb1(margin=0), "ScalarizedUcb1.margin must be above 0, got 0"),
        (
            lambda: ScalarizedUcb1(((0, 0),)),
            "ScalarizedUcb1.weights must be non-negative and not all zero in a row",
        ),
        (
            lambda: ScalarizedUcb1(((1, -1),)),
            "ScalarizedUcb1.weights must be non-negative and not all zero in a row",
        ),
        (
            lambda: ScalarizedUcb1((1, 1)),
            r"ScalarizedUcb1.weights must have shape \(functions, objectives\), got \(2,\)",
        ),
        (lambda: ParetoTs("normal"), "ParetoTs.prior must be one of beta, gaussian, got 'normal'"),
        (lambda: ParetoTs(noise=0), "ParetoTs.noise must be above 0, got 0"),
        (lambda: SingleArm(-1), "SingleArm.arm must be an integer of at least 0, got -1"),
    ],
)
def test_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("recipe", "shape", "message"),
    [
        (MolTs(), FLAT, "features must be at least 1 for a linear policy, got 0"),
        (MolEpsGreedy(), FLAT, "features must be at least 1 for a linear policy, got 0"),
        (
            MoslbPl(),
            OWN._replace(rounds=None),
            "MoslbPl.epsilon must be given where the number of rounds is unknown, got None",
        ),
        (
            MoslbPc(),
            OWN._replace(rounds=None),
            "MoslbPc.epsilon must be given where the number of rounds is unknown, got None",
        ),
        (MoslbPl(((0, 1),)), OWN, "Levels.levels must name each of the 3 objectives, got no 2"),
        (MoslbPc(((0, 1), (2, 3))), OWN, "ChainFilter.chains must name objectives below 3, got 3"),
        (MoslbParetoUcb(on=(4,)), OWN, "Pareto.on must name objectives below 3, got 4"),
        (
            MolUcb(order=Levels([[0, 1]])),
            OWN,
            "Levels.levels must name each of the 3 objectives, got no 2",
        ),
        (
            ScalarizedUcb1(((1, 1),)),
            OWN,
            "ScalarizedUcb1.weights must have one column per objective, 3, got 2",
        ),
        (SingleArm(5), OWN, "SingleArm.arm must be below the number of arms, 5, got 5"),
    ],
)
def test_shapes_are_refused_by_name(recipe, shape, message):
    with pytest.raises(ValueError, match=message):
        recipe.bind(shape)


@pytest.mark.parametrize(
    "recipe",
    [
        MolTs(0.3),
        MoslbPl(levels=[[0, 1], [2]]),
        MoslbPc(chains=[[0], [1, 2]]),
        MoslbParetoUcb(on=[0]),
        ScalarizedUcb1([[1, 0]]),
    ],
    ids=lambda r: type(r).__name__,
)
def test_recipes_print_as_what_they_are(recipe):
    again = eval(repr(recipe), vars(policies).copy())
    assert again == recipe
    assert hash(again) == hash(recipe)
    assert repr(again) == repr(recipe)


def test_the_number_of_optimistic_draws():
    assert [optimistic_draws(l) for l in (1, 2, 3, 4, 8)] == [1, 6, 8, 10, 14]
