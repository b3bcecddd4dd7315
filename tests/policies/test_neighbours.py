"""`Neighbours`: its recipe on another estimator, and what it refuses."""

import numpy as np
import pytest

import mobandits as mob
from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Shape
from mobandits.estimators import NearestRounds
from mobandits.orders import Weighted
from mobandits.policies import (
    DriftAlarm,
    Forgetting,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    Neighbours,
    Paced,
    Ucb1,
    WithFloor,
)

SHAPE = Shape(3, 2, 2, shared=True)
QUALITY = Weighted([1.0, 0.0])


@pytest.mark.parametrize(
    "recipe",
    [
        MolUcb(),
        MolTs(scale=0.3),
        MolEpsGreedy(epsilon=0.2, penalty=10.0, intercept=30.0),
        WithFloor(MolUcb(scale=0.3), 0.1),
        DriftAlarm(MolUcb(scale=0.3)),
        Forgetting(MolUcb(), 0.9),
    ],
    ids=str,
)
def test_only_the_estimator_is_another(recipe):
    policy = Neighbours(recipe, count=7, memory=20).bind(SHAPE)
    plain = recipe.bind(SHAPE)
    estimator = composite(policy).estimator
    assert isinstance(estimator, NearestRounds)
    assert (estimator.count, estimator.memory, estimator.slots) == (7, 20, 3)
    assert exchanged(policy, estimator=estimator.model) == plain


def test_prices_go_around_it():
    policy = Paced(Neighbours(MolEpsGreedy(order=QUALITY)), {1: 0.3}).bind(SHAPE)
    assert type(composite(policy).estimator.model).__name__ == "NearestRounds"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Neighbours(Ucb1()).bind(SHAPE), "must rest on ridge regression, got Ucb1"),
        (
            lambda: DriftAlarm(Neighbours(MolUcb(scale=0.3))).bind(SHAPE),
            "DriftAlarm.recipe must rest on ridge regression, .* got Neighbours",
        ),
        (lambda: Neighbours("MolUcb"), r"Neighbours\.recipe must be a recipe"),
        (
            lambda: Neighbours(MolUcb, count=0),
            r"Neighbours\.count must be an integer of at least 1",
        ),
        (
            lambda: Neighbours(MolUcb, memory=29),
            r"Neighbours\.memory must be an integer of at least 30",
        ),
    ],
)
def test_what_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.long
def test_an_agent_learns_what_no_line_follows():
    """The better arm is the one on its side of |x| = 1/2; a line has the same means everywhere."""
    rng = np.random.default_rng(0)

    def right(recipe):
        agent = mob.Agent(recipe, arms=["near", "far"], features=1, objectives=1, seed=0)
        hits = 0
        for place in rng.uniform(-1.0, 1.0, 800):
            decision = agent.decide([place])
            is_far = abs(place) > 0.5
            is_right = is_far == (decision.arm == "far")
            agent.learn(decision.id, [float(is_right) + 0.1 * rng.standard_normal()])
            hits += is_right
        return hits / 800

    recipe = MolEpsGreedy(epsilon=0.1, intercept=1.0)
    assert right(recipe) < 0.65
    assert right(Neighbours(recipe)) > 0.85
