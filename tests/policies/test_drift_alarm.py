"""`DriftAlarm`: its recipe on another estimator, and what it refuses."""

import pytest

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Shape
from mobandits.estimators import Alarmed
from mobandits.orders import Weighted
from mobandits.policies import (
    DriftAlarm,
    Forgetting,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    Paced,
    Ucb1,
    WithFloor,
)

SHAPE = Shape(3, 2, 2, shared=True)
QUALITY = Weighted([1.0, 0.0])


@pytest.mark.parametrize(
    "recipe",
    [
        MolUcb(scale=0.3),
        MolTs(scale=0.3),
        MolEpsGreedy(epsilon=0.2),
        MolEpsGreedy(penalty=10.0, intercept=30.0),
        WithFloor(MolUcb(scale=0.3), 0.1),
    ],
    ids=str,
)
def test_only_the_estimator_is_another(recipe):
    policy = DriftAlarm(recipe).bind(SHAPE)
    plain = recipe.bind(SHAPE)
    estimator = composite(policy).estimator
    assert estimator == Alarmed(composite(plain).estimator)
    assert exchanged(policy, estimator=estimator.model) == plain


def test_prices_go_around_it():
    policy = Paced(DriftAlarm(MolEpsGreedy(order=QUALITY)), {1: 0.3}).bind(SHAPE)
    assert type(composite(policy).estimator.model).__name__ == "Alarmed"


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        (Ucb1(), "DriftAlarm.recipe must rest on ridge regression, .* got Ucb1"),
        (MoglbUcb(scale=0.3), "must rest on ridge regression"),
        (MolUcb(), "without scale='data', got MolUcb"),
        (MolUcb(scale="theory"), "DriftAlarm.recipe must have a constant radius"),
        (Forgetting(MolUcb(scale=0.3), 0.9), "must rest on ridge regression"),
        (Paced(MolEpsGreedy(order=QUALITY), {1: 0.3}), "must rest on ridge regression"),
    ],
)
def test_what_is_refused(recipe, says):
    with pytest.raises(ValueError, match=says):
        DriftAlarm(recipe).bind(SHAPE)


def test_it_is_as_its_recipe_otherwise():
    assert DriftAlarm(MolUcb).recipe == MolUcb()
    assert DriftAlarm(MolUcb(scale=0.3)).accepts_partial
    assert DriftAlarm(MolUcb()).assumptions() == MolUcb().assumptions()
    with pytest.raises(ValueError, match=r"DriftAlarm\.recipe must be a recipe"):
        DriftAlarm("MolUcb")
